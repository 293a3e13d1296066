"""Lessons and the share dialog, as a class uses them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from stdial.web import lessons
from stdial.web.params import PARAMS

Visits = Callable[..., Any]
EVERY = lessons.lessons()


def path(lesson: lessons.Lesson, revealed: bool = False) -> str:
    return "/" + lessons.address(lesson, revealed=revealed).lstrip(".")


def states(v: Any) -> dict[str, Any]:
    """What each chart of the page shows."""
    nodes = v.page.locator("[data-chart][data-shows]").all()
    return {node.get_attribute("data-chart"): json.loads(node.get_attribute("data-shows")) for node in nodes}


@pytest.mark.parametrize("lesson", EVERY, ids=lambda lesson: lesson.id)
def test_guess_then_answer(visit: Visits, lesson: lessons.Lesson) -> None:
    v = visit().open(path(lesson))
    shown = next(iter(states(v).values()))
    assert {name: shown[name] for name in lesson.start if name in shown} == {
        name: value for name, value in lesson.start.items() if name in shown
    }
    assert v.page.locator(".sd-answer, .sd-readouts dd, .st-key-below, .st-key-foot").count() == 0
    assert v.page.locator("[data-chart]").count() == 1
    assert v.page.locator(".sd-control:not(.sd-locked)").count() == 0
    assert lessons.panel(lesson)["said"] not in v.page.inner_text(".sd-asked") or lesson.guess.kind == "choice"
    v.page.get_by_role("button", name="Show the answer").click()  # without a guess: asked for one
    assert v.page.locator(".sd-answer").count() == 0
    right = lessons.panel(lesson)["form"]
    if lesson.guess.kind == "choice":
        v.page.locator(".sd-guess .sd-segments label").nth(right["right"][0]).click()
    else:
        v.page.locator(".sd-guess .sd-entry").fill(f"{right['answer'] * (100 if right['percent'] else 1):.4g}")
    v.page.get_by_role("button", name="Show the answer").click()
    v.page.wait_for_selector(".sd-verdict")
    v.page.wait_for_selector(".sd-answer")
    assert "Yes: it is " in v.page.inner_text(".sd-verdict")
    assert lessons.panel(lesson)["said"] in v.page.inner_text(".sd-verdict")
    for name, value in lesson.reveal.items():
        v.until_address(f"{name}={value:g}" if not isinstance(value, str) else f"{name}={value}")
    assert "guess=1" in v.page.url  # whoever gets this address is asked the same
    opened = states(v)
    assert v.problems == []
    other = visit().open(path(lesson, revealed=True))
    other.page.wait_for_selector(".sd-verdict")
    same = states(other)
    assert same.keys() & opened.keys()
    assert {name: same[name] for name in same if name in opened} == {
        name: opened[name] for name in opened if name in same
    }
    v.page.goto(v.address + "/for_a_class")
    v.drawn("group")
    assert "You guessed" in v.page.inner_text(f".sd-cards-list li:nth-child({EVERY.index(lesson) + 1})")


@pytest.mark.parametrize(
    "query",
    [
        "G=8&k=4&lesson=nothing&guess=1&v=1",
        "G=2&k=2&lesson=one-right&guess=1&v=1",
        "lesson=one-right&guess=maybe&v=1",
        "mode=rewards&rewards=1,1,1&lesson=one-right&guess=1&v=1",
        "lesson=first-bias&guess=1&v=1",
        "lesson=%3Cimg%20src=x%3E&v=1",
        "lesson=one-right&guess=1&lock=k,G,alpha&hide=marks&v=1",
    ],
)
def test_a_link_edited_by_hand_breaks_nothing(visit: Visits, query: str) -> None:
    v = visit().open(f"/?{query}")
    assert v.page.locator("h1").inner_text() == "What does this group teach?"
    if v.page.locator(".sd-guess").count():
        v.page.locator(".sd-guess .sd-entry").fill("0.3")
        v.page.locator(".sd-guess .sd-go").click()
    v.page.wait_for_selector(".sd-answer")
    assert not v.failed()
    assert v.problems == []
    assert v.page.locator("img[src=x]").count() == 0


def test_tap_on_the_empty_chart(visit: Visits) -> None:
    lesson = lessons.find("half-silent")
    assert lesson is not None
    v = visit().open(path(lesson))
    v.drawn("silent")
    area = v.page.locator("[data-chart=silent] .nsewdrag").first.bounding_box()
    v.page.mouse.click(area["x"] + 0.3 * area["width"], area["y"] + 30)
    typed = float(v.page.locator(".sd-entry").input_value())
    assert 0.25 < typed < 0.35
    v.page.wait_for_selector("[data-chart=silent] >> text=your guess")
    assert v.shows("silent")["p"] == 0.5  # the tap is a guess, no move
    v.page.get_by_role("button", name="Show the answer").click()
    v.until("silent", "p", lesson.reveal["p"])
    assert f"You guessed {typed:g}. Not quite: it is 0.083" in v.page.inner_text(".sd-verdict")
    v.page.wait_for_selector("[data-chart=silent] >> text=your guess")


def test_share_round_trip(visit: Visits) -> None:
    v = visit().open("/difficulty?G=24&p=0.2&alpha=0.5&view=weight&v=1")
    v.page.get_by_role("button", name="Share", exact=True).click()
    dialog = v.page.get_by_role("dialog")
    dialog.get_by_label("Group size for the receiver").select_option("lock")
    dialog.get_by_label("Exponent for the receiver").select_option("hide")
    dialog.get_by_label("Hide the answer until a guess").check()
    dialog.get_by_label("Your title").fill("Week <b>3</b>")
    dialog.get_by_label("Your question").fill("Who gets most? $x$ [a](b) & more")
    url = dialog.locator(".sd-link").input_value()
    for part in ("lock=G", "hide=alpha", "guess=1", "Week+%3Cb%3E3", "G=24", "v=1"):
        assert part in url
    assert "embed=true" in dialog.locator("textarea[readonly]").input_value()
    assert "Week <b>3</b>" in dialog.locator(".sd-preview").inner_text()
    v.page.wait_for_selector(".sd-qr:not(.sd-stale) svg path")
    v.page.keyboard.press("Escape")
    assert v.page.evaluate("document.activeElement.textContent") == "Share"

    other = visit().open(url.removeprefix(v.address))
    other.until("difficulty", "G", 24)
    assert other.shows("difficulty") == v.shows("difficulty")
    assert other.page.locator(".sd-asked-title").inner_text() == "Week <b>3</b>"
    assert other.page.locator(".sd-asked-words").inner_text() == "Who gets most? $x$ [a](b) & more"
    assert other.page.locator(".sd-answer, .st-key-below").count() == 0
    assert other.page.locator("[data-control=alpha]").count() == 0
    assert other.page.get_by_role("slider", name="Group size").is_disabled()
    other.page.get_by_label("Your guess").fill("the hard ones")
    other.page.keyboard.press("Enter")
    other.page.wait_for_selector(".sd-answer")
    assert "You guessed the hard ones." in other.page.inner_text(".sd-verdict")
    other.page.wait_for_selector(".st-key-below")
    assert "guess=1" in other.page.url
    assert other.problems == []


def test_a_guess_is_asked_once_in_a_tab_and_again_elsewhere(visit: Visits) -> None:
    v = visit().open("/?G=8&k=3&guess=1&ask=How+large?&v=1")
    v.page.locator(".sd-entry").fill("0.4")
    v.page.keyboard.press("Enter")
    v.page.wait_for_selector(".sd-answer")
    v.page.wait_for_selector("[data-chart=pushes][data-drawn]")
    v.page.get_by_role("slider", name="Right answers").press("ArrowRight")
    v.until_address("k=4")
    assert "guess=1" in v.page.url
    copied = v.page.url
    v.page.reload()
    v.page.wait_for_selector(".sd-verdict >> text=You guessed 0.4.")
    v.page.wait_for_selector("[data-chart=pushes][data-drawn]")
    assert v.page.locator(".sd-guess").count() == 0
    v.page.get_by_role("link", name="Difficulty", exact=True).click()
    v.drawn("difficulty")
    assert "guess" not in v.page.url
    v.page.go_back()
    v.page.wait_for_selector(".sd-verdict >> text=You guessed 0.4.")
    other = visit().open(copied.removeprefix(v.address))
    assert other.shows("group")["k"] == 4
    assert other.page.locator(".sd-guess").count() == 1
    assert other.page.locator(".sd-answer").count() == 0
    assert v.problems == other.problems == []


def test_a_copied_answer_asks_the_question_where_it_starts(visit: Visits) -> None:
    lesson = lessons.find("one-right")
    assert lesson is not None
    v = visit().open(path(lesson))
    v.page.locator(".sd-entry").fill("0.3")
    v.page.locator(".sd-go").click()
    v.until_address("k=1")
    v.page.get_by_role("slider", name="Right answers").press("ArrowRight")
    v.until_address("k=2")
    other = visit().open(v.page.url.removeprefix(v.address))
    other.until("group", "k", lesson.start["k"])
    assert other.page.locator(".sd-guess").count() == 1
    v.page.reload()
    v.page.wait_for_selector(".sd-verdict >> text=You guessed 0.3.")
    v.until("group", "k", 2)  # where its reader was


@pytest.mark.parametrize(
    "place", ["", "difficulty", "silence", "tries", "big_math", "training_run", "frameworks", "your_data"]
)
def test_nothing_seen_gives_the_answer_away_before_a_guess(visit: Visits, place: str) -> None:
    v = visit().open(f"/{place}?guess=1&v=1")
    v.page.wait_for_timeout(500)
    assert v.page.locator(".sd-answer, .sd-readouts dd, .sd-table, .st-key-below, .st-key-foot").count() == 0
    assert v.page.locator(".sd-tools:visible").count() == 0
    for chart in v.page.locator("[data-chart]").all():
        assert not any(c.isdigit() for c in chart.get_attribute("aria-label"))
        assert chart.locator(".trace:visible, .annotation:not(:has-text('Shown after your guess'))").count() == 0
        assert set(json.loads(chart.get_attribute("data-shows"))) <= set(PARAMS)


def test_the_preview_says_what_matters_and_what_is_true(visit: Visits) -> None:
    v = visit().open("/?G=8&k=3&v=1")
    v.page.get_by_role("button", name="Share", exact=True).click()
    dialog = v.page.get_by_role("dialog")
    preview = dialog.locator(".sd-preview")
    assert "Right answers 3" in preview.inner_text()
    assert "Group size 8" in preview.inner_text()
    assert "Rewards, typed" not in preview.inner_text()  # nothing on this page shows them
    assert "The answer is there at once." in preview.inner_text()
    dialog.get_by_label("Hide the answer until a guess").check()
    assert "at most empty axes" in preview.inner_text()
    v.page.keyboard.press("Escape")
    v.page.goto(v.address + "/?mode=rewards&rewards=1,2,3&v=1")
    v.drawn("group")
    v.page.get_by_role("button", name="Share", exact=True).click()
    assert "Rewards, typed 1,2,3" in preview.inner_text()


def test_what_is_not_ticked_opens_at_its_default(visit: Visits) -> None:
    v = visit().open("/difficulty?G=24&p=0.2&view=weight&v=1")
    v.page.get_by_role("button", name="Share", exact=True).click()
    dialog = v.page.get_by_role("dialog")
    dialog.get_by_label("Success probability: 0.2").uncheck()
    url = dialog.locator(".sd-link").input_value()
    other = visit().open(url.removeprefix(v.address))
    other.until("difficulty", "G", 24)
    assert other.shows("difficulty")["p"] == 0.5


def test_a_senders_choices_stay_on_their_page(visit: Visits) -> None:
    v = visit().open("/?G=8&k=3&title=Mine&ask=Why&lock=G&v=1")
    v.page.get_by_role("link", name="Difficulty", exact=True).click()
    v.drawn("difficulty")
    v.page.wait_for_timeout(300)
    assert v.page.locator(".sd-asked:visible").count() == 0
    assert "lock=" not in v.page.url
    v.page.go_back()
    v.drawn("group")
    v.page.wait_for_selector(".sd-asked-title >> text=Mine")


def test_slides_have_large_type(visit: Visits) -> None:
    size = "parseFloat(getComputedStyle(document.querySelector('.sd-answer')).fontSize)"
    v = visit().open("/for_a_class")
    small = v.page.evaluate(size)
    v.page.get_by_label("Large type, for a projector").check()
    v.until_address("slides=1")
    v.page.wait_for_function(f"{size} > {1.3 * small}")
    v.page.get_by_role("button", name="Next question").click()
    v.until_address(f"lesson={EVERY[1].id}")
    v.page.get_by_role("button", name="Next question").click()
    v.until_address(f"lesson={EVERY[2].id}")


def test_the_proof_line_by_line(visit: Visits) -> None:
    v = visit().open("/for_a_class?part=proof&k=3&G=8&line=1&v=1")
    assert v.page.locator(".katex-display").count() == 1
    for line in (2, 3):
        v.page.get_by_role("button", name="Next line").click()
        v.until_address(f"line={line}")
        v.page.wait_for_function(f"document.querySelectorAll('.katex-display').length === {line}")
    v.page.get_by_role("slider", name="Right answers").press("ArrowRight")
    v.until("group", "k", 4)
    v.page.wait_for_function("document.querySelector('.katex-display').textContent.includes('0.5000')")
