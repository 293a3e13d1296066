"""The page Frameworks says what the package computes."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from stdial import frameworks
from stdial.web import link
from stdial.web.page import Values
from stdial.web.views import framework_move, framework_table
from stdial.web.views import frameworks as view
from stdial.web.words import decimal
from tests.app.reading_stages import run, said, stages

SETTINGS = [
    (8, "TRL", "scale_rewards=group"),
    (2, "rLLM", "norm_adv_by_std_in_grpo=true"),
    (64, "NeMo-RL", ""),
    (5, "SkyRL", "advantage_estimator=maxrl"),
    (1024, "EasyR1", "adv_estimator=rloo"),
]


@pytest.mark.parametrize(("G", "framework", "setting"), SETTINGS)
def test_numbers(G: int, framework: str, setting: str) -> None:
    app = run("frameworks", G=str(G), framework=framework, setting=setting)
    text = said(app)
    options = frameworks.read_options(framework, setting)
    b = frameworks.beside(framework, options, G)
    answer = "".join(r if isinstance(r, str) else r["t"] for r in stages(app)[0]["answer"])
    for number in (b.factor,) if b.constant else (b.least, b.most):
        assert f"{number:.3f}" in answer
    assert ("do not cancel" in answer) == (not b.cancels)
    assert f"frameworks.updates('{framework}'" in text
    assert f"{b.updates.c[1]:.6f}" in text
    assert frameworks.get(framework).version in text


def test_the_sentence_of_ddof() -> None:
    answer = said(run("frameworks", framework="verl", G="8"))
    assert "your updates are 0.935 of the paper's GRPO" in answer
    assert "copied from a framework that divides by G (ddof 0) act 6.5% smaller" in answer


@pytest.mark.parametrize("name", frameworks.FRAMEWORKS)
def test_every_framework_and_setting(name: str) -> None:
    app = run("frameworks", framework=name, G="4")
    first = stages(app)[0]
    assert first["header"]["notes"] == []
    settings = next(c for c in first["controls"] if c["name"] == "setting")["options"]
    assert len(settings) == len(frameworks.get(name).settings)
    copied = next(element.value for element in app.markdown if element.value.startswith("**GRPO**"))
    for goal in ("grpo", "dr-grpo", "dynamic-sampling"):
        assert f"````\n{frameworks.settings(name, goal)}\n````" in copied
        assert "`" not in frameworks.settings(name, goal)
    text = said(app)
    for metric in frameworks.get(name).metrics:
        assert metric.measures in text


def test_traps_are_computed() -> None:
    app = run("frameworks", framework="OpenRLHF")
    tables = [table for stage in stages(app) for table in stage["tables"] if "Silent" in table["columns"]]
    (means, dust) = tables
    assert [row[-1] for row in means["rows"]] == ["stays", "dropped"]  # a silent .5 stays, a live -1 and +1 goes
    assert [row[1] for row in means["rows"]] == ["yes", "no"]
    assert dust["rows"][0][2] == "8 × 59.6"


def test_a_number_of_the_frameworks() -> None:
    app = run("frameworks", framework="verl", number="0.5", G="8")
    options = {**frameworks.read_options("verl", ""), "epsilon": 0.5}
    assert f"{frameworks.updates('verl', options, 8).c[1]:.6f}" in said(app)
    for bad in ("-1", "2", "x", "nan", "inf"):
        (note,) = stages(run("frameworks", framework="verl", number=bad))[0]["header"]["notes"]
        assert bad in note


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"framework": "nothing"}, "framework in the link is no framework of the table"),
        ({"framework": "<b>", "number": "<b>"}, "framework in the link is no framework of the table"),
        ({"framework": "ART"}, "framework in the link is no framework of the table"),
        ({"framework": "verl", "setting": "scale_rewards=group"}, "option 'scale_rewards' is unknown to verl"),
        ({"framework": "TRL", "setting": "<b>"}, "it must be spelled name=value"),
        ({"to": "[a](b)"}, "to in the link is no framework of the table"),
        ({"framework": "TRL", "number": "1"}, "TRL has no option that takes one"),
    ],
)
def test_bad_links_fall_back_with_a_note(query: dict[str, str], named: str) -> None:
    notes = stages(run("frameworks", **query))[0]["header"]["notes"]
    assert any(named in note for note in notes)


def test_move() -> None:
    app = run(
        "frameworks", framework="open-instruct", setting="advantage_normalization_type=standard", to="verl", G="8"
    )
    moved = frameworks.move("open-instruct", {"advantage_normalization_type": "standard"}, "verl", {}, 8)
    assert f"multiply the learning rate by {(moved.least + moved.most) / 2:.3f}" in said(app)
    assert "std of the group, ddof 0, eps 1e-08" in said(app)
    app = run("frameworks", framework="verl", to="tinker-cookbook", G="8")
    moved = frameworks.move("verl", {}, "tinker-cookbook", {}, 8)
    assert f"{moved.least:.3f} for groups with" in said(app)
    assert f"{moved.most:.3f} for those with" in said(app)


def test_all_side_by_side() -> None:
    (table,) = (t for s in stages(run("frameworks", G="16")) for t in s["tables"] if t["sortable"])
    assert len(table["rows"]) == len(frameworks.FRAMEWORKS) >= 20
    assert table["cards"]
    by_name = {row[0]: row for row in table["rows"]}
    assert by_name["verl 0.9.1"][1:3] == ["GRPO", "0.968"]
    assert by_name["torchtune 0.6.1"][8] == "NaN"
    assert all("run" in row[-1] or "read" in row[-1] for row in table["rows"])


def pasted(text: str) -> tuple[AppTest, dict[str, Any] | None]:
    app = run("frameworks")
    app.text_area(key="pasted").set_value(text).run()
    assert not app.exception
    found = [s for s in stages(app) if "Read as" in str(s["text"]) or "cannot be read" in str(s["answer"])]
    return app, found[0] if found else None


def test_a_pasted_log_is_identified() -> None:
    made = frameworks.advantages("ART (local backend)", {"scale_rewards": True}, [[1, 0, 0, 0], [1, 1, 0, 0]])
    _, stage = pasted(frameworks.pasted.written([[1, 0, 0, 0], [1, 1, 0, 0]], [a.tolist() for a in made]))
    assert stage is not None
    names = [row[0] for row in stage["tables"][0]["rows"]]
    assert any(name.startswith("ART (local backend) 0.5.18") for name in names)
    assert all(row[-1] in ("run", "read", "the formula") for row in stage["tables"][0]["rows"])
    assert "What would tell them apart" in str(stage["text"])


def test_a_pasted_text_that_is_none_says_where() -> None:
    _, stage = pasted("rewards: 1 0 x\nadvantages: 1 0 0")
    assert "line 1: 'x' is not a number" in str(stage)
    _, stage = pasted("rewards: 1 0 0\nadvantages: 7 -1 -9")
    assert "No setting of the table gives these advantages" in str(stage)


def test_what_is_pasted_is_in_no_link_and_no_shared_store() -> None:
    from stdial.web.kept import everybody

    secret = "rewards: 1 0 0 0.123456\nadvantages: 0.5 0.25 0.125 0.0625"
    app, stage = pasted(secret)
    assert stage is not None
    assert not any(b"0.123456" in body or b"0.0625" in body for body in everybody._items.values())
    assert "0.123456" not in stages(app)[0]["header"]["address"]


def test_the_example_is_what_the_framework_logs() -> None:
    app = run("frameworks", framework="OpenRLHF")
    app.button[0].click().run()
    text = app.text_area(key="pasted").value
    log = frameworks.pasted.read(text)
    assert [len(g) for g in log.groups] == [8, 8]
    assert "OpenRLHF 0.11.2" in said(app)
    app.button[1].click().run()
    assert app.text_area(key="pasted").value == ""


def _calls(work: Callable[[], object]) -> int:
    """How many Python functions are called: what a loop over k shows in, on any machine."""
    seen = [0]

    def count(_: object, event: str, __: object) -> None:
        seen[0] += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return seen[0]


def test_a_large_group_is_no_more_work_than_a_small_one() -> None:
    base = Values(link.defaults())
    for name in ("TRL", "NeMo-RL", "verl"):
        small, large = (base.but(G=G, framework=name, setting="", to="oat") for G in (9, 1023))
        for build in (view.stage, framework_move.stage, framework_table.stage):
            build(base.but(G=8, framework=name))  # what is made once is made
            assert _calls(lambda: build(large)) <= 1.3 * _calls(lambda: build(small)) + 50  # noqa: B023


def test_table_has_the_factor_of_each_framework_by_itself() -> None:
    for G in (2, 8, 1024):
        rows = framework_table.stage(Values(link.defaults()).but(G=G)).tables[0].rows
        for framework, row in zip(frameworks.FRAMEWORKS.values(), rows, strict=True):
            b = frameworks.beside(framework.name, framework.default, G)
            shown = decimal(b.factor) if b.constant else f"{decimal(b.least)} to {decimal(b.most)}"
            assert (row[1], row[2]) == (b.partner if b.constant else "neither", shown)
