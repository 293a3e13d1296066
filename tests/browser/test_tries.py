"""How many tries in a browser: scrubbing p, the plan's controls, its file, the exercise, and the address."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest

from stdial import bigmath, tries

Visits = Callable[..., Any]
CHARTS = ("sizes", "mixed", "price", "sides", "plan", "bought")


@pytest.mark.parametrize("width", [1280, 390])
def test_draws_all_regions_and_scrubs(visit: Visits, width: int) -> None:
    v = visit(width).open("/tries?p=0.05&v=1")
    for chart in CHARTS:
        v.drawn(chart)
    answer = v.page.inner_text(".sd-answer >> nth=0")
    assert "42" in answer
    assert "27" in answer
    v.page.wait_for_selector(".sd-stage[data-frames] >> nth=0")
    v.page.get_by_role("slider", name="Success probability").press("ArrowRight")
    v.until("sizes", "p", 0.06)
    v.until_address("p=0.06")
    v.until("price", "p", 0.06)
    assert v.sideways() <= 0
    assert v.problems == []
    assert not v.failed()


def test_every_control_is_in_the_link(visit: Visits) -> None:
    v = visit().open("/tries?v=1").drawn("bought")
    v.page.get_by_label("Which problems").select_option("hard")
    v.until("plan", "pool", "hard")
    v.page.get_by_role("radio", name="Expected update").check()
    v.until("plan", "goal", "update")
    v.page.get_by_role("radio", name="Dr. GRPO").check()
    v.until_address("method=dr-grpo")
    for label, typed, part in (
        ("Smallest size", "4", "smallest=4"),
        ("Largest size", "32", "largest=32"),
        ("Multiples of", "2", "multiple=2"),
        ("Rollouts to spend", "100", "spend=100"),
    ):
        box = v.page.get_by_label(label, exact=True)
        box.fill(typed)
        box.press("Enter")
        v.until_address(part)
    v.page.get_by_label("Powers of two only").check()
    v.until_address("powers=1")
    v.page.get_by_role("slider", name="Rollouts a problem").press("ArrowRight")
    v.until_address("per_problem=8.5")
    v.page.get_by_role("radio", name="In all").check()
    v.until_address("budget_in=total")
    box = v.page.get_by_label("Rollouts in all", exact=True)
    box.fill("5000")
    box.press("Enter")
    v.until_address("budget=5000")
    for name, part in (("Update that may be lost", "loss=0.105"), ("Chance of a silent group", "miss=0.101")):
        v.page.get_by_role("slider", name=name).press("ArrowRight")
        v.until_address(part)
    again = visit().open(v.page.url.removeprefix(v.address)).drawn("bought")
    for chart in CHARTS:
        assert again.drawn(chart).shows(chart) == v.shows(chart)
    assert again.page.inner_text("table >> nth=0") == v.page.inner_text("table >> nth=0")
    assert v.problems == again.problems == []


def test_the_file_of_sizes(visit: Visits) -> None:
    v = visit(390).open("/tries?per_problem=4&v=1").drawn("bought")
    with v.page.expect_download() as got:
        v.page.get_by_role("button", name="Download the sizes").click()
    assert got.value.suggested_filename == "stdial-plan.csv"
    rows = list(csv.DictReader(io.StringIO(got.value.path().read_text())))
    best = tries.plan(bigmath.load(), 4 * 215_608)
    assert sum(int(row["size"]) * int(row["problems"]) for row in rows) == best.rollouts
    v.until_address("per_problem=4")
    assert v.shows("plan") == {"G": 8, "pool": "bigmath", "goal": "mixed"}


def test_exercise_opens_where_it_says(visit: Visits) -> None:
    v = visit().open("/tries?p=0.7&G=30&v=1").drawn("bought")
    v.page.get_by_role("link", name="Start at p = .05 and G = 2").click()
    v.until("sides", "G", 2)
    v.until("sides", "p", 0.05)
    v.until_address("p=0.05")
    assert "24.3" in v.text()


def test_an_answer_leaves_alone_what_is_being_typed(visit: Visits) -> None:
    v = visit().open("/tries?v=1").drawn("bought")
    box = v.page.get_by_label("Multiples of", exact=True)
    box.fill("2")
    v.page.evaluate(
        "document.querySelector('[data-control=goal] input:not(:checked)').click()"
    )  # the caret stays in the box
    v.until("plan", "goal", "update")
    assert box.input_value() == "2"
    box.press("Enter")
    v.until_address("multiple=2")
