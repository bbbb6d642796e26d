"""The command line: ``hinter``."""

import os
import sys

try:
    from hinter_core.cli.main import main
except KeyboardInterrupt:  # importing it takes a second
    os.write(2, b"hinter: stopped.\n")
    sys.exit(130)

__all__ = ["main"]
