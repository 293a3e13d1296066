"""What the app sets in its own server process because no option of the server does."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from stdial.web import running, sending

__all__ = [
    "answer_at_once",
    "bound_uploads",
    "collect_less",
    "keep_the_theme",
    "leave_component_states_plain",
    "one_thread_for_arithmetic",
    "serving",
    "settle",
    "sweep",
    "uploads_stay_in_memory",
]

_DONE = False
_NEVER = 1 << 30
_BETWEEN_SWEEPS = 20.0  # seconds
_SHARE = 0.25  # of the machine's memory, for the uploads of all sessions together


def serving() -> bool:
    """Whether this process serves the app, rather than a test or a notebook."""
    if "streamlit.web.server" not in sys.modules:
        return False
    from streamlit.runtime import Runtime

    return Runtime.exists() and type(Runtime.instance()) is Runtime  # a test of a page puts something else in its place


def settle() -> None:
    """All of them, once in a process and only in a server: called by every page."""
    global _DONE
    if _DONE or not serving():
        return
    _DONE = True
    one_thread_for_arithmetic()
    collect_less()
    keep_the_theme()
    leave_component_states_plain()
    answer_at_once()
    sending.send_at_once()
    running.run_in_waiting_threads()
    uploads_stay_in_memory()
    bound_uploads()


def one_thread_for_arithmetic() -> None:
    """Keep the linear algebra library from starting threads of its own.

    The matrices are small, sessions run side by side, and where other processes are busy its threads wait for each other: a
    fit of a mixing distribution took 7 to 20 times as long with two threads on two busy cores. Who sets the variable, rules.
    """
    if os.environ.setdefault("OPENBLAS_NUM_THREADS", "1") != "1":
        return
    import numpy as np

    for path in Path(np.__file__).parents[1].glob("numpy.libs/libscipy_openblas*"):  # was loaded before this could rule
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(str(path)).scipy_openblas_set_num_threads64_(1)


def collect_less() -> None:
    """Leave what the start made out of all later garbage collections, and make the full ones rare.

    A full one looks at every object while everybody waits: with 200 visitors 16 in 40 seconds, of 80 to 140 ms each, 4% of the
    server's time and an answer that is late for whoever comes meanwhile. So they are made by the clock, where Python would
    have made one by then. Its young generations stay as they are: with larger ones the garbage of sessions that are over, and
    what they had uploaded, waited for minutes (150 MB more after 80 seconds of visitors with files). That garbage now waits for
    up to 20 s: a soak in which every visitor brings a file took about 300 MB more than with Python's own full collections.
    """
    gc.freeze()
    young, middle, old = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    threading.Thread(target=_sweep_now_and_then, args=(max(1, old),), daemon=True, name="stdial sweep").start()


def _sweep_now_and_then(middle_ones: int) -> None:
    while True:
        time.sleep(_BETWEEN_SWEEPS)
        sweep(middle_ones)


def sweep(middle_ones: int) -> bool:
    """A full collection, if there were so many of the middle generation since the last."""
    due = gc.get_count()[2] >= middle_ones
    if due:
        gc.collect()
    return due


def keep_the_theme() -> None:
    """Read the theme once in a server's life, not at every run.

    Each run tells the browser the theme; Streamlit looks through all its options for it six times. With this and plain
    component states 200 visitors at random had a p95 of 158 ms, and 429 ms without, one run after the other.
    """
    with contextlib.suppress(ImportError, AttributeError):
        module: Any = importlib.import_module("streamlit.runtime.app_session")
        populate = module._populate_theme_msg
        kept: dict[str, Any] = {}

        def from_kept(message: Any, section: str = "theme") -> None:
            if section not in kept:
                made = type(message)()
                populate(made, section)
                kept[section] = made
            if kept[section].ListFields():  # merging nothing would still say that the section is there
                message.MergeFrom(kept[section])

        module._populate_theme_msg = from_kept


def leave_component_states_plain() -> None:
    """Let the session state hold what our component said as it is.

    Streamlit wraps it into an object whose class it makes anew at each look, several times a run for each element, for
    events that ours does not have and for assignments that nobody makes.
    """
    with contextlib.suppress(ImportError):
        main: Any = importlib.import_module("streamlit.components.v2.bidi_component.main")
        if hasattr(main, "make_bidi_component_presenter"):  # else nothing would use it
            main.make_bidi_component_presenter = lambda *_, **__: None


def answer_at_once() -> int:
    """Send small messages without waiting for the browser's receipt of earlier ones; returns on how many sockets.

    The server binds its socket itself, without naming the protocol, and asyncio then leaves Nagle's algorithm on (uvicorn's
    issue 3149): an answer of several messages waits for the other side's delayed acknowledgement, about 40 ms at every move.
    On Linux accepted connections inherit the option from the listening socket.
    """
    changed = 0
    with contextlib.suppress(OSError):
        for entry in list(Path("/proc/self/fd").iterdir()):
            changed += _without_delay(entry)
    return changed


def _without_delay(entry: Path) -> bool:
    try:
        if not str(entry.readlink()).startswith("socket:"):
            return False
        with socket.socket(fileno=os.dup(int(entry.name))) as same:
            if same.type != socket.SOCK_STREAM or same.family not in (socket.AF_INET, socket.AF_INET6):
                return False
            same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return True
    except OSError:  # closed meanwhile
        return False


def uploads_stay_in_memory() -> None:
    """Parts of an upload above a megabyte would otherwise pass through a file in the temporary folder.

    A file of somebody's stays in memory until it is read; and an upload needs no room on a disk.
    """
    with contextlib.suppress(ImportError):
        from starlette.formparsers import MultiPartParser

        MultiPartParser.spool_max_size = 1 << 40


def bound_uploads(most: int | None = None) -> None:
    """Refuse an upload that would not fit beside those that are held, so that one visitor cannot fill the memory.

    A session whose own files are too many loses the oldest: a page shows the newest, but a program may send without end.

    Parameters
    ----------
    most : bytes for all sessions together. If left out: STDIAL_UPLOADS_MB megabytes where the environment says so (a
        container may use less than its machine has), else a quarter of the machine's memory. One session gets half of it.
    """
    from starlette.exceptions import HTTPException
    from streamlit.runtime import Runtime

    if not Runtime.exists():
        return
    manager: Any = Runtime.instance().uploaded_file_mgr
    add, lock = manager.add_file, threading.Lock()
    bound = (
        most
        or _megabytes("STDIAL_UPLOADS_MB")
        or int(_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    )

    def add_if_it_fits(session_id: str, file: Any) -> None:
        with lock:
            own = manager.file_storage.get(session_id, {})
            while own and sum(len(held.data) for held in own.values()) + len(file.data) > bound // 2:
                manager.remove_file(session_id, next(iter(own)))
            everyone = [held for files in list(manager.file_storage.values()) for held in list(files.values())]
            if sum(len(held.data) for held in everyone) + len(file.data) > bound:
                raise HTTPException(503, "The server holds as many uploads as it can; try again later.")
            add(session_id, file)

    manager.add_file = add_if_it_fits


def _megabytes(name: str) -> int:
    """Bytes that an environment variable gives in whole megabytes; 0 where it gives none."""
    text = os.environ.get(name, "")
    return int(text) << 20 if text.isdecimal() else 0
