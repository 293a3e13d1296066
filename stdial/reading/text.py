"""Tables of text, read as strings."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from stdial.reading.dialect import Dialect, detect
from stdial.reading.errors import Refused
from stdial.reading.limits import Limits
from stdial.reading.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["check_width", "column_names", "parse", "read_text", "row_too_long"]


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
    head = source.head(256 << 10)
    if b"\n" not in head and b"\r" not in head and source.size > len(head):
        head = source.head(limits.cell)
        if source.size > limits.cell and b"\n" not in head and b"\r" not in head:
            raise row_too_long(limits.cell)
    dialect = detect(head, source.size <= len(head) + source.skip)
    check_width(dialect, limits)
    _refuse_two_delimiters(dialect)
    return parse(source.data[source.skip :], dialect, limits), dialect


def check_width(dialect: Dialect, limits: Limits) -> None:
    """Refuse a header that is too wide, or none at all."""
    if len(dialect.names) > limits.columns:
        raise Refused(f"the table has {len(dialect.names):,} columns; at most {limits.columns:,} are read", "too large")
    if not dialect.names:
        raise Refused("the file has no rows, only comments or blank lines", "no rows")


def parse(data: memoryview, dialect: Dialect, limits: Limits) -> pa.Table:
    """Cut UTF-8 text into columns of strings."""
    import pyarrow as pa
    import pyarrow.csv as pc

    body = data[dialect.skip :]
    if not bytes(body[:4096]).strip() and not bytes(body).strip():
        raise Refused(f"there are no rows: only the header {_listed(dialect.names)}", "no rows")
    names = column_names(dialect.names, dialect.header)
    ragged: list[tuple[int | None, int]] = []
    cut = pc.ParseOptions(
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
        table = pc.read_csv(pa.BufferReader(pa.py_buffer(stripped)), options, cut, convert)
    except pa.ArrowInvalid as error:
        raise _translated(str(error), limits) from None
    _refuse_open_quote(body, dialect)
    if ragged:
        at, width = ragged[0]
        where = f"row {at}" if at else "a row"
        more = f" (and {len(ragged) - 1} more rows)" if len(ragged) > 1 else ""
        raise Refused(f"not a table: {where} has {width} cells, the first row {len(names)}{more}", "not a table")
    if not table.num_rows:
        raise Refused(f"there are no rows: only the header {_listed(dialect.names)}", "no rows")
    return table


def _refuse_two_delimiters(dialect: Dialect) -> None:
    """A header that is cut at another character than the rows: its names would stand over the wrong columns."""
    for other in (";", "\t", "|", ","):
        wrong = [name for name in dialect.names if name.count(other) >= len(dialect.names) - 1 > 0]
        if dialect.header and other != dialect.delimiter and wrong and "" in dialect.names:
            raise Refused(
                f"not a table: the header is separated by {other!r}, the rows by {dialect.delimiter!r}", "not a table"
            )


def _refuse_open_quote(body: memoryview, dialect: Dialect) -> None:
    """A quote that is never closed swallows all rows after it, without a word from the reader."""
    if not dialect.quote or dialect.escape or bytes(body).count(dialect.quote.encode()) % 2 == 0:
        return
    lines = io.StringIO(bytes(body).decode("utf-8", "replace"), newline="")
    try:
        for _ in csv.reader(lines, delimiter=dialect.delimiter or "\x1f", quotechar=dialect.quote, strict=True):
            pass
    except csv.Error as error:
        if "end of data" in str(error):
            raise Refused("not a table: a quotation mark is opened and never closed", "not a table") from None


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
        return row_too_long(limits.cell)
    return Refused("this is not a table: its quotes or line breaks do not fit together", "not a table")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:60]) for name in names[:6])
    return shown + (", ..." if len(names) > 6 else "")


def row_too_long(size: int) -> Refused:
    """What to say of a row, or a cell, of more than this many bytes."""
    return Refused(f"one row is longer than {size / (1 << 20):.3g} MB: no table of rates is", "too large")
