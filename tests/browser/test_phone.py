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
# Of the tour: under its words, above the edge of the screen, the chart and the control that it moves, neither over the other.
IN_SIGHT = """
() => {
  const box = (css) => document.querySelector(css).getBoundingClientRect();
  const words = box('.sd-welcome'), chart = box('[data-chart=group]'), control = box('.sd-pointed');
  const apart = control.top >= chart.bottom - 1 || control.left >= chart.right || control.right <= chart.left;
  return words.top >= -1 && chart.top >= words.bottom - 1 && chart.bottom <= innerHeight && apart
    && control.top >= words.bottom - 1 && control.bottom <= innerHeight + 1;
}
"""
CUT = """
() => [...document.querySelectorAll('.sd-chart')].flatMap((chart) => {
  const edge = chart.getBoundingClientRect();
  return [...chart.querySelectorAll('.xtitle, .ytitle, .x2title, .annotation-text')].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < edge.left - 1 || box.right > edge.right + 1
      || box.top < edge.top - 1 || box.bottom > edge.bottom + 1);
  }).map((text) => `${chart.dataset.chart}: ${text.textContent}`);
})
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


@pytest.mark.parametrize(("width", "height"), [*SIZES, (1280, 900), (1000, 700)])
def test_the_tour_keeps_chart_and_control_in_sight(visit: Visits, width: int, height: int) -> None:
    v = visit(width, reduced_motion="reduce", **({"has_touch": True, "is_mobile": True} if width < 600 else {}))
    v.page.set_viewport_size({"width": width, "height": height})
    v.open("/")
    v.page.get_by_role("button", name="Take the tour").click()
    steps = [{"k": 1}, {"k": 4}, {"k": 8}, {"k": 1, "alpha": 0.5}, {"G": 32, "k": 4, "alpha": 1}]
    for at, moved in enumerate(steps):
        for name, value in moved.items():
            v.until("group", name, value)
        v.page.wait_for_function(IN_SIGHT, arg=at)
        v.page.get_by_role("button", name="Done" if at == 4 else "Next", exact=True).click()
    assert v.page.locator(".sd-welcome").count() == 0
    v.page.reload()
    v.drawn("group")
    assert v.page.locator(".sd-welcome").count() == 0  # closed once, it does not come back
    v.page.get_by_role("button", name="Show me around").click()
    v.page.wait_for_selector(".sd-welcome >> text=1 of 5")
    assert v.page.get_by_role("button", name="Show me around").count() == 0
    v.page.keyboard.press("Escape")
    assert v.page.locator(".sd-welcome").count() == 0
    assert v.page.get_by_role("button", name="Show me around").is_visible()


def test_a_card_reads_from_the_left(visit: Visits) -> None:
    v = visit(390, has_touch=True, is_mobile=True).open("/for_a_class?part=sheet&v=1")
    v.page.get_by_role("button", name="Open all").click()
    v.page.wait_for_selector(".sd-cards tbody td")
    for cell in v.page.locator(".sd-cards tbody td:visible").all()[:6]:
        assert cell.evaluate("(n) => getComputedStyle(n).textAlign") in ("left", "start")


def test_a_programs_name_breaks_at_its_joints(visit: Visits) -> None:
    v = visit(360, has_touch=True, is_mobile=True).open("/frameworks?v=1")
    v.page.wait_for_selector(".sd-cards code", state="attached")
    name = v.page.locator("code", has_text="_").first
    assert "_" in name.text_content()
    assert name.locator("wbr").count()


@pytest.mark.parametrize("path", existing())
def test_no_title_of_an_axis_is_cut(visit: Visits, path: str) -> None:
    v = visit(360, has_touch=True, is_mobile=True).open(f"/{path}")
    v.page.wait_for_timeout(1200)
    assert v.page.evaluate(CUT) == []
