"""``python -m hinter_core.cli``: where the ``hinter`` script is not on the path."""

from hinter_core.cli.main import main

if __name__ == "__main__":
    main()
