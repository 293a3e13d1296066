"""Stages that take long: built beside the script, so that a move is answered at once and the stage follows.

A script that waits holds its visitor's other controls up, and a thread that computes holds everybody's. So the script waits a
moment only; then the region says that it is being computed, and the browser asks again until it is there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, MutableMapping
from dataclasses import dataclass, field

__all__ = ["AT_AN_OPENING", "AT_A_MOVE", "WHEN_ASKED", "Job", "at_hand"]

# Seconds that a script waits for a stage. Many are there within the first; a page that is opened has nothing else to show; a
# browser that asks again would otherwise ask more often, and each time is a run of its page.
AT_A_MOVE = 0.006
AT_AN_OPENING = 1.0
WHEN_ASKED = 8.0
_STEP = 0.1  # seconds after which a script looks whether it is still wanted


@dataclass
class Job:
    """One stage on its way, in a thread of its own.

    Parameters
    ----------
    key : of the state that it is built for.
    make : builds it; what it raises, `result` raises.

    Examples
    --------
    >>> job = Job("a", lambda: b"built")
    >>> job.done(20), job.result()
    (True, b'built')
    """

    key: Hashable
    make: Callable[[], bytes]
    _over: threading.Event = field(default_factory=threading.Event)
    _made: bytes = b""
    _failed: Exception | None = None

    def __post_init__(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._made = self.make()
        except Exception as error:  # for the script, which shows it as it would its own
            self._failed = error
        finally:
            self._over.set()

    def done(self, seconds: float) -> bool:
        """Whether it is over, after that time at most."""
        return self._over.wait(seconds)

    def result(self) -> bytes:
        """The stage."""
        if self._failed is not None:
            raise self._failed
        return self._made


def at_hand(
    jobs: MutableMapping[str, Job],
    name: str,
    key: Hashable,
    make: Callable[[], bytes],
    seconds: float,
    wanted: Callable[[], object] = lambda: None,
) -> bytes | None:
    r"""The stage of a region for the state of now, or None where it is still on its way.

    Parameters
    ----------
    jobs : the session's; a job for an older state is forgotten, and whatever it makes is nobody's.
    name : of the region.
    key, make : as for `Job`.
    seconds : how long to wait.
    wanted : called now and then while it waits; raises where nobody wants the answer any more.

    Examples
    --------
    >>> jobs = {}
    >>> at_hand(jobs, "plan", 1, lambda: b"one", 20), jobs
    (b'one', {})
    >>> go = threading.Event()
    >>> at_hand(jobs, "plan", 2, lambda: bytes(go.wait(20)), 0) is None
    True
    >>> go.set()
    >>> at_hand(jobs, "plan", 2, lambda: b"not again", 20)
    b'\x00'
    """
    job = jobs.get(name)
    if job is None or job.key != key:
        job = jobs[name] = Job(key, make)
    until = time.monotonic() + seconds
    while not job.done(min(_STEP, max(0.0, until - time.monotonic()))):
        if time.monotonic() >= until:
            return None
        wanted()
    jobs.pop(name, None)
    return job.result()
