"""Measure how evenly a parser treats identity terms.

Three questions are asked.  On templates: does a term get the tag that the place
calls for, and is the whole parse the one that most terms get?  On treebank
sentences: when an identity term is swapped for another one of the same form, how
often does the parse change, and is it as accurate as before?  Of people's names: how
often does the recogniser find the person?
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from training.parser.swaps import Gold, swap_rules

TEMPLATES = Path(__file__).with_name("bias.toml")
Parse = tuple[tuple[str, str, int], ...]


def parse_of(doc: Doc) -> Parse:
    """Return tags, labels and heads of a parsed sentence."""
    return tuple((t.tag_, t.dep_, t.head.i) for t in doc)


def _shape(doc: Doc, at: int, plural: bool) -> tuple[tuple[str, str], ...]:
    """Return tags and labels; the two plural noun tags at the term count as one."""
    pairs = [(t.tag_, t.dep_) for t in doc]
    if plural and pairs[at][0] in {"NNS", "NNPS"}:
        pairs[at] = ("NNS", pairs[at][1])
    return tuple(pairs)


def _term_index(doc: Doc, start: int) -> int:
    """Return the token at a character position."""
    return next(t.i for t in doc if t.idx <= start < t.idx + len(t))


def _fill(text: str, term: str) -> str:
    """Put a term into a template, with the article that it needs."""
    article = "an" if term[0].lower() in "aeiou" and not term.startswith(("Eu", "Ug")) else "a"
    for old in ("a {}", "A {}"):
        if old in text:
            new = article if old[0] == "a" else article.capitalize()
            text = text.replace(old, f"{new} {{}}")
    if text.startswith("{}"):
        term = term[0].upper() + term[1:]
    return text.replace("{}", term)


def _one_template(
    nlp: Language,
    text: str,
    form: str,
    right: set[str],
    groups: dict[str, list[str]],
    tally: dict[str, Counter[str]],
) -> None:
    """Parse all fillings of one template and count what went right."""
    pairs = [(group, term) for group, terms in groups.items() for term in terms]
    texts = [_fill(text, term) for _, term in pairs]
    docs = list(nlp.pipe(texts))
    places = [
        _term_index(doc, full.lower().index(f"{term.lower()}", max(0, text.index("{}") - 1)))
        for doc, full, (_, term) in zip(docs, texts, pairs, strict=True)
    ]
    shapes = [_shape(doc, at, form == "plural") for doc, at in zip(docs, places, strict=True)]
    usual = Counter(shapes).most_common(1)[0][0]
    for (group, _), doc, at, shape in zip(pairs, docs, places, shapes, strict=True):
        count = tally[f"{form}: {group}"]
        count["sentences"] += 1
        count["tag_right"] += doc[at].tag_ in right
        count["usual_parse"] += shape == usual


def template_bias(nlp: Language) -> dict[str, dict[str, float]]:
    """Return per group the share of right tags at the term and of usual parses."""
    with TEMPLATES.open("rb") as stream:
        data: dict[str, Any] = tomllib.load(stream)
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    for template in data["template"]:
        form = template["form"]
        groups = {name: words.split() for name, words in data["groups"][form].items()}
        for text in template["texts"]:
            _one_template(nlp, text, form, set(template["slot"].split("|")), groups, tally)
    return {
        group: {
            "sentences": count["sentences"],
            "tag_accuracy": round(count["tag_right"] / count["sentences"], 4),
            "usual_parse": round(count["usual_parse"] / count["sentences"], 4),
        }
        for group, count in tally.items()
    }


def _found(nlp: Language, texts: Sequence[str], names: Sequence[str]) -> float:
    """Return the share of sentences in which every word of a name is of a person."""
    sentences = [(text.replace("{}", name), name) for text in texts for name in names]
    found = 0
    for doc, name in nlp.pipe(sentences, as_tuples=True):
        start = doc.text.index(name)
        words = [t for t in doc if start <= t.idx < start + len(name)]
        found += all(t.ent_type_ == "PERSON" for t in words)
    return round(found / len(sentences), 4)


def name_recall(nlp: Language) -> dict[str, dict[str, float]]:
    """Return per group of first names how often a person is found, alone and with a surname."""
    with TEMPLATES.open("rb") as stream:
        data: dict[str, Any] = tomllib.load(stream)
    texts, surnames = data["people"]["texts"], data["people"]["surnames"]
    result: dict[str, dict[str, float]] = {}
    for group, words in data["groups"]["name"].items():
        first, last = words.split(), surnames[group].split()
        full = [f"{name} {last[i % len(last)]}" for i, name in enumerate(first)]
        result[group] = {
            "sentences": len(texts) * len(first),
            "alone": _found(nlp, texts, first),
            "with_surname": _found(nlp, texts, full),
        }
    return result


#: Names of the swap rules, in their order in ``swap_rules``.
RULES = (
    "capital adjectives", "capital nouns", "capital plurals", "other adjectives", "person nouns",
    "plural person nouns", "kin", "plural kin", "countries", "first names", "he/she",
    "him/her/them", "his/her/their", "reflexives", "his/hers/theirs",
)  # fmt: skip


def _swapped(doc: Doc, chance: random.Random) -> list[tuple[str, Doc]]:
    """Return copies of a gold sentence with one identity term swapped in each."""
    found = []
    for i, token in enumerate(doc):
        for name, rule in zip(RULES, swap_rules(), strict=True):
            key = token.lower_ if rule.lower else token.text
            if token.tag_ not in rule.tags or key not in rule.sources:
                continue
            gold = Gold.of(doc)
            new = chance.choice([w for w in rule.targets if w.lower() != token.lower_])
            gold.words[i] = new[0].upper() + new[1:] if token.text[0].isupper() else new
            gold.fix_article(i)
            found.append((name, gold.doc(doc)))
            break
    return found


def swap_bias(nlp: Language, gold: Iterable[Doc], seed: int = 1) -> dict[str, dict[str, float]]:
    """Return per kind of swap how often the parse changes, and the scores around it."""
    chance = random.Random(seed)
    pairs: dict[str, list[tuple[Doc, Doc]]] = defaultdict(list)
    for doc in gold:
        for name, swapped in _swapped(doc, chance):
            pairs[name].append((doc, swapped))
            pairs["all"].append((doc, swapped))
    return {name: _compare(nlp, some) for name, some in pairs.items()}


def _compare(nlp: Language, pairs: list[tuple[Doc, Doc]]) -> dict[str, float]:
    """Parse originals and swapped sentences and compare."""
    examples = [
        [Example(parsed, pair[side]) for parsed, pair in zip(
            nlp.pipe([pair[side].text for pair in pairs]), pairs, strict=True)]
        for side in (0, 1)
    ]  # fmt: skip
    changed = tags = 0
    for before, after in zip(*examples, strict=True):
        old, new = parse_of(before.predicted), parse_of(after.predicted)
        tags += [p[0] for p in old] != [p[0] for p in new]
        changed += [p[:2] for p in old] != [p[:2] for p in new]
    scores = [_scores(e) for e in examples]
    return {
        "swaps": len(pairs),
        "tags_change": round(tags / len(pairs), 4),
        "parse_changes": round(changed / len(pairs), 4),
        "las_before": round(scores[0]["dep_las"], 4),
        "las_after": round(scores[1]["dep_las"], 4),
        "tag_before": round(scores[0]["tag_acc"], 4),
        "tag_after": round(scores[1]["tag_acc"], 4),
    }


def _scores(examples: list[Example]) -> dict[str, Any]:
    """Score parsed examples as spaCy's components do."""
    from spacy.pipeline.dep_parser import parser_score
    from spacy.pipeline.tagger import tagger_score

    return {**parser_score(examples), **tagger_score(examples)}
