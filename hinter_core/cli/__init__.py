"""The command line: ``hinter``."""

from hinter_core.cli.main import main

__all__ = ["main"]
