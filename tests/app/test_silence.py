"""Every number of the page Silence is what the package computes, at three settings; presets, ends and bad links."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from stdial import GRPO, Pool, bigmath, competence, expectation, presets
from stdial.batches import fill_from, generation_batch_for, generations_for
from stdial.dropping import dropping, relative_weight
from stdial.web import pools
from stdial.web.places import PLACES
from stdial.web.words import percent
from tests.app.reading_stages import ROOT, run, said, stages

POOLS = {
    "bigmath": bigmath.load,
    "level-5": lambda: bigmath.load().where("level", 5),
    "ends": lambda: presets.pool("two ends"),
}
SETTINGS: list[dict[str, Any]] = [
    {},
    {"pool": "ends", "G": 16, "p": 0.05, "mean": 0.3, "m": 9, "train_batch": 64, "generation_batch": 48, "cap": 3, "grow": 2},
    {"pool": "level-5", "G": 128, "p": 1, "mean": 0.95, "m": 1, "train_batch": 9, "generation_batch": 8, "cap": 0, "grow": -1.5},
]  # fmt: skip
DEFAULTS = {
    "pool": "bigmath", "G": 8, "p": 0.5, "mean": 0.5, "m": 4, "train_batch": 512, "generation_batch": 512, "cap": 10, "grow": 0.0,
}  # fmt: skip


@pytest.fixture(scope="module", params=range(3), ids=["defaults", "two ends", "level 5"])
def shown(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Pool, str, list[dict[str, Any]]]:
    setting = SETTINGS[request.param]
    app = run("silence", **{name: str(value) for name, value in setting.items()})
    values = {**DEFAULTS, **setting}
    return values, POOLS[values["pool"]](), said(app), stages(app)


def test_silent_share_and_redraw(shown: Any) -> None:
    v, pool, text, _ = shown
    silent = pool.silent_rate(v["G"])
    assert f"With {v['G']} rollouts a prompt, {percent(silent)} of the groups" in text
    assert f"{1 / (1 - silent):.2f} times the rollouts" in text
    assert f"1/(1 - {silent:.4f}) = {1 / (1 - silent):.4f}" in text
    assert f"# {silent:.6f}" in text
    if pool.tries is None:
        assert "Exact: the rates of this pool are made up" in text
    else:
        low, high = pool.silent_interval(v["G"])
        assert percent(low) in text
        assert percent(high) in text
    if v["pool"] == "bigmath":
        assert "1.76 times" in text


def test_field_and_rate(shown: Any) -> None:
    v, pool, text, (first, *_) = shown
    wrong, right = (pool.silent_rate(v["G"], side=side) for side in ("wrong", "right"))
    drawn = [sum(1 for y in _floats(t["y"]) if y == y) for t in first["charts"][0]["data"]]
    assert sum(drawn) == 100
    for dots, share in zip(drawn, (wrong, 1 - wrong - right, right), strict=True):
        assert abs(dots - 100 * share) <= 1
        assert percent(share) in text
    assert f"{percent(float(expectation.silent_rate(v['p'], v['G'])))} at p = {v['p']:.3g}" in text
    bars = [_floats(trace["y"]) for trace in first["charts"][1]["data"][2:]]
    assert sum(bars[0]) == pytest.approx(1, abs=1e-5)
    estimate = "plug-in" if pool.tries is None else "deconvolved"
    assert sum(bars[1]) == pytest.approx(pool.silent_rate(v["G"], estimate), abs=1e-4)
    for low, share in ((True, bars[0][0]), (False, bars[0][-1])):
        exact = pool.problems[(pool.rate < 0.05) if low else (pool.rate >= 0.95)].sum() / pool.size
        assert share == pytest.approx(exact, abs=1e-6)
        assert percent(exact) in text


def test_means(shown: Any) -> None:
    v, _, text, _ = shown
    assert f"mean pass rate of {v['mean']:.2f}" in text
    for name in ("all at one p", "bell", "two ends"):
        assert f"{name} {percent(presets.pool(name, v['mean']).silent_rate(v['G']))}" in text


def test_redraw_and_retry(shown: Any) -> None:
    v, pool, text, (_, _, third, *_) = shown
    found = dropping(pool, v["G"], v["m"])
    assert f"A redraw pays {found.redraw_price:.1f} rollouts" in text
    assert f"up to {v['m']} tries of the same prompt pay {found.retry_price:.1f} rollouts" in text
    rows = {row[0]: row[1:] for row in third["tables"][0]["rows"]}
    once, tilted = (float(relative_weight(0.05, v["G"], m)) for m in (1, v["m"]))
    assert rows["Prompts that end mixed"] == [percent(found.kept), "all of the batch", percent(found.retry_mixed)]
    assert rows["Rollouts a prompt of the batch"] == [
        str(v["G"]),
        f"{found.redraw_price:.1f}",
        f"{v['G'] * found.retry_tries:.1f}",
    ]
    assert rows["Rollouts for each mixed group"][2] == f"{found.retry_price:.1f}"
    assert rows["Scale of the step"] == [
        "1.00 times",
        f"{found.redraw_factor:.2f} times",
        f"{found.retry_scale:.2f} times",
    ]
    assert rows["Weight at p = .05, relative to p = .5"] == [f"{w:.2f} times" for w in (once, once, tilted)]
    assert rows["Tilts the weights"] == ["no", "no", "yes" if v["m"] > 1 else "no"]
    boost = expectation.weight(0.05, v["G"], GRPO) / expectation.weight(0.5, v["G"], GRPO)
    assert once == pytest.approx(float(boost))
    if pool.tries is not None and v["m"] * v["G"] > 64:
        low, high = pool.bounds(lambda p: 1 - expectation.silent_rate(p, v["G"]) ** v["m"])
        ends = f"{percent(low)} to {percent(high)}" if percent(low) != percent(high) else percent(low)
        assert f"{ends} is possible" in text


def test_batch(shown: Any) -> None:
    v, pool, text, (_, _, _, fourth, _, *_) = shown
    B, b, cap = v["train_batch"], v["generation_batch"], v["cap"]
    found = fill_from(pool, v["G"], B, b, cap)
    assert f"A batch of {B:,} takes {found.generations:.2f} generations of {b:,} prompts" in text
    assert f"{found.rollouts:,.0f} rollouts" in text
    if cap:
        assert f"The chance that the cap of {cap} is hit first is {percent(found.capped, 2)}" in text
        assert f"{generation_batch_for(1 - found.kept, B, cap):,.0f}" in text
    if found.capped > 0.01:
        assert f"max_num_gen_batches to {generations_for(1 - found.kept, B, b):,.0f}" in text
        assert found.warning in text
    else:
        assert f"{generation_batch_for(1 - found.kept, B, 1):,.0f}" in text
    cells = {label: value for label, value, _ in fourth["readouts"]}
    assert cells["Kept of the prompts drawn"] == percent(found.kept)
    assert cells["Kept in one pass"] == f"{found.pool_kept:,.0f}"
    assert cells["Generations, one pass"] == f"{found.one_pass_generations:.2f}"
    assert cells["Not full, one pass"] == percent(found.one_pass_capped or 0.0, 2)
    exact = _floats(fourth["charts"][0]["data"][0]["y"])
    after = _floats(fourth["charts"][0]["data"][0]["x"])
    assert exact[0] == 1
    for j, chance in list(zip(after, exact, strict=True))[1:4]:
        assert chance == pytest.approx(fill_from(pool, v["G"], B, b, int(j)).capped, abs=1e-6)


def test_growth(shown: Any) -> None:
    v, pool, text, _ = shown
    mean, share = (
        float(f) for f in (competence.mean_rate(pool, v["grow"]), competence.all_right_share(pool, 32, v["grow"]))
    )
    assert f"mean pass rate is {percent(mean)} and {percent(share)} of groups of 32" in text
    step = competence.logged().first_step(share)
    assert (f"by step {step:,.0f}" if np.isfinite(step) else "stays below it, at 59%") in text


def test_warns_where_a_pass_keeps_less_than_a_batch() -> None:
    text = said(run("silence", pool="u", train_batch="512", G="4"))
    kept = 1000 * (1 - presets.pool("U").silent_rate(4))
    assert f"one pass through the pool keeps {kept:,.0f} of 1,000 problems, fewer than one batch of 512" in text


@pytest.mark.parametrize(
    ("pool", "G"), [("bell", "2"), ("u", "1024"), ("hard", "2"), ("ends", "1024"), ("one", "2"), ("level-1", "1024")]
)
def test_every_pool_at_its_ends(pool: str, G: str) -> None:
    text = said(run("silence", pool=pool, G=G, p="0", m="16", grow="8", cap="0", train_batch="100000"))
    assert "nan" not in text.lower()
    assert "inf " not in text


@pytest.mark.parametrize("p", ["0", "1"])
def test_a_pool_that_is_all_silent(p: str) -> None:
    text = said(run("silence", pool="one", p=p))
    assert "a batch never fills" in text
    assert "never fills" in text
    assert "no mixed group at any price" in text


def test_bad_links_fall_back() -> None:
    (first, *_) = stages(run("silence", m="99", cap="-1", mean="2", grow="x"))
    notes = " ".join(first["header"]["notes"])
    for name in (
        "m in the link must be a whole number from 1 to 16",
        "cap in the link",
        "mean in the link",
        "grow in the link",
    ):
        assert name in notes


@pytest.mark.parametrize("path", ["silence", "tries"])
@pytest.mark.parametrize(
    ("pool", "words"),
    [
        (Pool([0, 1, 3, 8] * 5, 8, ids=[f"q{i}" for i in range(20)]), ("problems; 95% interval", "still has a chance")),
        (Pool([0, 1, 2, 2] * 5, 2), ("2 tries leave anything from", "still has a chance")),
        (
            Pool.from_rates(np.linspace(0, 1, 60)),
            ("Plug-in: each rate is taken for the truth", "a rate of 0 is given up"),
        ),
    ],
)
def test_an_upload(path: str, pool: Pool, words: tuple[str, str]) -> None:
    app = AppTest.from_file(str(ROOT / PLACES[path].file), default_timeout=60)
    pools.put_upload(app.session_state, pool, "<b>[mine](http://x)</b>.csv")
    app.query_params["pool"] = "upload"
    app.run()
    assert not app.exception
    text = said(app)
    assert words[path == "tries"] in text
    assert "<b>[mine](http://x)</b>.csv" in text  # as plain text of a stage
    assert all("mine" not in element.value for element in app.markdown)
    assert "pool=upload" in stages(app)[0]["header"]["address"]


def _floats(packed: Any) -> list[float]:
    from stdial.charts.chart import unpacked

    return unpacked(packed).tolist() if isinstance(packed, dict) else list(packed)
