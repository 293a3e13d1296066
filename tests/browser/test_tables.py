"""Wide and long tables: where they go on is said and shown, the first column stays, and keys scroll them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.test_accessibility import barriers
from tests.browser.test_your_data import HOSTILE

Visits = Callable[..., Any]


def test_wide_table_says_that_it_goes_on_and_scrolls_by_keys(visit: Visits) -> None:
    v = visit(1280).open("/frameworks?v=1")
    region = v.page.get_by_role("region", name="All frameworks side by side")
    frame = v.page.locator(".sd-frame", has=region)
    assert "Scroll for more columns and rows" in frame.inner_text()
    assert frame.get_attribute("class").split() == ["sd-frame", "sd-over", "sd-to-right", "sd-to-bottom"]
    first = frame.locator("tbody th").first
    corner, at = frame.locator("thead th").first, first.bounding_box()["x"]
    region.focus()
    for _ in range(12):
        region.press("ArrowRight")
    v.page.wait_for_function("document.querySelector('.sd-over .sd-scroll').scrollLeft > 200")
    assert "sd-from-left" in frame.get_attribute("class")
    assert first.bounding_box()["x"] == at  # the framework's name stays
    region.press("End")
    v.page.wait_for_function("document.querySelector('.sd-over .sd-scroll').scrollTop > 200")
    assert corner.bounding_box()["y"] >= region.bounding_box()["y"] - 1
    region.evaluate("node => node.scrollTo(1e6, 1e6)")
    v.page.wait_for_function("document.querySelector('.sd-over').className === 'sd-frame sd-over sd-from-left'")
    assert v.sideways() <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tables_of_a_phone(visit: Visits, scheme: str) -> None:
    v = visit(390, scheme).open("/frameworks?G=64&v=1")
    v.page.locator(".sd-fold").first.click()
    v.page.locator(".sd-tools summary").first.click()
    v.page.get_by_role("button", name="Table", exact=True).first.click()
    frame = v.page.locator(".sd-data .sd-frame")
    frame.get_by_text("Scroll for more columns and rows").wait_for()
    first = frame.locator("tbody th").first
    at = first.bounding_box()
    frame.locator(".sd-scroll[role=region]").evaluate("node => node.scrollTo(150, 0)")
    v.page.wait_for_selector(".sd-data .sd-from-left")
    assert first.bounding_box() == at
    assert at["width"] <= 0.45 * 390
    assert barriers(v) == []
    assert v.sideways() <= 0


def test_a_first_column_that_is_narrowed_until_it_fits_does_not_flicker(visit: Visits) -> None:
    """On a phone the first column of a wide table is made narrower; a table that then fits must not become wide again."""
    v = visit(390).open("/your_data?v=1").drawn("problems")
    lines = "".join(f'"{HOSTILE} {i // 4}",{i % 3 % 2},"=1+{i // 4 % 4}{HOSTILE}"\n' for i in range(80))
    file = {"name": "x.csv", "mimeType": "text/csv", "buffer": f'id,correct,"{HOSTILE}"\n{lines}'.encode()}
    v.page.set_input_files("input[type=file]", [file])
    v.until("rates", "problems", 20)
    details = v.page.locator("details", has_text="How the file is read").first
    if details.get_attribute("open") is None:
        details.locator("summary").first.click()
    v.page.wait_for_timeout(1000)
    heights = v.page.evaluate(
        """async () => {
          const [seen, main] = [[], document.querySelector('[data-testid=stMain]')];
          for (let i = 0; i < 20; i++) {
            await new Promise(requestAnimationFrame);
            seen.push(main.scrollHeight);
          }
          return [...new Set(seen)];
        }"""
    )
    assert len(heights) == 1
