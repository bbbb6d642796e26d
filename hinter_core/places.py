"""Where HInter keeps what is the user's own and no file of theirs."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """HInter's folder in the user's cache, there or not."""
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME")
    return Path(home or Path.home() / ".cache") / "hinter"
