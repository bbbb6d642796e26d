"""Hostile input, as data: what strangers send as files, names, settings and calls.

Each function returns cases by name; they are made, so that the repository holds no such file.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from typing import Any

MARKUP = {
    "script": "<script>window.pwned=1</script>",
    "image": "<img src=x onerror=window.pwned=1>",
    "svg": "<svg/onload=window.pwned=1>",
    "attribute": '" onmouseover="window.pwned=1" x=\'',
    "frame": "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
    "link": "[click](javascript:window.pwned=1)",
    "template": "${window.pwned=1} {{constructor.constructor('window.pwned=1')()}}",
    "comment": "--><script>window.pwned=1</script><!--",
    "closing": "</textarea></style></title><script>window.pwned=1</script>",
    "cdata": "<![CDATA[<script>window.pwned=1</script>]]>",
    "fetch": "<link rel=stylesheet href=//evil.example/x.css><img src=//evil.example/x.png>",
    "bidi": "\u202e\u2066<b onclick=window.pwned=1>\u2069",
}
FORMULAS = {
    "equals": '=HYPERLINK("http://evil.example","x")',
    "plus": "+cmd|' /C calc'!A0",
    "minus": "-2+3+cmd|' /C calc'!A0",
    "at": "@SUM(1+1)*cmd|' /C calc'!A0",
    "tab": "\t=1+1",
    "return": "\r=1+1",
    "quoted": "'=1+1",
    "dde": '=DDE("cmd","/C calc","x")',
}
TRAVERSAL = {
    "parent": "../../../etc/passwd",
    "root": "/etc/passwd",
    "home": "~/.ssh/id_rsa",
    "environment": "/proc/self/environ",
    "windows": "..\\..\\windows\\win.ini",
    "drive": "C:\\windows\\win.ini",
    "share": "\\\\evil.example\\share\\x.csv",
    "url": "file:///etc/passwd",
    "encoded": "..%2f..%2fetc%2fpasswd",
    "null": "x\0.csv",
    "device": "/dev/zero",
    "dots": "....//....//etc/passwd",
    "long": "x" * 5_000,
    "newline": "x\n../y",
    "dot": ".",
    "blank": " ",
    "surrogate": "\ud800",
    "bidi": "\u202efdp.csv",
    "http": "http://169.254.169.254/latest/meta-data",
}


def _parquet(**columns: list[Any]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), buffer)
    return buffer.getvalue()


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("../../outside.csv", "text\nA man.\n")
    return buffer.getvalue()


# What begins like another kind of file.
POLYGLOTS = {
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "gif": b"GIF89a/*text\nA man.*/=1;",
    "pdf": b"%PDF-1.7\ntext\nA man.\n%%EOF",
    "elf": b"\x7fELF\x02\x01\x01" + b"\0" * 50,
    "pickle": b"\x80\x04\x95cposix\nsystem\n(S'touch pwned'\ntR.",
    "page": b"<!doctype html><script>window.pwned=1</script>",
    "shell": b"#!/bin/sh\ntouch pwned\n",
    "xml": b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
    "parquet-like": b"PAR1" + b"\xff" * 40 + b"\xff\xff\xff\x7fPAR1",
    "gzip-like": b"\x1f\x8b\x08\0" + b"\xff" * 30,
}


def tables() -> dict[str, tuple[str, bytes]]:
    """Files of texts: name of the file and content."""
    cases: dict[str, tuple[str, bytes]] = {}
    plain = {
        "empty": b"",
        "null": b"\0" * 1_000,
        "mark": b"\xef\xbb\xbf",
        "blank-lines": b"\n" * 10_000,
        "not-utf8": bytes(range(256)) * 20,
        "utf16-odd": b"\xff\xfet\0e\0x\0t\0\n\0A",
        "utf32": "text\nA man.\n".encode("utf-32"),
        "one-line": b"x" * 2_500_000,
        "surrogates": b"text\n\xed\xa0\x80\xed\xb0\x80\n",
        **POLYGLOTS,
        "zip": _zip(),
    }
    separated = {
        "header-only": b"text,label\n",
        "no-header": b",,,\n1,2,3,4\n",
        "quote": b'text,label\n"A man.,1\nA woman.,2\n',
        "quotes": b'"""""""\n""""\n',
        "wide": b",".join(b"c%d" % n for n in range(20_000)) + b"\n" + b"x," * 19_999 + b"x\n",
        "ragged": b"text\n" + b"".join(b"x," * n + b"\n" for n in range(200)),
        "twice": b"text,text,text\nA,B,C\n",
        "returns": b"text\rA man.\r\r\nA woman.\n\r",
        "null-cells": b"text,label\n\0,\0\n",
    } | {f"formula-{k}": f'{v},text\n"{v}",A man.\n'.encode() for k, v in FORMULAS.items()}
    for name, words in MARKUP.items():
        separated[f"markup-{name}"] = f"text,label\nA man. {words},{words}\n".encode()
    lines = {
        "list": b"[1, 2]\n" * 3,
        "number": b"1e999\nNaN\nInfinity\n",
        "deep": b"[" * 100_000 + b"\n" + b'{"text":' * 50_000,
        "constants": b'{"text": NaN, "label": Infinity}\n',
        "integer": b'{"text": "x", "n": ' + b"9" * 10_000 + b"}\n",
        "surrogate": b'{"text": "\\ud800", "label": "\\udfff"}\n',
        "keys": b'{"": "A man.", "__class__": "x", "text": {"text": "x"}}\n',
        "twice": b'{"text": "A man.", "text": null}\n',
        "null": b'null\ntrue\n"text"\n',
        "types": b'{"text": [[["A"]]]}\n{"text": 5}\n{"text": {"a": 1}}\n',
        "array": b"[\n" + b'{"text": "A man."},\n' * 3 + b"]",
        "wide": json.dumps({f"c{n}": n for n in range(20_000)}).encode(),
    }
    for kind, more in {
        "csv": separated, "tsv": separated, "jsonl": lines, "txt": {}, "ndjson": {},
    }.items():  # fmt: skip
        for name, content in {**plain, **more}.items():
            cases[f"{kind}-{name}"] = (f"texts.{kind}", content)
    whole = gzip.compress(b"text\n" + b"A man.\n" * 200)
    packed = {
        "cut": whole[:-12],
        "tail": whole + b"rubbish",
        "wrong-sum": whole[:-6] + b"\0\0" + whole[-4:],
        "twice": gzip.compress(gzip.compress(b"text\nA man.\n")),
        "not": b"text\nA man.\n",
        "bomb": gzip.compress(b"text\n" + b"\0" * 4_000_000),
        "lines": gzip.compress(b"text\n" + b'"\n' * 1_000_000),
    }
    for kind in ("csv", "jsonl", "txt"):
        cases |= {f"{kind}.gz-{n}": (f"texts.{kind}.gz", c) for n, c in packed.items()}
    cases |= _bombs()
    cases |= {f"parquet-{n}": ("texts.parquet", c) for n, c in {**plain, **_parquets()}.items()}
    names = (
        "texts", "texts.exe", "texts.csv.zip", "texts.xlsx", ".csv", "texts.CSV", "a b;$(x).csv",
        "-rf.csv", "texts.csv.gz.gz", "=cmd.csv",
    )  # fmt: skip
    return cases | {f"name-{name}": (name, b"text\nA man.\n") for name in names}


def _bombs() -> dict[str, tuple[str, bytes]]:
    """Small files that unpack to much, or are long to read."""
    import bz2
    import lzma

    blank = b"\n" * 20_000_000
    head = b"text,label\n"
    sheet = '<row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c></row>'
    far = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row>'
    cases = {
        "gz-blank": ("texts.csv.gz", gzip.compress(head + blank)),
        "bz2-blank": ("texts.csv.bz2", bz2.compress(head + blank)),
        "xz-blank": ("texts.jsonl.xz", lzma.compress(blank)),
        "zip-blank": ("texts.zip", _zipped({"texts.txt": blank})),
        "zip-line": ("texts.zip", _zipped({"texts.csv": head + b"x" * 20_000_000})),
        "zip-empty": ("texts.zip", _zipped({})),
        "zip-many": ("texts.zip", _zipped({f"{n}.csv": head for n in range(2_000)})),
        "zip-in-zip": ("texts.zip", _zipped({"texts.csv": _zipped({"a.csv": head})})),
        "csv-reopened": ("texts.csv", head + b'x","\n' * 100_000),
        "csv-odd-marks": ("texts.csv", head + b'"x\n' * 100_000),
        "csv-separators": ("texts.csv", head + b",;|\t" * 200_000),
        "csv-escapes": ("texts.csv", head + b'"\\' * 200_000),
        "json-open": ("texts.json", b"[" + b'{"a":' * 200_000),
        "json-string": ("texts.json", b'[{"text": "' + b"\\n" * 2_000_000),
        "json-commas": ("texts.json", b"[" + b"," * 3_000_000),
        "json-columns": ("texts.json", b'{"text": [' + b"1," * 500_000 + b"1]}"),
        "json-chat": ("texts.jsonl", b'{"messages": "[{\'role\':' + b"[" * 90_000 + b'"}'),
        "sheet-far": ("texts.xlsx", _workbook(sheet + far)),
        "sheet-row": ("texts.xlsx", _workbook(sheet.replace('r="1"', 'r="999999999999"'))),
        "sheet-parts": ("texts.xlsx", _workbook(" " * 110_000_000)),
        "sheet-markup": ("texts.xlsx", _workbook("<!DOCTYPE x [<!ENTITY e 'x'>]>&e;")),
        "arrow-like": ("texts.arrow", b"ARROW1\0\0" + b"\xff" * 4 + b"\xff\xff\xff\x7f" * 9),
        "arrow-stream": ("texts.arrow", b"\xff\xff\xff\xff\x10\0\0\0" + b"\0" * 16),
    }  # fmt: skip
    return cases | _arrows()


def _zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def _workbook(rows: str) -> bytes:
    """A workbook whose sheet holds these rows."""
    from openpyxl import Workbook

    buffer = io.BytesIO()
    Workbook().save(buffer)
    with zipfile.ZipFile(buffer) as file:
        members = {name: file.read(name) for name in file.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    members[sheet] = members[sheet].replace(
        b"<sheetData />", f"<sheetData>{rows}</sheetData>".encode()
    )
    return _zipped(members)


def _arrows() -> dict[str, tuple[str, bytes]]:
    """Arrow whose buffers say that they unpack to more than memory, or broken bits."""
    import pyarrow

    table = pyarrow.table({"text": ["A man sang to his wife."] * 2_000})
    buffer = io.BytesIO()
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.ipc.new_stream(buffer, table.schema, options=options) as writer:
        writer.write_table(table)
    whole = buffer.getvalue()
    size = (2_000 * 23).to_bytes(8, "little")
    assert size in whole
    cases = {"arrow-bomb": ("texts.arrow", whole.replace(size, (2**50).to_bytes(8, "little")))}
    chance = random.Random(7)
    for number in range(20):
        broken = bytearray(whole)
        for _ in range(4):
            broken[chance.randrange(8, len(broken))] = chance.randrange(256)
        cases[f"arrow-bits-{number}"] = ("texts.arrow", bytes(broken))
    return cases


def _parquets() -> dict[str, bytes]:
    whole = _parquet(text=[f"The man {n} was kind." for n in range(500)], n=list(range(500)))
    cases = {
        "cut": whole[:-20],
        "no-foot": whole[:-8] + b"\0" * 4 + b"PAR1",
        "long-foot": whole[:-8] + b"\xff\xff\xff\x7fPAR1",
        "no-text": _parquet(n=[1, 2]),
        "no-row": _parquet(text=[]),
        "nulls": _parquet(text=[None, None]),
        "nested": _parquet(text=[[["A man."]]], x=[{"a": {"b": None}}]),
        "bytes": _parquet(text=[b"\xff\xfe"]),
        "markup": _parquet(text=list(MARKUP.values()), **{MARKUP["image"]: [1] * len(MARKUP)}),
    }
    chance = random.Random(5)
    for number in range(30):
        broken = bytearray(whole)
        for _ in range(8):
            broken[chance.randrange(4, len(broken) - 4)] = chance.randrange(256)
        cases[f"bits-{number}"] = bytes(broken)
    for number in range(10):
        foot, broken = len(whole) - 8 - 300, bytearray(whole)
        for _ in range(4):
            broken[chance.randrange(foot, len(whole) - 8)] = chance.randrange(256)
        cases[f"foot-{number}"] = bytes(broken)
    return cases


def dictionaries() -> dict[str, bytes]:
    """Uploaded dictionaries."""
    good = b"term,group\nblack,dark\nwhite,light\n"
    return {
        **{f"polyglot-{name}": content for name, content in POLYGLOTS.items()},
        "empty": b"",
        "null": b"term,group\n\0,\0\n",
        "no-group": b"term\nx\n",
        "other": b"a,b\nc,d\n",
        "twice": good + b"black,dark\n",
        "one-group": b"term,group\na,b\nc,b\n",
        "not-utf8": b"term,group\n\xff\xfe,x\n",
        "quote": b'term,group\n"a,b\n',
        "long-term": b"term,group\n" + b"x" * 200_000 + b",a\ny,b\n",
        "long-group": b"term,group\nx," + b"y" * 200_000 + b"\nz,b\n",
        "many": b"term,group\n" + b"".join(b"t%d,g%d\n" % (n, n) for n in range(3_000)),
        "blank": b"term,group\n , \n\t,x\n",
        "pattern": b"term,group,form\n(a+)+$,x,adj\n.*,y,adj\n[,z,adj\n",
        "form": b"term,group,form\na,x,NOFORM\nb,y,NOFORM\n",
        "surrogate": b"term,group\n\xed\xa0\x80,x\ny,z\n",
        **{f"markup-{k}": f'term,group\n"{v}",x\ny,"{v}"\n'.encode() for k, v in MARKUP.items()
           if '"' not in v},
        **{f"formula-{k}": f"term,group\n{v},x\ny,{v}\n".encode() for k, v in FORMULAS.items()},
    }  # fmt: skip


_YAML = {
    "empty": "",
    "scalar": "text",
    "list": "[1, 2]",
    "open": "{a: [",
    "tabs": "\t- a",
    "python": "!!python/object/apply:os.system ['touch pwned']",
    "python-name": "a: !!python/name:os.system",
    "python-module": "a: !!python/module:antigravity",
    "custom-tag": "!<tag:evil.example,2026:x> {a: b}",
    "laughs": "a: &a [x,x,x,x,x,x,x,x,x]\n" + "\n".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]" for n in range(8)
    ),
    "itself": "&a [*a]",
    "itself-key": "&a {b: *a}",
    "deep": "[" * 1_000,
    "deep-map": "".join(" " * n + "a:\n" for n in range(1_000)),
    "merge": "<<: [{a: 1}, {b: 2}]\nc: 3",
    "merge-itself": "&a {<<: *a}",
    "unknown-alias": "a: *nothing",
    "twice": "a: 1\na: 2",
    "binary": "a: !!binary AAAA",
    "date": "2026-99-99",
    "documents": "a: 1\n---\nb: 2\n",
    "null-byte": "a: \0",
    "number-keys": "1: 2\n3.5: x\n~: y",
    "list-key": "? [a, b]\n: c",
    "long": "a: " + "x" * 500_000,
    "directive": "%YAML 9.9\n---\na",
    "bell": "a: \x07\x1b[31m",
    "json": '{"a": {"b": [null, true, 1e999]}}',
}  # fmt: skip


# A value of a few hundred characters that stands for 9 ** 12 texts.
_LAUGHS = "[&a [x,x,x,x,x,x,x,x,x], " + ", ".join(
    f"&{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]" for n in range(12)
) + "]"  # fmt: skip


def questions() -> dict[str, str]:
    """Questions of a project, in YAML."""
    start = "questions:\n- id: q\n  text: Fair?\n  answers: "
    cases = {
        "answers-text": f"{start}maybe",
        "answers-empty": f"{start}[]",
        "answers-one": f"{start}[yes]",
        "answers-twice": f"{start}[yes, yes]",
        "answers-deep": f"{start}[[yes], [no]]",
        "no-text": "questions:\n- id: q\n  answers: [yes, no]",
        "id-path": "questions:\n- id: ../../x\n  text: Fair?\n  answers: [yes, no]",
        "id-sql": "questions:\n- id: \"'; DROP TABLE items; --\"\n  text: F?\n  answers: [yes, no]",
        "id-list": "questions:\n- id: [a]\n  text: Fair?\n  answers: [yes, no]",
        "same-id": "questions:\n" + "- id: q\n  text: Fair?\n  answers: [yes, no]\n" * 2,
        "many": "questions:\n" + "".join(
            f"- id: q{n}\n  text: Fair?\n  answers: [yes, no]\n" for n in range(300)
        ),
        "unknown": f"{start}[yes, no]\nshell: touch pwned",
        **{f"laughs-{name}": f"questions:\n- id: q\n  text: Fair?\n  {name}: {_LAUGHS}"
           for name in ("id", "ask", "help", "answers")},
        "surrogate": 'instructions: "\\uD800"\nquestions: []',
    }  # fmt: skip
    return {**_YAML, **cases, **{f"markup-{k}": _question(v) for k, v in MARKUP.items()}}


def _question(words: str) -> str:
    return json.dumps({
        "instructions": words,
        "questions": [{"id": "q", "text": words, "answers": [
            {"value": "yes", "text": words}, {"value": "no", "text": words}]}],
    })  # fmt: skip


def campaigns() -> dict[str, str]:
    """Campaign files, in YAML."""
    cases = {
        "order": "order: -1", "order-huge": f"order: {10**30}", "order-text": "order: [two]",
        "order-nan": "order: .nan", "limit": "limit: 1e400", "seed": "seed: {a: 1}",
        "attributes": "attributes: ../race", "attributes-map": "attributes: {race: 1}",
        "models": "models: python:os.system", "models-none": "models: []",
        "models-number": "models: [5, null]", "unknown": "shell: touch pwned",
        "engine": "engine: os.system", "relation": "relation: ../x", "checker": "checker: '; rm'",
        "parser": "parser: torch", "dictionaries": "dictionaries: [/etc/passwd]",
        "dictionaries-number": "dictionaries: 7", "shard": "shard: 0", "workers": "workers: 1e9",
        "data-list": "data: [a, b]", "data-null": "data: ~", "sample": "sample: yes",
        **{f"laughs-{name}": f"{name}: {_LAUGHS}"
           for name in ("order", "data", "models", "seed", "engine")},
    }  # fmt: skip
    paths = {f"data-{name}": json.dumps({"data": path}) for name, path in TRAVERSAL.items()}
    return {**_YAML, **cases, **paths}


def notes() -> dict[str, Any]:
    """What a campaign.json holds, as changes of a sound one; bytes take its place."""
    odd: list[Any] = [None, -1, 10**30, "../..", [], {}, [[]], {"a": {}}, True, "\ud800", 1.5]
    fields = ("version", "models", "attributes", "order", "data", "shards", "scope", "texts")
    cases: dict[str, Any] = {f"{f}-{n}": {f: v} for f in fields for n, v in enumerate(odd)}
    whole = {
        "empty": b"", "null": b"null", "list": b"[]", "number": b"1e999", "open": b'{"version":',
        "deep": b"[" * 200_000, "not-utf8": b"\xff\xfe", "nan": b"NaN", "binary": bytes(range(256)),
        "markup": json.dumps({"version": 3, "data": MARKUP["image"]}).encode(),
    }  # fmt: skip
    return {**cases, **whole}


def judgements() -> dict[str, tuple[str, bytes]]:
    """Files of items and judgements."""
    head = b"text,annotator,answer_q\n"
    rows = {
        "empty": b"", "head": head, "no-text": b"a,b\n1,2\n", "null": head + b"\0,\0,\0\n",
        "quote": head + b'"A man.,Ann,yes\n', "answer": head + b"A man.,Ann,perhaps\n",
        "long-name": head + b"A man.," + b"x" * 100_000 + b",yes\n",
        "long-text": head + b"x" * 300_000 + b",Ann,yes\n",
        "reserved": head + b"A man.,*,yes\nA man., ,yes\n",
        "same": head + b"A man.,Ann,yes\n" * 3 + b"A man.,Ann,no\n",
        "time": b"text,annotator,answer_q,at,seconds\nA man.,Ann,yes,never,-1e999\n",
        "weight": b"text,weight,validity\nA man.,nan,inf\nA woman.,-5,x\n",
        "roles": b"text,group,role\nA,g,mutant\nB,g,mutant\nC,h,king\n",
        "id": b"text,id\nA man.,../../x\nA woman.,\n",
        **{f"formula-{k}": f'text,annotator,answer_q\n"{v}","{v}",yes\n'.encode()
           for k, v in FORMULAS.items() if '"' not in v},
        **{f"markup-{k}": f"text,annotator,answer_q\nA man {v}.,Ann,yes\n".encode()
           for k, v in MARKUP.items() if '"' not in v},
    }  # fmt: skip
    trees = {
        "empty": b"", "null": b"null", "deep": b"[" * 200_000, "numbers": b"[1, 2]",
        "nan": b'[{"text": NaN}]', "list-text": b'[{"text": ["A"]}]', "open": b'[{"text": "A"',
        "studio": b'[{"data": {"text": "A man."}, "annotations": [{"result": [5]}]}]',
        "studio-deep": b'[{"data": {"text": "A"}, "annotations": [{"result": [{"value": 5}]}]}]',
        "studio-odd": b'[{"data": 5, "annotations": "x"}]',
        "argilla": b'[{"fields": {"text": "A"}, "responses": {"q": [{"value": {}}]}}]',
        "argilla-odd": b'[{"fields": [], "responses": 5}]',
        "answers": b'[{"text": "A", "annotator": {"a": 1}, "answer_q": ["yes"]}]',
    }  # fmt: skip
    return (
        {f"csv-{n}": ("judged.csv", c) for n, c in rows.items()}
        | {f"json-{n}": ("judged.json", c) for n, c in {**trees, **POLYGLOTS}.items()}
        | {f"json.gz-{n}": ("judged.json.gz", c) for n, c in {
            "not": b"[]", "cut": gzip.compress(b"[]")[:-5],
            "bomb": gzip.compress(b" " * (10**8 + 1)),
        }.items()}
    )  # fmt: skip


def handwritten() -> dict[str, bytes]:
    """Mutants by hand, as CSV."""
    rows = {
        "edits": ["A man.", "A woman.", "nonsense"],
        "arrow": ["A man.", "A woman.", "gender: -> ->"],
        "attribute": ["A man.", "A woman.", "../x: man -> woman"],
        "many": ["A man.", "A woman.", "; ".join(["gender: man -> woman"] * 500)],
        "same": ["A man.", "A man.", "gender: man -> man"],
        "empty": ["", "", ""],
        "other": ["A man.", "Nothing alike.", "gender: king -> queen"],
        "long": ["x" * 300_000, "y" * 300_000, ""],
        "blanks": ["A man.", "A woman.", f"gender: {' ' * 20_000}x"],
        "lines": ["A man.", "A woman.", "gender:" + "\n" * 20_000 + "->"],
        "colons": ["A man.", "A woman.", ":" * 20_000],
        "before": ["A man.", "A woman.", " " * 20_000 + "x"],
        "arrows": ["A man.", "A woman.", "gender: " + " -> " * 10_000],
        "surrogate": ["A man.", "A woman.", "gender: man -> \\ud800"],
        "null": ["A\0man.", "A\0woman.", "gender: man\0 -> woman"],
        **{f"markup-{k}": [f"A man {v}", f"A woman {v}", f"gender: {v} -> {v}"]
           for k, v in MARKUP.items()},
        **{f"formula-{k}": [v, f"{v} b", f"gender: {v} -> b"] for k, v in FORMULAS.items()},
    }  # fmt: skip
    cases = {f"row-{name}": _csv(["source", "mutant", "edits"], row) for name, row in rows.items()}
    return cases | {f"polyglot-{name}": content for name, content in POLYGLOTS.items()}


def _csv(*rows: list[str]) -> bytes:
    import csv

    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


def servers() -> dict[str, str]:
    """Addresses that a visitor of a public host may not let the app ask."""
    hosts = (
        "127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "127.1", "2130706433",
        "0x7f000001", "0177.0.0.1", "169.254.169.254", "metadata.google.internal", "10.0.0.1",
        "192.168.1.1", "[fd00::1]", "evil.example", "api.openai.com.evil.example",
        "api.openai.com@evil.example", "evil.example#api.openai.com", "api.openai.com:80@evil",
        "\u0430pi.openai.com", "api.openai.com%00.evil.example", "API.OPENAI.COM.", "",
    )  # fmt: skip
    urls = {f"host-{host}": f"http://{host}/v1" for host in hosts}
    odd = (
        "file:///etc/passwd", "gopher://127.0.0.1/x", "ftp://127.0.0.1", "//127.0.0.1/v1",
        "https://api.openai.com/v1/../../x", "https://api.openai.com/v1?x=1", "http:127.0.0.1",
        "https://api.openai.com/v1#x", "https://api.openai.com\\@evil.example/v1", "unix:/run/x",
        "http://user:word@api.openai.com/v1", "http://[::1", "http://x:99999999/v1", "http://\0/v1",
        "https://api.openai.com/v1\r\nHost: evil.example", "javascript:alert(1)",
    )  # fmt: skip
    return urls | {f"odd-{url}": url for url in odd}


# Numbers among the values of events, as JSON holds them.
NUMBERS: dict[str, Any] = {
    "huge": 10**30, "huge-float": 1e30, "negative": -(10**30), "nan": float("nan"),
    "infinite": float("inf"), "fraction": 0.5, "true": True, "text": "1e30", "null": None,
    "list": [1], "object": {"a": 1}, "past-sqlite": 2**63, "past-index": 2**64, "digits": 10**400,
}  # fmt: skip

# Words of which a stranger sends a lot.
LONG = {
    "sentences": "man. ", "one-sentence": "the black woman and ", "capitals": "MAN ",
    "slots": "«person» ", "markup": "<b>man</b> ", "quotes": '"man" ', "letters": "a",
    "blanks": " ", "joiners": "\U0001f469\u200d", "references": "&amp;",
}  # fmt: skip

# What a visitor writes of their own address.
SPOOFED = {
    "one": {"x-forwarded-for": "203.0.113.{n}"},
    "chain": {"x-forwarded-for": "127.0.0.1, 203.0.113.{n}, 10.0.0.{n}"},
    "ipv6": {"x-forwarded-for": "[2001:db8:{n}::1]:443"},
    "standard": {"forwarded": "for=203.0.113.{n}"},
    "others": {"x-real-ip": "203.0.113.{n}", "true-client-ip": "203.0.113.{n}"},
    "cookie": {"cookie": "hinter-visitor=made-up-{n}.signature"},
    "odd": {"x-forwarded-for": "unknown-{n}, \u0663.\u0663.\u0663.{n}"},
}


def models() -> dict[str, str]:
    """Names of models that a visitor of a public host may not have loaded."""
    return {
        **{f"hf-{k}": f"hf:{path}" for k, path in TRAVERSAL.items()},
        **{f"chat-{k}": f"hf-chat:{path}" for k, path in TRAVERSAL.items()},
        **{f"rules-{k}": f"scripted:{path}.rules" for k, path in TRAVERSAL.items()},
        "python": "python:os:system", "python-file": "python:/etc/passwd:x",
        "judge": "openai:x?judge=python:os:system", "prompt": "hf-chat:a/b?prompt=/etc/passwd",
        "option": "vader?trust_remote_code=1", "empty": "", "colon": ":", "query": "?a=b",
        "twice": "hf:hf:hf:a/b", "unknown": "os.system:x", "script": f"hf:{MARKUP['script']}",
        "key": "openai:x?key=sk-1", "rules": "scripted:=" + "(" * 5_000,
        **{f"rules-{name}": f"scripted:{rule}" for name, rule in rules().items()},
    }  # fmt: skip


def rules() -> dict[str, str]:
    """Scripted rules that are none."""
    long = 12_000
    return {
        "blanks": f"a if 'x'{' ' * long}y; b otherwise",
        "tabs": "a" + "\t" * long + "x; b otherwise",
        "before": "a if race" + "\u3000" * long + "and; b otherwise",
        "ifs": "if " * long,
        "ands": "a if " + "and " * long,
        "scores": "0.5 " * long,
        "quotes": "a if " + "'" * long + "; b otherwise",
        "long-word": f"a if '{'x' * long}'; b otherwise",
        "long": "x" * 1_000_000 + " otherwise",
        "semicolons": ";" * long,
    }


def grammars() -> dict[str, str]:
    """Grammars, in YAML."""
    rule = "start: s\nsensitive:\n  job: [nurse, pilot]\nrules:\n  s:\n"
    cases = {
        "open": f"{rule}  - " + "<" * 50_000,
        "close": f"{rule}  - '" + ">" * 50_000 + "'",
        "names": f"{rule}  - '" + "<job>" * 50_000 + "'",
        "itself": f"{rule}  - x <s> <job>",
        "many": rule + "".join(f"  - x{n} <job>\n" for n in range(60_000)),
        "deep-rules": "start: r0\nsensitive:\n  job: [nurse, pilot]\nrules:\n" + "".join(
            f"  r{n}: [x <r{n + 1}>]\n" for n in range(3_000)) + "  r3000: [<job>]\n",
        "countless": "start: r0\nsensitive:\n  job: [nurse, pilot]\nrules:\n" + "".join(
            f"  r{n}: [x <r{n + 1}> <r{n + 1}>, y <r{n + 1}>]\n" for n in range(60))
            + "  r60: [<job>]\n",
        "surrogate": f'{rule}  - "x \\uD800 <job>"',
        "escape": f'{rule}  - "x \\x1b[31m <job>"',
    }  # fmt: skip
    return {**_YAML, **cases, **{f"markup-{k}": f"{rule}  - {json.dumps(f'{v} <job>')}"
                                 for k, v in MARKUP.items()}}  # fmt: skip


def templates() -> dict[str, bytes]:
    """Files of templates: a line of JSON each."""
    text = "\u00abname\u00bb smiled."
    cases: dict[str, Any] = {
        "null": None, "number": 5, "list": [text], "no-text": {}, "text-null": {"text": None},
        "label-null": {"text": text, "label": None, "id": None, "words": None},
        "words-null": {"text": text, "words": [None]}, "gender-list": {"text": text, "gender": []},
        "attributes-null": {"text": text, "attributes": [None]},
        "attributes-deep": {"text": text, "attributes": [[["gender"]]]},
        "surrogate": {"text": f"\ud800 {text}", "label": "\udfff", "id": "\ud800"},
        "surrogate-word": {"text": text, "words": ["\ud800"], "gender": "male"},
        "open": {"text": "\u00ab" * 50_001}, "slots": {"text": "\u00aba\u00bb" * 20_000},
        "long": {"text": text * 20_000}, "escape": {"text": f"\x1b[31m{text}", "label": "\x9b1m"},
        **{f"markup-{k}": {"text": f"{v} {text}", "label": v} for k, v in MARKUP.items()},
    }  # fmt: skip
    return {name: json.dumps(value).encode() + b"\n" for name, value in cases.items()} | {
        "deep": b"[" * 100_000, "nan": b'{"text": NaN}', "twice": b'{"text": 1, "text": null}',
        "integer": b'{"text": ' + b"9" * 10_000 + b"}", "not-utf8": b'{"text": "\xff"}',
        "empty": b"", "null-byte": b"\0" * 100,
    }  # fmt: skip
