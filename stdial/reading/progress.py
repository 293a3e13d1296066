"""Who wants to know how far a reading is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["Watcher", "of_query", "report", "watched_by"]

Watcher = Callable[[str, float], None]
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


def report(stage: str, share: float = 0.0) -> None:
    """Say what is being done, and which share of it is done (0 where that is not known)."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(stage, share)


@contextmanager
def watched_by(watcher: Watcher | None) -> Iterator[None]:
    """Tell ``watcher`` about everything reported inside.

    >>> with watched_by(lambda stage, share: print(stage, share)):
    ...     report("counting", 0.5)
    counting 0.5
    """
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


@contextmanager
def of_query(connection: Any, stage: str) -> Iterator[None]:
    """Report how far the query that runs inside is, five times a second."""
    watcher = _WATCHER.get()
    if watcher is None:
        yield
        return
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.2):
            share = connection.query_progress()
            if share >= 0:
                watcher(stage, share / 100)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
