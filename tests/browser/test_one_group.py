"""Tapping answers, sliding k, typing rewards."""

from collections.abc import Callable
from typing import Any

Visits = Callable[..., Any]


def test_tap_and_slide(visit: Visits) -> None:
    v = visit(390).open("/?G=8&k=1&v=1")
    v.page.get_by_role("button", name="Answer 3 is wrong").click()
    v.until("group", "k", 2)
    v.until_address("marks=10100000")
    v.page.get_by_role("slider", name="Right answers").press("End")
    v.until("group", "k", 8)
    assert "silent" in v.page.inner_text(".sd-answer")
    v.page.get_by_role("slider", name="Group size").fill("300")
    v.until("group", "G", 300)
    v.until_address("G=300")
    assert "marks=" not in v.page.url


def test_typed_rewards_and_a_bad_one(visit: Visits) -> None:
    v = visit().open("/?mode=rewards&v=1")
    box = v.page.get_by_label("Rewards, typed")
    box.fill("0, 0.25, 1")
    box.press("Enter")
    v.until("group", "G", 3)
    box.fill("0, one, 1")
    box.press("Enter")
    v.page.wait_for_selector("text=rewards must be 2 to 64 numbers")
    v.until("group", "G", 3)


def test_tap_on_the_chart_sets_k(visit: Visits) -> None:
    v = visit().open("/?G=8&k=1&v=1")
    area = v.page.locator("[data-chart=group] .nsewdrag").bounding_box()
    v.page.mouse.click(area["x"] + area["width"] / 2, area["y"] + 40)
    v.until("group", "k", 4)


def test_saves_and_data_table(visit: Visits) -> None:
    v = visit().open("/?G=8&k=1&v=1")
    v.page.locator("summary").first.click()
    for kind in ("PNG", "SVG", "CSV"):
        with v.page.expect_download() as got:
            v.page.get_by_role("button", name=kind, exact=True).first.click()
        assert got.value.suggested_filename == f"stdial-group.{kind.lower()}"
        if kind == "CSV":
            assert "0.330718913883073" in got.value.path().read_text()
    v.page.get_by_role("button", name="Table", exact=True).first.click()
    v.page.wait_for_selector(".sd-data table")
    assert v.page.locator(".sd-data tbody tr").count() == 9
