"""Time is played, stepped and scrubbed in the browser."""

from collections.abc import Callable
from typing import Any

import pytest

Visits = Callable[..., Any]


@pytest.mark.parametrize("width", [1280, 390])
def test_play_pause_step(visit: Visits, width: int) -> None:
    v = visit(width).open("/training_run?t=0&v=1")
    v.until("hardest", "t", 0)
    v.page.wait_for_selector("[data-frames]")
    v.page.get_by_role("button", name="One step forward").click()
    v.until("hardest", "t", 1)
    v.until_address("t=1&")
    v.page.get_by_role("button", name="Play").click()
    v.page.wait_for_function("JSON.parse(document.querySelector('[data-chart=hardest]').dataset.shows).t > 8")
    v.page.get_by_role("button", name="Pause").click()
    v.page.wait_for_function("!location.search.includes('t=1&')")
    now = v.shows("hardest")["t"]
    assert f"t={now}&" in v.page.url
    v.page.get_by_role("slider", name="Step", exact=True).press("End")
    v.until("hardest", "t", 150)
    assert "150 steps" in v.page.inner_text(".sd-answer")
    assert v.problems == []


def test_equal_rollouts(visit: Visits) -> None:
    v = visit().open("/training_run?v=1")
    v.page.get_by_role("radio", name="Rollouts", exact=True).check()
    v.until_address("against=rollouts")
    v.page.get_by_role("combobox", name="Recorded run").select_option("1")
    v.until_address("recorded=1")
    assert v.problems == []


def test_a_long_computation_follows_its_move(visit: Visits) -> None:
    """Other controls answer while a run is computed, the region says so meanwhile, and the newest settings win."""
    one = visit().open("/training_run?steps=400&seed=77&v=1")
    page = one.page
    busy = "document.querySelector('.sd-stage').getAttribute('aria-busy')"
    page.evaluate(
        f"window.seen = new Set(); new MutationObserver(() => seen.add({busy})).observe("
        "document.querySelector('.sd-stage'), { attributes: true })"
    )
    rate = page.get_by_label("Learning rate").first
    rate.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.get_by_role("radio", name="Rollouts", exact=True).check()
    one.until("hardest", "lr", 0.65)
    page.wait_for_function(f"{busy} === 'false'")
    assert page.evaluate("seen.has('true')")
    assert page.get_by_label("Learning rate").first.input_value() == "0.65"
    assert "lr=0.65" in page.url
    assert "against=rollouts" in page.url
    assert one.problems == []


def test_data_asked_for_while_it_is_computed_comes_with_it(visit: Visits) -> None:
    one = visit().open("/training_run?steps=400&seed=78&v=1")
    page = one.page
    rate = page.get_by_label("Learning rate").first
    rate.focus()
    page.locator("summary", has_text="Save, data").first.click()
    rate.press("ArrowRight")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV", exact=True).first.click()
    text = waiting.value.path().read_text()
    assert text.count("\n") > 400
    one.until("hardest", "lr", 0.55)
    assert one.problems == []
