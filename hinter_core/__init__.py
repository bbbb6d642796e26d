"""HInter core: find, apply and judge intersectional mutations of a text.

The core knows no user interface. Importing this package loads no model and no heavy library;
``torch``, ``transformers``, ``spacy`` and ``openai`` are imported inside the back-end that needs
them.
"""

__version__ = "0.1.0"
