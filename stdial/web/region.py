"""One region of a page: its stage, built once for each distinct state and kept as bytes, and the frames of its scrub."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from stdial.lazily import lazily
from stdial.web import link, share, slots
from stdial.web.frames import stack
from stdial.web.kept import Kept
from stdial.web.params import PARAMS
from stdial.web.stage import Button, Stage, to_json
from stdial.web.values import Values

__all__ = ["Built", "asked_for", "waiting"]

# The sender's choices that change what a stage holds.
_SHAPING = ("lesson", "lock", "hide", "guess")


@dataclass
class Built:
    """A region at the values of now.

    Parameters
    ----------
    build : a pure function of the values.
    path : of the page.
    values : of now.
    names : the parameters that it depends on.
    kept, base : the store, and the start of its keys there.
    shared : whether the store is everybody's.
    turn : entered around a build, for one that takes long.
    """

    build: Callable[[Values], Stage]
    path: str
    values: Values
    names: tuple[str, ...]
    kept: Kept
    base: tuple[Hashable, ...]
    shared: bool = True
    turn: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext

    @lazily
    def stage(self) -> Stage:
        """The stage, built now where nobody has asked for its bytes before."""
        with self.turn():
            return share.shaped(self.build(self.values), self.values, self.path)

    def body(self) -> bytes:
        """The stage as JSON."""
        return self.kept.get(self.key, lambda: to_json(self.stage.spec()))

    @lazily
    def key(self) -> tuple[Hashable, ...]:
        """Of the state of now, in the store."""
        return self._key(self.values)

    def ready(self) -> bool:
        """Whether the stage is at hand, with what scrubs it."""
        return self.kept.has(self.key) and self.kept.has((*self.key, "scrub"))

    def whole(self) -> bytes:
        """The stage as JSON, with all that a script asks of it made, too."""
        body = self.body()
        self.scrub()
        return body

    def cover(self, meanwhile: Callable[[Values], Stage]) -> bytes:
        """What stands in the region's place until it is there."""
        return to_json(share.shaped(meanwhile(self.values), self.values, self.path).spec())

    def scrub(self) -> tuple[str, list[float]]:
        """Which slider scrubs, and over which values."""
        name, sizes = json.loads(self._scrub(self.key, lambda: self.stage))
        return (name, sizes) if sizes else ("", [])  # without cheap frames each value takes its round trip

    def frames(self, scrub: str, sizes: Sequence[float], wanted: bool) -> tuple[dict[str, Any], bytes]:
        """What the header says of the frames, and the frames themselves where they are wanted and there is time for them."""
        rest = _rest(self.values, self.names, scrub, max(sizes))
        start = rest == _first(self.names, scrub, max(sizes))
        name = hashlib.sha1(repr((*self.base, rest)).encode(), usedforsecurity=False).hexdigest()[:16]
        key = (*self.base, rest, "frames")
        header: dict[str, Any] = {"frames": name}
        if wanted:
            if self.kept.has(key):
                return header, self.kept.get(key, bytes)
            with (
                contextlib.suppress(slots.Busy),
                slots.ahead.job(anyway=start),
            ):  # else every value takes its round trip
                return header, self.kept.get(key, lambda: self._frames(name, scrub, sizes, start and self.shared))
        elif start or self.kept.has(key):
            header["ahead"] = 1  # cheap, or what everybody begins with: worth asking for before a slider is touched
        elif not slots.ahead.free():
            header["busy"] = 1  # not worth asking for before the next answer
        return header, b""

    def _frames(self, name: str, scrub: str, sizes: Sequence[float], remember: bool) -> bytes:
        """All frames of a scrub as one message; those where everybody begins are remembered as stages, too."""
        specs = []
        for size in sizes:
            began = time.thread_time()
            values = self.values.but(**{scrub: size})
            stage = share.shaped(self.build(values), values, self.path)
            specs.append(stage.spec())
            if remember:
                self._remember(values, stage, to_json(specs[-1]))
            slots.after_others(time.thread_time() - began)
        return to_json({"frames": {"id": name, **stack(specs, sizes)}})

    def _remember(self, values: Values, stage: Stage, body: bytes) -> None:
        key = self._key(values)
        self.kept.get(key, lambda: body)
        self._scrub(key, lambda: stage)

    def _scrub(self, key: tuple[Hashable, ...], made: Callable[[], Stage]) -> bytes:
        return self.kept.get((*key, "scrub"), lambda: json.dumps([made().scrub, list(made().frames)]).encode())

    def _key(self, values: Values) -> tuple[Hashable, ...]:
        return (*self.base, self._spelled(values))

    def _spelled(self, values: Values) -> str:
        return _spelled(values, self.names)


def _spelled(values: Values, names: Sequence[str]) -> str:
    return link.spelled(values, (*names, *_SHAPING))


def _rest(values: Values, names: Sequence[str], scrub: str, largest: float) -> str:
    """Equal where all frames are: what the largest group holds, and the largest whose answers are marked one by one."""
    at = {largest, min(largest, PARAMS["marks"].high)} if scrub == "G" else {PARAMS[scrub].default}
    return " ".join(_spelled(values.but(**{scrub: size}), names) for size in sorted(at))


@functools.lru_cache(maxsize=64)
def _first(names: tuple[str, ...], scrub: str, largest: float) -> str:
    """As `_rest`, where everybody begins."""
    return _rest(Values(link.defaults()), names, scrub, largest)


def waiting(message: str, name: str, values: Values) -> bytes:
    """What stands where a region had no turn; its button sets a parameter to what it is, so that the page runs again."""
    again = Button("again", "Try again", sets={name: values[name]})
    return to_json(Stage(heading="Not yet", text=[[message]], controls=[again], layout="wide").spec())


def asked_for(want: str, made: Callable[[], Stage]) -> bytes:
    """A chart's data, or a QR code, where the browser asks for one."""
    kind, _, what = want.partition(":")
    if kind == "csv":
        chart = made().chart(what)
        return to_json({"csv": {"chart": what, "text": chart.csv() if chart else ""}})
    return to_json({"qr": {"of": what, **share.qr(what)}}) if kind == "qr" else b""
