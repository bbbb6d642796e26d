"""Grammars are read from YAML files; faults are told with their lines and what to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hinter_core.errors import InputError
from hinter_core.generators.grammars.grammar import (
    ARTICLE,
    CLASSIFICATION,
    COREFERENCE,
    MASK,
    MASKED,
    TASKS,
    Alternative,
    Grammar,
    Piece,
    Reference,
    Value,
)
from hinter_core.language.clean import whole_values
from hinter_core.storage import ASSETS, yaml_loader
from hinter_core.types import MASKED_PLACE

FOLDER = ASSETS / "grammars"
_ASKED = {"pronouns": COREFERENCE, "antecedents": COREFERENCE, "answers": MASKED}  # by task
_KEYS = {"about", "task", "start", "rules", "sensitive", "labels", *_ASKED}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,60}")
_REFERENCE = re.compile(r"<([^<>\n]{0,80})>")
_MOST_BYTES = 1_000_000
_MOST_FAULTS = 12  # told at once
_DEEPEST = 100  # levels of rules
# What YAML was reading where the fault lies at its beginning, and not where it was noticed.
_OPEN = ("while scanning a simple key", "while parsing a flow mapping",
         "while parsing a flow sequence", "while scanning a quoted scalar")  # fmt: skip
_OWN = ("group", "concept")  # what a value says beside its words


def shipped_grammars() -> tuple[str, ...]:
    """Return the names of the grammars that come with HInter."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def grammar_file(name: str) -> Path:
    """Return the file of a grammar that comes with HInter, or the file named.

    Raises:
        InputError: there is none.
    """
    path = FOLDER / f"{name}.yaml" if name in shipped_grammars() else Path(name)
    if not path.is_file():
        raise InputError(
            f"There is no grammar '{name}'; use one of {', '.join(shipped_grammars())}, or the "
            "path of a YAML file."
        )
    return path


def load_grammar(name: str) -> Grammar:
    """Load a grammar that comes with HInter, or a file.

    Raises:
        InputError: unknown, not to be read, or with faults; the message names file, line and cure.
    """
    path = grammar_file(name)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path} has more than {_MOST_BYTES:,} bytes; a grammar is small.")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8; save it as UTF-8.") from error
    return read_grammar(text, path.stem, str(path))


def read_grammar(text: str, name: str = "grammar", place: str = "the grammar") -> Grammar:
    """Read a grammar, ``place`` being what a fault names.

    Raises:
        InputError: the faults, one a line, each with its line of the file and what to do.
    """
    return _Reader(text, name, place).grammar()


class _Reader:
    """Reads one file, and knows the lines of its keys and items."""

    def __init__(self, text: str, name: str, place: str) -> None:
        self._name, self._place = name, place
        self._lines: dict[tuple[str, ...], int] = {}
        self._faults: list[str] = []
        self._tree = self._load(text)

    def _load(self, text: str) -> dict[str, Any]:
        import yaml

        try:
            loader = yaml_loader(text, strings=True)
            node = loader.get_single_node()
            self._note(node, ())
            tree = loader.construct_document(node) if node is not None else None
        except yaml.MarkedYAMLError as error:
            # What is not closed, or lacks its colon, is missed only in a later line.
            mark = error.context_mark if error.context in _OPEN else error.problem_mark
            line = mark.line + 1 if mark else 0
            raise InputError(
                f"{self._place}, line {line}: not YAML ({error.problem}); quote what has : or # "
                "in it."
            ) from error
        except yaml.YAMLError as error:
            raise InputError(f"{self._place} is not YAML ({str(error)[:100]}).") from error
        if not isinstance(tree, dict):
            raise InputError(f"{self._place} holds no rules; begin with start: and rules:.")
        return dict(whole_values(tree))

    def _note(self, node: Any, path: tuple[str, ...]) -> None:
        """Note the lines of keys and items, and refuse keys that stand twice."""
        import yaml

        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = (*path, str(key.value))
                if inner in self._lines:
                    raise InputError(
                        f"{self._place}, line {key.start_mark.line + 1}: '{key.value}' stands "
                        "twice; give it once."
                    )
                self._lines[inner] = key.start_mark.line + 1
                self._note(value, inner)
        elif isinstance(node, yaml.SequenceNode):
            for number, item in enumerate(node.value):
                self._lines[(*path, str(number))] = item.start_mark.line + 1
                self._note(item, (*path, str(number)))

    def _fault(self, words: str, *path: str) -> InputError:
        line = self._lines.get(path, 0)
        place = f"{self._place}, line {line}" if line else self._place
        return InputError(f"{place}: {words}")

    def _require(self, holds: object, words: str, *path: str) -> None:
        if not holds:
            raise self._fault(words, *path)

    def _attempt(self, read: Callable[..., Any], *given: Any) -> Any:
        """Return what is read; note a fault and return None."""
        try:
            return read(*given)
        except InputError as fault:
            self._faults.append(str(fault))
            return None

    def _require_no_fault(self) -> None:
        if self._faults:
            raise InputError("\n".join(self._faults[:_MOST_FAULTS]))

    def grammar(self) -> Grammar:
        """Return the grammar, or raise its faults: those of its parts, else those of the whole."""
        known, task = ", ".join(sorted(_KEYS)), str(self._tree.get("task", CLASSIFICATION))
        for key in self._tree:
            unknown = f"unknown key '{key}'; use {known}."
            self._attempt(self._require, key in _KEYS, unknown, key)
        no_task = f"unknown task '{task}'; use {', '.join(TASKS)}."
        self._attempt(self._require, task in TASKS, no_task, "task")
        rules, sensitive = self._attempt(self._rules), self._attempt(self._sensitive)
        start, about = (str(self._tree.get(key, "")).strip() for key in ("start", "about"))
        none = f"start names '{start}', which is no rule; name one of the rules."
        misspelt = not start and not _KEYS.issuperset(self._tree)
        self._attempt(self._require, misspelt or rules is None or start in rules, none, "start")
        self._require_no_fault()
        grammar = Grammar(self._name, about, task, start, rules, sensitive, {})
        asked = self._attempt(self._asked, grammar)
        labelled = self._attempt(self._labelled, asked or grammar)
        self._attempt(self._require_finite, grammar)
        self._attempt(self._require_names, grammar)
        if not self._faults:  # a name that is written wrongly is reached from nowhere
            self._require_reached(grammar)
        self._require_no_fault()
        assert isinstance(labelled, Grammar)
        return labelled

    def _rules(self) -> dict[str, tuple[Alternative, ...]]:
        tree = self._tree.get("rules")
        if not isinstance(tree, dict) or not tree:
            raise self._fault(
                "there are no rules; write rules: with a list for each name.", "rules"
            )
        rules = {}
        for name, written in tree.items():
            named = _NAME.fullmatch(name) and name == name.lower() and name not in (ARTICLE, MASK)
            no_name = (
                f"'{name}' is no name of a rule; use small letters, digits, - and _, and not "
                f"{ARTICLE} or {MASK}."
            )
            self._attempt(self._require, named, no_name, "rules", name)
            rules[name] = self._attempt(self._alternatives, name, written)
        return rules

    def _alternatives(self, name: str, written: Any) -> tuple[Alternative, ...]:
        lacks = f"rule '{name}' has no alternatives; write a list of them."
        self._require(isinstance(written, list) and written, lacks, "rules", name)
        alternatives: dict[Alternative, None] = {}
        for number, one in enumerate(written):
            place = ("rules", name, str(number))
            alternative = self._alternative(one, place)
            twice = f"'{one}' stands twice in rule '{name}'; remove one."
            self._require(alternative not in alternatives, twice, *place)
            alternatives[alternative] = None
        return tuple(alternatives)

    def _alternative(self, written: object, place: tuple[str, ...]) -> Alternative:
        if not isinstance(written, str) or not written.strip():
            raise self._fault("an alternative is a text that is not empty; write words.", *place)
        pieces: list[Piece] = []
        last = 0
        for match in _REFERENCE.finditer(written):
            pieces.append(written[last : match.start()])
            name = match.group(1)
            self._require(_NAME.fullmatch(name), f"'<{name}>' holds no name; write <NAME>.", *place)
            pieces.append(Reference(name.lower(), name[0].isupper()))
            last = match.end()
        pieces.append(written[last:])
        alone = any(isinstance(piece, str) and {"<", ">"} & set(piece) for piece in pieces)
        self._require(not alone, "a < or > stands alone; write <NAME>.", *place)
        return tuple(piece for piece in pieces if piece)

    def _sensitive(self) -> dict[str, tuple[Value, ...]]:
        tree = self._tree.get("sensitive")
        if not isinstance(tree, dict) or not tree:
            raise self._fault(
                "there is no sensitive attribute; write sensitive: with values for each.",
                "sensitive",
            )
        return {name: self._attempt(self._values, name, tree[name]) for name in tree}

    def _values(self, attribute: str, written: object) -> tuple[Value, ...]:
        place = ("sensitive", attribute)
        named = _NAME.fullmatch(attribute) and attribute == attribute.lower()
        no_name = f"'{attribute}' is no name of an attribute; use small letters."
        self._require(named, no_name, *place)
        if not isinstance(written, list) or len(written) < 2:
            raise self._fault(
                f"attribute '{attribute}' has fewer than two values, so nothing can be exchanged; "
                "write a list of values.", *place,
            )  # fmt: skip
        values: list[Value] = []
        said: set[frozenset[tuple[str, str]]] = set()
        for number, one in enumerate(written):
            at = (*place, str(number))
            value = self._value(attribute, one, at)
            first = (values or [value])[0].words
            self._require(
                set(value.words) == set(first), f"this value of '{attribute}' has other names than "
                f"the first ({', '.join(first)}); give each of them.", *at,
            )  # fmt: skip
            words = frozenset(value.words.items())
            twice = f"'{value.title}' stands twice in '{attribute}'; remove one."
            self._require(words not in said, twice, *at)
            said.add(words)
            values.append(value)
        concepts = Counter(value.concept for value in values)
        for value in values:
            self._require(
                concepts[value.concept] > 1, f"no other value of '{attribute}' has the concept of "
                f"'{value.title}'; give it a partner.", *place,
            )  # fmt: skip
        return tuple(values)

    def _value(self, attribute: str, written: object, place: tuple[str, ...]) -> Value:
        if isinstance(written, str) and written.strip():
            return Value(written, {attribute: written})
        if not isinstance(written, dict):
            raise self._fault("a value is a word, or {group: ..., NAME: word}.", *place)
        words = {str(k): str(v) for k, v in written.items() if k not in _OWN}
        for name, word in words.items():
            named = _NAME.fullmatch(name) and name == name.lower()
            self._require(named, f"'{name}' is no name; use small letters.", *place)
            self._require(word.strip(), f"'{name}' has no word here; write one.", *place)
        needs = "a value needs a group and words: {group: female, he: she}."
        self._require(written.get("group") and words, needs, *place)
        return Value(str(written["group"]), words, str(written.get("concept", "")))

    def _require_names(self, grammar: Grammar) -> None:
        """Refuse a name that means two things, or none."""
        names = Counter(name for values in grammar.sensitive.values() for name in values[0].words)
        for name, times in names.items():
            again = name in grammar.rules or times > 1 or name in (ARTICLE, MASK)
            two = f"'{name}' is the name of two things; rename one of them."
            self._require(not again, two, "sensitive")
        known = {*grammar.rules, *names, ARTICLE, MASK}
        for rule, number, name in _references(grammar):
            nowhere = f"<{name}> is defined nowhere; add a rule or a sensitive value of that name."
            self._require(name in known, nowhere, "rules", rule, str(number))

    def _require_finite(self, grammar: Grammar) -> None:
        below: dict[str, set[str]] = {name: set() for name in grammar.rules}
        for rule, _, name in _references(grammar):
            if name in below:
                below[rule].add(name)
        done: set[str] = set()

        def visit(name: str, path: tuple[str, ...]) -> None:
            deep = "rules are nested too deeply; use fewer levels."
            self._require(len(path) <= _DEEPEST, deep, "rules")
            if name in path:
                way = " \u2192 ".join((*path[path.index(name) :], name))
                raise self._fault(
                    f"rule '{name}' contains itself ({way}), so that sentences have no end; write "
                    "the repetitions out.", "rules", name,
                )  # fmt: skip
            if name not in done:
                for other in sorted(below[name]):
                    visit(other, (*path, name))
                done.add(name)

        for name in grammar.rules:
            visit(name, ())

    def _require_reached(self, grammar: Grammar) -> None:
        reached, todo = {grammar.start}, [grammar.start]
        while todo:
            for one in grammar.rules.get(todo.pop(), ()):
                fresh = {p.name for p in one if isinstance(p, Reference)} - reached
                reached |= fresh
                todo += fresh
        for name in grammar.rules:
            apart = f"rule '{name}' cannot be reached from '{grammar.start}'; use it or remove it."
            self._require(name in reached, apart, "rules", name)
        for name, attribute in grammar.attribute_of.items():
            self._require(
                name in reached, f"no rule uses '{name}' of '{attribute}'; write <{name}> where "
                "it is to stand, or remove it.", "sensitive", attribute,
            )  # fmt: skip
        if grammar.task == MASKED and MASK not in reached:
            lines = (
                (r, n, one) for r, every in grammar.rules.items() for n, one in enumerate(every)
            )
            at = next(
                ((r, str(n)) for r, n, one in lines if MASKED_PLACE in "".join(map(str, one))), ()
            )
            raise self._fault(
                f"no sentence has a <mask>; write <mask> where a word is missing"
                f"{f', not {MASKED_PLACE}' if at else ', or another task'}.",
                *(("rules", *at) if at else ("task",)),
            )
        if MASK in reached and grammar.task != MASKED:
            at = next((r, str(n)) for r, n, name in _references(grammar) if name == MASK)
            raise self._fault(
                "<mask> is for sentences of the task masked; write task: masked, or put the word "
                "in its place.", "rules", *at,
            )  # fmt: skip

    def _asked(self, grammar: Grammar) -> Grammar:
        """Add what a model is asked about a sentence, beside its label."""
        for key, task in _ASKED.items():
            if (key in self._tree) is not (grammar.task == task):
                raise self._fault(
                    f"'{key}' is given if and only if the task is {task}; "
                    + ("remove it." if key in self._tree else f"add {key}:."),
                    key if key in self._tree else "task",
                )  # fmt: skip
        if grammar.task == MASKED:
            return replace(grammar, answers=self._answers())
        if grammar.task == COREFERENCE:
            pronouns = self._names_of(grammar, "pronouns", 1, ())
            antecedents = self._names_of(grammar, "antecedents", 2, pronouns)
            return replace(grammar, pronouns=pronouns, antecedents=antecedents)
        return grammar

    def _names_of(
        self, grammar: Grammar, key: str, fewest: int, taken: tuple[str, ...]
    ) -> tuple[str, ...]:
        written = self._tree[key]
        several = isinstance(written, list) and len(written) >= fewest
        self._require(several, f"{key} is a list of {fewest} or more names; write them.", key)
        chosen = {*grammar.attribute_of, *filter(grammar.is_words, grammar.rules)}
        for number, name in enumerate(written):
            self._require(
                name in chosen, f"'{name}' is neither a list of words nor a name of a sensitive "
                "value; name one of these.", key, str(number),
            )  # fmt: skip
            once = name not in taken and written.count(name) == 1
            self._require(once, f"'{name}' stands twice; name it once.", key, str(number))
        return tuple(written)

    def _answers(self) -> dict[str, tuple[str, ...]]:
        tree = self._tree["answers"]
        if not isinstance(tree, dict) or len(tree) < 2:
            raise self._fault(
                "answers are two or more lists of words: {male: [he, his], female: [she, her]}.",
                "answers",
            )
        known: set[str] = set()
        for name, words in tree.items():
            none = f"the answer '{name}' has no words; write a list."
            self._require(isinstance(words, list) and words, none, "answers", name)
            for number, word in enumerate(words):
                fresh = isinstance(word, str) and word.strip() and word not in known
                bad = f"'{word}' is no word, or stands twice; give each word once."
                self._require(fresh, bad, "answers", name, str(number))
                known.add(word)
        return {name: tuple(words) for name, words in tree.items()}

    def _labelled(self, grammar: Grammar) -> Grammar:
        """Add the labels; of a task that asks, they are among its answers."""
        tree = self._tree.get("labels", {})
        mapping = "labels is a mapping: {RULE or word: label}."
        self._require(isinstance(tree, dict), mapping, "labels")
        words = {
            "".join(map(str, one))
            for name, alternatives in grammar.rules.items()
            if grammar.is_words(name)
            for one in alternatives
        }
        answers = grammar.antecedents or tuple(grammar.answers)
        for key, label in tree.items():
            place = ("labels", key)
            other = f"'{key}' is neither a rule nor a word of a list; name what gives the label."
            self._require(key in grammar.rules or key in words, other, *place)
            written = isinstance(label, str) and label.strip()
            self._require(written, f"the label of '{key}' is empty; write one.", *place)
        for key, label in tree.items():
            no = f"'{label}' is no answer; the labels of this task are {', '.join(answers)}."
            self._require(not answers or label in answers, no, "labels", key)
        return replace(grammar, labels={str(key): str(label) for key, label in tree.items()})


def _references(grammar: Grammar) -> Iterator[tuple[str, int, str]]:
    """Yield rule, number of the alternative and name for each name that rules use."""
    for name, alternatives in grammar.rules.items():
        for number, one in enumerate(alternatives):
            for piece in one:
                if isinstance(piece, Reference):
                    yield name, number, piece.name
