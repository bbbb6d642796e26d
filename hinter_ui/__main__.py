"""Start HInter's app: ``hinter-app [--host HOST] [--port PORT]``, or ``python app.py``."""

import argparse
import inspect
import logging
import os
import signal
import sys
from typing import Any

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
HIGHEST_PORT = 65_535


def main() -> None:
    """Parse the address and serve; GRADIO_SERVER_NAME and GRADIO_SERVER_PORT count too."""
    parser = argparse.ArgumentParser(description="HInter in the browser.")
    parser.add_argument("--host", help="address to listen on (127.0.0.1 if left out)")
    parser.add_argument("--port", type=int, help="port (the first free one from 7860 if left out)")
    arguments = parser.parse_args()
    if not 0 <= (arguments.port or 0) <= HIGHEST_PORT:
        parser.error(f"--port is a number from 0 to {HIGHEST_PORT}")

    import hinter_core.models.huggingface.lent  # noqa: F401 -- the platform's package comes before torch
    from hinter_core.errors import HinterError
    from hinter_ui.environment import check_environment
    from hinter_ui.shared.access import Access

    try:
        local = Access.at(arguments.host).local
        for warning in check_environment():
            logging.getLogger(__name__).warning(warning)
    except HinterError as error:
        parser.exit(2, f"{error}\n")
    if not local:
        # Read when the Hub's client is imported: what the owner of this machine may read on the
        # Hub is not for visitors.
        os.environ.setdefault("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")

    import_gradio()
    from hinter_ui.shell import serve

    # Ended by a service manager as by Ctrl-C: campaigns at work are stopped, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

    try:
        serve(arguments.host, arguments.port)
    except OSError as error:
        parser.exit(2, f"HInter cannot listen there: {error}\n")


def import_gradio() -> None:
    """Import gradio as it is imported where its files cannot be found.

    Otherwise it reads the source of each of its components, to write stubs for editors beside it:
    a third of the time that its import takes.
    """
    file_of = inspect.getfile

    def unless_component(owner: Any) -> str:
        if isinstance(owner, type) and owner.__module__.startswith("gradio."):
            raise OSError("not looked for")
        return file_of(owner)

    inspect.getfile = unless_component  # type: ignore[assignment]
    try:
        import gradio  # noqa: F401
    finally:
        inspect.getfile = file_of


if __name__ == "__main__":
    main()
