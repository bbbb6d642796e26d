"""gradio's scripts and styles of a page's first view, as one file in place of some eighty.

gradio serves its frontend as modules, of which each kind of widget needs several. Browsers fetch
them in turns of six, each turn after the one before it has named more. Here they are read as they
are installed and sent as one script, which tells the browser by an import map that it has them.
What is not among them is fetched as before, and so is everything by a browser without import maps.
One line of them is mended: see ``_TELLS``.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import gradio as gr
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hinter_ui.html.wording import spoken
from hinter_ui.shared.gate import is_page
from hinter_ui.shared.wiring import after_event

_INSTALLED = Path(gr.__file__).parent / "templates" / "frontend"
_NAME = r"\./([\w.$-]+)"
_ENTRY = re.compile(r'<script type="module"[^>]*src="\./assets/([\w.$-]+)"')
_LIST = re.compile(r"m\.f=\[(.*?)\]")
_LOADED = re.compile(rf"import\(`{_NAME}`\)[^`]{{0,60}}?__vite__mapDeps\(\[([\d,]*)\]\)")
_OF_KIND = r"[,{{]{kind}:\{{[^{{}}]*?component:\(\)=>\w+\(\(\)=>import\(`" + _NAME + "`"
_BESIDE = re.compile(r'(["`])\./([\w.$-]+\.(?:js|css))\1')
_PLACE = "@@"  # stands for the address of gradio's files, which only the browser knows
# Where gradio tells widgets how an event that reads or writes them is going. It tells every one of
# every event so far, at each step of any event, by a copy of all that the widget holds.
_TELLS = re.compile(r"(Object\.entries\(this\.loading_stati\.current\))(?=\.map\(\(\[)")
# Not again what a widget knows: that an event has ended as it had.
_TELLS_NEWS = r"""\1.filter(([widget, status]) => {
  const known = this.told_stati ??= {}, news = JSON.stringify(status), old = known[widget] === news;
  known[widget] = news;
  return !old || status.status !== "complete";
})"""
_FIRST = ("clock", "speak", "stream")  # functions of the page that run before any other script
_FOREVER = "public, max-age=31536000, immutable"  # a name holds the hash of its content


class Frontend:
    """What the first view of a page with widgets of these ``kinds`` needs of gradio's files."""

    def __init__(self, kinds: Iterable[str], installed: Path = _INSTALLED) -> None:
        self._kinds = sorted(set(kinds))
        self._installed = installed
        self._files = installed / "assets"

    def files(self) -> list[str]:
        """Return names of files; none where gradio is built in another way than is known here."""
        entry = _ENTRY.search((self._installed / "index.html").read_text(encoding="utf-8"))
        if not entry:
            return []
        names: dict[str, None] = {}
        first = self._loads(entry[1])
        for name, beside in first.items():
            names |= dict.fromkeys([name, *beside])
            for further, needed in self._loads(name).items():
                if further.startswith("Blocks-"):
                    names |= dict.fromkeys([further, *needed])
        for widgets in [name for name in first if name.startswith("core-")]:
            code, loads = self._read(widgets), self._loads(widgets)
            for kind in self._kinds:
                if (place := re.search(_OF_KIND.format(kind=kind), code)) and place[1] in loads:
                    names |= dict.fromkeys([place[1], *loads[place[1]]])
        # A module that has an address of its own in the page would be there twice.
        return [name for name in names if name not in (entry[1], *self._linked)]

    @cached_property
    def _linked(self) -> list[str]:
        page = (self._installed / "index.html").read_text(encoding="utf-8")
        return re.findall(r'href="\./assets/([\w.$-]+)"', page)

    def _loads(self, name: str) -> Mapping[str, list[str]]:
        """Return the modules that a module may load, with all files that each of them needs."""
        code = self._read(name)
        listed = _LIST.search(code)
        if not listed:
            return {}
        files = [one.removeprefix("./") for one in json.loads(f"[{listed[1]}]")]
        return {
            module: [files[int(number)] for number in numbers.split(",") if number]
            for module, numbers in _LOADED.findall(code)
        }

    def _read(self, name: str) -> str:
        return (self._files / name).read_text(encoding="utf-8")

    def script(self) -> str:
        """Return the one script."""
        modules, styles = {}, {}
        for name in self.files():
            if name.endswith(".css"):
                styles[name] = self._read(name)
            else:
                code = _TELLS.sub(_TELLS_NEWS, self._read(name))
                code = code.replace("import.meta.url", f'"{_PLACE}{name}"')
                modules[name] = _BESIDE.sub(rf"\1{_PLACE}\2\1", code)
        values = ", ".join(map(json.dumps, (_PLACE, modules, styles)))
        return f"({after_event('page.frontend')})({values});"


class Head:
    """Begin pages with scripts of ours: what gradio is given for their head comes later."""

    _HEAD = b"<head>"

    def __init__(self, app: ASGIApp, kinds: Iterable[str]) -> None:
        self._app = app
        self._script = Frontend(kinds).script()
        self._name = f"first-{sha256(self._script.encode()).hexdigest()[:12]}.js"
        first = "; ".join(f"({after_event(f'page.{one}')})()" for one in _FIRST)
        code = f'<script>{first};</script><script src="./{self._name}"></script>'
        self._code = self._HEAD + code.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = str(scope.get("path", ""))
        local_path = path.removeprefix(str(scope.get("root_path", "")))
        if path.endswith(f"/{self._name}"):
            kept = {"Cache-Control": _FOREVER}
            answer = Response(self._script, media_type="text/javascript", headers=kept)
            await answer(scope, receive, send)
            return
        start: Message = {}

        async def with_script(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if is_page(headers):
                    start = message  # it tells the length of what follows
                    return
                if local_path.startswith("/assets/") and message["status"] == 200:
                    headers["Cache-Control"] = _FOREVER
            if start:
                body, headers = message.get("body", b""), MutableHeaders(scope=start)
                said = body.replace(b'lang="en"', f'lang="{spoken()}"'.encode(), 1)
                message["body"] = said.replace(self._HEAD, self._code, 1)
                if length := headers.get("content-length"):
                    longer = len(message["body"]) - len(body)
                    headers["content-length"] = str(int(length) + longer)
                await send(start)
                start = {}
            await send(message)

        await self._app(scope, receive, with_script)
