"""The process that reads one file from somebody else: limited, alone, and gone afterwards.

In by standard input: a JSON line (name, options, limits, length) and the file. Out by standard output: frames of one
letter, eight bytes of length, and the payload: P progress, R a reading, E a refusal or question, V a wrong argument.
"""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any

__all__ = ["main"]


def _limit(memory: int, processor: int) -> None:
    """Address space, processor time and no core dump, before anything of the file is looked at."""
    try:
        import resource
    except ImportError:  # no such limits on this system: the parent's clock is left
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 1))


def main() -> None:
    """Read one file and answer."""
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing that a library prints may get between the frames
    given = json.loads(source.readline())
    limits = given["limits"]
    _limit(limits["memory"], limits["processor"])
    try:
        letter, payload = _answer(source, answers, given)
    except MemoryError:
        letter, payload = "M", b""
    _send(answers, letter, payload if len(payload) <= limits["result"] else b"")
    answers.flush()
    os._exit(0)  # no tidying up of what is thrown away


def _send(answers: IO[bytes], letter: str, payload: bytes) -> None:
    answers.write(letter.encode() + len(payload).to_bytes(8, "big") + payload)
    answers.flush()


def _answer(source: IO[bytes], answers: IO[bytes], given: dict[str, Any]) -> tuple[str, bytes]:
    from stdial.reading.errors import ReadingError, Refused
    from stdial.reading.limits import Limits
    from stdial.reading.options import Options
    from stdial.reading.progress import watched_by
    from stdial.reading.reader import read_source
    from stdial.reading.source import open_source
    from stdial.reading.wire import packed, packed_error

    limits = Limits(**given["limits"])
    data = source.read(limits.size + 1 if given["length"] is None else given["length"])

    def tell(stage: str, share: float) -> None:
        _send(answers, "P", json.dumps([stage, share]).encode())

    try:
        with watched_by(tell):
            options = Options.of(given["options"])
            reading = read_source(open_source(data, limits, given["name"]), limits, options)
        payload = packed(reading)
        if len(payload) > limits.result:
            raise Refused("the table has too many problems to be shown", "too large")
    except ReadingError as error:
        return "E", packed_error(error)
    except MemoryError:
        raise
    except ValueError as error:
        return "V", str(error).encode()
    except Exception as error:
        if "memory" in str(error).lower() or "alloc" in str(error).lower():
            raise MemoryError from None
        return "E", packed_error(Refused("this is not a table: the reader gave up on it", "not a table"))
    return "R", payload
