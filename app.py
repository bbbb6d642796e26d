"""Start HInter's app: ``python app.py [--host HOST] [--port PORT]``."""

from hinter_ui.__main__ import main

if __name__ == "__main__":
    main()
