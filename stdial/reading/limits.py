"""How much a reading may take."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Sizes at which a reading stops with a ``Refused`` of kind "too large".

    Parameters
    ----------
    size : bytes of the file once it is decompressed.
    columns : columns of the table.
    cell : bytes of one row of text, one cell of JSON or Parquet.
    depth : nesting of JSON.
    memory : bytes of address space of the child process (``guarded`` only).
    processor, wall : seconds of processor and of wall time of the child process (``guarded`` only).
    result : bytes of the tables that come back from the child process (``guarded`` only).

    Examples
    --------
    >>> Limits().columns
    4096
    """

    size: int = 4 << 30
    columns: int = 4096
    cell: int = 8 << 20
    depth: int = 64
    memory: int = 3 << 30
    processor: int = 120
    wall: float = 180.0
    result: int = 256 << 20

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"{name} is {value!r}; it must be above 0")
