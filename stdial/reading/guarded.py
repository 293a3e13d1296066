"""Reading a file from somebody else in a process of its own, with limits, progress and a way to stop it."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from stdial.reading.errors import Refused
from stdial.reading.limits import Limits
from stdial.reading.progress import Watcher
from stdial.reading.result import Reading

__all__ = ["GUARDED", "Stopped", "read_bytes"]

GUARDED = Limits(size=1 << 30, memory=3 << 30, processor=120, wall=180.0, result=256 << 20)
_CHUNK = 1 << 18
_START = "import sys; sys.path.insert(0, sys.argv[1]); from stdial.reading.child import main; main()"
_ROOT = str(Path(__file__).resolve().parents[2])


class Stopped(Exception):
    """The reading was stopped by whoever started it."""


def read_bytes(
    data: bytes | IO[bytes],
    name: str = "the file",
    options: Mapping[str, Any] | None = None,
    limits: Limits = GUARDED,
    on_progress: Watcher | None = None,
    stop: threading.Event | None = None,
) -> Reading:
    r"""Read a file as ``stdial.reading.read`` does, but in a child process that a hostile file can only harm itself in.

    The bytes go in by a pipe and tables come out by one (Arrow, never a pickle); nothing is written to a disk or a log.

    Parameters
    ----------
    data : the bytes, or an open binary file that is read to its end.
    name : what the file is called in messages.
    options : the keyword arguments of ``read``.
    limits : sizes, memory, processor and wall time; ``GUARDED`` if left out.
    on_progress : called with a stage in words and its share done (0 where not known).
    stop : an event; once it is set the child is ended and ``Stopped`` raised.

    Raises
    ------
    Refused, Unclear, ValueError
        As ``read``; also Refused of kind "too large" where a limit is met.
    Stopped
        After ``stop`` was set.

    Examples
    --------
    >>> read_bytes(b"id,right,tries\na,1,8\nb,4,8\n").pool.right.tolist()
    [1, 4]
    """
    if isinstance(data, bytes) and len(data) > limits.size:
        raise Refused(f"the file is larger than {limits.size / (1 << 20):.3g} MB", "too large")
    child = subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", "-c", _START, _ROOT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.defpath, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "ARROW_IO_THREADS": "1"},
        close_fds=True,
        start_new_session=True,
    )
    feeder = threading.Thread(target=_feed, args=(child, data, name, dict(options or {}), limits), daemon=True)
    feeder.start()
    try:
        letter, payload = _listen(child, limits, on_progress, stop)
    finally:
        child.kill()
        child.wait()
        feeder.join()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
    return _result(letter, payload, child.returncode, limits)


def _feed(
    child: subprocess.Popen[bytes], data: bytes | IO[bytes], name: str, options: dict[str, Any], limits: Limits
) -> None:
    """The header and the file into the child; it may end at any moment."""
    assert child.stdin is not None
    length = len(data) if isinstance(data, bytes) else None
    header = {"name": name, "options": options, "limits": asdict(limits), "length": length}
    with contextlib.suppress(OSError, ValueError):
        child.stdin.write(json.dumps(header).encode() + b"\n")
        if isinstance(data, bytes):
            view = memoryview(data)
            for start in range(0, len(view), _CHUNK):
                child.stdin.write(view[start : start + _CHUNK])
        else:
            while chunk := data.read(_CHUNK):
                child.stdin.write(chunk)
        child.stdin.close()


def _listen(
    child: subprocess.Popen[bytes], limits: Limits, on_progress: Watcher | None, stop: threading.Event | None
) -> tuple[str, bytes]:
    """Frames from the child until the last one, its end, the deadline or a stop."""
    assert child.stdout is not None
    handle = child.stdout.fileno()
    deadline = time.monotonic() + limits.wall
    seen = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(handle, selectors.EVENT_READ)
        while True:
            if stop is not None and stop.is_set():
                raise Stopped
            if time.monotonic() > deadline:
                raise Refused(f"reading took longer than {limits.wall:g} seconds", "too large")
            if not selector.select(timeout=0.05 if stop is not None else 0.5):
                continue
            chunk = os.read(handle, 1 << 20)
            seen += chunk
            frame = _frame(seen, limits)
            while frame is not None and frame[0] == "P":
                if on_progress is not None:
                    stage, share = json.loads(frame[1])
                    on_progress(str(stage), float(share))
                frame = _frame(seen, limits)
            if frame is not None:
                return frame
            if not chunk:
                child.wait()
                return "", b""


def _frame(seen: bytearray, limits: Limits) -> tuple[str, bytes] | None:
    """The first whole frame, taken off; None where there is none yet."""
    if len(seen) < 9:
        return None
    length = int.from_bytes(seen[1:9], "big")
    if length > limits.result:
        raise Refused("the table is too large to be shown", "too large")
    if len(seen) < 9 + length:
        return None
    with memoryview(seen) as view:  # a slice of the array itself would be a second copy
        letter, payload = chr(view[0]), bytes(view[9 : 9 + length])
    del seen[: 9 + length]
    return letter, payload


def _result(letter: str, payload: bytes, status: int, limits: Limits) -> Reading:
    from stdial.reading.wire import unpacked, unpacked_error

    if letter == "R":
        return unpacked(payload)
    if letter == "E":
        raise unpacked_error(payload)
    if letter == "V":
        raise ValueError(payload.decode())
    if letter == "M" or status in (-signal.SIGKILL, -signal.SIGABRT):
        raise Refused(f"reading the file takes more than {limits.memory / (1 << 30):.3g} GB of memory", "too large")
    if status == -signal.SIGXCPU:
        raise Refused(f"reading took more than {limits.processor} seconds of processor time", "too large")
    raise Refused("this is not a table: the reader gave up on it", "not a table")
