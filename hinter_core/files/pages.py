"""Look through the headers of a Parquet file's pages, which say what reading will unpack.

A file's footer sums up its pages, and may lie; memory is taken by what each page's own header says.
Headers are Thrift structs in the compact protocol (parquet-format, ``parquet.thrift``).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

_FIRST, _LONGEST = 4_096, 16_000_000  # bytes read of a header at first, and at most
_PAGES = 200_000  # of a file
_DEEPEST = 8
_UNPACKED, _PACKED = 2, 3  # fields of a page's header: its bytes
_DATA, _DATA_V2 = 5, 8  # ... structs, whose first field is the number of values


class PagesError(Exception):
    """The headers cannot be followed."""


def chunks(metadata: Any) -> Iterator[tuple[int, int, Any]]:
    """Yield each row group, column, and what the footer says of the two together."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield from ((number, place, group.column(place)) for place in range(group.num_columns))


def sizes(path: Path, metadata: Any) -> Iterator[tuple[int, int, int, int]]:
    """Yield row group, column, unpacked bytes and number of values of each page.

    Raises:
        PagesError: a header is damaged, or there are too many.
    """
    count = 0
    with path.open("rb") as raw:
        for group, column, chunk in chunks(metadata):
            place = chunk.data_page_offset
            if chunk.dictionary_page_offset:
                place = min(place, chunk.dictionary_page_offset)
            end = place + chunk.total_compressed_size
            while place < end:
                count += 1
                header, length = _header_at(raw, place)
                unpacked, packed = header.get(_UNPACKED, -1), header.get(_PACKED, -1)
                if unpacked < 0 or packed < 0 or count > _PAGES:
                    raise PagesError
                values = header.get(_DATA) or header.get(_DATA_V2) or {}
                yield group, column, unpacked, values.get(1, 0)
                place += length + packed


def _header_at(raw: BinaryIO, place: int) -> tuple[dict[int, Any], int]:
    size = _FIRST
    while True:
        raw.seek(place)
        thrift = _Thrift(raw.read(size))
        try:
            return thrift.struct(), thrift.place
        except IndexError:
            if size >= _LONGEST or len(thrift.data) < size:
                raise PagesError from None
            size = min(16 * size, _LONGEST)


class _Thrift:
    """A reader of the compact protocol; IndexError: the data end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read numbers and structs by field; other values are passed over."""
        if depth > _DEEPEST:
            raise PagesError
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            delta, kind = head >> 4, head & 15
            number = number + delta if delta else self._number()
            fields[number] = self._value(kind, depth, in_list=False)
        return fields

    def _value(self, kind: int, depth: int, *, in_list: bool) -> Any:
        if kind in (1, 2):  # a boolean is in its kind
            return self._byte() if in_list else None
        if kind in (4, 5, 6):
            return self._number()
        if kind == 12:
            return self.struct(depth + 1)
        if kind in (9, 10):
            self._list(depth)
        elif kind in (3, 7, 8):
            self._pass({3: 1, 7: 8}.get(kind) or self._varint())
        else:
            raise PagesError
        return None

    def _list(self, depth: int) -> None:
        head = self._byte()
        length = head >> 4 if head >> 4 < 15 else self._varint()
        if depth > _DEEPEST or length > len(self.data):
            raise PagesError
        for _ in range(length):
            self._value(head & 15, depth + 1, in_list=True)

    def _pass(self, length: int) -> None:
        self.place += length
        if self.place > len(self.data):
            raise IndexError

    def _byte(self) -> int:
        byte = self.data[self.place]
        self.place += 1
        return byte

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise PagesError
        return value | byte << shift

    def _number(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)
