"""A file lives in the memory of one server: whoever had one is told when another server takes over, and nobody else is."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.conftest import started
from tests.browser.relay import Relay, relayed

Visits = Callable[..., Any]
ROWS = "problem,right,tries\n" + "".join(f"q{i},{i % 9},8\n" for i in range(17))
NOTICE = "The server was replaced by another"


@pytest.fixture
def replaced(address: str) -> Iterator[tuple[Relay, Callable[[], None]]]:
    """A wire to a server, and what kills that server and puts another in its place."""
    with started() as (first, process), relayed(first) as wire:

        def replace() -> None:
            process.kill()
            process.wait()
            wire.target = address

        yield wire, replace


def _uploaded(v: Any) -> None:
    box = v.page.locator("[data-testid=stFileUploaderDropzoneInput]").first
    box.set_input_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": ROWS.encode()})
    v.page.wait_for_function("() => /\\b17 problems\\b/.test(document.body.innerText)")


def test_told_on_your_data(visit: Visits, replaced: tuple[Relay, Callable[[], None]]) -> None:
    wire, replace = replaced
    v = visit(where=wire.address).open("/your_data?G=9&v=1")
    _uploaded(v)
    replace()
    v.page.get_by_text(NOTICE).wait_for(timeout=60_000)
    assert "invented sample" in v.text()
    v.page.get_by_text("mine.csv").first.wait_for(state="detached")  # the new server never had it
    v.page.get_by_role("slider", name="Group size").first.press("ArrowRight")
    v.until_address("G=10&")
    assert v.page.get_by_text(NOTICE).count() == 1
    _uploaded(v)  # chosen again
    v.page.get_by_text(NOTICE).wait_for(state="detached")
    assert not v.failed()
    assert v.problems == []


@pytest.mark.parametrize("moves", [False, True])
def test_told_on_another_page(visit: Visits, replaced: tuple[Relay, Callable[[], None]], moves: bool) -> None:
    wire, replace = replaced
    v = visit(where=wire.address).open("/your_data?G=9&v=1")
    _uploaded(v)
    v.page.get_by_role("link", name="Silence").first.click()
    v.drawn("field").until("field", "G", 9)
    replace()
    if moves:
        v.page.get_by_role("slider", name="Group size").first.press("ArrowRight")
    v.page.get_by_text(NOTICE).wait_for(timeout=60_000)
    v.until("field", "G", 10 if moves else 9)
    v.page.get_by_role("link", name="Your data").first.click()
    v.page.wait_for_selector("text=invented sample")
    v.page.get_by_text(NOTICE).wait_for()
    assert not v.failed()


def test_told_where_the_server_went_before_any_part_ran_by_itself(
    visit: Visits, replaced: tuple[Relay, Callable[[], None]]
) -> None:
    """Streamlit then asks for no run at all, so the page is opened anew, and the note comes with it."""
    wire, replace = replaced
    v = visit(where=wire.address).open("/your_data?G=9&v=1")
    _uploaded(v)
    v.page.get_by_role("link", name="Silence").first.click()
    v.page.wait_for_function("location.pathname.includes('silence')")
    v.page.wait_for_selector("[data-chart=field][data-drawn]")
    replace()
    v.page.get_by_text(NOTICE).wait_for(timeout=60_000)
    v.drawn("field").until("field", "G", 9)
    assert not v.failed()


def test_sample_is_not_lost(visit: Visits, replaced: tuple[Relay, Callable[[], None]]) -> None:
    wire, replace = replaced
    v = visit(where=wire.address).open("/your_data?G=9&v=1")
    v.page.wait_for_selector("text=invented sample")
    replace()
    v.page.get_by_role("slider", name="Group size").first.press("ArrowRight")
    v.page.wait_for_function("location.search.includes('G=10&')", timeout=60_000)
    assert v.page.get_by_text(NOTICE).count() == 0
    v.page.get_by_role("link", name="Silence").first.click()
    v.drawn("field").until("field", "G", 10)
    assert v.page.get_by_text(NOTICE).count() == 0
