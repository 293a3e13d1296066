"""One way to look at a table, whether it is held in memory or scanned where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from stdial.reading.errors import Refused
from stdial.reading.large import LargeText, large_text
from stdial.reading.limits import Limits
from stdial.reading.source import Source
from stdial.reading.text import read_text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Table", "open_table"]


class _Rows(Protocol):
    def select(self, columns: Sequence[str]) -> pa.Table: ...

    def tally(self, keys: Sequence[str], spread: Sequence[str]) -> pa.Table: ...


@dataclass(frozen=True)
class Table:
    """A flat table: ``head`` holds all rows, or the first of them where ``whole`` is False.

    ``unnamed`` are the columns that had no name; ``header`` is False where names stood nowhere; ``notes`` are findings
    of the reader, ``lost`` those that say that something was left out.
    """

    names: tuple[str, ...]
    head: pa.Table
    rows: _Rows | None = None
    unnamed: frozenset[str] = frozenset()
    header: bool = True
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = field(default=())

    @property
    def whole(self) -> bool:
        """Whether ``head`` is all there is."""
        return self.rows is None

    def expect(self, keys: Sequence[str], spread: Sequence[str]) -> None:
        """Announce a tally: one scan of a large text then answers this and all that need less."""
        if isinstance(self.rows, LargeText):
            self.rows.expect(keys, spread)

    def spreads(self, column: str) -> bool:
        """Whether a column of a large text is known, from a scan already made, to vary within a problem."""
        return isinstance(self.rows, LargeText) and self.rows.spreads(column)

    def select(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows."""
        return self.head.select(list(columns)) if self.rows is None else self.rows.select(columns)

    def tally(self, keys: Sequence[str], spread: Sequence[str]) -> pa.Table:
        """Rows counted by the distinct values of ``keys``: these, "rows", and "low i" and "high i" of each spread column."""
        if self.rows is not None:
            return self.rows.tally(keys, spread)
        return tally(self.head, keys, spread)


def tally(table: pa.Table, keys: Sequence[str], spread: Sequence[str]) -> pa.Table:
    """Group by ``keys`` with Arrow, as ``Table.tally`` says."""
    import pyarrow as pa

    plain = pa.table({f"k{i}": _groupable(table.column(name)) for i, name in enumerate(keys)})
    for i, name in enumerate(spread):
        plain = plain.append_column(f"s{i}", _groupable(table.column(name)))
    sums = [([], "count_all"), *((f"s{i}", how) for i in range(len(spread)) for how in ("min", "max"))]
    grouped = plain.group_by([f"k{i}" for i in range(len(keys))], use_threads=False).aggregate(sums)
    columns = {name: grouped.column(f"k{i}") for i, name in enumerate(keys)}
    arrays = [*columns.values(), grouped.column("count_all")]
    names = [*columns, "rows"]
    for i in range(len(spread)):
        arrays += [grouped.column(f"s{i}_min"), grouped.column(f"s{i}_max")]
        names += [f"low {i}", f"high {i}"]
    return pa.table(arrays, names=names)


def _groupable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose values can be compared: dictionaries decoded, lists and the like written out."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type)
    if pa.types.is_nested(kind):
        return pa.chunked_array([pa.array(map(repr, column.to_pylist()), pa.string())])
    return column


def open_table(source: Source, limits: Limits) -> Table:
    """Read a source of any format as a flat table.

    Raises
    ------
    Refused
        not a table, no rows, too large.
    """
    if source.format != "text":
        from stdial.reading.columnar import read_columnar

        return _checked(read_columnar(source, limits), limits)
    start = b"".join(source.head(4096).split()[:2])[:2] if source.path is None else b""
    if start[:1] in (b"{", b"["):
        from stdial.reading.nested import read_json

        found = read_json(source, limits, certain=start[:1] == b"{" or start == b"[{")
        if found is not None:
            return _checked(found, limits)
    large = large_text(source, limits)
    if large is not None:
        return _of_large(large, source)
    table, dialect = read_text(source, limits)
    unnamed = frozenset(n for n, given in zip(table.column_names, dialect.names, strict=True) if not given)
    return Table(tuple(table.column_names), table, None, unnamed, dialect.header, source.notes)


def _of_large(large: LargeText, source: Source) -> Table:
    unnamed = frozenset(n for n, given in zip(large.names, large.dialect.names, strict=True) if not given)
    return Table(large.names, large.head, large, unnamed, large.dialect.header, source.notes)


def _checked(table: Table, limits: Limits) -> Table:
    if len(table.names) > limits.columns:
        raise Refused(f"the table has {len(table.names):,} columns; at most {limits.columns:,} are read", "too large")
    if not table.names:
        raise Refused("this is not a table: it has no columns", "not a table")
    if not table.head.num_rows:
        names = ", ".join(repr(name) for name in table.names[:6])
        raise Refused(f"there are no rows: only the columns {names}", "no rows")
    return table
