"""Messages from a browser: whatever JSON they are, nothing but allowed values comes of them."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial.web import link, region, session
from stdial.web.params import PARAMS
from stdial.web.stage import Stage

HUGE = 10**400
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from([HUGE, -HUGE, 2**60])
)
ANYTHING = st.recursive(
    SCALARS,
    lambda some: st.lists(some, max_size=4) | st.dictionaries(st.text(max_size=5), some, max_size=4),
    max_leaves=8,
)
VALUES = st.dictionaries(st.sampled_from(sorted(PARAMS)), ANYTHING, max_size=5)


def held(message: Any, kind: str) -> dict[str, Any]:
    state = {"values": link.defaults(), "notes": [], "acks": {"stage": 7}, "wants": {}, "asked": {}, "linked": {}}
    return {"stdial": state, "stage": {kind: message}}


@given(st.fixed_dictionaries({}, optional={"n": ANYTHING, "values": VALUES | ANYTHING}) | ANYTHING)
def test_any_move_leaves_allowed_values(message: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "st", SimpleNamespace(session_state=held(message, "move")))
        session.moved("stage", ("stage", "other"))
        state = session.state()
    for name, value in state["values"].items():
        assert (name == "marks" and value == "") or PARAMS[name].check(value) == value
    assert isinstance(state["acks"]["stage"], int)
    assert abs(state["acks"]["stage"]) < 2**53
    json.dumps([state["notes"], state["acks"]], allow_nan=False)


@given(st.fixed_dictionaries({}, optional={"n": ANYTHING, "what": ANYTHING}) | ANYTHING)
def test_any_wish_is_a_short_text_and_a_number(message: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "st", SimpleNamespace(session_state=held(message, "want")))
        session.wanted("stage", ("stage", "other"))
        wants = session.state()["wants"]
    for what, n in wants.values():
        assert isinstance(what, str)
        assert isinstance(n, int)


@pytest.mark.parametrize(
    "want", ["", "csv:", "csv:no chart", "csv:" + "x" * 2000, "qr:", "qr:\ud800", "qr:" + "\u6f22" * 2000, "x"]
)
def test_a_wish_for_what_is_not_there(want: str) -> None:
    answer = region.asked_for(want, Stage)
    assert answer == b"" or json.loads(answer)
