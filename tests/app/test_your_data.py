"""The page Your data says what the package computes, of the sample and of files."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from stdial import DR_GRPO, GRPO, by_size, per_problem
from stdial.band import band
from stdial.reading import Reading, read
from stdial.sample import STEPS, sample
from stdial.web import uploads
from stdial.web.kept import everybody
from tests.app.reading_stages import ROOT, run, said, stages

CASES = Path(__file__).parents[1] / "cases"


def drop(app: AppTest, *files: Path | tuple[str, bytes]) -> AppTest:
    """The page after these files were dropped."""
    given = [f if isinstance(f, tuple) else (f.name, f.read_bytes()) for f in files]
    app.file_uploader[0].set_value([(name, data, "application/octet-stream") for name, data in given]).run()
    assert not app.exception, app.exception
    assert "Something is wrong" not in headings(app)
    return app


def headings(app: AppTest) -> list[str]:
    """Of the body: the exercise below it is hidden by a style sheet where nothing is looked at."""
    return [stage["heading"] for stage in stages(app) if stage["heading"] not in ("", "Exercise")]


def shows(app: AppTest) -> dict[str, Any]:
    return {chart["name"]: chart["shows"] for stage in stages(app) for chart in stage["charts"]}


def words(app: AppTest, heading: str) -> str:
    """The answer of the region with that heading; "" is the main one."""
    stage = next(s for s in stages(app) if s["heading"] == heading and s["answer"])
    return "".join(piece if isinstance(piece, str) else piece["t"] for piece in stage["answer"])


def check(app: AppTest, found: Reading, G: int, places: int) -> None:
    """The page's numbers are the package's."""
    pool = found.pool
    assert pool is not None
    now = by_size.at(pool, G)
    text = said(app)
    assert f"Live {int(((pool.rate > 0) & (pool.rate < 1)).sum()):,}" in text
    if now.known:
        assert f"{now.best:.{places}%}" in words(app, "")
    else:
        assert "between" in words(app, "")
    kept = band(pool, 0.1, 0.9, G)
    assert shows(app)["lost"]["mixed"] == pytest.approx(kept.mixed_share, abs=1e-4)
    if G <= by_size.logged(pool):
        ends = [pool.mass_share(0, 0.1, G, m) + pool.mass_share(0.9, 1, G, m) for m in (GRPO, DR_GRPO)]
        assert words(app, "Who gets the update?").count("%") == 2
        for end in ends:
            assert f"{end:.{places}%}" in words(app, "Who gets the update?")


@pytest.mark.parametrize("G", [2, 8, 64])
def test_sample(G: int) -> None:
    app = run("your_data", G=str(G))
    check(app, sample(), G, 1)
    assert {chart["G"] for chart in shows(app).values()} == {G}
    assert "invented sample" in words(app, "")
    before, after = (sample(step).pool for step in STEPS)
    assert f"{before.mean_rate:.3f}" in words(app, "Before and after")
    assert f"{after.mean_rate:.3f}" in words(app, "Before and after")


@pytest.mark.parametrize("G", [2, 8, 32])
def test_files(G: int) -> None:
    app = run("your_data", G=str(G))
    for name in ("counts.csv", "unequal.csv", "trl_completions.parquet"):
        found = read(CASES / name)
        check(drop(app, CASES / name), found, G, 0)
        assert f"{found.problems} problems" in words(app, "")
    assert "constant" in said(app)  # the format reward of the last file
    assert "Filter on one reward, train on another" in headings(app)


def test_sizes_that_differ_and_rates_alone() -> None:
    app = drop(run("your_data"), CASES / "unequal.csv")
    assert "Group sizes differ, 5 to 8 (20 of 8, 4 of 5)" in said(app)
    drop(app, CASES / "rates_no_tries.csv")
    text = said(app)
    assert "Find out how many tries each rate was counted from" in text
    assert "if n were 8" in text
    n = next(box for box in app.number_input if box.label == "Tries behind each rate")
    n.set_value(10_000).run()
    assert not app.exception
    assert "Find out how many tries" not in said(app)


def test_any_rewards_and_a_threshold() -> None:
    app = drop(run("your_data"), CASES / "continuous.jsonl")
    assert words(app, "").startswith("3 of the 4 groups (75%)")
    assert list(shows(app)) == ["sigma", "problems"]
    next(box for box in app.number_input if box.label == "Right from a reward of").set_value(0.5).run()
    assert not app.exception
    assert "silent" in shows(app)
    app.button("undo " + token(app)).click().run()
    assert words(app, "").startswith("3 of the 4 groups (75%)")


def token(app: AppTest) -> str:
    return app.session_state["stdial your data"].after


def test_questions_are_asked_and_answered() -> None:
    app = drop(run("your_data"), CASES / "difficulty_inverted.csv")
    assert headings(app)[0] == "One question about the file"
    next(b for b in app.button if b.label == "high difficulty is hard").click().run()
    assert not app.exception
    expected = read(CASES / "difficulty_inverted.csv", rate="difficulty", high_is="hard")
    assert f"{expected.pool.mean_rate:.3f}" in said(app)


def test_two_steps_of_one_file_are_compared() -> None:
    app = drop(run("your_data"), CASES / "two_steps.csv")
    next(b for b in app.button if b.label == "compare the first with the last").click().run()
    assert not app.exception
    before, after = (read(CASES / "two_steps.csv", at_step=step).pool for step in ("100", "200"))
    assert shows(app)["silent_twice"] == {
        "G": 8, "before": round(before.silent_rate(8), 4), "after": round(after.silent_rate(8), 4),
    }  # fmt: skip


def test_two_files_are_compared_and_can_change_places() -> None:
    app = drop(
        run("your_data"), CASES / "counts.csv", ("after.csv", b"problem_id,right,tries\nq0,8,8\nq1,4,8\nx,0,8\n")
    )
    ids = read(CASES / "counts.csv").ids.tolist()
    both = len({"q0", "q1"} & {str(i) for i in ids})
    if both:
        assert shows(app)["moved"]["problems"] == both
        assert f"{len(ids) - both} only before and 1 only after" in said(app)
    else:
        assert "Not compared" in headings(app)
    next(box for box in app.selectbox if box.label == "File to look at").select_index(0).run()
    assert not app.exception
    assert "counts.csv" in words(app, "")
    next(box for box in app.selectbox if box.label == "Compare with the file").select_index(0).run()
    assert not app.exception
    assert not {"Before and after", "Not compared"} & set(headings(app))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("out_of_range.csv", ["row 2", "1.3", "-0.2"]),
        ("excel_dates.csv", ["correct", "date"]),
        ("empty.csv", ["empty"]),
        ("binary.csv", ["not a table"]),
        ("no_reward.jsonl", ["reward"]),
    ],
)
def test_refusals(name: str, parts: list[str]) -> None:
    app = drop(run("your_data"), CASES / name)
    assert headings(app) == ["This file was not read"]
    for part in parts:
        assert part in words(app, "This file was not read").lower()
    drop(app, CASES / "counts.csv")
    assert "33%" in words(app, "")


def test_another_column_after_a_refusal() -> None:
    data = b"id,score,share\n" + b"".join(b"q%d,7,%s\n" % (i, str(i % 5 / 4).encode()) for i in range(20))
    app = drop(run("your_data"), ("mine.csv", data.replace(b"share", b"pass_rate").replace(b"q3,7,0.75", b"q3,7,1.75")))
    assert headings(app) == ["This file was not read"]
    assert stages(app)[1]["tables"][0]["columns"] == ["id", "score", "pass_rate"]
    menu = next(box for box in app.selectbox if box.label == "Column of it")
    assert "score" in menu.options


def test_training_log() -> None:
    app = drop(run("your_data"), CASES / "step_log.csv")
    assert headings(app) == ["This is a training log"]
    assert shows(app)["steps"]["last"] == {"frac_reward_zero_std": 0.31}


def test_columns_can_be_changed() -> None:
    data = b"qid,correct,other_reward\n" + b"".join(b"%d,%d,%d\n" % (i // 4, i % 3 == 0, i % 2) for i in range(80))
    app = drop(run("your_data"), ("log.csv", data))
    assert headings(app)[0] == "One question about the file"
    app.button("answer 0").click().run()
    next(box for box in app.selectbox if box.label == "Column of it").select("other_reward").run()
    assert not app.exception
    found = read(data, reward="other_reward").pool
    assert f"Mean pass rate {found.mean_rate:.3f}" in said(app)
    assert f"Mean sigma {found.mean_sigma:.3f}" in said(app)


def menu(app: AppTest, label: str) -> Any:
    return next(
        box for kind in (app.selectbox, app.multiselect, app.number_input) for box in kind if box.label == label
    )


def test_every_menu_of_a_rollout_log() -> None:
    app = drop(run("your_data"), CASES / "trl_completions.parquet")
    log = app.session_state["stdial your data"].main
    menu(app, "Column of it").select("format_reward").run()
    assert log.options == {"reward": "format_reward"}
    assert "100%" in words(app, "")
    menu(app, "Problem").select("step").run()
    assert log.options["id"] == "step"
    app.button("undo " + log.token).click().run()
    assert log.options == {"reward": "format_reward"}
    menu(app, "Problem").select("(none)").run()
    assert log.options["id"] == ""
    app.button("undo " + log.token).click().run()
    menu(app, "Group of rollouts").select("prompt").run()
    assert log.options["group"] == "prompt"
    menu(app, "Cut by").set_value(["step"]).run()
    assert log.options["facets"] == ("step",)
    menu(app, "Step").select("step").run()
    assert log.options["step"] == "step"
    menu(app, "The rows hold").select("rate").run()
    assert {"rate"} == log.options.keys() & {"rate", "reward", "right", "rewards"}
    assert not app.exception


def test_every_menu_of_rates_and_steps() -> None:
    app = drop(run("your_data"), CASES / "rates.csv")
    file = app.session_state["stdial your data"].main
    mean = read(CASES / "rates.csv").pool.mean_rate
    menu(app, "A high value is").select("hard").run()
    assert f"{1 - mean:.3f}" in said(app)
    menu(app, "Tries").select("id").run()
    assert file.options["tries"] == "id"
    drop(app, CASES / "two_steps.csv")
    app.button("answer 0").click().run()
    desk = app.session_state["stdial your data"]
    assert desk.main.options["at_step"] == "100"
    menu(app, "Compare with the step").select("step 200").run()
    assert "Before and after" in headings(app)
    menu(app, "Compare with the step").select("(none)").run()
    assert "Before and after" not in headings(app)
    menu(app, "Step to read").select("step 200").run()
    assert desk.main.options["at_step"] == "200"
    menu(app, "Step to read").select("each step its own problems").run()
    assert "at_step" not in desk.main.options
    assert not app.exception


def test_the_upload_is_offered_to_other_pages_and_nothing_is_shared() -> None:
    mark = "mark-of-this-session-only"
    data = b"id,right,tries\n" + b"".join(b"%s-%d,%d,8\n" % (mark.encode(), i, i % 9) for i in range(60))
    app = drop(run("your_data"), (f"{mark}.csv", data))
    assert mark in said(app)
    assert app.session_state["stdial upload"].pool.size == 60
    assert not any(mark.encode() in value for value in everybody._items.values())
    assert mark not in repr(list(everybody._items))
    assert all(mark not in stage["header"].get("address", "") for stage in stages(app))
    fresh = run("your_data")
    assert mark not in said(fresh)
    next(b for b in app.button if b.label.startswith("Forget")).click().run()
    assert "invented sample" in words(app, "")
    assert "stdial upload" not in app.session_state


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"keep_from": "0.9", "keep_to": "0.2"}, {"keep_from": 0.2, "keep_to": 0.9}),
        ({"facet": "99", "problem": "99999999", "filter_by": "x"}, {"keep_from": 0.1, "keep_to": 0.9}),
    ],
)
def test_odd_links(query: dict[str, str], shown: dict[str, float]) -> None:
    app = run("your_data", **query)
    assert {name: shows(app)["band"][name] for name in shown} == shown
    assert shows(app)["problems"]["problem"] <= 200


def test_find_a_problem() -> None:
    app = run("your_data")
    next(box for box in app.text_input if box.label == "Find a problem by its id").set_value("counting-033").run()
    assert words(app, "One problem").startswith("counting-033: 14 of 16 right")


def test_orders_of_the_problems() -> None:
    first = {}
    for order in ("silent", "most-silent", "update", "file"):
        app = run("your_data", order=order)
        first[order] = words(app, "One problem")
        menu = next(c for s in stages(app) for c in s["controls"] if c["name"] == "order")
        assert menu["value"] == order
    pool = sample().pool
    chance = per_problem.silent_chance(pool, 8)
    for order, i in (("silent", chance.argmin()), ("most-silent", chance.argmax()), ("file", 0)):
        assert f"{pool.right[i]} of {pool.tries[i]} right" in first[order]


def test_downloads_say_what_they_hold() -> None:
    app = run("your_data", keep_from="0.2", keep_to="0.8")
    found = sample()
    text = next(m.value for m in app.markdown if "Full table" in m.value)
    assert f"the {found.silent_groups} whose logged answers were all right or all wrong" in text
    kept = int(((found.pool.rate >= 0.2) & (found.pool.rate <= 0.8)).sum())
    assert f"the {kept} with rates from 0.2 to 0.8" in text
    assert f"the other {200 - kept}" in text
    assert "Silent problems (CSV)" in [button.proto.label for button in app.get("download_button")]
    drop(app, CASES / "continuous.jsonl")
    text = next(m.value for m in app.markdown if "Full table" in m.value)
    assert "the 3 whose logged rewards are all equal" in text


def test_counts_of_very_many_outcomes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_MOST_OUTCOMES", 5)
    lines = b"id,right,tries\n" + b"".join(b"%d,%d,%d\n" % (i, i, i + 9) for i in range(6))
    assert "6 different pairs of right answers and tries; at most 5 are read" in said(
        drop(run("your_data"), ("a.csv", lines))
    )
    assert "at most 5" not in said(drop(run("your_data"), ("a.csv", lines[: lines.rindex(b"\n", 0, -1) + 1])))


@pytest.mark.parametrize("lines", ["1,8,0\n2,8,5", "1,1000000000,1\n0,1,99999999999"])
def test_rows_that_stand_for_none_or_for_very_many(lines: str) -> None:
    data = f"right,tries,problems\n{lines}\n".encode()
    for place in ("1", "2"):
        app = drop(run("your_data", order="file", problem=place, G="2"), ("a.csv", data))
    others = AppTest.from_file(str(ROOT / "pages/silence.py"), default_timeout=60)
    others.session_state["stdial upload"] = app.session_state["stdial upload"]
    for name, value in {
        "pool": "upload",
        "G": "2",
        "generation_batch": "1",
        "train_batch": "100000",
        "cap": "0",
    }.items():
        others.query_params[name] = value
    others.run()
    assert not others.exception
