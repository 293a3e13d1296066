"""A crowd: N visitors at once, each moving a control every two seconds, walking through the pages, some uploading."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import psutil

from tests.load.session import MAINLY, Answer, Failed, Session

PERIOD = 2.0  # seconds between two moves of a visitor
MOVES_A_PAGE = 6
UPLOAD = b"problem,right,tries\n" + b"".join(f"q{i},{i % 9},8\n".encode() for i in range(400))
_CONNECTING = 10  # at once


@dataclass
class Tally:
    """What a crowd saw. Times in seconds."""

    sessions: int
    moves: list[Answer] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)  # the same moves, until the last region that followed was there
    pages: list[float] = field(default_factory=list)
    uploads: list[float] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    by_page: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0  # seconds of processor time of the server while the crowd moved
    memory: tuple[float, float] = (0.0, 0.0)  # megabytes before the first visitor, and at the end
    client: float = 0.0  # share of one processor that this program took

    def quantile(self, share: float) -> float:
        """Milliseconds below which that share of the reruns stayed."""
        return quantile([move.seconds for move in self.moves], share)

    @property
    def cpu_a_move(self) -> float:
        """Milliseconds of the server's processor time for each request, page openings included."""
        return 1e3 * self.cpu / max(1, len(self.moves) + len(self.pages) + len(self.uploads))

    @property
    def megabytes_a_session(self) -> float:
        return (self.memory[1] - self.memory[0]) / self.sessions


def quantile(values: Sequence[float], share: float) -> float:
    """In milliseconds; nan without values."""
    ordered = sorted(values)
    return 1e3 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def used(server: psutil.Process) -> tuple[float, float]:
    """Processor seconds and megabytes of a server with its children."""
    family = [server, *server.children(recursive=True)]
    cpu = memory = 0.0
    for member in family:
        try:
            times = member.cpu_times()
            cpu += times.user + times.system
            memory += member.memory_info().rss / 2**20
        except psutil.NoSuchProcess:
            continue
    return cpu + sum(server.cpu_times()[2:4]), memory  # children that have ended count in their parent


async def crowd(
    address: str,
    server: psutil.Process,
    sessions: int,
    seconds: float,
    *,
    seed: int = 0,
    uploading: float = 0.05,
    link: str | None = None,
) -> Tally:
    """Let `sessions` visitors in, and watch them for `seconds`; that share of them uploads a file now and then.

    With a `link` they are a class: all on that page, where each moves the control under the thumb every two seconds.
    """
    seen = Tally(sessions)
    await warm(address)
    before = used(server)
    gate = asyncio.Semaphore(_CONNECTING)
    visitors = [Session(address) for _ in range(sessions)]

    async def enter(one: Session) -> None:
        async with gate:
            try:
                seen.starts.append((await one.open(link or "")).seconds)
                if one.regions:
                    await one.settle()
            except (Failed, OSError, TimeoutError) as error:
                seen.errors.append(f"start: {error}")

    await asyncio.gather(*(enter(one) for one in visitors))
    cpu, own, began = used(server)[0], time.process_time(), time.perf_counter()
    rounds = [_stay(one, seen, began + seconds, random.Random(f"{seed} {i}"), i < uploading * sessions, link)
              for i, one in enumerate(visitors)]  # fmt: skip
    await asyncio.gather(*rounds)
    seen.seconds = time.perf_counter() - began
    after = used(server)
    seen.cpu, seen.memory = after[0] - cpu, (before[1], after[1])
    seen.client = (time.process_time() - own) / seen.seconds
    await asyncio.gather(*(one.close() for one in visitors))
    return seen


async def warm(address: str) -> None:
    """One visitor opens every page, as a browser does: what a server's first visitor alone waits for is none of the crowd's.

    That is a page's first imports, and the frames with which everybody begins.
    """
    one = Session(address)
    await one.open()
    for path in list(one.pages):
        await one.go(path)
        if one.regions:
            await one.settle()
    await one.close()


async def _stay(one: Session, seen: Tally, until: float, draw: random.Random, uploads: bool, link: str | None) -> None:
    """One visitor's time: a few moves on a page, then on to another; or all of them on the link's page."""
    await asyncio.sleep(draw.random() * PERIOD)
    walk = [""] if link is not None else list(one.pages) or [""]
    draw.shuffle(walk)
    turn = draw.randrange(MOVES_A_PAGE)  # so that not all change pages together
    place = link or ""
    while time.perf_counter() < until:
        began = time.perf_counter()
        try:
            turn += 1
            if one.sliders and not one.regions:
                seen.moves.append(await one.slide("Group size", draw.randint(2, 1024)))
            elif turn % MOVES_A_PAGE == 0 and len(walk) > 1:
                place = walk[turn // MOVES_A_PAGE % len(walk)]
                seen.pages.append((await one.go(place)).seconds)
                await one.settle()
                await one.follow()
            elif uploads and link is None and one.uploaders and turn % MOVES_A_PAGE == 1:
                seen.uploads.append((await one.upload(one.uploaders[0], "mine.csv", UPLOAD)).seconds)
            else:
                answer = await one.move_at_random(draw, MAINLY if link is None else 1.0)
                seen.moves.append(answer)
                seen.whole.append(answer.seconds + await one.follow())
                seen.by_page.setdefault(place, []).append(answer.seconds)
        except (Failed, OSError) as error:
            seen.errors.append(f"{place or 'one_group'}: {error}")
            if len(seen.errors) > 20:
                return
        await asyncio.sleep(max(0.0, PERIOD - (time.perf_counter() - began)))


def told(name: str, seen: Tally) -> str:
    """One line for the screen."""
    pages = ", ".join(
        f"{p or 'one_group'} {quantile(v, 0.5):.0f}/{quantile(v, 0.95):.0f}" for p, v in seen.by_page.items()
    )
    return (
        f"{name}: {seen.sessions} sessions, {len(seen.moves)} moves in {seen.seconds:.0f} s, rerun p50 {seen.quantile(0.5):.1f} "
        f"p95 {seen.quantile(0.95):.1f} p99 {seen.quantile(0.99):.1f} ms; page opened p50 {quantile(seen.pages, 0.5):.0f} "
        f"p95 {quantile(seen.pages, 0.95):.0f} ms; until all is there p95 {quantile(seen.whole, 0.95):.0f} ms; "
        f"{len(seen.uploads)} uploads p95 {quantile(seen.uploads, 0.95):.0f} ms; "
        f"CPU {seen.cpu_a_move:.1f} ms a request ({100 * seen.cpu / seen.seconds:.0f}% of a processor, the crowd itself "
        f"{100 * seen.client:.0f}%); {seen.megabytes_a_session:.2f} MB a session; {len(seen.errors)} errors"
        + (f"\n    by page p50/p95 ms: {pages}" if pages else "")
        + "".join(f"\n    {error}" for error in sorted(set(seen.errors))[:5])
    )
