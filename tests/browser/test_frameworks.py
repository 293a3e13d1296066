"""Picking, pasting, moving, and the table on a phone."""

from collections.abc import Callable
from typing import Any

from stdial import frameworks

Visits = Callable[..., Any]


def test_pick(visit: Visits) -> None:
    v = visit().open("/frameworks?G=8&v=1")
    v.page.get_by_label("Framework", exact=True).select_option("NeMo-RL")
    v.until("updates", "framework", "NeMo-RL")
    v.until_address("framework=NeMo-RL")
    assert "do not cancel" in v.page.inner_text(".sd-answer >> nth=0")
    setting = v.page.get_by_label("Setting", exact=True).first
    setting.select_option("normalize_rewards=true,use_leave_one_out_baseline=false")
    v.page.wait_for_function("document.querySelector('.sd-answer').innerText.includes('0.935 of the paper')")
    v.page.get_by_role("slider", name="Group size").press("ArrowRight")
    v.until("updates", "G", 9)
    v.until_address("G=9&framework=NeMo-RL")
    v.page.reload()
    v.drawn("updates").until("updates", "G", 9)
    b = frameworks.beside("NeMo-RL", {"use_leave_one_out_baseline": False}, 9)
    assert f"{b.factor:.3f}" in v.page.inner_text(".sd-answer >> nth=0")
    assert v.problems == []


def test_paste(visit: Visits) -> None:
    v = visit().open("/frameworks?framework=rLLM&v=1")
    v.page.get_by_role("button", name="Fill in what rLLM would log").click()
    v.page.wait_for_selector("text=What would tell them apart")
    assert "rLLM 2026 (9beb6e0)" in v.page.inner_text("body")
    box = v.page.get_by_role("textbox", name="Rewards and advantages")
    box.fill("reward,advantage\n1,0.7\n0,oops")
    box.press("Control+Enter")
    v.page.wait_for_selector("text=line 3, advantage: 'oops' is not a number")
    box.fill("reward,advantage\n1,0.5\n0,-0.5\n")
    box.press("Control+Enter")
    v.page.wait_for_selector("text=a table with a header: 1 group of 2 answers")
    assert "oops" not in v.page.url
    assert "0.5" not in v.page.url
    assert not v.failed()
    assert v.problems == []


def test_pasted_text_is_text(visit: Visits) -> None:
    v = visit().open("/frameworks?v=1")
    box = v.page.get_by_role("textbox", name="Rewards and advantages")
    box.fill("rewards: 1 0 <img/src=x/onerror=alert(1)>\nadvantages: 1 0 0")
    box.press("Control+Enter")
    v.page.wait_for_selector("text=is not a number")
    assert v.page.locator("img[src*=x]").count() == 0
    assert v.problems == []


def test_move(visit: Visits) -> None:
    v = visit().open("/frameworks?G=8&framework=verl&v=1")
    v.page.get_by_label("To", exact=True).select_option("torchtune")
    v.until("move", "to", "torchtune")
    v.until_address("to=torchtune")
    v.page.get_by_label("To", exact=True).select_option("ART (local backend)")
    v.until("move", "to", "ART (local backend)")
    moved = frameworks.move("verl", {}, "ART (local backend)", {}, 8)
    assert f"{(moved.least + moved.most) / 2:.3f}" in v.page.inner_text("body")
    v.page.get_by_role("button", name="Swap").click()
    v.until("move", "framework", "ART (local backend)")
    v.until("move", "to", "verl")
    v.until("updates", "framework", "ART (local backend)")


def test_table_is_cards_on_a_phone_and_sorts(visit: Visits) -> None:
    narrow = visit(390).open("/frameworks?v=1")
    card = narrow.page.locator(".sd-cards tr", has_text="torchtune 0.6.1").last
    assert card.evaluate("node => getComputedStyle(node).display") == "block"
    head = card.get_by_role("button", name="torchtune 0.6.1")
    assert "NaN" not in card.inner_text()  # a list of 24 heads
    head.press("Enter")
    assert head.get_attribute("aria-expanded") == "true"
    assert "NaN" in card.inner_text()
    head.click()
    assert "NaN" not in card.inner_text()
    narrow.page.get_by_role("button", name="Open all 24").click()
    assert "NaN" in card.inner_text()
    narrow.page.get_by_role("button", name="Close all").click()
    assert "NaN" not in card.inner_text()
    assert narrow.page.get_by_role("region", name="All frameworks side by side").count() == 0  # nothing to scroll
    assert narrow.sideways() <= 0
    wide = visit(1280).open("/frameworks?v=1")
    table = wide.page.locator(".sd-table", has=wide.page.get_by_role("button", name="Framework, version"))
    wide.page.get_by_role("button", name="Framework, version").click()
    first = table.locator("tbody tr").first
    assert first.inner_text().startswith("AReaL")
    wide.page.get_by_role("button", name="Framework, version").click()
    assert first.inner_text().startswith("verl")


def test_traps_follow_the_framework(visit: Visits) -> None:
    v = visit().open("/frameworks?framework=OpenRLHF&v=1")
    v.page.wait_for_selector("text=8 × 59.6")
    v.page.get_by_label("Framework", exact=True).select_option("torchtune")
    v.page.wait_for_selector("text=Its trap, on a live group")
    v.page.wait_for_selector("text=one NaN makes the whole loss NaN")
    assert v.page.locator("text=8 × 59.6").count() == 0
    assert not v.failed()
