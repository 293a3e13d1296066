"""A Reading as bytes and back: a JSON header and Arrow tables, nothing that could run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial.reading.errors import ReadingError, Refused, Unclear
from stdial.reading.result import Groups, Reading

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["packed", "packed_error", "unpacked", "unpacked_error"]

_STATS = ("n", "mean", "sigma", "low", "high")
_CELL = 2000  # characters of a cell of the file's own rows that travel
_ROWS = 32 << 20  # bytes of the file's own rows that travel; more stay behind


def packed(reading: Reading) -> bytes:
    """All of a reading; the file's own rows (cells cut at 2,000 characters) only where they are small enough."""
    meta = {
        "mapping": dict(reading.mapping),
        "warnings": list(reading.warnings),
        "reasons": dict(reading.reasons),
        "alternatives": {role: list(names) for role, names in reading.alternatives.items()},
        "columns": list(reading.columns),
        "notes": list(reading.notes),
        "rows": reading.rows,
        "preview": [list(row) for row in reading.preview],
        "facets": list(reading.facets),
        "rewards": list(reading.rewards),
    }
    tables = [_problems(reading)]
    own = _own_rows(reading)
    if own is not None:
        tables.append(own)
    return _framed(meta, tables)


def unpacked(payload: bytes) -> Reading:
    """The reading in such bytes.

    Raises
    ------
    ValueError
        For bytes that are none.
    """
    meta, tables = _unframed(payload)
    problems = tables[0]
    arrays = {name: problems.column(name) for name in problems.column_names}
    rewards = {name: _groups(arrays, f"{i} ") if i else _groups(arrays, "") for i, name in enumerate(meta["rewards"])}
    stats = _groups(arrays, "")
    facets = {name: _labels(arrays[f"facet {i}"]) for i, name in enumerate(meta["facets"])}
    ids, steps = (_labels(arrays[name]) if name in arrays else None for name in ("id", "step"))
    weights = arrays["problems"].to_numpy() if "problems" in arrays else None
    source, row_problem = None, None
    if len(tables) > 1:
        source, row_problem = tables[1].drop_columns(["row problem"]), tables[1].column("row problem").to_numpy()
    return Reading(
        pool=_pool(arrays, weights, facets, ids, meta["warnings"]),
        stats=stats,
        ids=ids,
        mapping=meta["mapping"],
        warnings=tuple(meta["warnings"]),
        reasons=meta["reasons"],
        alternatives={role: tuple(names) for role, names in meta["alternatives"].items()},
        columns=tuple(meta["columns"]),
        notes=tuple(meta["notes"]),
        rows=meta["rows"],
        preview=tuple(tuple(row) for row in meta["preview"]),
        facets=tuple(meta["facets"]),
        rewards=rewards,
        steps=steps,
        weights=weights,
        source=source,
        row_problem=row_problem,
    )


def _pool(arrays: dict[str, Any], weights: Any, facets: dict[str, Any], ids: Any, warnings: Sequence[str]) -> Any:
    from stdial.pool import Pool

    if "right" in arrays:
        right, tries = arrays["right"].to_numpy(), arrays["tries"].to_numpy()
        return Pool(right, tries, weights, facets, ids, warnings)
    if "rate" in arrays:
        return Pool.from_rates(arrays["rate"].to_numpy(), weights, facets, ids, warnings)
    return None


def _problems(reading: Reading) -> pa.Table:
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for i, groups in enumerate([reading.stats, *list(reading.rewards.values())[1:]]):
        columns |= {f"{i} {name}" if i else name: getattr(groups, name) for name in _STATS}
    pool = reading.pool
    if pool is not None and pool.right is not None and pool.tries is not None:
        columns |= {"right": pool.right, "tries": pool.tries}
    elif pool is not None:
        columns["rate"] = pool.rate
    for name, values in (("id", reading.ids), ("step", reading.steps)):
        if values is not None:
            columns[name] = _column(values)
    if reading.weights is not None:
        columns["problems"] = reading.weights
    if pool is not None:
        columns |= {f"facet {i}": _column(pool.facets[name]) for i, name in enumerate(reading.facets)}
    else:
        empty = np.full(len(reading.stats.mean), None, dtype=object)
        columns |= {f"facet {i}": _column(empty) for i in range(len(reading.facets))}
    return pa.table(columns)


def _column(values: NDArray[Any]) -> Any:
    """Labels as an Arrow column: tuples as lists; labels of several types as text."""
    import pyarrow as pa

    if values.dtype.kind in "iufb":
        return pa.array(values)
    plain = [list(v) if isinstance(v, tuple) else v for v in values.tolist()]
    try:
        return pa.array(plain)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if v is None else str(v) for v in plain], pa.string())


def _labels(column: pa.ChunkedArray) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_integer(column.type) and not column.null_count:
        return np.asarray(column.to_numpy())
    values = column.to_pylist()
    labels = np.empty(len(values), dtype=object)
    labels[:] = [tuple(v) if isinstance(v, list) else v for v in values]
    return labels


def _groups(arrays: dict[str, Any], prefix: str) -> Groups:
    return Groups(*(arrays[f"{prefix}{name}"].to_numpy() for name in _STATS))


def _own_rows(reading: Reading) -> pa.Table | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    source, of_row = reading.source, reading.row_problem
    if source is None or of_row is None or "row problem" in source.column_names:
        return None
    columns = []
    for column in source.columns:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            column = pc.utf8_slice_codeunits(column, 0, _CELL)
        columns.append(column)
    table = pa.table(columns, names=source.column_names).append_column("row problem", pa.array(of_row))
    return table if table.nbytes <= _ROWS else None


def packed_error(error: ReadingError) -> bytes:
    """A refusal (with its log, where it has one) or a question, and the beginning of the table."""
    seen: dict[str, Any] = {"columns": list(error.columns), "preview": [list(row) for row in error.preview]}
    if isinstance(error, Refused):
        tables = [] if error.table is None else [error.table]
        return _framed({**seen, "refused": error.reason, "kind": error.kind}, tables)
    if isinstance(error, Unclear):
        answers = [[label, options] for label, options in error.answers]
        return _framed({**seen, "asked": error.question, "choices": list(error.choices), "answers": answers}, [])
    return _framed({**seen, "refused": str(error), "kind": "not a table"}, [])


def unpacked_error(payload: bytes) -> ReadingError:
    """The refusal or question in such bytes."""
    meta, tables = _unframed(payload)
    error: ReadingError
    if "asked" in meta:
        answers = [
            (label, {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()})
            for label, options in meta["answers"]
        ]
        error = Unclear(meta["asked"], meta["choices"], answers)
    else:
        error = Refused(meta["refused"], meta["kind"], tables[0] if tables else None)
    if meta["columns"]:
        error.columns, error.preview = tuple(meta["columns"]), tuple(tuple(row) for row in meta["preview"])
    return error


def _framed(meta: dict[str, Any], tables: Sequence[pa.Table]) -> bytes:
    import pyarrow as pa

    streams = []
    for table in tables:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema.remove_metadata()) as writer:
            writer.write_table(table.replace_schema_metadata(None))
        streams.append(sink.getvalue().to_pybytes())
    header = json.dumps(meta | {"lengths": [len(stream) for stream in streams]}).encode()
    return b"".join([len(header).to_bytes(8, "big"), header, *streams])


def _unframed(payload: bytes) -> tuple[dict[str, Any], list[pa.Table]]:
    import pyarrow as pa

    at = 8 + int.from_bytes(payload[:8], "big")
    meta = json.loads(payload[8:at])
    tables, whole = [], memoryview(payload)  # the tables are views of it, no copies
    for length in meta["lengths"]:
        table = pa.ipc.open_stream(pa.py_buffer(whole[at : at + length])).read_all()
        table.validate(full=True)
        tables.append(table)
        at += length
    return meta, tables
