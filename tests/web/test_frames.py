"""Frames: what differs between specs is enough to make each of them."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stdial.charts.chart import packed
from stdial.charts.difficulty import FRAMES, chart
from stdial.web.frames import stack


def placed(spec: Any, path: str, value: Any) -> None:
    *way, last = path.split("/")
    for key in way:
        spec = spec[int(key)] if isinstance(spec, list) else spec[key]
    spec[int(last) if isinstance(spec, list) else last] = value


def rebuilt(base: Any, frames: dict[str, Any], i: int) -> Any:
    """What the browser does with frame i."""
    import base64
    import copy

    spec = copy.deepcopy(base)
    for path, both in frames["packed"].items():
        values = np.frombuffer(base64.b64decode(both["bdata"]), "<f4").reshape(len(frames["values"]), -1)
        placed(spec, path, packed(values[i]))
    for path, entries in frames["vary"].items():
        placed(spec, path, entries[i])
    return spec


leaf = st.integers() | st.text(max_size=3) | st.lists(st.floats(-9, 9, width=32), min_size=3, max_size=3).map(packed)
shape = st.fixed_dictionaries(
    {"a": leaf, "b": st.lists(st.fixed_dictionaries({"c": leaf, "d.e": leaf}), min_size=2, max_size=2)}
)


@given(st.lists(shape, min_size=1, max_size=4))
def test_every_frame_can_be_rebuilt_from_any_other(specs: list[Any]) -> None:
    frames = stack(specs, list(range(len(specs))))
    for i, spec in enumerate(specs):
        assert rebuilt(specs[0], frames, i) == spec


def test_difficulty_frames_are_few_bytes() -> None:
    specs = [chart("update", G, 0.3, 1.0).spec() for G in FRAMES[:10]]
    frames = stack(specs, FRAMES[:10])
    assert rebuilt(specs[4], frames, 9) == specs[9]
    assert len(frames["packed"]) == 3  # two curves and the law; limits and p stay
