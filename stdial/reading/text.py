"""Tables of text: the whole of a small one, or a large one that is scanned where it lies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stdial.reading.dialect import Dialect, detect
from stdial.reading.errors import Refused
from stdial.reading.limits import Limits
from stdial.reading.source import LARGE, Source

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LargeText", "column_names", "large_text", "read_text"]

_HEAD = 4 << 20


def column_names(names: Sequence[str], header: bool) -> list[str]:
    """Names that can be told apart: an unnamed column is called by its place, a repeated name gets its place added.

    >>> column_names(["", "a", "a"], True)
    ['column 1', 'a', 'a (column 3)']
    """
    taken: dict[str, None] = {}
    for place, name in enumerate(names, 1):
        name = name if name and header else f"column {place}"
        taken[name if name not in taken else f"{name} (column {place})"] = None
    return list(taken)


def read_text(source: Source, limits: Limits) -> tuple[pa.Table, Dialect]:
    """A small text file as a table of strings, with its dialect.

    Raises
    ------
    Refused
        not a table (ragged rows, named), no rows, too large (one row, or too many columns).
    """
    dialect = detect(source.head(256 << 10), source.size <= 256 << 10)
    _check_width(dialect, limits)
    return _parsed(source.data[source.skip :], dialect, limits), dialect


def _check_width(dialect: Dialect, limits: Limits) -> None:
    if len(dialect.names) > limits.columns:
        raise Refused(f"the table has {len(dialect.names):,} columns; at most {limits.columns:,} are read", "too large")
    if not dialect.names:
        raise Refused("the file has no rows, only comments or blank lines", "no rows")


def _parsed(data: memoryview, dialect: Dialect, limits: Limits) -> pa.Table:
    import pyarrow as pa
    import pyarrow.csv as pc

    body = data[dialect.skip :]
    if not bytes(body[:4096]).strip() and not bytes(body).strip():
        raise Refused(f"there are no rows: only the header {_listed(dialect.names)}", "no rows")
    names = column_names(dialect.names, dialect.header)
    ragged: list[tuple[int | None, int]] = []
    parse = pc.ParseOptions(
        delimiter=dialect.delimiter or "\x1f",
        quote_char=dialect.quote or False,
        double_quote=not dialect.escape,
        escape_char=dialect.escape or False,
        newlines_in_values=True,
        ignore_empty_lines=len(names) > 1,
        invalid_row_handler=_row_handler(ragged),
    )
    convert = pc.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    block = min(max(len(body), 1 << 16), limits.cell, (1 << 31) - 1)
    options = pc.ReadOptions(column_names=names, use_threads=False, block_size=block)
    stripped = body if len(names) > 1 else _without_trailing_lines(body)
    try:
        table = pc.read_csv(pa.BufferReader(pa.py_buffer(stripped)), options, parse, convert)
    except pa.ArrowInvalid as error:
        raise _translated(str(error), limits) from None
    if ragged:
        at, width = ragged[0]
        where = f"row {at}" if at else "a row"
        more = f" (and {len(ragged) - 1} more rows)" if len(ragged) > 1 else ""
        raise Refused(f"not a table: {where} has {width} cells, the first row {len(names)}{more}", "not a table")
    if not table.num_rows:
        raise Refused(f"there are no rows: only the header {_listed(dialect.names)}", "no rows")
    return table


def _row_handler(ragged: list[tuple[int | None, int]]) -> Callable[[Any], str]:
    def handle(row: Any) -> str:
        if not row.text.lstrip().startswith("#"):  # a comment line between or after the rows
            ragged.append((row.number, row.actual_columns))
        return "skip"

    return handle


def _without_trailing_lines(body: memoryview) -> bytes:
    return bytes(body).rstrip(b"\r\n") + b"\n"


def _translated(message: str, limits: Limits) -> Refused:
    if "straddl" in message or "block size" in message:
        return Refused(f"one row is longer than {limits.cell / (1 << 20):.3g} MB: no table of rates is", "too large")
    return Refused("this is not a table: its quotes or line breaks do not fit together", "not a table")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:6])
    return shown + (", ..." if len(names) > 6 else "")


@dataclass(frozen=True)
class LargeText:
    """A text file of more than ``LARGE`` bytes: its first rows as a table of strings, and scans of all of it."""

    source: Source
    dialect: Dialect
    names: tuple[str, ...]
    head: pa.Table
    limits: Limits

    def select(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows, as strings, in the file's order."""
        wanted = ", ".join(self._quoted(name) for name in columns)
        return self._run(f"SELECT {wanted} FROM {{scan}}", ordered=True)

    def tally(self, keys: Sequence[str], spread: Sequence[str]) -> pa.Table:
        """Rows counted by the distinct values of ``keys``, with each ``spread`` column's smallest and largest value.

        Columns: the keys, "rows", and for the i-th spread column "low i" and "high i".
        """
        by = ", ".join(self._quoted(name) for name in keys)
        span = "".join(
            f', min({self._quoted(name)}) AS "low {i}", max({self._quoted(name)}) AS "high {i}"'
            for i, name in enumerate(spread)
        )
        return self._run(f'SELECT {by}, count(*)::INTEGER AS "rows"{span} FROM {{scan}} GROUP BY {by}', ordered=False)

    def find(self, column: str, values: Sequence[str]) -> list[int]:
        """Data rows (from 1) whose cell is one of these texts: the first few."""
        table = self.select([column])
        import pyarrow as pa
        import pyarrow.compute as pc

        hits = pc.indices_nonzero(pc.is_in(table.column(0), value_set=pa.array(values, pa.string())))
        return [at + 1 for at in hits.slice(0, 5).to_pylist()]

    def _quoted(self, name: str) -> str:
        return f'"c{self.names.index(name)}"'

    def _run(self, query: str, ordered: bool) -> pa.Table:
        import duckdb

        with _readable(self.source) as path:
            connection = _locked_connection(duckdb, path, ordered)
            try:
                result = connection.sql(query.format(scan=self._scan(path)))
                return self._renamed(result.to_arrow_table())
            except duckdb.Error as error:
                raise _duckdb_refusal(str(error), self.limits) from None
            finally:
                connection.close()

    def _renamed(self, table: pa.Table) -> pa.Table:
        return table.rename_columns([self.names[int(n[1:])] if n[:1] == "c" else n for n in table.column_names])

    def _scan(self, path: str) -> str:
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.names)))
        lines = _lines_before(self.source, self.dialect.skip)
        return (
            f"read_csv({_literal(path)}, auto_detect=false, header=false, skip={lines}, buffer_size=8388608,"
            f" max_line_size={min(self.limits.cell, 8 << 20) - 1}, delim={_literal(self.dialect.delimiter or chr(31))},"
            f" quote={_literal(self.dialect.quote)}, escape={_literal(self.dialect.escape or self.dialect.quote)},"
            f" nullstr='', columns={{{columns}}})"
        )


def large_text(source: Source, limits: Limits) -> LargeText | None:
    """The file as ``LargeText`` where it is large enough for that, else None."""
    if source.size <= LARGE:
        return None
    head = source.head(_HEAD)
    dialect = detect(head[: 256 << 10], False)
    _check_width(dialect, limits)
    if b"\n" not in head[dialect.skip :]:
        raise _translated("straddling", limits)
    whole = head[: head.rindex(b"\n") + 1]
    table = _parsed(memoryview(whole), dialect, limits)
    table = table.slice(0, max(1, table.num_rows - 1))  # the last row may have been cut inside its quotes
    return LargeText(source, dialect, tuple(table.column_names), table, limits)


def _locked_connection(duckdb: Any, path: str, ordered: bool) -> Any:
    connection = duckdb.connect(":memory:", config={"threads": min(4, os.cpu_count() or 1)})
    connection.execute(f"SET preserve_insertion_order = {str(ordered).lower()}")
    connection.execute(f"SET allowed_paths = [{_literal(path)}]")
    connection.execute("SET temp_directory = ''")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


@contextmanager
def _readable(source: Source) -> Iterator[str]:
    """A path under which DuckDB can read the source: its own, or that of a file that lives in memory only."""
    if source.path is not None:
        yield source.path
        return
    handle = os.memfd_create("table")
    try:
        for start in range(source.skip, len(source.data), 1 << 20):
            os.write(handle, source.data[start : start + (1 << 20)])
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)


def _lines_before(source: Source, skip: int) -> int:
    start = source.head(skip)
    return start.count(b"\n") or start.count(b"\r")


def _duckdb_refusal(message: str, limits: Limits) -> Refused:
    if "Maximum line size" in message:
        return _translated("straddling", limits)
    line = next((part for part in message.splitlines() if part.startswith("CSV Error on Line")), "")
    found = "".join(c for c in line if c.isdigit())
    where = f" near line {found} of the file" if found else ""
    return Refused(f"this is not a table: rows of different length, or quotes left open{where}", "not a table")


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
