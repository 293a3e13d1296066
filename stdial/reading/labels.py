"""Values of key columns as dense codes with their labels, in an order that does not depend on the rows'."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Labels", "labelled", "natural"]

_CAREFUL = 100_000  # distinct labels up to which "q10" is sorted after "q9" whatever their form


class Labels:
    """``codes[row]`` is the place of the row's value among ``values``, -1 where it is missing."""

    def __init__(self, codes: NDArray[np.int64], values: NDArray[Any]) -> None:
        self.codes = codes
        self.values = values


def labelled(column: pa.ChunkedArray) -> Labels:
    """Codes and labels of a column; whole numbers written as text become numbers.

    >>> import pyarrow as pa
    >>> found = labelled(pa.chunked_array([["q10", "q9", "q10", None]]))
    >>> found.codes.tolist(), found.values.tolist()
    ([1, 0, 1, -1], ['q9', 'q10'])
    """
    import pyarrow as pa

    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return _numbered(column) or _general(column)


def _numbered(column: pa.Array) -> Labels | None:
    """Labels that are whole numbers, or one prefix and a whole number, without a table of all of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count or not len(column):
        return None
    prefix = ""
    if pa.types.is_integer(column.type):
        numbers = column.cast(pa.int64())
    elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        first = column[0].as_py()
        prefix = first.rstrip("0123456789")
        if not pc.all(pc.starts_with(column, prefix)).as_py():
            return None
        digits = pc.utf8_slice_codeunits(column, len(prefix))
        plain = pc.and_(pc.utf8_is_decimal(digits), pc.less_equal(pc.binary_length(digits), 15))
        canonical = pc.or_(pc.invert(pc.starts_with(digits, "0")), pc.equal(digits, "0"))
        if not pc.all(pc.and_(plain, canonical)).as_py() or not prefix.isascii():
            return None
        try:
            numbers = digits.cast(pa.int64())
        except pa.ArrowInvalid:
            return None
    else:
        return None
    codes, distinct = _ranked(numbers.to_numpy())
    if not prefix:
        return Labels(codes, distinct)
    digits_most = len(str(int(distinct[-1])))
    return Labels(codes, np.char.add(prefix, distinct.astype(f"U{digits_most}")))


def _ranked(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    low, high = int(numbers.min()), int(numbers.max())
    if high - low > 4 * len(numbers) + 1024:
        distinct, codes = np.unique(numbers, return_inverse=True)
        return codes.astype(np.int64), distinct
    seen = np.bincount(numbers - low) > 0
    return (np.cumsum(seen) - 1)[numbers - low], np.flatnonzero(seen) + low


def _general(column: pa.Array) -> Labels:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_nested(column.type):
        column = pa.array(map(repr, column.to_pylist()), pa.string())
    coded = column.dictionary_encode()
    values = np.array(coded.dictionary.to_pylist() or [], dtype=object)
    order = natural(values)
    place = np.full(len(values) + 1, -1, dtype=np.int64)
    place[order] = np.arange(len(values))
    codes = pc.fill_null(coded.indices.cast(pa.int64()), len(values)).to_numpy(zero_copy_only=False)
    labels = values[order]
    if len(values) and any(_blank(value) for value in values):
        return _without_blanks(place[codes], labels)
    return Labels(place[codes], labels)


def _blank(value: Any) -> bool:
    return (isinstance(value, str) and not value.strip()) or (isinstance(value, float) and bool(np.isnan(value)))


def _without_blanks(codes: NDArray[np.int64], labels: NDArray[Any]) -> Labels:
    kept = np.array([not _blank(value) for value in labels], dtype=bool)
    place = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
    return Labels(place[codes], labels[kept])


def natural(values: NDArray[Any]) -> NDArray[np.int64]:
    """The order in which people would list labels: numbers by size, "q9" before "q10"."""
    if len(values) > _CAREFUL:
        return np.argsort(values.astype(str), kind="stable")
    keys = [_key(value) for value in values.tolist()]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _key(value: Any) -> tuple[Any, ...]:
    if isinstance(value, (int, float)):
        return (0, float(value), "")
    parts = re.split(r"(\d{1,15})", str(value))
    return (1, 0.0, tuple((int(part), "") if i % 2 else (-1, part) for i, part in enumerate(parts)), str(value))
