"""The address always says what is shown, and opens it again."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import served

Visits = Callable[..., Any]


def test_deep_link_is_the_first_request(visit: Visits) -> None:
    with served() as fresh:
        v = visit(where=fresh).open("/difficulty?G=24&v=1")
        v.until("difficulty", "G", 24)
        v.page.get_by_role("link", name="One group", exact=True).click()
        v.drawn("group")
        v.until_address("G=24")
        v.page.go_back()
        v.until("difficulty", "G", 24)
        v.page.go_forward()
        v.until("group", "G", 24)
        v.page.reload()
        v.drawn("group").until("group", "G", 24)


def test_a_move_adds_no_history_and_keeps_the_node_and_the_zoom(visit: Visits) -> None:
    v = visit().open("/difficulty?G=24&v=1")
    before = v.page.evaluate("history.length")
    v.page.evaluate(
        "(async () => { const n = document.querySelector('[data-chart=difficulty]'); n.dataset.mine = 'same';"
        " await Plotly.relayout(n, {'xaxis.range': [0.1, 0.3]}); })()"
    )
    v.page.get_by_role("slider", name="Group size").press("ArrowRight")
    v.until("difficulty", "G", 25)
    v.until_address("G=25")
    assert v.page.get_attribute("[data-chart=difficulty]", "data-mine") == "same"
    zoom = v.page.evaluate("document.querySelector('[data-chart=difficulty]')._fullLayout.xaxis.range")
    assert zoom == pytest.approx([0.1, 0.3])
    assert v.page.evaluate("history.length") == before


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("G=abc", "G in the link must be a whole number from 2 to 1024"),
        ("p=7", "p in the link must be a number from 0 to 1"),
        ("G=1", "G in the link must be a whole number from 2 to 1024"),
        ("G=7.5", "G in the link must be a whole number"),
        ("G=8&G=9", "G stands in the link 2 times"),
        ("colour=red", "colour"),
        ("colour=<img src=x onerror=alert(1)>", "is not a parameter"),
        ("view=[a](javascript:alert(1))", "view in the link must be one of"),
    ],
)
def test_bad_values_fall_back_with_a_note(visit: Visits, query: str, named: str) -> None:
    v = visit().open(f"/difficulty?{query}")
    v.until("difficulty", "G", 8)
    assert named in v.page.inner_text("[role=status].sd-notes")
    assert not v.failed()
    assert v.problems == []
    assert v.page.locator("img[src=x]").count() == 0


def test_full_precision_survives(visit: Visits) -> None:
    v = visit().open("/difficulty?p=0.1234567890123&v=1")
    v.until("difficulty", "p", 0.1234567890123)
    v.until_address("p=0.1234567890123")


def test_embedded_page_has_no_chrome(visit: Visits) -> None:
    v = visit().open("/difficulty?G=12&embed=true&v=1")
    v.until("difficulty", "G", 12)
    assert "embed=true" in v.page.url
    assert v.page.locator("[data-testid=stPageLink]").count() == 0
    v.page.get_by_role("slider", name="Group size").press("ArrowRight")
    v.until_address("G=13")
    assert "embed=true" in v.page.url


def test_the_same_exercise_link_works_twice(visit: Visits) -> None:
    v = visit().open("/difficulty?G=30&v=1")
    start = v.page.get_by_role("link", name="Start at G = 2")
    for _ in range(2):
        start.click()
        v.until("difficulty", "G", 2)
        v.until_address("G=2&")
        v.page.get_by_role("slider", name="Group size").press("End")
        v.until_address("G=1024")
