"""Pools that stdial itself wrote, read back as they were."""

from __future__ import annotations

from typing import Any

import numpy as np

from stdial.pool import Pool
from stdial.reading.errors import Refused
from stdial.reading.result import Groups, Reading
from stdial.reading.tables import Table

__all__ = ["reading_of_pool", "stored_pool"]


def stored_pool(table: Table) -> Pool | None:
    """The pool in a file of ``stdial.pool_file``; None for other tables."""
    from stdial.pool_file import KEY, pool_of

    if not table.whole or KEY not in (table.head.schema.metadata or {}):
        return None
    try:
        return pool_of(table.head)
    except (ValueError, TypeError, KeyError) as error:
        raise Refused(
            f"this is not a table: a pool file that does not hold together ({error})", "not a table"
        ) from None


def reading_of_pool(pool: Pool, table: Table) -> Reading:
    """A Reading that shows the pool's rows, each for so many problems."""
    rate, n = pool.rate, np.asarray(pool.tries, dtype=np.float64)
    stats = Groups(n, rate, np.sqrt(rate * (1 - rate)), np.floor(rate), np.ceil(rate))
    mapping = {"right": "right", "tries": "tries", "problems": "problems"}
    said = dict.fromkeys(mapping, "a pool file that stdial wrote")
    head = table.head.slice(0, 8).to_pylist()
    preview = tuple(tuple(_text(row[name]) for name in table.names) for row in head)
    return Reading(
        pool, stats, pool.ids, mapping, pool.notes, said, {}, table.names, table.notes, table.head.num_rows, preview,
        tuple(pool.facets), {}, None, np.asarray(pool.problems).astype(np.int64),
    )  # fmt: skip


def _text(value: Any) -> str | None:
    return None if value is None else str(value)[:200]
