"""The texts whose words were read, by the names that the labels have for them."""

from __future__ import annotations

import argparse
from pathlib import Path

from training.person_sense.corpus import read_texts


def add_texts(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the texts whose words were read."""
    parser.add_argument("--reviews", type=Path, required=True, help="IMDB training reviews")
    parser.add_argument("--excerpts", type=Path, required=True, help="excerpts of court opinions")
    parser.add_argument("--summaries", type=Path, required=True, help="summaries of opinions")


def texts_of(options: argparse.Namespace) -> dict[str, list[str]]:
    """Read the texts by the names that the labels have for them."""
    return {
        name: read_texts(getattr(options, name)) for name in ("reviews", "excerpts", "summaries")
    }
