"""Files of templates: read as rows, and written."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.files.columns import Columns
from hinter_core.files.source import require_file
from hinter_core.generators.templates.template import (
    ATTRIBUTES,
    Template,
    template_from_json,
    template_to_json,
)
from hinter_core.language.clean import MAX_CHARACTERS, clean, whole_values

_MOST_BYTES = 4 * MAX_CHARACTERS  # of a line
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class TemplateRow(Row):
    """A line of a file of templates; without a fault it has a ``template``."""

    template: Template | None = None


@dataclass(frozen=True)
class TemplateTable:
    """A file of templates, read line by line."""

    path: Path
    names = ("id", "text", "attributes", "gender", "words", "label")
    columns = Columns("text", "label", "id")
    count = None

    def classes(self) -> frozenset[str]:
        """Return the attributes that the templates are for."""
        found: set[str] = set()
        for row in self.rows():
            if isinstance(row, TemplateRow) and row.template is not None:
                found.update(row.template.attributes)
            if len(found) == len(ATTRIBUTES):
                break
        return frozenset(found)

    def rows(self) -> Iterator[Row]:
        """Yield all templates, and faulty lines with their fault.

        Raises:
            InputError: the file cannot be read.
        """
        try:
            with self.path.open("rb") as lines:
                number = 0
                while line := lines.readline(_MOST_BYTES):
                    if line.strip():
                        number += 1
                        yield _row(number, line)
        except OSError as error:
            raise InputError(
                f"Cannot read {self.path}: {error.strerror}. Check the path."
            ) from error


def open_templates(path: Path) -> TemplateTable:
    """Open a file of templates.

    Raises:
        InputError: no such file, or it holds no usable template; the message has the first fault.
    """
    require_file(path)
    table, fault = TemplateTable(path), ""
    for row in table.rows():
        if not row.fault:
            return table
        fault = fault or f"holds no template. Line {row.number}: {row.fault}."
    raise InputError(
        f"{path} {fault or 'is empty.'} hinter templates mine makes such a file of ordinary texts; "
        'by hand, write lines such as {"text": "\u00abname\u00bb smiled."}.'
    )


def _row(number: int, line: bytes) -> TemplateRow:
    try:
        values = whole_values(json.loads(line.decode("utf-8-sig")))
        template = template_from_json(values, str(number))
        if len(template.text) > MAX_CHARACTERS:
            raise InputError(f"the text has more than {MAX_CHARACTERS:,} characters")
        clean(template.text)
    except UnicodeDecodeError:
        return TemplateRow(number, str(number), "", fault="the line is not UTF-8")
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return TemplateRow(number, str(number), "", fault=f"the line is no JSON ({reason})")
    except InputError as error:
        return TemplateRow(number, str(number), "", fault=str(error)[:_SHOWN])
    return TemplateRow(number, template.id, template.text, template.label, template=template)


def template_line(template: Template) -> str:
    """Return a template as a line of a file."""
    return json.dumps(template_to_json(template), ensure_ascii=False) + "\n"
