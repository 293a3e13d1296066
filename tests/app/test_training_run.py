"""The page Training run says what the package computes."""

import pytest

from stdial import DAPO, DR_GRPO, GRPO, bigmath, training
from stdial.training import record
from stdial.web.words import LIMITS
from tests.app.reading_stages import run, said, stages


@pytest.mark.parametrize(("G", "t", "seed"), [(8, 150, 0), (8, 0, 0), (16, 77, 3)])
def test_numbers(G: int, t: int, seed: int) -> None:
    text = said(run("training_run", G=str(G), t=str(t), seed=str(seed)))
    runs = [training.run(bigmath.load(), method, size=G, seed=seed) for method in (DR_GRPO, GRPO, DAPO)]
    for one in runs:
        assert f"{one.hardest_quarter[t]:.3f}" in text
        assert f"{one.mean_rate[t]:.3f}" in text
        assert f"{one.rollouts_by_step[t] / 1e6:.2f} M" in text
        assert f"{one.r2_silent:.4f}" in text
    if t:
        assert f"{runs[2].rollouts_by_step[t] / runs[0].rollouts_by_step[t]:.2f} times" in text


SETTINGS = [{"alpha": "0.5", "band": "3"}, {"redraw": "1", "m": "16"}, {"steps": "20", "against": "rollouts"}]


@pytest.mark.parametrize("query", SETTINGS)
def test_settings(query: dict[str, str]) -> None:
    stage, *_ = stages(run("training_run", **query))
    assert [chart["name"] for chart in stage["charts"]] == ["hardest", "silence", "mass", "prompts"]


def test_the_record_is_told_with_what_did_not_hold() -> None:
    text = said(run("training_run"))
    for finding in record.load().findings:
        assert finding["sentence"] in text
    assert "7 billion" in text


@pytest.mark.parametrize("recorded", ["1", "99", "x"])
def test_recorded_settings(recorded: str) -> None:
    found = stages(run("training_run", recorded=recorded))
    assert any(chart["name"] == "model_rates" for stage in found for chart in stage["charts"])


def test_held_out_problems_are_drawn() -> None:
    (rates,) = [
        chart for stage in stages(run("training_run")) for chart in stage["charts"] if chart["name"] == "model_rates"
    ]
    assert {trace["name"].split(", ")[1] for trace in rates["data"]} == {"pool", "held out"}


def test_what_the_identity_does_not_say_is_what_the_record_found() -> None:
    (size,) = [finding for finding in record.load().findings if finding["name"] == "size of the update"]
    assert max(size["numbers"]["explained"].values()) < 0.1  # "only a few percent"
    assert "a few percent" in LIMITS.replace("\n", " ")


@pytest.mark.parametrize("query", [{"pool": "one", "p": "0"}, {"pool": "one", "p": "1", "t": "400", "steps": "20"}])
def test_problems_that_never_move(query: dict[str, str]) -> None:
    app = run("training_run", **query)
    assert "every group is silent and no rate moves" in said(app)
    assert stages(app)[0]["charts"] == []
    assert {"pool", "G"} <= {control["name"] for control in stages(app)[0]["controls"]}
