"""JSON and nested columns as a flat table."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from stdial.reading.errors import Refused
from stdial.reading.limits import Limits
from stdial.reading.records import Records, records_of
from stdial.reading.source import Source
from stdial.reading.tables import Table
from stdial.reading.vocabulary import Role, score

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["flat_table", "read_json"]

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")  # an escape of half a letter; whole pairs are joined by the parser
_BLOCKWISE = 8 << 20  # JSON Lines above this are read by Arrow, a block at a time


def read_json(source: Source, limits: Limits, certain: bool) -> Table | None:
    """JSON or JSON Lines as a flat table; None where it is neither and not ``certain`` to be meant as JSON."""
    data = source.data[source.skip :]
    _check_depth(data, limits)
    named_json = source.name.lower().rsplit(".", 1)[-1] in ("json", "jsonl", "ndjson")
    table = _blockwise(data, limits) if len(data) > _BLOCKWISE else None
    if table is not None:
        return flat_table(table, limits, source.notes)
    try:
        found = records_of(_parse(bytes(data)))
    except (ValueError, RecursionError) as error:
        if not certain and not named_json:
            return None
        raise Refused(f"this is not a table: the JSON does not parse ({_place(error)})", "not a table") from None
    if not found.rows:
        bare = b"".join(bytes(data[:64]).split())
        if bare in (b"[]", b"{}"):
            raise Refused("there are no rows: the JSON is an empty list", "no rows")
        if not certain and not named_json:
            return None
        raise Refused("this is not a table: no list of records is in the JSON", "not a table")
    return flat_table(_columns(found, limits), limits, source.notes, found)


def _parse(data: bytes) -> Any:
    """The JSON value, or the list of the values of each line."""
    text = data.decode()
    if not _SURROGATE.search(data):
        return _values(text)
    return _mended(_values(text))


def _mended(value: Any) -> Any:
    """The value with every half of a surrogate pair, which a text cut in two ends with, as U+FFFD; depth is checked before."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def _values(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if "Extra data" not in error.msg and "\n" not in text.strip():
            raise
        values = []
        for number, line in enumerate(re.split("\r\n|\n|\r", text), 1):  # U+2028 and its like may stand in a string
            if line.strip():
                try:
                    values.append(json.loads(line))
                except json.JSONDecodeError:
                    raise (error if number == 1 else ValueError(f"line {number}")) from None
        return values


def _place(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _check_depth(data: memoryview, limits: Limits) -> None:
    """Refuse nesting beyond the limit before anything recursive looks at it; brackets in texts are given their due."""
    level, deepest = 0, 0
    raw = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(raw), 1 << 22):
        part = raw[start : start + (1 << 22)]
        turn = ((part == 91) | (part == 123)).astype(np.int8) - ((part == 93) | (part == 125)).astype(np.int8)
        track = level + np.cumsum(turn, dtype=np.int32)
        deepest, level = max(deepest, int(track.max(initial=0))), int(track[-1])
    if deepest > limits.depth and _depth(data, limits.depth) > limits.depth:
        raise Refused(f"this is not a table: the JSON is nested more than {limits.depth} deep", "not a table")


def _depth(data: memoryview, enough: int) -> int:
    level = deepest = 0
    for found in re.finditer(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', bytes(data), re.DOTALL):
        mark = found[0][:1]
        level += (mark in b"[{") - (mark in b"]}")
        deepest = max(deepest, level)
        if deepest > enough:
            break
    return deepest


def _blockwise(data: memoryview, limits: Limits) -> pa.Table | None:
    import pyarrow as pa
    import pyarrow.json as pj

    if bytes(data[:1]) != b"{":
        return None
    try:
        table = pj.read_json(pa.BufferReader(pa.py_buffer(data)), pj.ReadOptions(block_size=limits.cell))
    except pa.ArrowException:
        return None
    return table if table.num_rows > 1 else None


def _columns(found: Records, limits: Limits) -> pa.Table:
    import pyarrow as pa

    names = list(dict.fromkeys(key for row in found.rows for key in row))
    if len(names) > limits.columns:
        raise Refused(f"the table has {len(names):,} columns; at most {limits.columns:,} are read", "too large")
    columns = {str(name): _column([row.get(name) for row in found.rows]) for name in names}
    for name, value in found.constants.items():
        columns.setdefault(str(name), _column([value] * len(found.rows)))
    return pa.table(columns)


def _column(values: list[Any]) -> pa.Array:
    """One column; values of several kinds are written out as text."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return pa.array([_written(value) for value in values], pa.string())


def _written(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def flat_table(table: pa.Table, limits: Limits, notes: tuple[str, ...], found: Records | None = None) -> Table:
    """Structs become columns called ``outer.inner``; a list of records per row becomes one row a record."""
    table = _flattened(table, limits)
    _check_cells(table, limits)
    lost = found.lost if found else ()
    for _ in range(2):
        inner = _list_of_rollouts(table)
        if inner is None:
            break
        table, more = _exploded(table, inner)
        lost += more
        table = _flattened(table, limits)
    unnamed = found.unnamed if found else frozenset()
    return Table(tuple(table.column_names), table, None, unnamed, True, notes, lost)


def _check_cells(table: pa.Table, limits: Limits) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_dictionary(column.type) and pa.types.is_string(column.type.value_type):
            column = _decoded(name, column, limits)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            longest = pc.max(pc.binary_length(column)).as_py() or 0
            if longest > limits.cell:
                raise Refused(f"a cell of {name} holds {longest / 1e6:.3g} MB: no table of rates does", "too large")


def _decoded(name: str, column: pa.ChunkedArray, limits: Limits) -> pa.ChunkedArray:
    """A column of categories written out, unless few long texts stand on many rows."""
    import pyarrow.compute as pc

    size = 0
    for chunk in column.chunks:
        size += pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() or 0
    if size > limits.size:
        raise Refused(f"the texts of {name} are {size / 1e9:.3g} GB once written out", "too large")
    return column.cast(column.type.value_type)


def _flattened(table: pa.Table, limits: Limits) -> pa.Table:
    import pyarrow as pa

    for _ in range(limits.depth):
        if not any(pa.types.is_struct(column.type) for column in table.columns):
            break
        if table.num_columns > limits.columns:
            break
        table = table.flatten()
    names = dict.fromkeys(table.column_names)
    if len(names) < table.num_columns:
        table = table.rename_columns([f"{n} (column {i + 1})" if table.column_names.index(n) != i else n
                                      for i, n in enumerate(table.column_names)])  # fmt: skip
    return table


def _list_of_rollouts(table: pa.Table) -> str | None:
    """The column whose cells are lists of records with a reward or mark in them."""
    import pyarrow as pa

    best: tuple[float, str] | None = None
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)) or not pa.types.is_struct(kind.value_type):
            continue
        worth = max((score(leaf, Role.REWARD) for leaf in _leaves(kind.value_type)), default=0.0)
        if worth and (best is None or worth > best[0]):
            best = (worth, name)
    return best[1] if best else None


def _leaves(kind: pa.DataType) -> list[str]:
    import pyarrow as pa

    names: list[str] = []
    for i in range(kind.num_fields):
        inner = kind.field(i)
        names += _leaves(inner.type) if pa.types.is_struct(inner.type) else [inner.name]
    return names


def _exploded(table: pa.Table, name: str) -> tuple[pa.Table, tuple[str, ...]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = table.column(name).combine_chunks()
    empty = int(pc.sum(pc.fill_null(pc.equal(pc.list_value_length(lists), 0), True)).as_py() or 0)
    rest = table.drop_columns([name])
    if not any(score(n, Role.ID) for n in rest.column_names):
        rest = rest.append_column("row", pa.array(np.arange(1, table.num_rows + 1)))
    rows = rest.take(pc.list_parent_indices(lists))
    records = pc.list_flatten(lists)
    for i in range(records.type.num_fields):
        inner = records.type.field(i).name
        label = inner if inner not in rows.column_names else f"{name}.{inner}"
        rows = rows.append_column(label, pc.struct_field(records, i))
    lost = (f"{empty} {'row' if empty == 1 else 'rows'} with an empty {name} dropped",) if empty else ()
    return rows, lost
