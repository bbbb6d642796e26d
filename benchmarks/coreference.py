"""How well the resolver finds who is meant: ``python -m benchmarks.coreference --gum FILE``.

GUM: all that is scored comes from the text alone (sentences, parses, mentions). Mentions match by
head: those of one head word are paired by the words that their spans share. *Exact* also wants
equal spans. WinoBias: a pronoun counts as resolved if its entity has the noun that it stands for.
"""

from __future__ import annotations

import argparse
import gzip
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from statsmodels.stats.proportion import proportion_confint

from benchmarks.coreference_scores import Scorer, table
from benchmarks.gum import GoldDocument, read_gum
from benchmarks.litbank import add_heads, read_litbank
from hinter_core.language.coreference import Resolver, load_resolver, parse_text
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.language.people import PRONOUNS
from hinter_core.language.trees import ParsedSentence
from hinter_core.mutation.unresolved import settled
from hinter_core.types import Entity, Mention, MentionKind, Span


@dataclass
class Matched:
    """Gold and system entities over one set of mentions.

    ``place``: first word of each mention. ``nominal``: system mentions that are no pronouns.
    ``pronouns``: gold mentions that are pronouns, with their words.
    """

    gold: dict[str, set[Hashable]] = field(default_factory=lambda: defaultdict(set))
    found: list[set[Hashable]] = field(default_factory=list)
    gold_people: set[str] = field(default_factory=set)
    found_people: list[set[Hashable]] = field(default_factory=list)
    place: dict[Hashable, int] = field(default_factory=dict)
    nominal: set[Hashable] = field(default_factory=set)
    pronouns: dict[Hashable, str] = field(default_factory=dict)


def match(document: GoldDocument, entities: Sequence[Entity], exact: bool = False) -> Matched:
    """Pair the mentions of both sides by their heads."""
    matched = Matched(gold_people=document.people())
    gold_at: dict[int, list[tuple[Span, int]]] = defaultdict(list)
    for number, gold in enumerate(document.mentions):
        gold_at[document.head(gold.first, gold.last)].append(((gold.first, gold.last), number))
        matched.gold[gold.entity].add(number)
        matched.place[number] = gold.first
        form = document.words[gold.first].form.lower()
        if gold.first == gold.last and form in PRONOUNS:
            matched.pronouns[number] = form
    found_at: dict[int, list[tuple[Span, int, Mention]]] = defaultdict(list)
    for number, entity in enumerate(entities):
        for mention in entity.mentions:
            head = document.head(*_words(document, mention.head))
            found_at[head].append((_words(document, mention.span), number, mention))
    matched.found = [set() for _ in entities]
    for head, mentions in found_at.items():
        keys = _pairs([span for span, _, _ in mentions], gold_at.get(head, []), exact)
        for which, (span, number, mention) in enumerate(mentions):
            key = keys.get(which, ("extra", head, which))
            matched.found[number].add(key)
            matched.place.setdefault(key, span[0])
            if mention.kind is not MentionKind.PRONOUN:
                matched.nominal.add(key)
    matched.found_people = [matched.found[n] for n, e in enumerate(entities) if e.person]
    return matched


def _words(document: GoldDocument, span: Span) -> Span:
    """Return the first and last word of some characters."""
    first, last = (
        bisect_right(document.words, place, key=lambda word: word.span[0]) - 1
        for place in (span[0], span[1] - 1)
    )
    return first, last


def _pairs(
    found: Sequence[Span], gold: Sequence[tuple[Span, int]], exact: bool
) -> dict[int, Hashable]:
    """Return the gold mentions of system mentions, the best match first."""
    order = sorted(
        (-_shared(span, other), which, number)
        for which, span in enumerate(found)
        for other, number in gold
    )
    keys: dict[int, Hashable] = {}
    for share, which, number in order:
        if which not in keys and number not in keys.values() and (share == -1 or not exact):
            keys[which] = number
    return keys


def _shared(a: Span, b: Span) -> float:
    """Return the share of words that two spans have in common."""
    return (min(a[1], b[1]) - max(a[0], b[0]) + 1) / (max(a[1], b[1]) - min(a[0], b[0]) + 1)


@dataclass
class PronounCount:
    """Pronouns of people with an antecedent: how many have a right one.

    ``nominal``: the nearest noun or name before the pronoun in its system entity is of the right
    person. ``nearest``: the nearest mention of any kind is.
    """

    total: int = 0
    nominal: int = 0
    nearest: int = 0

    def line(self, name: str) -> str:
        """Write the counts as a row."""
        shares = []
        for right in (self.nominal, self.nearest):
            low, high = proportion_confint(right, max(1, self.total), method="wilson")
            share = 100 * right / max(1, self.total)
            shares.append(f"{right} ({share:.1f} %, {100 * low:.1f} to {100 * high:.1f})")
        return f"| {name} | {self.total} | {' | '.join(shares)} |"


def count_pronouns(matched: Matched, counts: dict[str, PronounCount]) -> None:
    """Count the pronouns of people that are not the first mention of their person.

    Where the person has no noun or name before the pronoun, mentions of any kind count for both.
    """
    place = matched.place
    of = {key: entity for entity in matched.found for key in entity}
    gold_of = {key: name for name, entity in matched.gold.items() for key in entity}
    for key, form in matched.pronouns.items():
        name = gold_of[key]
        earlier = [k for k in matched.gold[name] if place[k] < place[key]]
        if name not in matched.gold_people or not earlier:
            continue
        answers = sorted(
            (k for k in of.get(key, ()) if place[k] < place[key]), key=place.__getitem__
        )
        nouns = [k for k in answers if k in matched.nominal]
        if all(k in matched.pronouns for k in earlier):
            nouns = answers
        said = PRONOUNS[form]
        third = "he, she" if said.gender else "they"
        for row in ("all", *(("I, we, you",) if said.person < 3 else (third, "he, she, they"))):
            counts[row].total += 1
            counts[row].nominal += bool(nouns) and gold_of.get(nouns[-1]) == name
            counts[row].nearest += bool(answers) and gold_of.get(answers[-1]) == name


def gum(paths: Iterable[Path], resolver: Resolver | Settled, parses: ParseStore) -> Iterator[str]:
    """Yield the tables of GUM."""
    documents = [document for path in paths for document in read_gum(path)]
    texts = ((one, parse_text(one.text, parses)) for one in documents)
    yield from tables("GUM", texts, resolver)


def litbank(
    clusters: Path, types: Path, resolver: Resolver | Settled, parses: ParseStore
) -> Iterator[str]:
    """Yield the tables of the novels of LitBank that are kept apart; only people count there."""
    texts = []
    for document in read_litbank(clusters, types, held=True):
        sentences = parse_text(document.text, parses)
        add_heads(document, sentences)
        texts.append((document, sentences))
    yield from tables("LitBank, held third", texts, resolver)


def tables(
    name: str,
    texts: Iterable[tuple[GoldDocument, Sequence[ParsedSentence]]],
    resolver: Resolver | Settled,
) -> Iterator[str]:
    """Yield the tables of documents."""
    rows = {
        (who, how, form): Scorer(singletons=how == "with singletons")
        for who in ("people", "all")
        for how in ("with singletons", "without")
        for form in ("head", "exact")
    }
    counts: dict[str, PronounCount] = defaultdict(PronounCount)
    number = 0
    for document, sentences in texts:
        number += 1
        entities = resolver.resolve(document.text, sentences)
        for form in ("head", "exact"):
            matched = match(document, entities, exact=form == "exact")
            people = [matched.gold[name] for name in matched.gold_people]
            for how in ("with singletons", "without"):
                rows["people", how, form].add(_sets(people), _sets(matched.found_people))
                rows["all", how, form].add(_sets(matched.gold.values()), _sets(matched.found))
            if form == "head":
                count_pronouns(matched, counts)
    yield f"{name}, {number} documents, {resolver.identity}: recall / precision / F1, percent"
    yield ""
    yield from table((", ".join(name), scorer) for name, scorer in rows.items())
    yield ""
    columns = "all | nearest noun or name right (percent, 95 % CI) | nearest mention right"
    yield f"| pronouns of people with an antecedent | {columns} |"
    yield "|---|---|---|---|"
    yield from (counts[name].line(name) for name in sorted(counts))


def _sets(entities: Iterable[set[Hashable]]) -> list[frozenset[Hashable]]:
    return [frozenset(entity) for entity in entities if entity]


def winobias(folder: Path, resolver: Resolver | Settled, parses: ParseStore) -> Iterator[str]:
    """Yield accuracy on WinoBias by type, with the difference of pro and anti."""
    yield "| WinoBias | sentences | pro | anti | pro − anti |"
    yield "|---|---|---|---|---|"
    for part in ("dev", "test"):
        for kind in ("type1", "type2"):
            right: dict[str, list[bool]] = {}
            for side in ("pro", "anti"):
                path = folder / f"{side}_stereotyped_{kind}.txt.{part}.gz"
                with gzip.open(path, "rt", encoding="utf-8") as lines:
                    right[side] = [
                        _linked(line, resolver, parses) for line in lines if line.strip()
                    ]
            pro, anti = (100 * sum(right[side]) / len(right[side]) for side in ("pro", "anti"))
            shares = f"{pro:.1f} % | {anti:.1f} % | {pro - anti:+.1f}"
            yield f"| {kind} {part} | {len(right['pro'])} + {len(right['anti'])} | {shares} |"


def _linked(line: str, resolver: Resolver | Settled, parses: ParseStore) -> bool:
    """Whether one entity has mentions in all brackets of a line."""
    text, brackets = "", []
    for piece in re.split(r"(\[[^\]]*\])", line.strip().split(" ", 1)[1]):
        if piece.startswith("["):
            brackets.append((len(text), len(text) + len(piece) - 2))
        text += piece.strip("[]") if piece.startswith("[") else piece
    entities = resolver.resolve(text, parse_text(text, parses))
    return any(
        all(any(a <= m.head[0] < b for m in entity.mentions) for a, b in brackets)
        for entity in entities
    )


class Settled:
    """A resolver with what mutation makes of its answers."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.identity = f"{resolver.identity}, as mutation takes it"

    def resolve(self, text: str, sentences: Sequence[ParsedSentence]) -> tuple[Entity, ...]:
        """Return the entities of whom edits change all mentions."""
        return settled(text, self._resolver.resolve(text, sentences), sentences)


def main() -> None:
    """Measure from the command line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--gum", type=Path, nargs="*", default=[], help="CoNLL-U files (.gz)")
    arguments.add_argument(
        "--litbank",
        type=Path,
        nargs=2,
        metavar=("CLUSTERS", "TYPES"),
        help="files of LitBank (.gz)",
    )
    arguments.add_argument("--winobias", type=Path, help="folder of WinoBias (.gz)")
    arguments.add_argument("--parser", default="embedded")
    arguments.add_argument("--resolver", default="rules", help="rules, fastcoref or maverick")
    arguments.add_argument("--settled", action="store_true", help="what mutation makes of it")
    given = arguments.parse_args()
    rules, parses = load_resolver(given.resolver), ParseStore(load_parser(given.parser))
    resolver = Settled(rules) if given.settled else rules
    if given.gum:
        print(*gum(given.gum, resolver, parses), sep="\n")
    if given.litbank:
        print(*litbank(given.litbank[0], given.litbank[1], resolver, parses), sep="\n")
    if given.winobias:
        print(*winobias(given.winobias, resolver, parses), sep="\n")


if __name__ == "__main__":
    main()
