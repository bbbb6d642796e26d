"""``hinter mcp``: tools for an agent, over standard input and output."""

from pathlib import Path
from typing import Annotated

from typer import Option

from hinter_core.errors import InputError


def mcp(
    folder: Annotated[
        Path,
        Option(
            help="Data files may be named in this folder.  [default: the current one]",
            show_default=False,
        ),
    ] = Path(),
) -> None:
    """Serve check, scan, run and others as MCP tools over standard input and output."""
    from hinter_core.endpoints.stdio import serve

    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}; check the path.")

    serve(folder)
