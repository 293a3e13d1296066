"""What a column holds: its kind, its numbers, and the cells that do not fit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from stdial.lazily import lazily
from stdial.reading.cellwords import Cell, is_missing, read_cell, read_list
from stdial.reading.vocabulary import Role, score

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Kind", "Numbers", "Profile", "numbers_of", "profile"]

Kind = Literal["empty", "number", "percent", "mark", "fraction", "date", "list", "text"]
_PARSED = 200_000  # distinct cells beyond this are not looked at one by one


@dataclass(frozen=True)
class Numbers:
    """A column as numbers: nan where a cell is missing, ``tries`` for fractions, ``bad`` the cells that are none."""

    values: NDArray[np.float64]
    kind: Kind
    tries: NDArray[np.float64] | None = None
    bad: tuple[tuple[int, str], ...] = ()

    @property
    def present(self) -> NDArray[np.float64]:
        """The values that are not missing."""
        return self.values[~np.isnan(self.values)]


@dataclass(frozen=True)
class Profile:
    """What the first rows of a column show."""

    name: str
    kind: Kind
    values: pa.ChunkedArray
    numbers: Numbers

    @lazily
    def distinct(self) -> int:
        """How many different values there are, missing ones left out."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_dictionary(self.values.type):
            return int(pc.count_distinct(self.values.cast(self.values.type.value_type)).as_py())
        if pa.types.is_nested(self.values.type):
            return len(set(map(repr, self.values.to_pylist())))
        return int(pc.count_distinct(self.values).as_py())

    @lazily
    def levels(self) -> NDArray[np.float64]:
        """The different numbers, sorted."""
        return np.unique(self.numbers.present)

    @property
    def is_whole(self) -> bool:
        """Whether all numbers are whole."""
        return bool((self.levels == np.floor(self.levels)).all())

    @property
    def counts_rows(self) -> bool:
        """Whether the column only counts the rows from 0 or 1."""
        values = self.numbers.values
        if self.kind != "number" or len(values) < 2 or values[0] not in (0.0, 1.0):
            return False
        return bool((values == values[0] + np.arange(len(values))).all())

    @lazily
    def is_prose(self) -> bool:
        """Whether cells are sentences rather than keys."""
        texts = [t for t in self.values.slice(0, 200).to_pylist() if isinstance(t, str)]
        spaced = sum(" " in text.strip() and len(text) > 12 for text in texts)
        if self.kind != "text" or not texts:
            return False
        return spaced > 0.5 * len(texts) or sum(map(len, texts)) > 80 * len(texts)

    @lazily
    def like_rates(self) -> bool:
        """Whether the values could be marks, rates or counts in a cell, whatever the name."""
        if self.kind in ("percent", "fraction", "mark"):
            return True
        if self.kind == "number":
            return bool(len(self.levels) > 1 and self.levels[0] >= 0 and self.levels[-1] <= 1)
        return False


def profile(name: str, column: pa.ChunkedArray) -> Profile:
    """Look at a column; texts such as 0110 are lists of marks where the name is one of rewards."""
    numbers = numbers_of(column)
    if score(name, Role.REWARD) > 0 and numbers.kind in ("number", "text") and _are_bits(column):
        numbers = Numbers(np.full(len(column), np.nan), "list")
    return Profile(name, numbers.kind, column, numbers)


def numbers_of(column: pa.ChunkedArray) -> Numbers:
    """A column of any type as numbers; the kind is that of most of its cells."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_null(kind) or column.null_count == len(column):
        return Numbers(np.full(len(column), np.nan), "empty")
    if pa.types.is_boolean(kind):
        return Numbers(_float(column.cast(pa.int8())), "mark")
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        values = _float(column)
        return Numbers(values, "number" if not np.isnan(values).all() else "empty")
    if pa.types.is_temporal(kind):
        return Numbers(np.full(len(column), np.nan), "date")
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return Numbers(np.full(len(column), np.nan), "list" if _holds_numbers(column) else "text")
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return Numbers(np.full(len(column), np.nan), "text")
    return _of_text(column, pc)


def _float(column: pa.ChunkedArray) -> NDArray[np.float64]:
    import pyarrow as pa

    values = column.cast(pa.float64(), safe=False).to_numpy()
    return np.array(values, dtype=np.float64)


def _holds_numbers(column: pa.ChunkedArray) -> bool:
    """Whether the entries of a column of lists are numbers or marks."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type.value_type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return True
    if not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
        return False
    entries = pc.list_flatten(column.slice(0, 1000))
    return numbers_of(entries).kind in ("number", "mark", "empty")


def _are_bits(column: pa.ChunkedArray) -> bool:
    """Whether all cells are texts of 0s and 1s of one length, at least two, some with a 0 first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return False
    texts = column.drop_null()
    lengths = pc.unique(pc.utf8_length(texts))
    if not len(texts) or len(lengths) != 1 or not 2 <= lengths[0].as_py() <= 256:
        return False
    bits = pc.all(pc.match_substring_regex(texts, "^[01]+$")).as_py()
    return bool(bits and pc.any(pc.starts_with(texts, "0")).as_py())


def _of_text(column: pa.ChunkedArray, pc: Any) -> Numbers:
    import pyarrow as pa

    coded = column.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    texts = coded.dictionary
    if len(texts) > _PARSED and (plain := _plain(column, pa)) is not None:
        return Numbers(plain, "number")
    codes = pc.fill_null(coded.indices, len(texts)).to_numpy(zero_copy_only=False)
    cells = _cells(texts, pc)
    often = np.bincount(codes, minlength=len(cells) + 1)
    kind = _majority(cells, often)
    value, tries, fits = _table(cells, kind)
    bad: tuple[tuple[int, str], ...] = ()
    if not fits.all():
        rows = np.flatnonzero(~fits[codes])[:5]
        bad = tuple((int(row) + 1, str(texts[int(codes[row])])[:60]) for row in rows)
    return Numbers(value[codes], kind, tries[codes] if kind == "fraction" else None, bad)


def _plain(column: pa.ChunkedArray, pa: Any) -> NDArray[np.float64] | None:
    """A long column of plain numbers in one go; None where there is anything else in it."""
    try:
        return _float(column.cast(pa.float64()))
    except pa.ArrowException:
        return None


def _cells(texts: Any, pc: Any) -> list[Cell]:
    text_cell = Cell("text")
    short = pc.utf8_length(texts).to_numpy(zero_copy_only=False) <= 4096
    looked = texts.slice(0, _PARSED).to_pylist()
    cells = [read_cell(text) if ok else text_cell for text, ok in zip(looked, short.tolist(), strict=False)]
    return cells + [text_cell] * (len(texts) - len(cells))


def _majority(cells: list[Cell], often: NDArray[np.intp]) -> Kind:
    found: Counter[str] = Counter()
    for cell, count in zip(cells, often.tolist(), strict=False):
        found[cell.kind] += count
    found.pop("missing", None)
    total = sum(found.values())
    if not total:
        return "empty"
    if found["date"] and found["date"] + found["fraction"] > 0.5 * total:
        return "date"
    if found["fraction"] and found["fraction"] + found["number"] == total and found["fraction"] * 2 > total:
        return "fraction"
    kind, count = found.most_common(1)[0]
    if found["number"] and kind == "percent":
        return "percent"
    if kind == "number" and found["mark"] and found["mark"] + found["number"] == total:
        return "mark" if all(c.value in (0.0, 1.0) for c in cells if c.kind in ("mark", "number")) else "text"
    return kind if count >= 0.7 * total else "text"  # type: ignore[return-value]


def _table(cells: list[Cell], kind: Kind) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Per distinct cell (and for a null, at the end) its value, its tries, and whether it fits the column's kind."""
    value = np.full(len(cells) + 1, np.nan)
    tries = np.full(len(cells) + 1, np.nan)
    fits = np.ones(len(cells) + 1, dtype=bool)
    for i, cell in enumerate(cells):
        if cell.kind == "missing":
            continue
        fits[i] = cell.kind == kind or (kind == "mark" and cell.kind == "number" and cell.value in (0.0, 1.0))
        if fits[i] and kind != "text":
            value[i], tries[i] = cell.value, cell.tries
    return value, tries, fits if kind not in ("text", "date", "list") else np.ones(len(cells) + 1, dtype=bool)


def lists_of(column: pa.ChunkedArray) -> tuple[NDArray[np.float64], NDArray[np.int64], list[tuple[int, str]]]:
    """All entries of a column of lists, each row's length (-1 where missing), and the rows that hold no list."""
    import pyarrow as pa

    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return _arrow_lists(column)
    flat: list[float] = []
    lengths = np.full(len(column), -1, dtype=np.int64)
    bad: list[tuple[int, str]] = []
    for row, text in enumerate(column.to_pylist()):
        if text is None or is_missing(text):
            continue
        entries = read_list(text)
        if entries is None:
            one = read_cell(text)
            if one.kind not in ("number", "mark"):
                bad.append((row + 1, text[:60]))
                continue
            entries = [one.value]
        flat += entries
        lengths[row] = len(entries)
    return np.array(flat), lengths, bad


def _arrow_lists(column: pa.ChunkedArray) -> tuple[NDArray[np.float64], NDArray[np.int64], list[tuple[int, str]]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = column.combine_chunks()
    if isinstance(lists, pa.ChunkedArray):
        lists = lists.combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(lists), -1).to_numpy(zero_copy_only=False).astype(np.int64)
    inner = numbers_of(pa.chunked_array([pc.list_flatten(lists)]))
    bad = [(row, text) for row, text in inner.bad]
    return inner.values, lengths, bad
