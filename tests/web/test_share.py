"""What a sender chose for the receiver."""

import re

import pytest

from stdial.web import share
from stdial.web.link import defaults
from stdial.web.page import Values
from stdial.web.views import difficulty, one_group


def test_the_code_is_the_librarys_own() -> None:
    segno = pytest.importorskip("segno")
    text = "http://127.0.0.1:8501/difficulty?G=24&p=0.05&ask=Why%3F&v=1"
    made = share.qr(text)
    rows = [[0] * made["size"] for _ in range(made["size"])]
    for x, y, run in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", made["path"]):
        for i in range(int(run)):
            rows[int(y)][int(x) + i] = 1
    theirs = [list(row) for row in segno.make(text, error="m", micro=False, boost_error=False).matrix_iter(border=4)]
    assert rows == theirs


@pytest.mark.parametrize("text", ["", "x" * (share.LONGEST + 1), "\U0001f600" * share.LONGEST, "\ud800"])
def test_no_code_for_nothing_or_too_much(text: str) -> None:
    assert share.qr(text) == {"path": "", "size": 0}


def test_the_longest_text_still_has_a_code() -> None:
    assert share.qr("x" * share.LONGEST)["size"] > 100


def test_locked_and_hidden_controls() -> None:
    values = Values({**defaults(), "lock": ("G",), "hide": ("alpha", "p")})
    stage = share.shaped(difficulty.stage(values), values, "difficulty")
    controls = {control.name: control for control in stage.controls}
    assert controls["G"].locked
    assert not controls["view"].locked
    assert not controls.keys() & {"alpha", "p"}


def test_a_lesson_is_asked_on_its_own_page_only() -> None:
    values = {**defaults(), "lesson": "first-bias", "guess": True}
    asked = share.asked(values, "difficulty")
    assert asked is not None
    assert asked["lesson"]["id"] == "first-bias"
    elsewhere = share.asked(values, "")
    assert elsewhere is not None
    assert elsewhere["lesson"] is None


def test_curves_are_covered_only_until_the_guess() -> None:
    values = Values({**defaults(), "lesson": "one-right", "guess": True})
    before = share.shaped(one_group.stage(values), values, "").charts[0]
    assert {trace["name"] for trace in before.data} == {"GRPO, now", "silent"}
    assert before.shows == {"G": 8, "k": 1, "alpha": 1.0}
    assert before.csv().strip() == ""
    open_ = values.but(guess=False)
    assert share.shaped(one_group.stage(open_), open_, "").charts[0].csv() == one_group.stage(open_).charts[0].csv()
