"""A bounded store of built stages: equal states of a page are built once for everybody.

What comes from an upload never goes in here; it is kept in its own session.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

__all__ = ["Kept", "everybody"]


class Kept:
    """The most recently used byte strings, up to a total size.

    Examples
    --------
    >>> kept = Kept(most=5)
    >>> kept.get("a", lambda: b"1234"), kept.get("a", lambda: b"other")
    (b'1234', b'1234')
    >>> _ = kept.get("b", lambda: b"56")
    >>> kept.get("a", lambda: b"made anew")
    b'made anew'
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._items: OrderedDict[Hashable, bytes] = OrderedDict()
        self._making: dict[Hashable, threading.Event] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """The bytes under `key`, made when they are not there: once, however many ask for them at the same moment."""
        while True:
            with self._lock:
                if key in self._items:
                    self._items.move_to_end(key)
                    return self._items[key]
                underway = self._making.get(key)
                if underway is None:
                    ready = self._making[key] = threading.Event()
                    break
            underway.wait()  # whoever makes it may fail: then look again
        try:
            made = make()  # outside the lock: a slow one holds nobody else up
            self._put(key, made)
            return made
        finally:
            with self._lock:
                del self._making[key]
            ready.set()

    def has(self, key: Hashable) -> bool:
        """Whether the bytes under `key` are at hand.

        >>> Kept(most=5).has("a")
        False
        """
        with self._lock:
            return key in self._items

    def _put(self, key: Hashable, made: bytes) -> None:
        with self._lock:
            self._size += len(made) - len(self._items.pop(key, b""))
            self._items[key] = made
            while self._size > self._most and len(self._items) > 1:
                self._size -= len(self._items.popitem(last=False)[1])


everybody = Kept(most=96 * 2**20)
