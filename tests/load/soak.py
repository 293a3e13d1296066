"""A soak: visitors come and go and upload for minutes; memory must level off, and sessions must be let go."""

from __future__ import annotations

import asyncio
import random
import re
import time
import urllib.request
from dataclasses import dataclass, field

import psutil

from tests.load.crowd import used
from tests.load.session import Failed, Session

LIFE = 20.0  # seconds that a visitor stays
STEPS = 15  # samples of memory over the soak


@dataclass
class Soak:
    """What the soak saw: memory in megabytes at equal steps, sessions alive at the end, and the rest."""

    memory: list[float] = field(default_factory=list)
    visitors: int = 0
    moves: int = 0
    uploads: int = 0
    errors: list[str] = field(default_factory=list)
    alive: int = -1

    @property
    def growth(self) -> float:
        """Megabytes that memory still grew by from the middle third of the soak to the last."""
        third = max(1, len(self.memory) // 3)
        middle, last = self.memory[third : 2 * third], self.memory[-third:]
        return sum(last) / len(last) - sum(middle) / max(1, len(middle))


async def soak(address: str, server: psutil.Process, minutes: float, at_once: int = 20) -> Soak:
    """Keep `at_once` visitors busy for so long; each stays a while, uploads where it can, and leaves."""
    seen = Soak()
    began = time.perf_counter()
    until = began + 60 * minutes

    async def seat(number: int) -> None:
        draw = random.Random(number)
        await asyncio.sleep(draw.random() * 2)
        while time.perf_counter() < until:
            seen.visitors += 1
            await _visit(address, seen, min(until, time.perf_counter() + LIFE), draw)

    async def watch() -> None:
        for step in range(1, STEPS + 1):
            await asyncio.sleep(max(0.0, began + 60 * minutes * step / STEPS - time.perf_counter()))
            seen.memory.append(used(server)[1])

    await asyncio.gather(watch(), *(seat(number) for number in range(at_once)))
    await asyncio.sleep(2)
    seen.alive = sessions(address)
    return seen


async def _visit(address: str, seen: Soak, until: float, draw: random.Random) -> None:
    """One visitor: every page once in some order, a few moves on each, a file where one is asked for."""
    one = Session(address)
    try:
        await one.open()
        walk = list(one.pages)
        draw.shuffle(walk)
        for path in walk:
            await one.go(path)
            if one.uploaders:
                rows = draw.randint(1_000, 50_000)
                text = b"problem,right,tries\n" + b"".join(b"q%d,%d,8\n" % (i, i % 9) for i in range(rows))
                await one.upload(one.uploaders[0], "mine.csv", text)
                seen.uploads += 1
            for _ in range(3):
                if time.perf_counter() > until:
                    return
                await one.move_at_random(draw)
                seen.moves += 1
                await asyncio.sleep(draw.random())
    except (Failed, OSError) as error:
        seen.errors.append(str(error))
        await asyncio.sleep(1)
    finally:
        await one.close()


def sessions(address: str) -> int:
    """Sessions with an open connection, as the server counts them."""
    with urllib.request.urlopen(f"{address}/_stcore/metrics", timeout=20) as answer:
        found = re.search(r"^active_sessions(?:\{[^}]*\})? (\d+)", answer.read().decode(), re.M)
    return int(found[1]) if found else -1


def told(seen: Soak) -> str:
    """One paragraph for the screen."""
    curve = " ".join(f"{value:.0f}" for value in seen.memory)
    return (
        f"soak: {seen.visitors} visitors came and went, {seen.moves} moves, {seen.uploads} uploads, {len(seen.errors)} errors; "
        f"memory {curve} MB, {seen.growth:+.1f} MB from the middle third to the last; {seen.alive} sessions left"
        + "".join(f"\n    {error}" for error in sorted(set(seen.errors))[:5])
    )
