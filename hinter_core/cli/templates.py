"""``hinter templates``: mine templates from a corpus, and show them."""

import time
from itertools import islice
from pathlib import Path
from typing import Annotated

from tqdm import tqdm
from typer import Argument, Option

from hinter_core.campaign.spec import Campaign
from hinter_core.cli.options import command_group, print_json, say
from hinter_core.errors import InputError
from hinter_core.generators.templates.corpus import (
    MiningCounts,
    counts_of,
    mine_corpus,
    reasons_in_words,
)
from hinter_core.generators.templates.filling import TemplateValues
from hinter_core.generators.templates.template import open_templates, template_to_json
from hinter_core.language.coreference import load_resolver
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.mutation.settings import Settings
from hinter_core.terms.names import load_names

_PARSES = 700_000  # characters of sentences whose parses are kept
templates = command_group("Templates of real texts (BiasFinder).")


@templates.command("mine")
def mine(
    corpus: Annotated[str, Argument(help="A file of texts, sample, or hf:ORG/NAME.")],
    out: Annotated[Path, Option(help="File for the templates (JSON Lines).")],
    text_column: Annotated[str, Option(help="Column of the texts.  [default: detected]")] = "",
    label_column: Annotated[str, Option(help="Column of the labels.  [default: detected]")] = "",
    id_column: Annotated[str, Option(help="Column of ids.  [default: detected]")] = "",
    limit: Annotated[
        int | None, Option(min=1, help="Mine only the first rows.  [default: all]")
    ] = None,
    parser: Annotated[
        str, Option(help="embedded, an installed spaCy pipeline, or a path to one.")
    ] = "embedded",
    coreference: Annotated[
        str, Option(help="Who is meant: rules, or fastcoref or maverick if installed.")
    ] = "rules",
) -> None:
    """Mine templates from the texts of a corpus; the same command continues a stopped run."""
    campaign = Campaign(
        data=corpus, text_column=text_column, label_column=label_column, id_column=id_column
    ).pinned()
    table, resolver = campaign.table(), load_resolver(coreference)
    parses = ParseStore(load_parser(parser), _PARSES)
    columns = f"{table.columns.text},{table.columns.label},{table.columns.id}"
    known = campaign.source.identity()
    started = time.monotonic()
    with tqdm(total=limit or table.count, unit=" texts", disable=None) as bar:

        def on_row(counts: MiningCounts) -> None:
            bar.update(counts.rows - bar.n)
            bar.set_postfix_str(f"{counts.templates:,} templates", refresh=False)

        counts = mine_corpus(
            table, f"{known} {columns}", parses, out, resolver=resolver, limit=limit, on_row=on_row
        )
    for line in reasons_in_words(counts):
        say(line)
    if not counts.templates:
        raise InputError(
            f"No text of {corpus} is a template: see the reasons above. Take texts about one "
            "person each, with a name or a pronoun."
        )
    say(
        f"{out}: {counts.templates:,} templates of {counts.rows:,} texts in "
        f"{time.monotonic() - started:.0f} s"
    )


@templates.command("show")
def show(
    path: Annotated[Path, Argument(help="A file of templates.")],
    first: Annotated[int, Option(min=1, help="Show this number of lines.")] = 10,
    filled: Annotated[
        bool, Option("--filled", help="Show a text that each template makes, too.")
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print JSON Lines.")] = False,
) -> None:
    """Show templates with their slots, faulty lines, and why other texts were refused."""
    values = TemplateValues(load_names()) if filled else None
    rows = open_templates(path).rows()
    for row in islice(rows, first):
        if row.template is None:
            say(f"line {row.number}: {row.fault}", err=as_json)
            continue
        if as_json:
            print_json(template_to_json(row.template), indent=0)
            continue
        template = row.template
        about = ", ".join((*template.attributes, *([template.gender] if template.gender else [])))
        say(f"{template.id} ({about})\n  {template.text}")
        if values is not None:
            say(f"  {values.plan(template, Settings(), template.attributes).text}")
    if more := sum(1 for _ in rows):
        say(f"and {more:,} more; --first {first + more} shows all", err=as_json)
    counts = counts_of(path)
    for line in reasons_in_words(counts) if counts and not as_json else ():
        say(line)
