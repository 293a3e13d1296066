"""On a phone: answer, one chart and the main control in the first screen, and everything large enough for a finger."""

from collections.abc import Callable
from typing import Any

import pytest

from stdial.web.places import existing

Visits = Callable[..., Any]
TARGETS = ", ".join(
    [
        *(
            f".sd-stage {kind}"
            for kind in ("button", "select", "textarea", "summary", "label.sd-check", ".sd-segments label")
        ),
        *(".sd-stage .sd-track", ".sd-stage input.sd-value", ".sd-links a", ".st-key-nav a"),
        ".st-key-below [data-testid=stPageLink] a",
    ]
)
SMALL = """
(targets) => [...document.querySelectorAll(targets)]
  .filter((n) => n.checkVisibility({ visibilityProperty: true }) && n.getBoundingClientRect().width > 1)
  .filter((n) => n.getBoundingClientRect().height < 43.5)
  .map((n) => `${n.className} ${n.textContent.trim().slice(0, 30)} ${Math.round(n.getBoundingClientRect().height)}`)
"""
# What a phone shows under the address bar; 360 is a small one.
SIZES = [(390, 844), (360, 740)]


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("path", existing())
def test_first_screen_and_fingers(visit: Visits, path: str, width: int, height: int) -> None:
    v = visit(width, has_touch=True, is_mobile=True)
    v.page.add_init_script("localStorage.setItem('stdial-tour', 'closed')")
    v.page.set_viewport_size({"width": width, "height": height})
    v.open(f"/{path}")
    v.page.wait_for_timeout(500)
    assert v.sideways() <= 0
    box = v.page.locator(".sd-answer").first.bounding_box()
    assert box["y"] + box["height"] < height
    chart = v.page.locator("[data-chart]").first.bounding_box()
    assert chart["y"] + 0.6 * chart["height"] < height, "the chart is not in the first screen"
    control = v.page.locator(".sd-primary .sd-control").first
    assert control.count(), "no control is marked as the main one"
    where = control.bounding_box()
    assert where["y"] + where["height"] <= height + 1, "the main control is not under the thumb"
    assert v.page.evaluate(SMALL, TARGETS) == []


@pytest.mark.parametrize("path", existing())
def test_a_first_visit_fits(visit: Visits, path: str) -> None:
    v = visit(390, has_touch=True, is_mobile=True).open(f"/{path}")
    assert v.page.locator(".sd-welcome").count() == int(path == "")
    where = v.page.locator(".sd-primary .sd-control").first.bounding_box()
    assert where["y"] + where["height"] <= 845


def test_values_without_hovering(visit: Visits) -> None:
    v = visit(390, has_touch=True, is_mobile=True).open("/?G=8&k=1&v=1")
    v.page.locator("summary").first.click()
    v.page.get_by_role("button", name="Table", exact=True).first.click()
    v.page.wait_for_selector(".sd-data table")
    assert "0.3307" in v.page.inner_text(".sd-data tbody")
