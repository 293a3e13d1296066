"""Turns for heavy work, so that one visitor's plan never holds up everybody's sliders.

A process does a few heavy jobs at a time, and one for each session; others wait for their turn, and after a while are told
so. A newer request of the same session takes the place of one that still waits: nobody would see its answer any more.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Callable, Hashable, Iterator

__all__ = ["Busy", "Count", "Share", "Slots", "after_others", "ahead", "answering", "brief", "long", "near"]


_LONGEST_PAUSE = 0.05
_MANY = 2  # bodies at once: more of them wait for each other
_NO_TIME = "The server has no time for work ahead just now."


class Busy(Exception):
    """No turn came in time; the message is for the visitor."""


class Slots:
    """A bounded number of jobs at a time.

    Parameters
    ----------
    most : jobs at a time in this process, at least 1.
    wait : seconds that a request waits for its turn.
    clock : seconds that only grow.

    Raises
    ------
    ValueError
        Where `most` is below 1.

    Examples
    --------
    >>> slots = Slots(most=1, wait=0)
    >>> with slots.turn("one"):
    ...     with slots.turn("two"):
    ...         pass
    Traceback (most recent call last):
    stdial.web.slots.Busy: The server is busy with the work of others; move a control or reload in a moment to try again.
    """

    def __init__(self, most: int, wait: float, clock: Callable[[], float] = time.monotonic) -> None:
        if most < 1:
            raise ValueError(f"most is {most!r}; it must be at least 1")
        self.most = most
        self._wait = wait
        self._clock = clock
        self._changed = threading.Condition()
        self._running: set[Hashable] = set()
        self._newest: dict[Hashable, int] = {}
        self._tickets = itertools.count()

    @contextlib.contextmanager
    def turn(self, session: Hashable) -> Iterator[None]:
        """A turn for one job of a session; waits for it, and gives it back at the end.

        Raises
        ------
        Busy
            When no turn came in time, or a newer request of the session waits.
        """
        self._enter(session)
        try:
            yield
        finally:
            with self._changed:
                self._running.discard(session)
                self._changed.notify_all()

    def _enter(self, session: Hashable) -> None:
        deadline = self._clock() + self._wait
        with self._changed:
            mine = self._newest[session] = next(self._tickets)
            self._changed.notify_all()
            try:
                while session in self._running or len(self._running) >= self.most:
                    if self._newest[session] != mine:
                        raise Busy("A newer request took this one's place.")
                    left = deadline - self._clock()
                    if left <= 0:
                        raise Busy(self._excuse(session))
                    self._changed.wait(left)
                self._running.add(session)
            finally:
                if self._newest.get(session) == mine:
                    del self._newest[session]

    def _excuse(self, session: Hashable) -> str:
        if session in self._running:
            return "Your last request is still being worked on; it is one at a time. Try again in a moment."
        return "The server is busy with the work of others; move a control or reload in a moment to try again."


class Share:
    """A share of the time for work that can be done without, one job at a time.

    Parameters
    ----------
    share : of the time, above 0 and at most 1: a job that took a second is followed by a pause of 1 / share - 1 seconds.
    clock : seconds that only grow.
    spent : seconds of work that the calling thread has done.
    busy : whether others would have to wait now.

    Raises
    ------
    ValueError
        Where `share` is out of range.

    Examples
    --------
    >>> share = Share(0.5)
    >>> with share.job():
    ...     with share.job():
    ...         pass
    Traceback (most recent call last):
    stdial.web.slots.Busy: The server has no time for work ahead just now.
    """

    def __init__(
        self,
        share: float,
        clock: Callable[[], float] = time.monotonic,
        spent: Callable[[], float] = time.thread_time,
        busy: Callable[[], bool] = lambda: False,
    ) -> None:
        if not 0 < share <= 1:
            raise ValueError(f"share is {share!r}; it must be above 0 and at most 1")
        self._pause = 1 / share - 1
        self._clock, self._spent, self._busy = clock, spent, busy
        self._lock = threading.Lock()
        self._free = -float("inf")

    def free(self) -> bool:
        """Whether a job would be let in now.

        >>> Share(0.5).free(), Share(0.5, busy=lambda: True).free()
        (True, False)
        """
        return not (self._busy() or self._lock.locked() or self._clock() < self._free)

    @contextlib.contextmanager
    def job(self, anyway: bool = False) -> Iterator[None]:
        """One job; `anyway` even though others wait.

        Raises
        ------
        Busy
            At once, while another goes on or the pause after it, or others wait.
        """
        if self._busy() and not anyway:
            raise Busy(_NO_TIME)
        if not self._lock.acquire(blocking=False):
            raise Busy(_NO_TIME)
        try:
            if self._clock() < self._free:
                raise Busy(_NO_TIME)
            began = self._spent()
            try:
                yield
            finally:
                self._free = self._clock() + self._pause * (self._spent() - began)
        finally:
            self._lock.release()


class Count:
    """How many are in it now.

    Examples
    --------
    >>> count = Count()
    >>> with count, count:
    ...     count.now
    2
    """

    def __init__(self) -> None:
        self.now = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            self.now += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self.now -= 1


def after_others(seconds: float) -> None:
    """After so many seconds of work that can wait: a pause three times as long, where others are being answered.

    The interpreter goes back and forth between threads, and the server's own needs it several times for each message: beside
    a thread that computes for a tenth of a second, everybody's answers come later by as much or more.
    """
    if answering.now > 1:  # the one who asks is one of them
        time.sleep(min(_LONGEST_PAUSE, 3 * seconds))


answering = Count()  # bodies of pages that are being drawn
# Training runs and plans; and what takes some hundredths of a second and would else wait for them.
long = Slots(most=max(1, (os.cpu_count() or 2) // 2), wait=20.0)
brief = Slots(most=max(1, (os.cpu_count() or 2) // 2), wait=20.0)
near = Slots(most=2, wait=20.0)  # a few hundredths of a second at most, in this process
# Frames of a scrub: with 60 sessions at random places they took more than half of the server's time, at every drag. With 120
# they took a fifth of it although others waited.
ahead = Share(0.2, busy=lambda: answering.now > _MANY)
