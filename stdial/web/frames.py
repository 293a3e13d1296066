"""Many specs that differ in few places, as one: what the browser needs to scrub without a round trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stdial.charts.chart import packed, unpacked

__all__ = ["stack"]


def stack(specs: Sequence[Mapping[str, Any]], values: Sequence[float]) -> dict[str, Any]:
    """The places where the specs differ, with the value of each spec there.

    Parameters
    ----------
    specs : one for each frame, of one shape.
    values : the scrubbed parameter's value of each frame.

    Returns
    -------
    dict with "values", "packed" (slash-separated path -> all frames' float32 arrays end to end) and "vary"
    (slash-separated path -> one entry a frame).

    Examples
    --------
    >>> stack([{"a": 1, "b": "x"}, {"a": 2, "b": "x"}], [8, 9])
    {'values': [8, 9], 'packed': {}, 'vary': {'a': [1, 2]}}
    """
    result: dict[str, Any] = {"values": list(values), "packed": {}, "vary": {}}
    _differ("", list(specs), result)
    return result


def _differ(path: str, parts: list[Any], result: dict[str, Any]) -> None:
    """Records under `path` how the parts differ."""
    first = parts[0]
    if all(part is first for part in parts) or all(part == first for part in parts):
        return
    if all(_is_packed(part) for part in parts) and len({len(part["bdata"]) for part in parts}) == 1:
        result["packed"][path] = packed(np.concatenate([unpacked(part) for part in parts]))
    elif all(isinstance(part, Mapping) and part.keys() == first.keys() for part in parts) and not _is_packed(first):
        for key in first:
            _differ(_join(path, key), [part[key] for part in parts], result)
    elif all(isinstance(part, list | tuple) and len(part) == len(first) for part in parts) and not _numbers(first):
        for i in range(len(first)):
            _differ(_join(path, str(i)), [part[i] for part in parts], result)
    else:
        result["vary"][path] = parts


def _join(path: str, key: str) -> str:
    return f"{path}/{key}" if path else key


def _is_packed(part: Any) -> bool:
    return isinstance(part, Mapping) and part.keys() == {"dtype", "bdata"}


def _numbers(part: Sequence[Any]) -> bool:
    """Whether a list is short data of numbers or texts, which is kept whole."""
    return all(isinstance(x, int | float | str | None) for x in part)
