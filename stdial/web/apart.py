"""Long computations in a process of their own, so that they never hold the interpreter that answers everybody.

Two workers, one for what takes some hundredths of a second and one for what takes longer, so that the one never waits for
the other. Each is started when it is first needed, with less priority; it ends with the server. Where none can be started, the
work is done in place.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from stdial.web import process

__all__ = ["apart", "long_apart"]

P = ParamSpec("P")
T = TypeVar("T")

_lock = threading.Lock()
_workers: dict[int, ProcessPoolExecutor] = {}  # by how much less priority they have
_BRIEF, _LONG = 5, 10


def apart(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's result, computed in the worker; only in a server, elsewhere in place.

    Parameters
    ----------
    function : of a module, so that the worker can find it; arguments and result travel by pickle between our own processes,
        so nothing that comes from a link or file may be anything but numbers and texts by then.

    Raises
    ------
    Exception
        Whatever the function raises.

    Examples
    --------
    >>> apart(divmod, 7, 2)
    (3, 1)
    """
    return _in(_BRIEF, function, args, kwargs)


def long_apart(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """As `apart`, for what takes longer than a few hundredths of a second.

    Examples
    --------
    >>> long_apart(divmod, 7, 2)
    (3, 1)
    """
    return _in(_LONG, function, args, kwargs)


def _in(which: int, function: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    if not process.serving():
        return function(*args, **kwargs)
    try:
        return _worker(which).submit(function, *args, **kwargs).result()
    except (BrokenProcessPool, OSError):  # it was ended, for its memory for instance: the next call has a new one
        with _lock:
            _workers.pop(which, None)
        return function(*args, **kwargs)


def _worker(which: int) -> ProcessPoolExecutor:
    with _lock:
        if which not in _workers:
            context = multiprocessing.get_context("spawn")
            made = ProcessPoolExecutor(1, mp_context=context, initializer=_settle, initargs=(which,))
            with _no_script():
                made.submit(int)  # starts the process
            _workers[which] = made
        return _workers[which]


@contextlib.contextmanager
def _no_script() -> Iterator[None]:
    """For as long as a process is started: Streamlit shows the page as ``__main__``, and the new process would run it too."""
    page, nothing = sys.modules["__main__"], ModuleType("__main__")
    sys.modules["__main__"] = nothing
    try:
        yield
    finally:
        if sys.modules["__main__"] is nothing:
            sys.modules["__main__"] = page


def _settle(nice: int) -> None:
    """In the worker: less priority than the server, and an end with it, however that comes about."""
    with contextlib.suppress(OSError):
        os.nice(nice)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
