"""Memory that is free goes back to the system: what one upload took is there for the next, and for everything else."""

from __future__ import annotations

import contextlib
import ctypes

__all__ = ["give_back"]

# Of glibc's malloc.h: parameter and value.
_TRIM, _MAP, _ARENAS = (-1, 4 << 20), (-3, 1 << 20), (-8, 4)


def give_back() -> bool:
    """Have the allocator return large blocks at once, and keep few heaps; whether it can be told so (glibc only).

    By itself it learns from the first large block that is freed to take such blocks from its heaps, one for each thread up to
    eight a core, and returns little of them: six files of 10 MB left 270 MB behind after they were forgotten, and 20 so.
    """
    told = 0
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another C library, or none to be asked
        library = ctypes.CDLL(None)
        told = sum(bool(library.mallopt(*setting)) for setting in (_TRIM, _MAP, _ARENAS))
    return told == 3
