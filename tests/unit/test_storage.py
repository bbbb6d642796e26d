"""What is kept fits its size, and goes in the order of its use."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hinter_core.storage import LRU, make_private, open_database

WORDS = st.text("ab", max_size=6)


def test_folders_of_data_are_for_their_user_alone(tmp_path: Path) -> None:
    def mode(folder: Path) -> int:
        return folder.stat().st_mode & 0o777

    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    open_database(shared / "hinter" / "cache" / "p.sqlite").close()
    make_private(shared / "hinter" / "campaigns")
    assert {mode(one) for one in (shared / "hinter").iterdir()} == {0o700}
    assert (mode(shared), mode(shared / "hinter")) == (0o755, 0o700)


@given(st.lists(st.lists(WORDS, max_size=4), max_size=12), st.integers(0, 15))
def test_as_if_a_list_were_searched(rounds: list[list[str]], most: int) -> None:
    kept: LRU[str, int] = LRU(most, len)
    plain: list[str] = []  # the least recently used first
    for words in rounds:
        there = kept.found(words)
        assert list(there) == [word for word in dict.fromkeys(words) if word in plain]
        plain = [word for word in plain if word not in there] + list(there)
        kept.keep({word: len(word) for word in words if word not in there})
        plain += [w for w in dict.fromkeys(words) if w not in there and len(w) <= most]
        while sum(map(len, plain)) > most:
            plain.pop(0)
        assert len(kept) == len(plain)
        assert all(there[word] == len(word) for word in there)
    assert set(kept.found(plain)) == set(plain)
