"""One line of progress on a terminal; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

__all__ = ["Bar"]

_WIDTH = 40


class Bar:
    """A bar that is redrawn in place on standard error, and wiped away at the end.

    ``show`` takes percent, below 0 while it is not known. An engine that runs several queries starts each at 0.

    >>> with Bar() as bar:
    ...     bar.show(50.0)
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.started = time.monotonic()

    def __enter__(self) -> Bar:
        return self

    def show(self, percent: float) -> None:
        """Draw the bar at so many percent."""
        if not self.stream.isatty():
            return
        known = min(max(percent, 0.0), 100.0)
        minutes, seconds = divmod(int(time.monotonic() - self.started), 60)
        done = int(known / 100 * _WIDTH)
        line = f"\r[{'=' * done}{' ' * (_WIDTH - done)}] {known:3.0f}%  {minutes}:{seconds:02d}"
        self.stream.write(line)
        self.stream.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.stream.isatty():
            self.stream.write("\r" + " " * (_WIDTH + 16) + "\r")
            self.stream.flush()
