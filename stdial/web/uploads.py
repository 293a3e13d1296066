"""The files of a session: what was dropped, how each is to be read, and the readings; in memory of that session alone.

Every file is read by `read`, the one place that says how: in a child process with limits. Nothing here is shared between
sessions but the number of readings at a time, which bounds the server's memory.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from stdial.reading import Reading, ReadingError, Refused, Unclear
from stdial.reading.guarded import Stopped, read_bytes
from stdial.web import memory, process

__all__ = ["Desk", "File", "Job", "Known", "Outcome", "desk_of", "first_lines"]

Outcome = Reading | Unclear | Refused | ValueError | Stopped

_SLOT = "stdial your data"
_AT_ONCE = threading.BoundedSemaphore(2)  # readings of all sessions together; each may take its share of memory
_SETTLED = threading.Event()
_MOST_OUTCOMES = 40_000
_MOST_FILES = 8
_MOST_READINGS = 6
_VALUES = ("rate", "right", "tries", "reward", "rewards", "problems")


def read(data: bytes, name: str, options: Mapping[str, Any], job: Job) -> Reading:
    """Read a file's bytes; the switch for how that is done.

    Counts of very many different outcomes are refused: each has a posterior of its own in this process's memory.
    """
    if process.serving() and not _SETTLED.is_set():
        _SETTLED.set()
        memory.give_back()
    found = read_bytes(data, name, options, on_progress=job.told, stop=job.stop)
    kinds = 0 if found.pool is None or found.pool.tries is None else len(found.pool.cells.rate)
    if kinds > _MOST_OUTCOMES:
        raise Refused(
            f"the rows have {kinds:,} different pairs of right answers and tries; at most {_MOST_OUTCOMES:,} are read",
            "too large",
        )
    return found


class Job:
    """One reading in a thread of its own: its progress, a way to stop it, and its outcome."""

    def __init__(self, data: bytes, name: str, options: Mapping[str, Any]) -> None:
        self.stop = threading.Event()
        self.done = threading.Event()
        self.stage, self.share = "waiting for another reading to end", 0.0
        self.outcome: Outcome | None = None
        self._thread = threading.Thread(target=self._work, args=(data, name, dict(options)), daemon=True)
        self._thread.start()

    def told(self, stage: str, share: float) -> None:
        """What the reader says of its progress."""
        self.stage, self.share = stage, min(max(share, 0.0), 1.0)

    def _work(self, data: bytes, name: str, options: dict[str, Any]) -> None:
        try:
            while not _AT_ONCE.acquire(timeout=0.1):
                if self.stop.is_set():
                    raise Stopped
            try:
                self.told("starting", 0.0)
                self.outcome = read(data, name, options, self)
            finally:
                _AT_ONCE.release()
        except (ReadingError, ValueError, Stopped) as error:
            self.outcome = error
        except Exception:  # whatever else goes wrong: a sentence for the user, nothing of the file in a log
            self.outcome = Refused("this is not a table: the reader gave up on it", "not a table")
        finally:
            self.done.set()


@dataclass(frozen=True)
class Known:
    """What menus offer for a file: its columns, those that fit a role, and what the reader settled on."""

    columns: tuple[str, ...]
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    mapping: Mapping[str, str] = field(default_factory=dict)
    facets: tuple[str, ...] = ()


@dataclass
class File:
    """A file of this session, with what its user said about it."""

    name: str
    data: bytes
    token: str
    options: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)  # options that were replaced, oldest first
    edits: int = 0  # changes ever made: a menu's key holds it, since a browser remembers what was chosen under a key
    steps: tuple[tuple[str, dict[str, Any]], ...] = ()  # the steps that a question offered, with their options
    known: Known | None = None  # the columns of its newest reading or refusal

    def say(self, **options: Any) -> None:
        """Overrule the guess; None takes an option back. Saying the same again changes nothing: a rerun that another one cuts
        short may call a menu's callback twice.
        """
        wanted = {name: value for name, value in {**self.options, **options}.items() if value is not None}
        if wanted == self.options:
            return
        self.edits += 1
        self.history.append(self.options)
        self.options = wanted

    def hold(self, role: str, column: str | None) -> None:
        """Say which column holds the outcome, in place of whatever was said about it."""
        nothing: dict[str, Any] = dict.fromkeys(_VALUES)
        self.say(**{**nothing, role: column})

    def undo(self, at: int) -> None:
        """Go back to what was said before; `at` are the edits when this was asked for, so that it is done once."""
        if self.history and self.edits == at:
            self.edits += 1
            self.options = self.history.pop()


def _fresh() -> str:
    """A name that no session had: where another server takes over, the browser would go on listing the old one's files."""
    return secrets.token_hex(4)


@dataclass
class Desk:
    """What *Your data* holds in one session; without files the sample stands in."""

    files: list[File] = field(default_factory=list)
    after: str = ""  # token of the file that is looked at
    before: str = ""  # token of the file to compare with, "" for none
    before_step: dict[str, Any] | None = None  # or: options of an earlier step of the same file
    epoch: str = field(default_factory=_fresh)  # a new one empties the uploader
    edits: int = 0  # changes of what is compared with what
    jobs: dict[Any, Job] = field(default_factory=dict)
    readings: dict[Any, Outcome] = field(default_factory=dict)

    def take(self, files: Sequence[tuple[str, IO[bytes] | bytes]]) -> None:
        """Hold exactly these files, in this order; those that were there keep what was said about them."""
        self.edits += 1
        known = {(file.name, len(file.data), hash(file.data)): file for file in self.files}
        held = []
        for name, source in files[:_MOST_FILES]:
            data = source if isinstance(source, bytes) else source.read()
            plain = "".join(c if c.isprintable() else " " for c in name)[:120] or "the file"
            found = known.get((plain, len(data), hash(data)))
            held.append(found or File(plain, data, secrets.token_hex(8)))
        added = [file for file in held if file not in self.files]
        self.files = held
        tokens = [file.token for file in held]
        self._forget({token for (token, _) in [*self.jobs, *self.readings] if token not in tokens})
        if added or self.after not in tokens:
            self.after = tokens[-1] if tokens else ""
            self.before = tokens[-2] if len(tokens) > 1 else ""
            self.before_step = None
        if self.before not in tokens or self.before == self.after:
            self.before = ""

    def clear(self) -> None:
        """Forget every file: the sample again."""
        self.take([])
        self.epoch = _fresh()

    @property
    def main(self) -> File | None:
        """The file that is looked at."""
        return self.find(self.after)

    def find(self, token: str) -> File | None:
        """The file of that token."""
        return next((file for file in self.files if file.token == token), None)

    def earlier(self) -> tuple[File, dict[str, Any]] | None:
        """File and options of what the main file is compared with; None for nothing."""
        main = self.main
        if main is not None and self.before_step is not None:
            said = {name: x for name, x in main.options.items() if name not in ("at_step", "each_step")}
            return main, {**said, **self.before_step}
        file = self.find(self.before)
        return (file, file.options) if file is not None else None

    def outcome(self, file: File, options: Mapping[str, Any], patience: float) -> Outcome | Job:
        """The outcome of reading a file so, or the job that is still at it after `patience` seconds."""
        key = (file.token, repr(sorted(options.items())))
        if key in self.readings:
            return self.readings[key]
        if key not in self.jobs:
            self._halt(file.token)
            self.jobs[key] = Job(file.data, file.name, options)
        job = self.jobs[key]
        job.done.wait(patience)
        if job.outcome is None:
            return job
        del self.jobs[key]
        while len(self.readings) >= _MOST_READINGS:
            del self.readings[next(iter(self.readings))]
        self.readings[key] = job.outcome
        found = job.outcome
        if isinstance(found, Reading):
            file.known = Known(found.columns, found.alternatives, found.mapping, found.facets)
        elif isinstance(found, ReadingError) and found.columns and file.known is None:
            file.known = Known(found.columns)
        if isinstance(job.outcome, Unclear):
            steps = tuple((label, said) for label, said in job.outcome.answers if "at_step" in said)
            file.steps = steps or file.steps
        return job.outcome

    def again(self, file: File) -> None:
        """Forget what came of a file that was stopped, so that it is read anew."""
        self._forget({file.token})

    def _halt(self, token: str) -> None:
        """Stop the other readings of a file whose options changed."""
        for key in [key for key in self.jobs if key[0] == token]:
            self.jobs.pop(key).stop.set()

    def _forget(self, tokens: set[str]) -> None:
        for token in tokens:
            self._halt(token)
        self.readings = {key: found for key, found in self.readings.items() if key[0] not in tokens}


def desk_of(session: MutableMapping[Any, Any]) -> Desk:
    """The desk of a session, ``st.session_state``.

    >>> session = {}
    >>> desk_of(session) is desk_of(session)
    True
    """
    if _SLOT not in session:
        session[_SLOT] = Desk()
    found: Desk = session[_SLOT]
    return found


def first_lines(data: bytes, lines: int = 6, width: int = 160) -> list[str]:
    """The beginning of a file as text, to show beside a refusal; empty where it is no text.

    >>> first_lines(b"id,pass_rate" + bytes([10]) + b"a,1.3")
    ['id,pass_rate', 'a,1.3']
    """
    head = data[: 4 * lines * width]
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return []
    encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = head.decode(encoding, errors="replace")
    if text.count("\ufffd") > 0.02 * len(text) + 1:
        text = head.decode("latin-1")
    bad = sum(not (c.isprintable() or c in "\t\r\n") for c in text)
    if bad > 0.02 * len(text):
        return []
    return ["".join(c if c.isprintable() else " " for c in line)[:width] for line in text.splitlines()[:lines]]
