"""Your data in a real browser: files dropped, questions answered, columns changed, downloads, and nothing that leaks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stdial.reading import read
from stdial.sample import sample

CASES = Path(__file__).parents[1] / "cases"
BOTH = pytest.mark.parametrize("width", [1280, 390])
Visits = Callable[..., Any]
HOSTILE = "<b>h</b> [x](http://evil.example) $y$ :red[z] `c`"


def opened(visit: Visits, width: int = 1280, query: str = "", scheme: str = "light") -> Any:
    v = visit(width, scheme).open(f"/your_data{query}")
    return v.drawn("problems")


def drop(v: Any, *files: Any) -> None:
    v.page.set_input_files("input[type=file]", list(files))


def payload(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


def downloaded(v: Any, label: str) -> str:
    with v.page.expect_download() as waiting:
        v.page.get_by_role("button", name=label).click()
    return Path(waiting.value.path()).read_text()


def unfold(v: Any) -> None:
    """Opens how the file is read, if it is closed."""
    details = v.page.locator("details", has_text="How the file is read").first
    details.wait_for()
    if details.get_attribute("open") is None:
        details.locator("summary").first.click()
    v.page.wait_for_function(
        "[...document.querySelectorAll('details')].some(d => d.open && d.innerText.includes('Column'))"
    )


def options_of(v: Any, label: str) -> Any:
    """Opens a menu of Streamlit's; its options. Its code is loaded when it is first shown, so a key may come too early."""
    menu = v.page.get_by_role("combobox", name=label, exact=True)
    options = v.page.locator("[role=listbox] [role=option]")
    for _ in range(20):
        menu.click()
        v.page.wait_for_timeout(400)
        if options.count():
            break
    return options


def fine(v: Any) -> None:
    assert v.problems == []
    boxes = v.page.locator("[data-testid=stException], [data-testid=stAlertContentError]").all_inner_texts()
    assert boxes == []
    assert v.page.get_by_role("heading", name="Something is wrong").count() == 0
    assert v.sideways() <= 0


@BOTH
def test_sample_and_its_controls(visit: Visits, width: int) -> None:
    v = opened(visit, width)
    pool = sample().pool
    assert v.shows("silent")["best"] == round(pool.silent_rate(8), 4)
    v.page.wait_for_selector("[data-frames]")
    v.page.get_by_role("slider", name="Group size").press("ArrowRight")
    v.until("silent", "G", 9)
    v.until_address("G=9")
    v.until("mass", "G", 9)
    low = v.page.get_by_role("slider", name="Keep rates from, from")
    low.press("End")
    low.press("Home")
    v.until_address("keep_from=0&")
    v.until("band", "keep_from", 0)
    fine(v)


@BOTH
def test_upload_and_back(visit: Visits, width: int) -> None:
    v = opened(visit, width)
    drop(v, CASES / "counts.csv")
    v.until("rates", "problems", 24)
    assert "33%" in v.page.inner_text(".sd-answer >> nth=0")
    assert "not in the link" in v.text()
    assert "counts" not in v.page.url
    fine(v)
    v.page.get_by_role("button", name="Forget the files").click()
    v.until("rates", "problems", 200)
    fine(v)


@BOTH
def test_question_change_and_undo(visit: Visits, width: int) -> None:
    v = opened(visit, width)
    drop(v, CASES / "two_steps.csv")
    v.page.locator(".st-key-foot").wait_for(state="hidden")
    v.page.get_by_role("button", name="step 200", exact=True).click()
    v.until("rates", "problems", 24)
    v.page.get_by_role("button", name="Full table (CSV)").wait_for()
    for name in ("Live problems (CSV)", "Before and after (CSV)"):
        v.page.get_by_role("button", name=name).wait_for(state="hidden")
    found = read(CASES / "two_steps.csv", at_step="200").pool
    assert v.shows("silent")["best"] == round(found.silent_rate(8), 4)
    unfold(v)
    options_of(v, "Step to read").filter(has_text="each step its own problems").click()
    v.until("rates", "problems", 48)
    unfold(v)
    v.page.get_by_role("button", name="Undo the last change").press("Enter")
    v.until("rates", "problems", 24)
    fine(v)


@BOTH
def test_refusal(visit: Visits, width: int) -> None:
    v = opened(visit, width)
    drop(v, CASES / "out_of_range.csv")
    v.page.get_by_role("heading", name="This file was not read").wait_for()
    text = v.text()
    assert "row 2" in text
    assert "1.3" in text
    fine(v)


def test_training_log_is_drawn(visit: Visits) -> None:
    v = opened(visit, scheme="dark")
    drop(v, CASES / "step_log.csv")
    v.drawn("steps")
    assert v.shows("steps")["last"] == {"frac_reward_zero_std": 0.31}
    fine(v)


@BOTH
def test_before_and_after(visit: Visits, width: int) -> None:
    v = opened(visit, width)
    before = "id,right,tries\n" + "".join(f"q{i},{i % 5},8\n" for i in range(40))
    after = "id,right,tries\n" + "".join(f"q{i},{i % 5 + 2},8\n" for i in range(5, 45))
    drop(v, payload("before.csv", before), payload("after.csv", after))
    v.until("moved", "problems", 35)
    assert v.shows("moved")["change"] == 0.25
    assert "5 only before and 5 only after" in v.text()
    table = downloaded(v, "Before and after (CSV)")
    assert len(table.splitlines()) == 36
    fine(v)


def test_downloads(visit: Visits) -> None:
    v = opened(visit)
    drop(v, CASES / "formula_cells.csv")
    v.until("rates", "problems", 2)
    full = downloaded(v, "Full table (CSV)")
    assert full.startswith("id,right,tries,rate,sigma,silent_chance,update,weight,size\n'=1+1,")
    assert "\n'@" in full
    keep = downloaded(v, "Kept by the filter (CSV)").splitlines()
    lost = downloaded(v, "Dropped by the filter (CSV)").splitlines()
    assert len(keep) + len(lost) == 2 + 2
    silent = downloaded(v, "Silent problems (CSV)").splitlines()
    assert silent[0] == "id,right,tries,rate,sigma,silent_chance"
    assert len(silent) == 1 + read(CASES / "formula_cells.csv").silent_groups
    assert downloaded(v, "Report (Markdown)").startswith("# Silent groups in formula_cells.csv")
    v.page.get_by_label("Framework").select_option("verl")
    v.until_address("framework=verl")
    assert "verl" in downloaded(v, "Settings (text)")
    fine(v)


@BOTH
def test_names_from_a_file_are_only_text(visit: Visits, width: int) -> None:
    v = opened(visit, width)
    lines = [f'"{HOSTILE} {i // 4}",{i % 3 % 2},"=1+{i // 4 % 4}{HOSTILE}"' for i in range(80)]
    drop(v, payload(f"{HOSTILE.replace('/', '')}.csv", f'id,correct,"{HOSTILE}"\n' + "\n".join(lines) + "\n"))
    v.until("rates", "problems", 20)
    unfold(v)
    assert HOSTILE in options_of(v, "Column of it").all_inner_texts()
    v.page.keyboard.press("Escape")
    assert (
        v.page.locator("a[href*='evil.example'], img[src*='evil.example'], .stMain b, .stMain .katex-inline").count()
        == 0
    )
    assert HOSTILE in v.text()
    fine(v)


def test_hostile_answers_are_only_text(visit: Visits) -> None:
    v = opened(visit)
    drop(v, payload("q.csv", f'"{HOSTILE}",n\n' + "".join(f"{i % 4 / 3},x\n" for i in range(20))))
    v.page.get_by_role("heading", name="One question about the file").wait_for()
    assert v.page.get_by_role("button", name=HOSTILE, exact=True).count() == 1
    assert v.page.locator("a[href*='evil.example'], .stButton b, .stButton .katex").count() == 0
    fine(v)


def test_a_problem_is_picked_from_the_chart(visit: Visits) -> None:
    v = opened(visit)
    chart = v.page.locator("[data-chart=problems]")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    v.page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.4)
    v.page.wait_for_function("JSON.parse(document.querySelector('[data-chart=problems]').dataset.shows).problem > 50")
    place = v.shows("problems")["problem"]
    v.until_address(f"problem={place}&")
    assert "Its rows in the file" in v.text()


def test_two_browsers_share_nothing(visit: Visits) -> None:
    secret = "only-in-one-browser"
    one, other = opened(visit), opened(visit)
    drop(one, payload(f"{secret}.csv", "id,right,tries\n" + "".join(f"{secret}-{i},{i % 9},8\n" for i in range(60))))
    one.until("rates", "problems", 60)
    assert secret in one.text()
    other.page.reload()
    other.drawn("problems")
    assert secret not in other.page.content()
    assert other.shows("rates")["problems"] == 200
    other.page.goto(one.page.url)  # the link carries all but the upload
    other.drawn("problems")
    assert secret not in other.page.content()
    assert secret not in one.page.url
    assert "pool=upload" in one.page.get_by_role("link", name="What dropping the silent groups costs").get_attribute(
        "href"
    )
    one.page.get_by_role("link", name="Silence", exact=True).click()
    one.drawn("field")
    assert one.page.get_by_label("Which problems").locator("option[value=upload]").count() == 1
    other.page.get_by_role("link", name="Silence", exact=True).click()
    other.drawn("field")
    assert other.page.get_by_label("Which problems").locator("option[value=upload]").count() == 0
    one.page.get_by_role("link", name="Your data", exact=True).click()
    one.drawn("problems").until("rates", "problems", 60)
    fine(one)


def test_a_long_reading_is_stopped(visit: Visits, tmp_path: Path) -> None:
    v = opened(visit)
    rows = "".join(f"q{i},{i % 7 % 2},{'words ' * 12}{i}\n" for i in range(700_000))
    (tmp_path / "long.csv").write_text("id,correct,text\n" + rows)
    drop(v, tmp_path / "long.csv")
    stop = v.page.get_by_role("button", name="Stop reading")
    done = v.page.get_by_role("heading", name="What to change")
    stop.or_(v.page.get_by_text("Forget the files")).first.wait_for(timeout=60_000)
    if stop.count():
        stop.click()
        v.page.get_by_role("heading", name="Stopped").wait_for()
        assert v.page.get_by_role("button", name="Read it again").count() == 1
    else:
        done.wait_for(timeout=60_000)  # a fast machine
    fine(v)


def test_data_of_a_chart_is_safe_to_open(visit: Visits) -> None:
    v = opened(visit)
    lines = [f"q{i // 4},{i % 3 % 2},=1+{i // 4 % 4}" for i in range(80)]
    drop(v, payload("x.csv", "id,correct,topic\n" + "\n".join(lines) + "\n"))
    v.until("rates", "problems", 20)
    v.drawn("facet")
    figure = v.page.locator(".sd-figure", has=v.page.locator("[data-chart=facet]"))
    figure.locator("summary").click()
    with v.page.expect_download() as waiting:
        figure.get_by_role("button", name="CSV").click()
    assert "'=1+0" in Path(waiting.value.path()).read_text()
    json.dumps(v.shows("facet"))
