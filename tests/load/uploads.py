"""Uploads of many sessions at once, and what they take of the server's memory: measured in a process of its own.

``python -m tests.load.uploads SESSIONS ROWS`` prints one JSON object, all sizes in bytes. No clock is asked: the peak is what
the system recorded (Linux), and every reading is waited for. What is promised is told from the sizes that were measured.
"""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from stdial.reading import Reading, wire
from stdial.web import memory, uploads
from stdial.web.uploads import Desk

__all__ = ["MEASURABLE", "broken", "in_a_process", "measured", "told"]

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
MEASURABLE = _CLEAR.exists()
_OPTIONS = {"id": "id", "reward": "correct"}
_AT_ONCE = 2  # readings of all sessions together
_SLACK = 8 << 20  # buffers of pipes and of the interpreter, whatever the files' sizes


def in_a_process(sessions: int, rows: int) -> dict[str, Any]:
    """`measured` in a fresh process, whose memory is nobody else's."""
    command = [sys.executable, "-m", "tests.load.uploads", str(sessions), str(rows)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def broken(found: dict[str, Any]) -> list[str]:
    """The promises that do not hold.

    What is kept is the readings: as they travelled, and the labels and counts made from them, at most 6/10 as much again. At the
    height each reading that is under way has its bytes twice beside that, as they come in and as they are handed on. Nothing
    grows with what the files hold in the child, and what is forgotten goes back to the system, the files with it, but for a
    quarter at most that lies between what is still used.
    """
    kept = 1.6 * found["kept"] + _SLACK
    height = kept + _AT_ONCE * 2 * found["largest"]
    wrong = []
    if found["at_once"] > _AT_ONCE:
        wrong.append(f"{found['at_once']} readings were under way together")
    for name, most in (
        ("after", kept),
        ("peak", height),
        ("forgotten", 0.25 * (found["kept"] + found["files"]) + _SLACK),
    ):
        if found[name] > most:
            wrong.append(f"{name}: memory grew by {found[name] / 1e6:.0f} MB, of {most / 1e6:.0f} promised")
    return wrong


def told(found: dict[str, Any]) -> str:
    """In a line."""
    sizes = ", ".join(f"{name} {found[name] / 1e6:.0f}" for name in ("files", "kept", "peak", "after", "forgotten"))
    return f"uploads (MB): {sizes}"


def measured(sessions: int, rows: int) -> dict[str, Any]:
    """What so many sessions took that each read a file of so many rows, all at the same time.

    Returns
    -------
    files : bytes uploaded in all. kept : what the readings hold, as they travel. largest : the largest of them.
    peak, after : growth of the process's memory beyond the files, at its height and when all were read.
    forgotten : what it is above where it stood without files, when files and readings were forgotten.
    at_once : the most readings that were under way together.
    """
    memory.give_back()  # as the server does before its first reading
    _read(_desk(0, 80))  # what is imported with the first
    desks = [_desk(i, rows) for i in range(1, sessions + 1)]
    gc.collect()
    _CLEAR.write_text("5")  # the peak starts anew
    before = _bytes("VmRSS")
    under_way, kept = _counted()
    threads = [threading.Thread(target=_read, args=(desk,)) for desk in desks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    peak, after = _bytes("VmHWM") - before, _bytes("VmRSS") - before
    files = sum(len(desk.main.data) for desk in desks if desk.main)
    assert all(isinstance(found, Reading) for desk in desks for found in desk.readings.values())
    for desk in desks:
        desk.clear()
    gc.collect()
    forgotten = _bytes("VmRSS") - before + files
    return {
        "files": files, "kept": sum(kept), "largest": max(kept), "peak": peak, "after": after, "forgotten": forgotten,
        "at_once": max(under_way),
    }  # fmt: skip


def _desk(session: int, rows: int) -> Desk:
    """A session with a log of its own."""
    lines = (f"q{i // 8},{int((i * 7 + session) % 3 == 0)},words of session {session} {i}\n" for i in range(rows))
    desk = Desk()
    desk.take([(f"log {session}.csv", ("id,correct,text\n" + "".join(lines)).encode())])
    return desk


def _read(desk: Desk) -> None:
    assert desk.main is not None
    while isinstance(desk.outcome(desk.main, _OPTIONS, 3600.0), uploads.Job):
        pass


def _counted() -> tuple[list[int], list[int]]:
    """From now on: how many readings were under way as each started, and the bytes that came back of each."""
    under_way, sizes, now, lock = [0], [0], [0], threading.Lock()
    plain, opened = uploads.read_bytes, wire.unpacked

    def counting(*arguments: Any, **options: Any) -> Any:
        with lock:
            now[0] += 1
            under_way.append(now[0])
        try:
            return plain(*arguments, **options)
        finally:
            with lock:
                now[0] -= 1

    def sizing(payload: bytes) -> Reading:
        sizes.append(len(payload))
        return opened(payload)

    uploads.read_bytes, wire.unpacked = counting, sizing
    return under_way, sizes


def _bytes(name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+) kB", _STATUS.read_text())
    assert found is not None
    return int(found[1]) << 10


if __name__ == "__main__":
    print(json.dumps(measured(int(sys.argv[1]), int(sys.argv[2]))))
