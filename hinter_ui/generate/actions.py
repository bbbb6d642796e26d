"""What the Generate tab does, without its widgets: read a grammar, draw sentences, hand it over.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import GrammarRow, GrammarTable, plan_of
from hinter_core.generators.grammars.checking import require_sound
from hinter_core.generators.grammars.grammar import ARTICLE, MASK, Grammar
from hinter_core.generators.grammars.reading import grammar_file, read_grammar, shipped_grammars
from hinter_core.mutation.settings import Settings
from hinter_core.storage import ASSETS
from hinter_core.types import Edit
from hinter_ui.html.wording import Words, numeral
from hinter_ui.shared.access import MOST_OF_GRAMMAR
from hinter_ui.shared.session import Session

say = Words("generate")

FIRST = "feelings"  # the grammar that the editor begins with
YAML = "yaml"  # what is begun with, beside the examples
_LINE = re.compile(r"\s*([\w-]+)\s*(?:\(([^()]*)\)\s*)?:(.*)")
_NAMED = re.compile(r"<([\w-]+)>")
_DRAWN = 10
_VARIANTS = 3  # of each attribute


@dataclass(frozen=True)
class DrawnSentences:
    """A grammar without faults, with some sentences and variants of the first of them."""

    grammar: Grammar
    count: int
    rows: Sequence[Row]
    variants: Sequence[Edit]


@dataclass(frozen=True)
class SentenceForm:
    """Sentences and lists of words as a person writes them.

    A line of ``people`` or ``words`` is ``name: word, word``. Where words of several names belong
    together, it is ``name (one, two): a/b, c/d``.
    """

    sentences: str = ""
    people: str = ""
    words: str = ""

    def grammar(self) -> str:
        """Write the grammar, without the lists that no sentence uses.

        Raises:
            InputError: there is no sentence, a line has no name, or a name no list.
        """
        if len(self.sentences) + len(self.people) + len(self.words) > MOST_OF_GRAMMAR:
            raise InputError(say("errors.long_form", most=numeral(MOST_OF_GRAMMAR)))
        sentences = [line.strip() for line in self.sentences.splitlines() if line.strip()]
        if not sentences:
            raise InputError(say("errors.no_sentence"))
        rules, people = {"sentence": sentences}, dict[str, list[Any]]()
        for named, lines in ((rules, self.words), (people, self.people)):
            for name, words in _lists(lines):
                if name in (*rules, *people):
                    raise InputError(say("errors.twice", name=name[:60]))
                named[name] = words
        rules, people = _used(rules, people)
        tree = {"start": "sentence", "rules": rules, "sensitive": people}
        options = {"allow_unicode": True, "sort_keys": False, "default_flow_style": None}
        return str(yaml.safe_dump(tree, width=1_000, **options))


def _used(
    rules: dict[str, list[Any]], people: dict[str, list[Any]]
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Leave out what no sentence names, directly or through another list."""
    inner = {name: set(words[0]) - {"group"} if isinstance(words[0], dict) else {name}
             for name, words in people.items() if words}  # fmt: skip
    of_people = set[str]().union(*inner.values())
    used, fresh = {"sentence"}, ["sentence"]
    while fresh:
        for line in map(str, rules[fresh.pop()]):
            if re.search("[<>]", _NAMED.sub("", line)):
                raise InputError(say("errors.alone", line=line[:60]))
            for name in map(str.lower, _NAMED.findall(line)):
                if name not in of_people | set(rules) | {ARTICLE, MASK}:
                    known = _names_of(of_people | set(rules) - {"sentence"})
                    raise InputError(say("errors.no_list", name=name[:60], known=known))
                if name not in used:
                    used.add(name)
                    fresh += [name] if name in rules else []
    kept = {name: _of_names(words, used) for name, words in people.items()
            if inner.get(name, {name}) & used}  # fmt: skip
    if people and not kept:
        raise InputError(say("errors.no_people", known=_names_of(of_people)))
    return {name: words for name, words in rules.items() if name in used}, kept


def _names_of(names: Collection[str]) -> str:
    return ", ".join(f"<{name}>" for name in sorted(names))


def _of_names(words: list[Any], used: Collection[str]) -> list[Any]:
    return [{name: part for name, part in word.items() if name == "group" or name in used}
            if isinstance(word, dict) else word for word in words]  # fmt: skip


def _lists(lines: str) -> Iterator[tuple[str, list[Any]]]:
    for line in filter(str.strip, lines.splitlines()):
        parts = _LINE.fullmatch(line)
        if not parts:
            raise InputError(say("errors.no_name", line=line.strip()[:60]))
        name, inner, listed = parts.groups()
        words = [word.strip() for word in listed.split(",") if word.strip()]
        names = [one.strip() for one in inner.split(",")] if inner else []
        yield name, [_value(word, names) for word in words] if names else words


def _value(word: str, names: Sequence[str]) -> Mapping[str, str]:
    parts = [part.strip() for part in word.split("/")]
    if len(parts) != len(names):
        raise InputError(say("errors.parts", word=word[:60], n=len(names), names=", ".join(names)))
    return {"group": parts[0]} | dict(zip(names, parts, strict=True))


@cache
def examples() -> dict[str, SentenceForm]:
    """Return the sentences to begin with, by name."""
    tables = tomllib.loads((ASSETS / "examples" / "sentences.toml").read_text(encoding="utf-8"))
    return {
        name: SentenceForm(**{part: text.strip() for part, text in parts.items()})
        for name, parts in tables.items()
    }


@dataclass
class GenerateState:
    """What the tab keeps of a page: the seed of the draw, and the YAML that a form has made.

    ``page``: the page's name; ``forms``: what was written into the form of each example; ``start``:
    the example chosen last; ``resumed``: whether what the browser keeps was looked at.
    """

    page: str = ""
    seed: int = 0
    written: str = ""
    start: str = ""
    forms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    resumed: bool = False

    def form_of(self, start: str) -> SentenceForm | None:
        """Return what was last written into the form of an example, or else the example."""
        written = self.forms.get(start, ())
        return SentenceForm(*written) if "".join(written[:1]).strip() else examples().get(start)

    def shown(self, kept: Any, written: Sequence[Any] = ()) -> str:
        """Return the example whose words the form shows; ``kept`` comes with those words.

        The chosen example is another one until the answer to the choice is on the page. An answer
        of before the choice may come after it, and ``kept`` with it: then what is ``written``, the
        words of the chosen one, tells.
        """
        form = self.form_of(self.start)
        if form and astuple(form) == tuple(map(str, written)):
            return self.start
        notes = kept if isinstance(kept, dict) else {}
        first = next(iter(examples()))
        return str(notes.get("start") or first) if notes.get("page") == self.page else first

    def resume(self, kept: Any) -> tuple[str, str]:
        """Take what the browser kept of an earlier page; return the example chosen and the YAML."""
        self.resumed = True
        notes = kept if isinstance(kept, dict) else {}
        forms = notes.get("forms")
        for name, written in forms.items() if isinstance(forms, dict) else ():
            fits = isinstance(written, list) and len(written) == len(fields(SentenceForm))
            if name in examples() and fits:
                self.forms[name] = tuple(str(part)[:MOST_OF_GRAMMAR] for part in written)
        start, text = notes.get("start"), notes.get("text")
        self.start = start if start == YAML or start in self.forms else ""
        return self.start, str(text or "")[:MOST_OF_GRAMMAR]

    def keep(self, start: str, text: str, written: Sequence[str]) -> dict[str, Any]:
        """Keep what is written now; return what a reload of the page brings back, as JSON."""
        self.resumed = True  # nothing older may come over it
        if start in examples():
            self.forms[start] = tuple(written)
        forms = {name: list(parts) for name, parts in self.forms.items()}
        return {"page": self.page, "start": start, "text": text, "forms": forms}

    def replaceable(self, text: str) -> bool:
        """Whether a grammar is none that the visitor has written."""
        shipped = (
            *map(text_of, shipped_grammars()),
            *(one.grammar() for one in examples().values()),
        )
        return text.strip() in {"", *(one.strip() for one in (self.written, *shipped))}


def text_of(name: str) -> str:
    """Return the text of a grammar that comes with HInter; empty for any other name."""
    return grammar_file(name).read_text(encoding="utf-8") if name in shipped_grammars() else ""


def shipped_as(text: str) -> str:
    """Return the name of the grammar that comes with HInter and has this text; else empty."""
    return next((name for name in shipped_grammars() if text_of(name) == text), "")


def draw(text: str, seed: int = 0) -> DrawnSentences:
    """Read a grammar, and draw sentences.

    Raises:
        InputError: the first fault, with its line and what to do.
    """
    if not text.strip():
        raise InputError(say("errors.empty"))
    if len(text) > MOST_OF_GRAMMAR:
        raise InputError(say("errors.long", most=MOST_OF_GRAMMAR // 1_000))
    grammar = read_grammar(text, place=say("place"))
    require_sound(grammar, say("place"))
    count = GrammarTable(grammar, 0).source.count
    rows = list(GrammarTable(grammar, min(_DRAWN, count), seed).rows())
    return DrawnSentences(grammar, count, rows, _variants(grammar, rows[0]))


def _variants(grammar: Grammar, row: GrammarRow) -> list[Edit]:
    plan = plan_of(grammar, row.derivation, Settings(), tuple(grammar.sensitive))
    return [edit for edits in plan.edits.values() for edit in islice(edits, _VARIANTS)]


def hand_over(session: Session, text: str, folder: Path) -> None:
    """Hand a grammar to Batch: by its name, or as a file of this page if it was changed."""
    grammar = draw(text).grammar
    session.grammar = shipped_as(text)
    if session.grammar:
        return
    new_folder = session.new_folder(folder)
    path = new_folder / f"{'-'.join(grammar.sensitive)[:60]}.yaml"  # campaigns are listed by it
    try:
        new_folder.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(say("errors.not_written", reason=error.strerror)) from error
    session.grammar = str(path)
