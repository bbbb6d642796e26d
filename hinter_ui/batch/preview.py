"""The HTML of a look at the data of a campaign, before it starts."""

from collections.abc import Mapping
from typing import Any

from hinter_core.campaign.preview import Preview
from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.data.rows import Row, alike_labels
from hinter_core.generators.grammars.generator import usual_model
from hinter_core.generators.grammars.grammar import Grammar
from hinter_core.generators.templates.mining import TAKEN
from hinter_core.generators.templates.template import TemplateRow
from hinter_core.mutation.given_names import ORIGIN
from hinter_core.types import SUBSTITUTE
from hinter_ui.batch.form import BatchForm, say
from hinter_ui.html.markup import Markup, isolated, join, table, tag
from hinter_ui.html.sentences import sentence
from hinter_ui.html.wording import name_of, numeral, translated

SHORT = 160  # characters of a text in a table
_ROWS, _FAULTS, _LABELS, _TEMPLATES, _REASONS = 5, 5, 8, 10, 8  # shown
_AROUND = 60  # characters beside a slot


def preview(seen: Preview, form: BatchForm) -> Markup:
    """Show the size, columns, labels and words of data, the first texts, and unusable rows."""
    columns, handwritten = seen.chosen, seen.mutants is not None
    templates = seen.classes is not None
    most = _TEMPLATES if templates or seen.grammar else _ROWS
    usable = [row for row in seen.rows if not row.fault][:most]
    first, *rest = _facts(seen)
    head = tag("p", tag("strong", first), *(f" \u00b7 {fact}" for fact in rest))
    with_label = bool(columns.label) and any(row.label for row in usable)
    shown = "original" if handwritten else "template" if templates else "text"
    shown = "sentence" if seen.grammar else shown
    titles = ["row", shown, *(["label"] if with_label else [])]
    lines = [
        tag(
            "tr",
            tag("td", numeral(row.number), class_="number"),
            tag("td", sentence(row, seen.grammar) if seen.grammar else _text(row)),
            tag("td", isolated(short(row.label, 40)), class_="row-label") if with_label else None,
        )
        for row in usable
    ]
    rows = table(say("preview.first_rows"), [say(f"preview.{t}") for t in titles], lines)
    box = tag("div", rows, class_="rows-table") if lines else None
    how, *notes = seen.reading or ("",)
    words = [say("preview.read_as", how=translated(how))] if how else []
    words += map(translated, (*notes, *alike_labels(seen.labels)))
    reading = tag("p", " ".join(words), class_="quiet") if words else None
    parts = (
        head, reading, _drawn(seen, form.sample), _labels(seen), _words(seen, form.settings), box,
        _faults(seen), _refused(seen),
    )  # fmt: skip
    return tag("div", *parts, class_="data-preview", role="status")


def _text(row: Row) -> Markup:
    """Show the text of a row; of a template with its slots, each as long as its neighbours need."""
    template = row.template if isinstance(row, TemplateRow) else None
    if template is None:
        return isolated(short(row.text))
    parts: list[Markup | str] = []
    last = len(template.pieces) - 1
    for place, piece in enumerate(template.pieces):
        parts.append(_around_slots(piece, first=place == 0, last=place == last))
        if place < last:
            parts.append(tag("mark", template.slots[place].name, class_="slot"))
    classes = ", ".join(map(name_of, template.attributes))
    return join([tag("p", *parts, dir="auto"), tag("p", classes, class_="quiet")])


def _around_slots(piece: str, *, first: bool, last: bool) -> str:
    """Cut a stretch of text between slots in its middle."""
    words = " ".join(piece.split())
    words = f"{' ' if piece[:1].isspace() else ''}{words}{' ' if piece[-1:].isspace() else ''}"
    most = _AROUND if first or last else 2 * _AROUND
    if len(words) <= most:
        return words
    head = "" if first else words[:_AROUND].rpartition(" ")[0]
    return f"{head} \u2026 {'' if last else words[-_AROUND:].partition(' ')[2]}"


def _drawn(seen: Preview, sample: int | None) -> Markup | None:
    """Say how many rows a campaign tests, if not all."""
    rows = seen.count if seen.count is not None else seen.looked_at
    if seen.grammar:
        sample, rows = sample or CAMPAIGN_OPTIONS["sentences"].default, seen.sentences
    if sample is None or seen.mutants is not None or not 0 < sample < rows:
        return None
    field = translated(CAMPAIGN_OPTIONS["sample"].title)
    key = "preview.drawn" if seen.count is not None else "preview.drawn_of_more"
    key = "preview.drawn_sentences" if seen.grammar else key
    unusable = say("preview.drawn_unusable") if seen.unusable else ""
    words = say(key, n=sample, all=rows, field=field, unusable=unusable)
    return tag("p", words, class_="quiet")


def _facts(seen: Preview) -> list[str]:
    """List what to know about the data before they are tested."""
    if seen.grammar:
        return _facts_of_grammar(seen.grammar, seen.sentences)
    usable, columns = seen.looked_at - seen.unusable, seen.chosen
    if seen.mutants is not None:
        facts = [
            say.count("preview.variants", seen.mutants),
            say.count("preview.originals", usable),
        ]
    else:
        facts = [
            say.count("preview.templates" if seen.classes is not None else "preview.texts", usable)
        ]
        for name, number in (seen.classes or {}).items():
            facts.append(f"{name_of(name)} {numeral(number)}")
        if not seen.complete:
            facts.append(
                say.count("preview.checked", seen.looked_at) if seen.count is None
                else say("preview.checked_of", n=seen.looked_at, all=seen.count)
            )  # fmt: skip
        if len(seen.names) > 1 and seen.classes is None:
            for name in ("text", "label", "id"):
                if column := getattr(columns, name):
                    facts.append(say(f"preview.{name}_column", name=column))
    if seen.encoding not in ("", "utf-8"):
        facts.append(say("preview.encoding", name=seen.encoding.upper()))
    rows = {"mended": seen.mended, "foreign": seen.foreign, "repeated": seen.repeated}
    return facts + [say.count(f"preview.{key}", number) for key, number in rows.items() if number]


def _facts_of_grammar(grammar: Grammar, sentences: int) -> list[str]:
    rules, terminals = grammar.size
    return [
        say.count("preview.sentences", sentences),
        say("preview.size", rules=rules, terminals=terminals),
        say("preview.task", task=say(f"tasks.{grammar.task}"), model=usual_model(grammar)),
    ]


def _labels(seen: Preview) -> Markup | None:
    if not seen.labels or seen.grammar:
        return None
    common = [
        tag("li", isolated(short(label, 40)), f" {numeral(count)}")
        for label, count in seen.labels.most_common(_LABELS)
    ]
    if len(seen.labels) > _LABELS:
        common.append(tag("li", say("preview.more", n=len(seen.labels) - _LABELS)))
    return tag("ul", *common, class_="label-counts", aria_label=say("preview.labels"))


def _words(seen: Preview, settings: Mapping[str, Any]) -> Markup | None:
    """Say how many texts have words of the attributes chosen, and offer others."""
    if not seen.words:
        return None
    counts, chosen = seen.words_by_attribute, [*settings["attributes"]]
    together, number = seen.together(chosen), seen.words.total()
    items = [tag("li", name_of(name), " ", tag("strong", numeral(counts[name]))) for name in chosen]
    if len(chosen) > 1:
        items.append(tag("li", say("preview.together"), " ", tag("strong", numeral(together))))
    first = not seen.complete or number < seen.looked_at - seen.unusable
    head = tag("p", say("preview.words_of_first" if first else "preview.words", n=number))
    buttons = [
        tag("button", name_of(name), " ", numeral(n), type="button", data_tick=name)
        for name, n in counts.most_common() if name not in chosen
    ]  # fmt: skip
    others = tag("p", join([say("preview.others"), *buttons], " "), class_="also")
    parts = tag("ul", *items, class_="label-counts"), _nothing(seen, settings)
    return join([head, *parts, others if buttons else ""])


def _nothing(seen: Preview, settings: Mapping[str, Any]) -> Markup:
    """Say that none of these texts can be tested, and what helps; or what is not counted."""
    chosen, apart = settings["attributes"], str(settings["order"]) == "1"
    there = seen.words_by_attribute.keys() & set(chosen) if apart else seen.together(chosen)
    more = settings["dictionaries"] or tuple(settings["relations"]) != (SUBSTITUTE,)
    names = {"gender", *ORIGIN} & set(chosen)
    field = translated(CAMPAIGN_OPTIONS["origin_names"].title)
    if names and settings["origin_names"]:
        return tag("p", say("preview.names_too", field=field), class_="quiet")
    if there or more or not chosen:
        return Markup("")
    words = [say("preview.none" if apart else "preview.none_together")]
    if names:
        words.append(say("preview.names", field=field, more=say("widgets.batch-more.label")))
    return tag("p", " ".join(words), class_="notice info")


def _faults(seen: Preview) -> Markup | None:
    if not seen.unusable:
        return None
    shown = seen.faults[:_FAULTS]
    items = [
        tag("li", say("preview.fault", n=row.number), isolated(translated(row.fault)))
        for row in shown
    ]
    if seen.unusable > len(items):
        items.append(tag("li", "\u2026 ", say("preview.more", n=seen.unusable - len(items))))
    some = seen.unusable < seen.looked_at or not seen.complete
    more = say("preview.unusable_more" if some else "preview.unusable_all")
    head = tag("p", tag("strong", say.count("preview.unusable", seen.unusable)), " ", more)
    return tag("div", head, tag("ul", *items), class_="notice info")


def _refused(seen: Preview) -> Markup | None:
    """Say for each class how many texts became templates, and why others did not."""
    mined = seen.mined
    if mined is None:
        return None
    lists = []
    for name, counted in mined.reasons.items():
        words = say("preview.taken", name=name_of(name), n=mined.taken(name), all=mined.rows)
        why = [(reason, n) for reason, n in counted.most_common() if reason != TAKEN]
        items = [
            tag("li", isolated(short(translated(str(reason)))), f": {numeral(n)}")
            for reason, n in why[:_REASONS]
        ]
        if len(why) > _REASONS:
            items.append(tag("li", say("preview.more", n=sum(n for _, n in why[_REASONS:]))))
        lists.append(tag("div", tag("p", words), tag("ul", *items)))
    summary = tag("summary", say("preview.refused"))
    return tag("details", summary, tag("div", *lists, class_="reasons"))


def short(text: str, most: int = SHORT) -> str:
    """Return a text in one line, cut to a number of characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"
