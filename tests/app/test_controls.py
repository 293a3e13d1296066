"""On every page each slider has a name of its own: whoever asks for one by name, a screen reader too, gets that one."""

from collections import Counter

import pytest

from stdial.web.places import PLACES
from tests.app.reading_stages import run, stages

SHARED = {"G": "Group size", "p": "Success probability", "k": "Right answers", "alpha": "Exponent"}


@pytest.mark.parametrize("path", PLACES)
def test_sliders_by_name(path: str) -> None:
    controls = [control for stage in stages(run(path)) for control in stage["controls"]]
    sliders = Counter(control["label"] for control in controls if control["kind"] == "slider")
    assert not [label for label, times in sliders.items() if times > 1]
    for control in controls:
        if control["name"] in SHARED and control["kind"] == "slider":
            assert control["label"] == SHARED[control["name"]]
        for label in SHARED.values():
            assert (
                control["kind"] != "slider"
                or control["label"] == label
                or label.lower() not in control["label"].lower()
            )
