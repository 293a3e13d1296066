"""Silence in a browser: scrubbing, the batch calculator, a pool from the menu, the exercise, and the address."""

from collections.abc import Callable
from typing import Any

import pytest

Visits = Callable[..., Any]
CHARTS = ("field", "silent", "three_pools", "tilt", "prices", "batch", "dapo")


@pytest.mark.parametrize("width", [1280, 390])
def test_draws_all_regions_and_scrubs(visit: Visits, width: int) -> None:
    v = visit(width).open("/silence?G=8&v=1")
    for chart in CHARTS:
        v.drawn(chart)
    assert "43.1%" in v.page.inner_text(".sd-answer >> nth=0")
    assert "1.76 times" in v.page.inner_text(".sd-answer >> nth=0")
    v.page.wait_for_selector(".sd-stage[data-frames] >> nth=0")
    v.page.get_by_role("slider", name="Group size").first.press("ArrowRight")
    v.until("field", "G", 9)
    v.until_address("G=9&")
    v.until("batch", "G", 9)  # the regions below follow once the value has arrived
    v.until("tilt", "G", 9)
    assert v.sideways() <= 0
    assert v.problems == []
    assert not v.failed()


def test_every_control_is_in_the_link(visit: Visits) -> None:
    v = visit().open("/silence?v=1").drawn("dapo")
    v.page.get_by_label("Which problems").select_option("ends")
    v.until("field", "pool", "ends")
    v.until("dapo", "pool", "ends")
    for label, typed, part in (
        ("Train batch", "64", "train_batch=64"),
        ("Generation batch", "48", "generation_batch=48"),
        ("Generation cap", "3", "cap=3"),
    ):
        box = v.page.get_by_label(label, exact=True)
        box.fill(typed)
        box.press("Enter")
        v.until_address(part)
    for name, part in (("Tries in all", "m=5"), ("Mean pass rate", "mean=0.51"), ("Competence", "grow=0.1")):
        v.page.get_by_role("slider", name=name).press("ArrowRight")
        v.until_address(part)
    v.page.get_by_role("slider", name="Success probability").press("Home")
    v.until_address("p=0&")
    again = visit().open(v.page.url.removeprefix(v.address)).drawn("dapo")
    for chart in CHARTS:
        assert again.drawn(chart).shows(chart) == v.shows(chart)
    assert v.problems == again.problems == []


def test_exercise_opens_where_it_says(visit: Visits) -> None:
    v = visit(390).open("/silence?G=64&v=1").drawn("dapo")
    v.page.get_by_role("link", name="Start with the two ends at G = 8").click()
    v.until("field", "pool", "ends")
    v.until("field", "G", 8)
    v.until_address("pool=ends")
    assert "85.1%" in v.page.inner_text(".sd-answer >> nth=0")


def test_tap_on_the_rate_sets_p(visit: Visits) -> None:
    v = visit().open("/silence?v=1").drawn("silent")
    area = v.page.locator("[data-chart=silent] .nsewdrag").first.bounding_box()
    v.page.mouse.click(area["x"] + 0.26 * area["width"], area["y"] + area["height"] / 2)
    v.page.wait_for_function("!location.search.includes('p=0.5&')")
    assert 0.2 < v.shows("silent")["p"] < 0.3
