"""Parquet, Arrow IPC and Feather as a flat table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stdial.reading.errors import Refused
from stdial.reading.limits import Limits
from stdial.reading.source import Source
from stdial.reading.tables import Table, tally

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_columnar"]

_WHOLE = 64 << 20  # Parquet that unpacks to more than this is read column by column, as far as columns are used
_HEAD_ROWS = 20_000


def read_columnar(source: Source, limits: Limits) -> Table:
    """A Parquet, Feather or Arrow IPC file.

    Raises
    ------
    Refused
        too large by what the file says of itself, or not a table where it is damaged.
    """
    import pyarrow as pa

    try:
        return _parquet(source, limits) if source.format == "parquet" else _arrow(source, limits)
    except Refused:
        raise
    except MemoryError:
        raise Refused("the table is larger than the memory there is for it", "too large") from None
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        what = "Parquet" if source.format == "parquet" else "Arrow"
        if "memory" in str(error).lower() or "malloc" in str(error).lower():
            raise Refused(f"the {what} file claims more data than there is memory for", "too large") from None
        raise Refused(f"this is not a table: the {what} file is damaged", "not a table") from None


def _parquet(source: Source, limits: Limits) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.BufferReader(pa.py_buffer(source.data)), thrift_string_size_limit=64 << 20)
    about = file.metadata
    if about.num_columns > limits.columns:
        raise Refused(f"the table has {about.num_columns:,} columns; at most {limits.columns:,} are read", "too large")
    claimed = sum(max(0, about.row_group(i).total_byte_size) for i in range(about.num_row_groups))
    if claimed > limits.size or 16 * about.num_rows > limits.size:
        raise Refused(f"the file claims {about.num_rows:,} rows, {claimed / 1e9:.3g} GB once unpacked", "too large")
    schema = file.schema_arrow
    if max(claimed, 8 * about.num_rows * about.num_columns) > _WHOLE and not any(
        _needs_flattening(field.type) for field in schema
    ):
        head = pa.Table.from_batches(
            [next(file.iter_batches(_HEAD_ROWS)).slice(0, _HEAD_ROWS)] if about.num_rows else [], schema
        )
        return Table(tuple(schema.names), head, _ParquetColumns(file), notes=source.notes)
    return _flat(file.read(), limits, source)


def _arrow(source: Source, limits: Limits) -> Table:
    import pyarrow as pa
    import pyarrow.feather as pf

    reader = pa.BufferReader(pa.py_buffer(source.data))
    start = bytes(source.data[:6])
    if start.startswith(b"FEA1"):
        table = pf.read_table(reader)
    elif start == b"ARROW1":
        table = pa.ipc.open_file(reader).read_all()
    else:
        table = pa.ipc.open_stream(reader).read_all()
    if table.nbytes > limits.size:
        raise Refused(f"the table unpacks to {table.nbytes / 1e9:.3g} GB", "too large")
    table.validate(full=True)
    return _flat(table, limits, source)


def _flat(table: pa.Table, limits: Limits, source: Source) -> Table:
    from stdial.reading.nested import flat_table

    index = [name for name in table.column_names if name.startswith("__index_level_")]
    table = table.rename_columns([("" if name in index else name) for name in table.column_names]) if index else table
    if not index:
        return flat_table(table, limits, source.notes)
    names = [name or f"column {i + 1}" for i, name in enumerate(table.column_names)]
    unnamed = frozenset(names[i] for i, name in enumerate(table.column_names) if not name)
    flat = flat_table(table.rename_columns(names), limits, source.notes)
    return Table(flat.names, flat.head, None, unnamed, True, flat.notes, flat.lost)


def _needs_flattening(kind: Any) -> bool:
    import pyarrow as pa

    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return bool(pa.types.is_struct(kind) or (lists and pa.types.is_struct(kind.value_type)))


@dataclass(frozen=True)
class _ParquetColumns:
    """All rows of a large Parquet file, only those columns that are asked for."""

    file: Any

    def select(self, columns: Sequence[str]) -> pa.Table:
        return self.file.read(columns=list(columns))

    def tally(self, keys: Sequence[str], spread: Sequence[str]) -> pa.Table:
        return tally(self.select([*keys, *spread]), keys, spread)
