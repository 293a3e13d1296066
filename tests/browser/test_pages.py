"""Every page draws, at both widths and in both themes, and keeps its promises."""

from collections.abc import Callable
from typing import Any

import pytest

from stdial.web.places import existing

PATHS = existing()
EVERY = [pytest.param(path, id=path or "one_group") for path in PATHS]


@pytest.mark.parametrize("path", EVERY)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_page_draws(visit: Callable[..., Any], path: str, width: int, scheme: str) -> None:
    v = visit(width, scheme).open(f"/{path}")
    v.page.wait_for_timeout(300)
    assert v.problems == []
    assert not v.failed()
    assert v.sideways() <= 0
    assert v.page.locator("h1").count() == 1
    for chart in v.page.locator("[data-chart]").all():
        assert len(chart.get_attribute("aria-label")) > 20
        assert chart.get_attribute("data-shows") is not None


@pytest.mark.parametrize("path", EVERY)
@pytest.mark.parametrize("G", [2, 1024])
def test_page_draws_at_its_ends(visit: Callable[..., Any], path: str, G: int) -> None:
    v = visit().open(f"/{path}?G={G}&p=0&alpha=0&k=0&v=1")
    assert v.problems == []
    assert not v.failed()


@pytest.mark.parametrize("path", EVERY)
def test_every_chart_says_the_group_size(visit: Callable[..., Any], path: str) -> None:
    v = visit().open(f"/{path}?G=12&v=1")
    v.page.wait_for_function("[...document.querySelectorAll('[data-chart]')].every((node) => node.dataset.shows)")
    for chart in v.page.locator("[data-chart]").all():
        assert '"G":' in chart.get_attribute("data-shows")


def test_the_page_of_now_is_marked_and_in_sight_on_a_phone(visit: Callable[..., Any]) -> None:
    v = visit(390).open(f"/{PATHS[-1]}")
    here = v.page.locator(".st-key-nav a[aria-current=page]")
    assert here.count() == 1
    v.page.wait_for_function(
        "document.querySelector('.st-key-nav a[aria-current=page]').getBoundingClientRect().right <= innerWidth"
    )
