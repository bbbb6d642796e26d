"""A small Hugging Face Hub on this machine: real files, served the way the Hub's HTTP API does."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from hashlib import sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

Files = dict[str, bytes]
_WRITES = {
    "create": "/api/repos/create()",
    "preupload": "/api/datasets/(.+)/preupload/main",
    "batch": r"/datasets/(.+)\.git/info/lfs/objects/batch",
    "commit": "/api/datasets/(.+)/commit/main",
    "squash": "/api/datasets/(.+)/super-squash/main",
    "shred": "/api/datasets/(.+)/lfs-files/batch",
}


class LocalHub:
    """Data sets and models by name, each with commits; some ``closed`` (to all), some ``gated``.

    Who sends any key may write, and read what is ``private``; nobody may while it is ``sealed``.
    """

    def __init__(self) -> None:
        self.commits: dict[str, dict[str, Files]] = {}
        self.heads: dict[str, str] = {}
        self.closed: set[str] = set()
        self.gated: set[str] = set()
        self.private: set[str] = set()
        self.sealed = False
        self.large: dict[str, bytes] = {}  # files as they were sent, by their digest
        self.asked: list[str] = []
        self.keys: set[str] = set()  # that were sent
        hub = self

        class Handler(_Handler):
            of = hub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def commit(self, name: str, files: Files) -> str:
        """A new version of a data set, which ``main`` then points to; returns its hash."""
        digest = sha1(repr((name, len(self.commits.get(name, {})), sorted(files))).encode())
        sha = digest.hexdigest()
        self.commits.setdefault(name, {})[sha] = files
        self.heads[name] = sha
        return sha

    def files(self, name: str) -> Files:
        """What a data set holds now."""
        return self.commits[name][self.heads[name]]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    of: LocalHub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        path = unquote(url.path)
        self.of.asked.append(f"{self.command} {path}")
        self.of.keys |= {key for key in [self.headers.get("Authorization")] if key}
        if found := re.fullmatch(r"(?:/datasets)?/(.+?)/resolve/([^/]+)/(.+)", path):
            return self._file(*found.groups())
        if path.endswith("/lfs-files"):
            listed = [{"fileOid": digest, "filename": "projects/p.sqlite", "oid": digest,
                       "pushedAt": "2026-01-01T00:00:00.000Z", "ref": "main", "size": len(body)}
                      for digest, body in self.of.large.items()]  # fmt: skip
            return self._json(listed)
        kind = "/api/(?:datasets|models)"
        if not (found := re.fullmatch(rf"{kind}/(.+?)(?:/(revision|tree)/(.+))?", path)):
            return self._answer(404, b"{}")
        name, what, rest = found.groups()
        revision, _, folder = (rest or "main").partition("/")
        if (files := self._files(name, revision)) is None:
            return None
        if what == "tree":
            deep = "true" in parse_qs(url.query).get("recursive", ["false"])[0].lower()
            return self._json(_entries(files, folder, deep=deep))
        sha = self._sha(name, revision)
        return self._json({
            "_id": "0" * 24, "id": name, "sha": sha, "private": name in self.of.private,
            "tags": [], "downloads": 0,
            "gated": "manual" if name in self.of.gated else False, "disabled": False, "likes": 0,
            "siblings": [{"rfilename": path, "size": len(body)} for path, body in files.items()],
        })  # fmt: skip

    do_HEAD = do_GET

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = unquote(urlsplit(self.path).path)
        self.of.asked.append(f"POST {path}")
        if path == "/api/validate-yaml":
            return self._json({"errors": [], "warnings": []})
        for what, pattern in _WRITES.items():
            if writes := re.fullmatch(pattern, path):
                return self._write(writes[1], what, raw)
        found = re.fullmatch(r"/api/datasets/(.+?)/paths-info/([^/]+)", path)
        if not found:
            return self._answer(404, b"{}")
        if (files := self._files(*found.groups())) is None:
            return None
        kind = self.headers.get("Content-Type", "")
        wanted = json.loads(raw)["paths"] if "json" in kind else parse_qs(raw.decode())["paths"]
        wanted = [wanted] if isinstance(wanted, str) else wanted
        every = _entries(files, "", deep=True)
        return self._json([entry for entry in every if entry["path"] in wanted])

    def do_PUT(self) -> None:
        digest = self.path.rpartition("/")[2]
        self.of.large[digest] = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200, b"{}")

    def _write(self, name: str, what: str, raw: bytes) -> None:
        if self.of.sealed or not self.headers.get("Authorization"):
            return self._answer(403, b'{"error": "This token may not write here"}')
        if what == "create":
            asked = json.loads(raw)
            name = "/".join(filter(None, (asked.get("organization"), asked["name"])))
            made = {"url": f"{self.of.address}/datasets/{name}"}
            if name in self.of.heads:
                return self._answer(409, json.dumps(made | {"error": "It is there"}).encode())
            self.of.commit(name, {})
            if asked.get("private") or asked.get("visibility") == "private":
                self.of.private.add(name)
            return self._json(made)
        if what == "preupload":  # large is what is no text, as there
            files = [{"path": file["path"], "shouldIgnore": False, "oid": None,
                      "uploadMode": "regular" if file["path"].endswith(".md") else "lfs"}
                     for file in json.loads(raw)["files"]]  # fmt: skip
            return self._json({"files": files})
        if what == "batch":
            put = f"{self.of.address}/put"
            objects = [{**one, "actions": {"upload": {"href": f"{put}/{one['oid']}"}}}
                       for one in json.loads(raw)["objects"]]  # fmt: skip
            return self._json({"transfer": "basic", "objects": objects})
        if what == "squash":
            head = self.of.heads[name]
            self.of.commits[name] = {head: self.of.commits[name][head]}
            return self._json({})
        if what == "shred":
            for digest in json.loads(raw)["deletions"]["sha"]:
                del self.of.large[digest]
            return self._json({})
        return self._json(self._commit(name, raw))

    def _commit(self, name: str, raw: bytes) -> dict[str, object]:
        files = dict(self.of.files(name))
        for line in map(json.loads, raw.splitlines()):
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.of.large[value["oid"]]
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        sha = self.of.commit(name, files)
        where = f"{self.of.address}/datasets/{name}/commit/{sha}"
        return {"commitUrl": where, "commitOid": sha, "success": True}

    def _sha(self, name: str, revision: str) -> str:
        return self.of.heads[name] if revision == "main" else revision

    def _files(self, name: str, revision: str) -> Files | None:
        hidden = name in self.of.private and not self.headers.get("Authorization")
        if name not in self.of.heads or name in self.of.closed or hidden:
            self._answer(401, b'{"error": "Repository not found"}', "RepoNotFound")
            return None
        files = self.of.commits[name].get(self._sha(name, revision))
        if files is None:
            self._answer(404, b'{"error": "Invalid rev id"}', "RevisionNotFound")
        return files

    def _file(self, name: str, revision: str, path: str) -> None:
        if name in self.of.gated:
            return self._answer(403, b"{}", "GatedRepo")
        if (files := self._files(name, revision)) is None:
            return None
        if path not in files:
            return self._answer(404, b"{}", "EntryNotFound")
        body, status, more = files[path], 200, {}
        if wanted := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            first = int(wanted[1])
            last = min(int(wanted[2] or len(body)), len(body) - 1)
            more["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
            body, status = body[first : last + 1], 206
        more |= {"X-Repo-Commit": self._sha(name, revision), "ETag": f'"{_oid(files[path])}"'}
        return self._answer(status, body, **more)

    def _json(self, values: object) -> None:
        self._answer(200, json.dumps(values).encode())

    def _answer(self, status: int, body: bytes, code: str = "", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "application/json")
        self.send_header("Accept-Ranges", "bytes")
        if code:
            self.send_header("X-Error-Code", code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def _oid(body: bytes) -> str:
    return sha256(body).hexdigest()[:40]


def _entries(files: Files, folder: str, *, deep: bool) -> list[dict[str, object]]:
    """Files, and folders, of a folder."""
    start = f"{folder}/" if folder else ""
    found: dict[str, dict[str, object]] = {}
    for path, body in files.items():
        if not path.startswith(start):
            continue
        parts = path[len(start) :].split("/")
        for depth in range(1, len(parts) if deep else min(2, len(parts))):
            inner = start + "/".join(parts[:depth])
            found[inner] = {"type": "directory", "path": inner, "oid": "0" * 40, "size": 0}
        if deep or len(parts) == 1:
            found[path] = {"type": "file", "path": path, "oid": _oid(body), "size": len(body)}
    return list(found.values())


def ask_there(address: str, monkeypatch: pytest.MonkeyPatch, cache: str) -> None:
    """Let the real clients of the Hub ask this address, with a cache of their own."""
    import datasets
    from huggingface_hub import constants

    template = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", cache)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)  # its servers are others
    monkeypatch.setattr(datasets.config, "HF_ENDPOINT", address)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", cache)


def parquet(**columns: list[object]) -> bytes:
    """A Parquet file."""
    import pyarrow
    from pyarrow import parquet as files

    buffer = BytesIO()
    files.write_table(pyarrow.table(columns), buffer)
    return buffer.getvalue()
