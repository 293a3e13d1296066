"""What was computed of a pool, kept with it: for pages that ask for the same again at every move of another control.

It goes when its pool goes, and nobody who has not that very pool can ask for it: what comes from an upload stays in its session.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from stdial.pool import Pool

__all__ = ["MOST", "remembered"]

MOST = 2 << 20  # bytes kept with a pool; what is larger by itself is computed anew

T = TypeVar("T")


@dataclass
class _Own:
    """What is kept of one pool, with its size in bytes."""

    items: OrderedDict[Hashable, tuple[Any, int]] = field(default_factory=OrderedDict)
    size: int = 0


_kept: WeakKeyDictionary[Pool, _Own] = WeakKeyDictionary()
_lock = threading.Lock()


def remembered(pool: Pool, key: Hashable, make: Callable[[], T], size: int | None = None) -> T:
    """What `make` returns for this pool and key, an array or a dict of arrays: computed when it is not there; read-only.

    The least recently asked for goes first where a pool's would take more than `MOST` bytes. For anything else than arrays
    `size` says how many bytes it takes, about.

    >>> pool = Pool([0, 4], 8)
    >>> first = remembered(pool, "twice", lambda: 2 * pool.rate)
    >>> remembered(pool, "twice", lambda: 0 * pool.rate) is first
    True
    """
    with _lock:
        own = _kept.get(pool) or _kept.setdefault(pool, _Own())
        if key in own.items:
            own.items.move_to_end(key)
            found: T = own.items[key][0]
            return found
    made = make()  # outside the lock: a slow one holds nobody up
    arrays = [x for x in (made.values() if isinstance(made, dict) else (made,)) if isinstance(x, np.ndarray)]
    for array in arrays:
        array.flags.writeable = False
    size = size or sum(array.nbytes for array in arrays) + 200
    if size <= MOST:
        with _lock:
            own.size += size - own.items.pop(key, (None, 0))[1]
            own.items[key] = made, size
            while own.size > MOST:
                own.size -= own.items.popitem(last=False)[1][1]
    return made
