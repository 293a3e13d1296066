"""What a visitor leaves behind in the server when it has gone: nothing. Counted as objects, not as the system's megabytes."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from stdial.web.places import existing
from tests.browser.conftest import started
from tests.load.session import Session, run

# Loaded by the server when it starts: at each signal it collects, and writes how many objects of each kind are alive.
COUNTER = """
import gc, json, os, pathlib, signal
out = pathlib.Path(os.environ["COUNTS"])
KINDS = ("AppSession", "ScriptRunner", "SessionState", "UploadedFileRec", "Desk", "File", "Job", "Reading", "Page", "Kept")

def count(*_):
    for _ in range(3):
        gc.collect()
    alive = [type(x).__name__ for x in gc.get_objects()]
    counts = {kind: alive.count(kind) for kind in KINDS}
    part = out.with_suffix(".part")
    part.write_text(json.dumps(counts))
    part.replace(out)

signal.signal(signal.SIGUSR1, count)
"""
VISITORS = 6
OF_A_VISITOR = ("AppSession", "SessionState", "UploadedFileRec", "Desk", "File", "Reading", "Kept")


def test_sessions_and_their_uploads_are_let_go(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(COUNTER)
    counts = tmp_path / "counts.json"
    env = {"PYTHONPATH": str(tmp_path), "COUNTS": str(counts), "PYTHONDONTWRITEBYTECODE": "1"}
    with started("--server.disconnectedSessionTTL", "1", env=env) as (address, process):

        def counted() -> dict[str, int]:
            counts.unlink(missing_ok=True)
            os.kill(process.pid, signal.SIGUSR1)
            while not counts.exists():
                time.sleep(0.05)
            return dict(json.loads(counts.read_text()))

        during: list[dict[str, int]] = []
        run(_come_and_go(address, 1, lambda: None))  # what is kept for everybody is made
        before = _settled(address, counted)
        run(_come_and_go(address, VISITORS, lambda: during.append(counted())))
        after = _settled(address, counted)
    for kind in OF_A_VISITOR:
        assert during[0][kind] >= before[kind] + VISITORS, (kind, before, during)
    assert {kind: many for kind, many in after.items() if many > before[kind]} == {}, (before, during, after)


async def _come_and_go(address: str, many: int, look: Callable[[], None]) -> None:
    """Visitors who upload a file, move on every page with it, and leave."""
    visitors = [Session(address) for _ in range(many)]
    await asyncio.gather(*(_visit(one, number) for number, one in enumerate(visitors)))
    await asyncio.to_thread(look)
    await asyncio.gather(*(one.close() for one in visitors))


async def _visit(one: Session, number: int) -> None:
    await one.open()
    await one.go("your_data")
    rows = b"problem,right,tries\n" + b"".join(b"q%d,%d,8\n" % (i, i % 9) for i in range(1000 + number))
    await one.upload(one.uploaders[0], "mine.csv", rows)
    for path in existing():
        if path in one.pages:
            await one.go(path)
            for size in (9 + number, 30 + number):
                await one.move(one.regions[0], G=size)


def _settled(address: str, counted: Callable[[], dict[str, int]]) -> dict[str, int]:
    """The counts once they stay: sessions are kept for a second in case their visitors come back."""
    before: dict[str, int] = {}
    for _ in range(20):
        time.sleep(1.5)
        run(_knock(address))  # the server looks for expired sessions when another one comes and goes
        now = counted()
        if now == before:
            return now
        before = now
    return before


async def _knock(address: str) -> None:
    one = Session(address)
    await one.open("difficulty")
    await one.close()
