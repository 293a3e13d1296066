"""What a sender chose for the receiver."""

import json
import re
from dataclasses import replace

import pytest

from stdial.charts.chart import Chart
from stdial.web import share
from stdial.web.link import defaults
from stdial.web.page import Values
from stdial.web.stage import Stage
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
    stage = share.shaped(one_group.stage(values), values, "")
    (before,) = stage.charts  # nothing is given of the second one: it waits
    assert {trace["name"] for trace in before.data} == {"GRPO, now"}
    assert [label["text"] for label in before.layout["annotations"]] == ["GRPO"]
    assert before.shows == {"G": 8, "k": 1, "alpha": 1.0}
    assert before.csv().strip() == ""
    assert {control.locked for control in stage.controls} == {"guess"}
    open_ = values.but(guess=False)
    assert share.shaped(one_group.stage(open_), open_, "").charts[0].csv() == one_group.stage(open_).charts[0].csv()


def test_a_senders_guess_leaves_the_axes_and_the_controls() -> None:
    values = Values({**defaults(), "guess": True, "k": 3})
    stage = share.shaped(one_group.stage(values), values, "")
    (before,) = stage.charts
    assert (before.data, before.layout["annotations"], before.table, before.tap) == ([], [], {}, None)
    assert before.layout["xaxis"]["title"]["text"] == "right answers k"
    assert not re.search(r"\d", before.alt + before.caption)
    assert {control.locked for control in stage.controls} == {False}


def test_a_chart_that_declares_nothing_waits_whole() -> None:
    chart = Chart(
        "c",
        [{"y": [0.125]}],
        {"height": 300},
        "It is 0.125.",
        {"G": 8, "silent": 0.125},
        {"y": [0.125]},
        caption="0.125",
    )
    (before,) = Stage(charts=[chart, replace(chart, name="d")]).covered().charts
    assert "0.125" not in json.dumps(before.spec())
    assert before.layout["annotations"][0]["text"] == "Shown after your guess"
    assert not before.layout["xaxis"]["visible"]
    assert before.layout["height"] == 300
    assert before.shows == {"G": 8}
    assert before.spec()["bare"]


def test_empty_axes_take_the_room_of_those_that_wait() -> None:
    axis = {"title": {"text": "rate"}, "domain": [0.4, 1], "anchor": "y2"}
    layout = {"height": 300, "xaxis": axis, "yaxis": axis, "yaxis2": {"domain": [0, 0.3]}}
    narrow = {"height": 200, "yaxis2.nticks": 3, "yaxis.nticks": 3, "annotations.0.x": 1}
    before = Chart("c", [{"name": "a"}], layout, "Alt", narrow=narrow).covered(())
    assert before.layout["yaxis"] == {"title": {"text": "rate"}}
    assert "yaxis2" not in before.layout
    assert before.narrow == {"height": 200, "yaxis.nticks": 3}
    assert Chart("c", [{"name": "a"}], layout, "Alt").covered(["a"]).layout["yaxis2"]


def test_what_a_lesson_keeps() -> None:
    label = {"text": "old", "x": 0}
    chart = Chart(
        "c", [{"name": "old"}, {"name": "new"}], {"annotations": [label, {"text": "new"}]}, "Alt", {}, {"y": [1]}
    )
    stage = Stage(charts=[chart, replace(chart, name="d")])
    assert stage.covered(["d"]).charts == [replace(chart, name="d")]
    assert [c.name for c in stage.covered(["d/"]).charts] == ["d"]
    assert stage.covered(["d/"]).charts[0].data == []
    (only,) = stage.covered(["c/old", "c#old"]).charts
    assert (only.data, only.layout["annotations"]) == ([{"name": "old"}], [label])


def test_a_lesson_asks_at_its_start_whatever_its_link_says() -> None:
    given = {**defaults(), "lesson": "one-right", "guess": True, "k": 1, "G": 16}
    start = share.at_question(given, "")
    assert start is not None
    assert (start["G"], start["k"], start["marks"].count("1"), start["guess"]) == (8, 4, 4, True)
    assert share.at_question({**given, "guess": False}, "") is None
    assert share.at_question(given, "difficulty") is None
    assert share.at_question({**given, "lesson": ""}, "") is None
