"""Widgets that several tabs share, and widgets with texts in the visitor's language."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import gradio as gr

from hinter_core.options import CampaignOption, Option
from hinter_core.report.figures import Chart
from hinter_core.report.figures import plot as plotted
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.sections import narrow_fold
from hinter_ui.html.square import as_plot
from hinter_ui.html.wording import Words, in_visitors_words, name_of, translated
from hinter_ui.shared.wiring import on_load

Widget = TypeVar("Widget")
_HIGHEST = 900  # pixels of a chart


def html(elem_id: str, value: str = "", script: str = "", **more: Any) -> gr.HTML:
    """Make a box for our HTML, without gradio's prose styles; its scripts run once it is shown."""
    code = on_load(*script.split()) if script else None
    return gr.HTML(value, elem_id=elem_id, apply_default_css=False, js_on_load=code, **more)


def offstage(elem_id: str | None = None) -> gr.Textbox:
    """Make a box that nobody sees, for what an event and the page tell each other."""
    return gr.Textbox(elem_classes="offstage", elem_id=elem_id, show_label=False)


def browser_note(key: str, secret: str, first: Any = None) -> gr.BrowserState:
    """Make a note of the page that the browser keeps; it is the visitor's own.

    The secret is the same for every visitor: it keeps the note readable, not secret.
    """
    return gr.BrowserState(first, storage_key=key, secret=secret)


def option_field(
    option: Option,
    elem_id: str,
    *,
    choices: Sequence[tuple[str, Any]] = (),
    others: bool = False,
    **more: Any,
) -> Any:
    """Make the widget that fits an option's type; ``more`` are properties in place of its own.

    ``choices`` are (label, value) of names; ``others`` allows further values.
    """
    common: dict[str, Any] = {
        "label": option.title,
        "info": option.help,
        "value": option.default,
        "elem_id": elem_id,
        **more,
    }
    if option.type is bool:
        return gr.Checkbox(**common)
    if option.type in (int, float):
        # Bounds are told and checked by us: gradio would raise before our sentence is reached.
        # Rounded, half a request would be none, and so no bound.
        whole = option.type is int and not (option.advanced and option.default is None)
        return gr.Number(precision=0 if whole else None, min_width=150, **common)
    listed = list(choices) or [(choice, choice) for choice in option.choices]
    if option.type is tuple:
        common |= {"multiselect": True, "value": list(common["value"])}
    if listed:
        return gr.Dropdown(choices=listed, allow_custom_value=others, min_width=220, **common)
    return gr.Textbox(min_width=220, **common)


class Labels:
    """The widgets of a tab that show texts of its ``room``, made in English.

    ``texts`` are functions that write the properties of each in the language spoken.
    """

    def __init__(self, room: str) -> None:
        self.room = room
        self.say = Words(room)
        self.texts: dict[Any, Callable[[], dict[str, Any]]] = {}

    def make(self, kind: Callable[..., Widget], key: str, **options: Any) -> Widget:
        """Make a widget with the texts under ``widgets: KEY:``; the key is also its element id."""

        def texts() -> dict[str, Any]:
            words = dict(self.say.branch(f"widgets.{key}"))
            if "choices" in words:
                words["choices"] = [(text, value) for value, text in words["choices"].items()]
            return words

        return self.write(kind, texts, elem_id=key, **options)

    def choice(
        self,
        kind: Callable[..., Widget],
        key: str,
        choices: Callable[[], Iterable[tuple[str, Any]]],
        **options: Any,
    ) -> Widget:
        """Make such a widget with (label, value) choices in the page's language."""

        def texts() -> dict[str, Any]:
            return {"choices": list(choices()), **self.say.branch(f"widgets.{key}")}

        return self.write(kind, texts, elem_id=key, **options)

    def chips(self, key: str, names: Sequence[str], **options: Any) -> gr.CheckboxGroup:
        """Make such a choice of attributes."""
        return self.choice(
            gr.CheckboxGroup, key, lambda: [(name_of(name), name) for name in names],
            elem_classes="attribute-chips", **options,
        )  # fmt: skip

    def write(
        self, kind: Callable[..., Widget], texts: Callable[[], dict[str, Any]], **options: Any
    ) -> Widget:
        """Make a widget with the properties that ``texts`` returns."""
        widget = kind(**texts(), **options)
        self.texts[widget] = texts
        return widget

    def option(self, option: Option, key: str, about: str = "", **more: Any) -> Any:
        """Make the field of a setting, as it is declared, or as texts under its key say.

        ``about`` is the key of a text around its help, which also says what no value means.
        """

        def texts() -> dict[str, Any]:
            words = self.say.branch("widgets").get(key, {})
            info = in_visitors_words(translated(option.help))
            if about and isinstance(option, CampaignOption):
                info = self.say(about, help=info, unset=translated(option.unset))
            return {"label": translated(option.title), "info": info, **words}

        return self.write(partial(option_field, option, key), texts, **more)

    def heading(self, key: str) -> gr.HTML:
        """Write a section's title with a remark beside it, from ``headings: KEY:``."""

        def write() -> Markup:
            remark = tag("span", self.say(f"headings.{key}.remark"), class_="quiet")
            return tag("h2", self.say(f"headings.{key}.title"), " ", remark)

        return self.html(f"heading-{key}", write)

    def html(self, elem_id: str, write: Callable[[], Markup], script: str = "") -> gr.HTML:
        """Make a box for HTML that a function writes."""
        return self.write(partial(html, elem_id, script=script), lambda: {"value": write()})

    def fold(self, elem_id: str, key: str) -> gr.HTML:
        """Make a box for the title of a :func:`narrow_fold`."""
        return self.html(elem_id, lambda: narrow_fold(self.say(key)))

    def spoken(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number of each widget, and its properties in the language spoken."""
        for widget, texts in self.texts.items():
            yield widget._id, texts()


def plot(elem_id: str, **options: Any) -> gr.Plot:
    """Make a place for a chart of a report."""
    return gr.Plot(
        show_label=False, container=False, elem_id=elem_id, elem_classes="report-plot", **options
    )


def drawn(chart: Chart | None, name: str) -> Any:
    """Draw a chart of a report; hidden where there is none. ``name``: that of its picture."""
    if chart is None:
        return gr.update(value=None, visible=False)
    figure = plotted(chart)
    layout = {**figure["layout"], "height": min(_HIGHEST, figure["layout"]["height"])}
    value = as_plot({"data": figure["data"], "layout": layout}, name)
    return gr.update(value=value, visible=True)
