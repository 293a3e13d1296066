"""Text files too large to be held as a table: scanned where they lie, by DuckDB."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stdial.reading.dialect import Dialect, detect
from stdial.reading.errors import Refused
from stdial.reading.limits import Limits
from stdial.reading.progress import of_query
from stdial.reading.source import LARGE, Source
from stdial.reading.text import check_width, parse, row_too_long

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LargeText", "large_text"]

_HEAD = 512 << 10
_ROW = 2 << 20  # DuckDB's own limit of one row
_BUFFER = 4 * _ROW


@dataclass(frozen=True)
class LargeText:
    """A text file of more than ``LARGE`` bytes: its first rows as a table of strings, and scans of all of it.

    ``expected`` holds keys and spread columns that are about to be asked for: one scan then answers several questions.
    """

    source: Source
    dialect: Dialect
    names: tuple[str, ...]
    head: pa.Table
    expected: list[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    scans: dict[tuple[tuple[str, ...], tuple[str, ...]], pa.Table] = field(default_factory=dict)

    def select(self, columns: Sequence[str]) -> pa.Table:
        """These columns of all rows, as strings, in the file's order."""
        wanted = ", ".join(self._quoted(name) for name in columns)
        return self._run(f"SELECT {wanted} FROM {{scan}}", ordered=True)

    def expect(self, keys: Sequence[str], spread: Sequence[str]) -> None:
        """Announce the tally that will be wanted last."""
        self.expected.append((tuple(keys), tuple(spread)))

    def tally(self, keys: Sequence[str], spread: Sequence[str]) -> pa.Table:
        """Rows counted by the distinct values of ``keys``, with each ``spread`` column's smallest and largest value.

        Columns: the keys, "rows", and for the i-th spread column "low i" and "high i".
        """
        for wanted, beside in [*self.scans, *self.expected]:
            if set(keys) <= set(wanted) and set(spread) <= set(beside):
                if (wanted, beside) not in self.scans:
                    self.scans[wanted, beside] = self._scan_tally(wanted, beside)
                return _regrouped(self.scans[wanted, beside], beside, keys, spread)
        found = self._scan_tally(tuple(keys), tuple(spread))
        self.scans[tuple(keys), tuple(spread)] = found
        return found

    def spreads(self, column: str) -> bool:
        """Whether a scan that was made has seen this column vary within one combination of its keys."""
        import pyarrow.compute as pc

        for (_, beside), scan in self.scans.items():
            if column in beside:
                i = beside.index(column)
                return bool(pc.any(pc.not_equal(scan.column(f"low {i}"), scan.column(f"high {i}"))).as_py())
        return False

    def _scan_tally(self, keys: tuple[str, ...], spread: tuple[str, ...]) -> pa.Table:
        by = ", ".join(self._quoted(name) for name in keys)
        span = "".join(
            f', min({self._quoted(name)}) AS "low {i}", max({self._quoted(name)}) AS "high {i}"'
            for i, name in enumerate(spread)
        )
        return self._run(f'SELECT {by}, count(*)::INTEGER AS "rows"{span} FROM {{scan}} GROUP BY {by}', ordered=False)

    def find(self, column: str, values: Sequence[str]) -> list[int]:
        """Data rows (from 1) whose cell is one of these texts: the first few."""
        import pyarrow as pa
        import pyarrow.compute as pc

        table = self.select([column])
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
                with of_query(connection, "counting rollouts" if "GROUP BY" in query else "reading rows"):
                    return self._renamed(result.to_arrow_table())
            except duckdb.Error as error:
                raise _duckdb_refusal(str(error)) from None
            finally:
                connection.close()

    def _renamed(self, table: pa.Table) -> pa.Table:
        return table.rename_columns([self.names[int(n[1:])] if n[:1] == "c" else n for n in table.column_names])

    def _scan(self, path: str) -> str:
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.names)))
        lines = _lines_before(self.source, self.dialect.skip)
        buffer = f" buffer_size={_BUFFER}," if _ends_in_short_row(self.source, self.dialect) else ""
        return (
            f"read_csv({_literal(path)}, auto_detect=false, header=false, skip={lines},{buffer} max_line_size={_ROW},"
            f" delim={_literal(self.dialect.delimiter or chr(31))},"
            f" quote={_literal(self.dialect.quote)}, escape={_literal(self.dialect.escape or self.dialect.quote)},"
            f" nullstr='', columns={{{columns}}})"
        )


def large_text(source: Source, limits: Limits) -> LargeText | None:
    """The file as ``LargeText`` where it is large enough for that (and DuckDB can be given it), else None."""
    if source.size <= LARGE or (source.path is None and not hasattr(os, "memfd_create")):
        return None
    head = source.head(_HEAD)
    dialect = detect(head[: 256 << 10], False)
    check_width(dialect, limits)
    if b"\n" not in head[dialect.skip :]:
        head = source.head(_ROW)
        if b"\n" not in head[dialect.skip :]:
            raise row_too_long(_ROW)
    table = parse(memoryview(_whole_rows(head, dialect)), dialect, limits)
    return LargeText(source, dialect, tuple(table.column_names), table)


def _whole_rows(head: bytes, dialect: Dialect) -> bytes:
    """The head up to the last line break that is outside quotes."""
    quote = dialect.quote.encode()
    at = head.rfind(b"\n")
    while at > dialect.skip and quote and not dialect.escape and head.count(quote, dialect.skip, at) % 2:
        at = head.rfind(b"\n", 0, at)
    return head[: at + 1]


def _regrouped(scan: pa.Table, beside: Sequence[str], keys: Sequence[str], spread: Sequence[str]) -> pa.Table:
    """A tally by fewer keys out of one by more."""
    places = [tuple(beside).index(name) for name in spread]
    if len(keys) == scan.num_columns - 1 - 2 * len(beside):
        names = [*keys, "rows", *(f"{end} {i}" for i in places for end in ("low", "high"))]
        return scan.select(names).rename_columns(
            [*keys, "rows", *(f"{end} {i}" for i in range(len(places)) for end in ("low", "high"))]
        )
    ends = [(f"{end} {i}", how) for i in places for end, how in (("low", "min"), ("high", "max"))]
    found = scan.group_by(list(keys)).aggregate([("rows", "sum"), *ends])
    table = found.select([*keys, "rows_sum", *(f"{name}_{how}" for name, how in ends)])
    names = [*keys, "rows", *(f"{end} {i}" for i in range(len(places)) for end in ("low", "high"))]
    return table.rename_columns(names)


def _locked_connection(duckdb: Any, path: str, ordered: bool) -> Any:
    connection = duckdb.connect(":memory:", config={"threads": min(4, os.cpu_count() or 1)})
    connection.execute(f"SET preserve_insertion_order = {str(ordered).lower()}")
    connection.execute("SET enable_progress_bar = true")  # kept, so that it can be asked for,
    connection.execute("SET enable_progress_bar_print = false")  # but not printed into the output
    connection.execute(f"SET allowed_paths = [{_literal(path)}]")
    connection.execute("SET temp_directory = ''")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


@contextmanager
def _readable(source: Source) -> Iterator[str]:
    """A path under which DuckDB can read the source: its own, or that of a file that lives in memory only."""
    if source.path is not None:
        with Path(source.path).open("rb") as stream:  # by its handle: a name may hold what DuckDB takes for a pattern
            own = f"/proc/self/fd/{stream.fileno()}"
            yield own if Path(own).exists() else source.path
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


def _ends_in_short_row(source: Source, dialect: Dialect) -> bool:
    """Whether a smaller buffer is safe.

    With an explicit buffer size DuckDB leaves out a last row that is longer than the buffer, without a word (its issue
    25825). So the start of the last row is looked for: a line break with an even number of quotes after it.
    """
    if dialect.escape or dialect.quote not in ("", '"') or source.quotes % 2:
        return False
    tail = source.tail(_ROW).rstrip(b"\r\n")
    at = tail.rfind(b"\n")
    for _ in range(1000):
        if at < 0:
            return False
        if not dialect.quote or tail.count(b'"', at) % 2 == 0:
            return True
        at = tail.rfind(b"\n", 0, at)
    return False


def _duckdb_refusal(message: str) -> Refused:
    if "Maximum line size" in message:
        return row_too_long(_ROW)
    line = next((part for part in message.splitlines() if part.startswith("CSV Error on Line")), "")
    found = "".join(c for c in line if c.isdigit())
    where = f" near line {found} of the file" if found else ""
    return Refused(f"this is not a table: rows of different length, or quotes left open{where}", "not a table")


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
