"""No barrier that axe-core finds, and all of a lesson by keyboard alone."""

from collections.abc import Callable
from typing import Any

import pytest

from stdial.web import lessons
from stdial.web.places import existing

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
Visits = Callable[..., Any]
STATES = [
    "/?lesson=one-right&guess=1&v=1",
    "/?title=Mine&ask=Why&guess=1&v=1",
    "/?lock=G,k&mode=marks&v=1",
    "/for_a_class?part=sheet&v=1",
    "/for_a_class?part=proof&v=1",
    "/for_a_class?slides=1&v=1",
]


def barriers(v: Any) -> list[str]:
    found = axe.Axe().run(v.page).response["violations"]
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [*(f"/{path}" for path in existing()), *STATES])
def test_no_barrier(visit: Visits, path: str, scheme: str) -> None:
    v = visit(1280, scheme).open(path)
    v.page.wait_for_timeout(800)
    for summary in v.page.locator(".sd-tools summary").all()[:1]:
        if summary.is_visible():
            summary.click()
    assert barriers(v) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier_in_the_dialog_and_on_a_phone(visit: Visits, scheme: str) -> None:
    v = visit(390, scheme).open("/difficulty?v=1")
    v.page.get_by_role("button", name="Table", exact=True).count()
    v.page.get_by_role("button", name="Share", exact=True).click()
    v.page.wait_for_selector(".sd-qr:not(.sd-stale) svg")
    assert barriers(v) == []


def focused(v: Any) -> str:
    return v.page.evaluate(
        "(() => { const a = document.activeElement; return (a.getAttribute('aria-label') || a.labels?.[0]?.textContent"
        " || a.textContent || '').trim(); })()"
    )


def tab_to(v: Any, wanted: str, most: int = 60) -> None:
    for _ in range(most):
        v.page.keyboard.press("Tab")
        if focused(v).startswith(wanted):
            return
    raise AssertionError(f"{wanted!r} is not reached by {most} tabs; last was {focused(v)!r}")


def test_a_lesson_by_keyboard_alone(visit: Visits) -> None:
    v = visit().open("/for_a_class")
    v.page.wait_for_selector(".sd-cards-list")
    tab_to(v, "Guess: 2.")
    v.page.keyboard.press("Enter")
    v.page.wait_for_selector(".sd-guess")
    v.drawn("pushes")
    tab_to(v, "It grows")
    v.page.keyboard.press("ArrowDown")
    v.page.keyboard.press("ArrowDown")
    tab_to(v, "Show the answer")
    v.page.keyboard.press("Enter")
    v.page.wait_for_selector(".sd-verdict")
    v.until_address("shift=5")
    assert "Yes: it is Nothing" in focused(v)  # the answer is where the reader is
    tab_to(v, f"Next: {lessons.lessons()[2].name}", 2)
    v.page.keyboard.press("Enter")
    v.until_address(f"lesson={lessons.lessons()[2].id}")
    v.drawn("group")
    tab_to(v, "More than ever")
    v.page.keyboard.press("Space")
    tab_to(v, "Show the answer")
    v.page.keyboard.press("Enter")
    v.until_address("k=8")
    tab_to(v, "Right answers")
    v.page.keyboard.press("ArrowLeft")
    v.until("group", "k", 7)


@pytest.mark.parametrize("path", ["/?G=8&k=1&v=1", "/for_a_class?part=proof&v=1"])
def test_the_focus_is_always_seen(visit: Visits, path: str) -> None:
    v = visit().open(path)
    for _ in range(45):
        v.page.keyboard.press("Tab")
        seen = v.page.evaluate(
            "(() => { const a = document.activeElement; if (a === document.body) return true;"
            " return [a, a.nextElementSibling].filter(Boolean).map((n) => getComputedStyle(n)).some("
            "(c) => (c.outlineStyle !== 'none' && parseFloat(c.outlineWidth) >= 2) || c.boxShadow !== 'none'); })()"
        )
        assert seen, v.page.evaluate("document.activeElement.outerHTML.slice(0, 200)")


def test_reduced_motion_stops_all_of_it(visit: Visits) -> None:
    v = visit(reduced_motion="reduce").open("/?G=8&k=1&v=1")
    moving = v.page.evaluate(
        "[...document.querySelectorAll('.sd-stage *')].filter((n) => getComputedStyle(n).animationName !== 'none'"
        " || getComputedStyle(n).transitionDuration.split(',').some((d) => parseFloat(d) > 0)).length"
    )
    assert moving == 0
