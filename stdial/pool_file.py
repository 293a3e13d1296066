"""A pool as a Parquet file, with what it was made from in the file's own metadata."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stdial.pool import Pool

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COLUMNS", "KEY", "beside", "made_from", "pool_of", "read_pool", "write_pool"]

KEY = b"stdial"
COLUMNS = ("right", "tries", "problems")


def write_pool(pool: Pool, path: str | Path, made: Mapping[str, Any]) -> None:
    """Write a pool's rows to ``path``: columns right, tries, problems and one per facet.

    Parameters
    ----------
    pool : one with known tries.
    path : a file; it is written beside and renamed, so that it is whole or not there.
    made : what the pool was made from, JSON values; the date, stdial's version and the pool's notes are added.

    Raises
    ------
    ValueError
        For bare rates, and a facet named like one of the columns or with values of several types.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pool.parquet"
    >>> write_pool(Pool([1, 4], 8), path, {"source": "by hand"})
    >>> read_pool(path).right.tolist(), made_from(path)["source"]
    ([1, 4], 'by hand')
    """
    import pyarrow.parquet as pq

    from stdial import __version__

    record = dict(made) | {
        "stdial": __version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "facets": list(pool.facets),
        "single": [name for name, values in pool.facets.items() if _is_single(values.tolist())],
        "notes": list(pool.notes),
    }
    table = _table(pool)
    table = table.replace_schema_metadata({KEY: json.dumps(record, default=str).encode()})
    with beside(path) as unfinished:
        pq.write_table(table, unfinished)


def read_pool(path: Any) -> Pool:
    """The pool in a file of :func:`write_pool`; path or open binary file.

    Raises
    ------
    ValueError
        For a file that is not one of them.
    """
    import pyarrow.parquet as pq

    return pool_of(pq.read_table(path))


def pool_of(table: pa.Table) -> Pool:
    """The pool in the table of such a file."""
    made = _record(table.schema.metadata)
    if made is None or not {*COLUMNS, *made["facets"]} <= set(table.column_names):
        raise ValueError(f"the table has columns {table.column_names} and is no pool that stdial wrote")
    facets = {name: table[name].to_pylist() for name in made["facets"]}
    for name in set(made["single"]) & set(facets):
        facets[name] = [value[0] if isinstance(value, list) and value else () for value in facets[name]]
    right, tries, problems = (table[name].to_numpy() for name in COLUMNS)
    return Pool(right, tries, problems, facets, notes=made["notes"])


def made_from(path: Any) -> dict[str, Any] | None:
    """What a file says it was made from: source, engine, made (UTC), columns, notes ...; None in a file of others."""
    import pyarrow.parquet as pq

    return _record(pq.read_schema(path).metadata)


def _record(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any] | None:
    if not metadata or KEY not in metadata:
        return None
    try:
        record = json.loads(metadata[KEY])
    except ValueError:
        return None
    # A file may come from anyone: its metadata is what it says only where it has the form that write_pool gives it.
    lists = [record.get(name) for name in ("facets", "single", "notes")] if isinstance(record, dict) else [None]
    formed = all(isinstance(names, list) and all(isinstance(name, str) for name in names) for names in lists)
    return record if formed else None


def _table(pool: Pool) -> pa.Table:
    import pyarrow as pa

    if pool.right is None or pool.tries is None:
        raise ValueError("pool has bare rates without tries; only counts can be written")
    columns: dict[str, Any] = {"right": pool.right, "tries": pool.tries, "problems": pool.problems}
    for name, values in pool.facets.items():
        if name in columns:
            raise ValueError(f"facets has {name!r}, which is the name of a column of counts; rename it first")
        entries = values.tolist()
        lists = any(isinstance(entry, tuple) for entry in entries)
        try:
            columns[name] = pa.array([_as_list(entry) for entry in entries] if lists else entries)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise ValueError(f"facets[{name!r}] has values of several types: {error}") from None
    return pa.table(columns)


def _is_single(entries: list[Any]) -> bool:
    """A value each, or none at all, written as (): a list in the file, and nothing but that."""
    return () in entries and not any(entry is None or (isinstance(entry, tuple) and entry) for entry in entries)


def _as_list(entry: Any) -> list[Any] | None:
    if entry is None:
        return None
    return list(entry) if isinstance(entry, tuple) else [entry]


@contextmanager
def beside(path: str | Path) -> Iterator[Path]:
    """A path beside ``path`` to write to, renamed to it at the end, or removed after an error or Ctrl-C."""
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield unfinished
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
