"""Find the columns of a data set: texts, labels, ids.

A column of texts has a usual name, or else holds prose: never labels, numbers, dates, ids, web
addresses, codes, single words, or lists written as text; templates with places to fill, and the few
values of a category, come last. What stands in an object is named with dots (``data.text``). Of a
conversation with a model, the text is the last turn of the user.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hinter_core.errors import InputError, first_names
from hinter_core.files.containers import Record
from hinter_core.language.clean import whole

TEXT_COLUMNS = ("text", "review", "sentence", "content", "comment", "document", "body", "facts")
LABEL_COLUMNS = ("label", "labels", "sentiment", "class", "target")
# A column whose name has such a word is one of labels if it alone has, and holds few values.
_OF_LABELS = frozenset(
    "label labels sentiment class decision outcome verdict judgement judgment polarity stance flag "
    "flagged toxic toxicity hate hateful offensive abusive insulting harmful spam".split()
)
ID_COLUMNS = (
    "id", "uid", "guid", "key", "row id", "record id", "text id", "document id", "doc id",
    "review id", "case id", "case number", "case no", "reference number", "aktenzeichen",
    "fallnummer", "vorgangsnummer", "kennung",
)  # fmt: skip
# Of these, a column is one of ids only if no two cells are the same.
MAYBE_IDS = (
    "nr", "no", "#", "num", "number", "nummer", "lfd nr", "case", "ref", "reference", "ticket",
    "ticket id", "comment id", "post id", "tweet id", "message id",
)  # fmt: skip
# Of something that several texts may be of.
_OF_OTHERS = frozenset({"user id", "author id", "parent id", "product id", "annotator id"})
CHAT_COLUMNS = ("prompt", "messages", "conversations", "conversation", "chosen")
KNOWN = frozenset({*TEXT_COLUMNS, *LABEL_COLUMNS, *ID_COLUMNS})
LOOKED_AT = 50  # rows read to detect the columns
_LISTED, _LONGEST_NAME = 30, 60  # columns, and characters of one, in a message
_MOST, _SOME = 0.8, 0.2  # share of cells
_FEWEST_FLAGS = 3  # columns of 0 and 1 that are labels
_LITERAL = 100_000  # characters of a conversation written by Python
_NEAR = 0.9  # of the longest prose
_CODE = 40  # characters of a word
_COMES_AGAIN = 4  # times that a text does in the mean, from which on it is a label
_FEW = 12  # different values of a column of labels
_DEEPEST = 3  # objects within each other
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+\Z")
_SLOT = re.compile(r"[{\[<](?!/?[a-z]{1,6}\s?/?>)[A-Za-z_][\w ]{0,40}[}\]>]|%s|\b__+\b")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBERS = "numbers or dates"
_USER = ("user", "human", "prompter")
_TURN = re.compile(r"(?:\A|\n\n)(Human|Assistant):")
_FLAGS = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns; ``id`` and ``label`` may be empty.

    ``flags``: columns of 0 and 1, one for each label, whose names are the labels. ``why``: how the
    texts were found.
    """

    text: str
    label: str = ""
    id: str = ""
    flags: tuple[str, ...] = ()
    why: str = field(default="", compare=False)


def find_columns(
    where: str, head: Sequence[Record], names: Sequence[str], given: Columns
) -> Columns:
    """Complete the columns ``given`` by detected ones.

    Raises:
        InputError: an unknown column, no column of texts, numbers in the one that is given, or
            nothing that can be read.
    """
    problems = [problem for _, problem in head if problem]
    if problems and not names:
        raise InputError(f"{where} has no row that can be read; the first: {problems[0]}.")
    text, ident = (_given(where, names, one) for one in (given.text, given.id))
    _require_texts(where, head, names, text)
    flags: tuple[str, ...] = ()
    if given.label and not known_column(names, given.label) and "," in given.label:
        flags = tuple(_given(where, names, one.strip()) for one in given.label.split(","))
    label = ", ".join(flags) if flags else _given(where, names, given.label)
    flat = [name for name in names if any(name in values for values, _ in head)] or names
    label = label or _first(LABEL_COLUMNS, [name for name in flat if name != text])
    why = ""
    if not text:
        others = [name for name in names if name not in (label, ident, *flags)]
        text, why = _find_text(where, head, names, others)
    if not label and "." in text:
        label = _first(LABEL_COLUMNS, [name for name in names if name != text])
    label = label or _worded_label(head, [name for name in flat if name not in (text, ident)])
    if not label:
        flags = _flags(head, [name for name in names if name != text])
        label = ", ".join(flags)
    ident = ident or _first(ID_COLUMNS, flat) or _find_id(_unique(head, flat, text, label))
    return Columns(text, label, ident, flags, why)


def _worded_label(head: Sequence[Record], names: Sequence[str]) -> str:
    """Return the only column with a word such as *decision* in its name and a few values."""
    found = []
    for name in names:
        if _OF_LABELS.isdisjoint(_plain(name).split()):
            continue
        cells = {as_text(value_of(values, name)).strip() for values, why in head if not why} - {""}
        if 1 < len(cells) <= _FEW and all(len(c) <= _CODE and "." not in c for c in cells):
            found.append(name)
    return found[0] if len(found) == 1 else ""


def _find_id(unique: Sequence[str]) -> str:
    """Return a column of ids by its name, of those whose cells differ: ``nr``, or ``my_id``."""
    others = [name for name in unique if _plain(name).endswith(" id")]
    alone = others[0] if len(others) == 1 and _plain(others[0]) not in _OF_OTHERS else ""
    return _first(MAYBE_IDS, unique) or alone or _first(("index",), unique)


def unlabelled_in_words(columns: Columns, names: Sequence[str]) -> str:
    """Say that no column of labels was found among others; "" if it was, or there are none."""
    if columns.label or not set(names) - {columns.text, columns.id}:
        return ""
    return (
        "no label column found; use --label-column NAME, or label_column=NAME in Python (columns: "
        f"{listed(names)})"
    )


def _unique(head: Sequence[Record], names: Sequence[str], *taken: str) -> list[str]:
    """Return the columns without those ``taken`` whose cells are short and all differ."""
    columns = []
    for name in names:
        cells = [as_text(value_of(values, name)).strip() for values, why in head if not why]
        short = all(0 < len(cell) <= _CODE for cell in cells)
        if name not in taken and short and len(cells) == len(set(cells)) > 1:
            columns.append(name)
    return columns


def _given(where: str, names: Sequence[str], given: str) -> str:
    if not given or given in names:
        return given
    if column := known_column(names, given):
        return column
    raise InputError(f"{where} has no column '{given}'; it has {listed(names)}.")


def _require_texts(where: str, head: Sequence[Record], names: Sequence[str], text: str) -> None:
    cells = [as_text(value_of(values, text)).strip() for values, _ in head] if text else []
    if _no_text(list(filter(None, cells))) == _NUMBERS:
        raise InputError(
            f"The column '{text}' of {where} holds {_NUMBERS}, no texts; it has {listed(names)}."
        )


def known_column(names: Sequence[str], given: str) -> str:
    """Return the column of this name, whatever its blanks and its case; "" without one."""
    if given in names:
        return given
    for fold in (" ".join, lambda words: " ".join(words).casefold()):
        alike = [name for name in names if fold(name.split()) == fold(given.split())]
        if len(alike) == 1:
            return alike[0]
    return ""


def value_of(values: Mapping[str, Any], name: str) -> Any:
    """Return a value by the name of its column; ``data.text`` stands in the object ``data``."""
    if name in values or "." not in name:
        return values.get(name)
    outer, inner = name.split(".", 1)
    within = values.get(outer)
    return value_of(within, inner) if isinstance(within, Mapping) else None


def inner_names(values: Mapping[str, Any], before: str = "", deep: int = 0) -> list[str]:
    """Return the dotted names of what stands in the objects of a record."""
    names = []
    for name, value in values.items():
        if deep:
            names.append(before + name)
        if isinstance(value, Mapping) and deep < _DEEPEST:
            names += inner_names(value, f"{before}{name}.", deep + 1)
    return names


def listed(names: Sequence[str]) -> str:
    """Write the names of columns, not all of very many."""
    return first_names([name[:_LONGEST_NAME] for name in names], _LISTED) or "no column at all"


def _first(wanted: Sequence[str], names: Sequence[str]) -> str:
    by_name = {_plain(name.rstrip(" .?!:").rpartition(".")[2]): name for name in reversed(names)}
    return next((by_name[name] for name in wanted if name in by_name), "")


def _plain(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.casefold().strip(" .?!:")))


def pairs_of(given: Sequence[str], option: str) -> dict[str, str]:
    """Parse ``NAME=VALUE,NAME=VALUE``, given once or several times.

    A part without ``=`` belongs to the value before it: ``mutant=text, cleaned``.

    Raises:
        InputError: the first part has no ``=``.
    """
    pairs: dict[str, str] = {}
    for text in given:
        last = ""
        for part in text.split(","):
            name, sign, value = part.partition("=")
            if sign and name.strip():
                last = name.strip()
                pairs[last] = value.strip()
            elif last and not sign:
                pairs[last] += f",{part}".rstrip()
            else:
                raise InputError(f"{option} cannot be read at '{part}'; write NAME=VALUE.")
    return pairs


# -- texts --------------------------------------------------------------------------------------


def _find_text(
    where: str, head: Sequence[Record], names: Sequence[str], others: Sequence[str]
) -> tuple[str, str]:
    """Find the text column among ``others``, and say why it is one."""
    cells = {name: _cells(head, name) for name in others}
    passed = {name: what for name, values_of in cells.items() if (what := _no_text(values_of))}
    empty = [name for name, values_of in cells.items() if not values_of]
    objects = ((name, value_of(values, name)) for name in empty for values, _ in head)
    passed |= {name: "objects" for name, value in objects if isinstance(value, Mapping)}
    prose = {name: _prose(values_of) for name, values_of in cells.items() if name not in passed}
    ids = [name for name in prose if _first(ID_COLUMNS, [name]) and not prose[name][0]]
    passed |= {name: "ids" for name in ids if prose.pop(name) and cells[name]}
    flat = [name for name in others if any(name in values for values, _ in head)]
    for among in (flat, [name for name in others if name not in flat]):
        usual = _first(TEXT_COLUMNS, among)
        if usual and usual not in passed:
            return usual, "its name is usual for texts"
        chats = [name for name in among if _are_chats(name, head)]
        if chats:
            column = _first(CHAT_COLUMNS, chats) or chats[0]
            return column, "of each conversation, the last turn of the user is read"
        if any(name in prose and prose[name][0] for name in among):
            prose = {name: how for name, how in prose.items() if name in among}
            break
    best = max(prose.values(), default=(0, 0))
    if best <= (0, 0):
        passed |= {name: "single words" for name in prose if cells[name]}
        reasons = "; ".join(f"'{n[:_LONGEST_NAME]}' holds {w}" for n, w in [*passed.items()][:5])
        why = f" ({reasons})" if reasons else ""
        raise InputError(
            f"{where} has no column of texts; it has {listed(names)}{why}. Name it with "
            "--text-column (in Python, text_column) if there is one."
        )
    column = next(n for n, (kind, size) in prose.items()
                 if kind == best[0] and size >= _NEAR * best[1])  # fmt: skip
    return column, "it has the longest sentences"


def _cells(head: Sequence[Record], name: str) -> list[str]:
    values = (value_of(values, name) for values, _ in head)
    return [
        text
        for value in values
        if isinstance(value, str) or _is_list_of(value, str)
        if (text := as_text(value).strip())
    ]


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, kind) for one in value)


def _no_text(cells: Sequence[str]) -> str:
    """Say what the cells of a column are that are no texts; "" for texts or no cells."""
    if not cells:
        return ""
    kinds = {
        _NUMBERS: sum(sum(map(str.isalpha, c)) * 2 < len(c.replace(" ", "")) and
                                any(map(str.isdigit, c)) for c in cells),
        "web addresses": sum(bool(_ADDRESS.match(c)) for c in cells),
        "codes": sum(c.isascii() and len(c) >= _CODE * len(c.split()) and
                     any(map(str.isdigit, c)) for c in cells),
        "lists or objects": sum((c[0], c[-1]) in (("[", "]"), ("{", "}"), ("(", ")"))
                                and not _SLOT.fullmatch(c) for c in cells),
    }  # fmt: skip
    return next((kind for kind, number in kinds.items() if number >= _MOST * len(cells)), "")


def _prose(cells: Sequence[str]) -> tuple[int, int]:
    """Return how much the cells look like prose, and how long they are.

    2: sentences; 1: with places to fill, or a few that come again and again; 0: words, or single
    ones, such as ids, names and addresses, if they have no length.
    """
    if not cells:
        return 0, 0
    if sum(len(cell.split()) == 1 and cell.isascii() for cell in cells) > _MOST * len(cells):
        return 0, 0
    size = sum(map(len, cells))
    words = [len(_WORD.findall(cell[:1_000])) for cell in cells]
    if sum(number >= 3 for number in words) * 2 >= len(cells):
        slots = sum(bool(_SLOT.search(cell[:1_000])) for cell in cells)
        again = len(cells) > 1 and len(set(cells)) <= max(1, len(cells) // _COMES_AGAIN)
        return (1 if again or slots > _SOME * len(cells) else 2), size
    return 0, size if any(words) else 0


# -- conversations ------------------------------------------------------------------------------


def _are_chats(name: str, head: Sequence[Record]) -> bool:
    values = [value for values, _ in head if (value := value_of(values, name))]
    chats = sum(last_turn(name, value) is not None for value in values)
    return bool(values) and chats >= _MOST * len(values)


def last_turn(name: str, value: Any) -> str | None:
    """Return the last turn of the user in a conversation: "" without one, None if it is none.

    Conversations are lists of objects with ``role`` and ``content``, or ``from`` and ``value``, or
    these as text; in a column of chosen or rejected answers also ``Human:`` and ``Assistant:``.
    """
    if isinstance(value, str):
        if name.casefold() in ("chosen", "rejected") and _TURN.match(value):
            _, *parts = _TURN.split(value)  # speakers, each with what is said
            said = [words for who, words in pairwise(parts) if who == "Human"]
            return said[-1].strip() if said else ""
        value = _written(value)
    if isinstance(value, Mapping) and ("role" in value or "from" in value):
        value = [value]
    if not _is_list_of(value, dict):
        return None
    roles = [str(turn.get("role", turn.get("from", ""))) for turn in value]
    if not all(roles):
        return None
    said = [
        turn.get("content", turn.get("value"))
        for turn, role in zip(value, roles, strict=True)
        if role.casefold() in _USER
    ]
    return _content(said[-1]) if said else ""


def _written(text: str) -> Any:
    """Read a conversation that stands in a cell, as JSON or as Python writes it."""
    start = text[:400].lstrip()
    if not (start.startswith("[{") and ("role" in start or "from" in start)):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text) if len(text) <= _LITERAL else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _content(content: Any) -> str:
    if isinstance(content, list):  # parts, of which some are texts
        parts = [one.get("text") if isinstance(one, dict) else one for one in content]
        return "\n".join(one for one in parts if isinstance(one, str))
    return as_text(content)


# -- labels -------------------------------------------------------------------------------------


def _flags(head: Sequence[Record], names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that hold 0 and 1 alone, if there are several and both occur."""
    flags, seen = [], set[bool]()
    for name in names:
        cells = {flag(value_of(values, name)) for values, fault in head if not fault}
        if cells and None not in cells:
            flags.append(name)
            seen |= {bool(cell) for cell in cells}
    return tuple(flags) if len(flags) >= _FEWEST_FLAGS and len(seen) > 1 else ()


def flag(value: Any) -> bool | None:
    """Read 0 or 1; None for anything else."""
    if isinstance(value, bool):
        return value
    return _FLAGS.get(as_text(value).strip().casefold())


def has_parts(value: Any) -> bool:
    """Whether a value is an object, or holds objects or lists, and so is no text."""
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(one, dict) for one in value)
    )


# -- values -------------------------------------------------------------------------------------


def mended(text: str) -> tuple[str, bool | None]:
    """Read bytes that were not UTF-8 as Windows-1252; return the text, and whether it had any.

    None if it can be read neither way; the text is then empty.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        try:
            # What a file that is not UTF-8 nearly always is.
            return text.encode("utf-8", "surrogateescape").decode("cp1252"), True
        except UnicodeEncodeError:  # half a character, as JSON may hold it
            return whole(text), False
        except UnicodeDecodeError:
            return "", None
    return text, False


def as_text(value: Any) -> str:
    """Convert a value to text; lists are joined, paragraphs by line breaks."""
    if value is None or value != value:  # NaN is not equal to itself
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, list | tuple):
        # LexGLUE's cases come as lists of paragraphs, its labels as lists of numbers.
        blank = "\n" if any(isinstance(part, str) and " " in part for part in value) else ", "
        return blank.join(as_text(part) for part in value)
    return str(value)
