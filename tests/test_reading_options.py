"""What the caller says overrules the guess; what the guess shows; before and after."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stdial import Pool
from stdial.pool_file import write_pool
from stdial.reading import Limits, Reading, Refused, Unclear, read
from stdial.reading.options import Options
from stdial.reading.steps import silent_share_columns, step_column
from tests.reading_shapes import LONG, MARKS, RATE, K, csv, lines

CASES = Path(__file__).parent / "cases"
ODD = csv(
    [
        {"who": f"w{i}", "when": s, "what": m, "how": 7 - j, "kind": "a" if i % 2 else "b"}
        for s in (1, 2)
        for i, j, m in LONG
    ]
)
COUNTS = csv({"who": [f"w{i}" for i in range(12)], "good": K, "lot": 8, "share": RATE, "half": [r / 2 for r in RATE]})


def right_of(found: Reading) -> list[int]:
    assert found.pool is not None
    assert found.pool.right is not None
    return found.pool.right.tolist()


def test_every_override_of_a_log() -> None:
    options: dict[str, Any] = {"id": "who", "reward": "what", "step": "when", "facets": ["kind"]}
    found = read(ODD, **options, at_step=2)
    assert found.mapping == {"id": "who", "step": "when", "reward": "what"}
    assert right_of(found) == K
    assert found.facets == ("kind",)
    assert set(found.reasons.values()) >= {"as you said"}
    both = read(ODD, **options, each_step=True)
    assert both.problems == 24
    assert both.facets == ("kind", "step")
    assert both.pool is not None
    assert both.pool.where("step", 1).size == 12
    assert list(both.groups)[:2] == ["id", "step"]
    with pytest.raises(Unclear) as asked:
        read(ODD, **options)
    assert asked.value.choices[-1] == "each when its own pool"
    with pytest.raises(ValueError, match="at_step is 3; the steps are 1, 2"):
        read(ODD, **options, at_step=3)


def test_every_override_of_a_table() -> None:
    assert right_of(read(COUNTS, id="who", right="good", tries="lot")) == K
    assert right_of(read(COUNTS, rate="share", tries=8)) == K
    assert right_of(read(COUNTS, rate="share", tries="8")) == K
    assert right_of(read(COUNTS, rate="share", tries="lot")) == K
    with pytest.raises(Refused, match="tries"):
        read(COUNTS, right="good")
    with pytest.raises(Refused, match="row 3"):
        read(COUNTS, rate="half", tries=8)
    hard = read(COUNTS, rate="share", high_is="hard")
    assert right_of(hard) == [8 - k for k in K]


def test_group_key_and_lists() -> None:
    wide = csv([{"id": i % 6} | {f"x{j}": x for j, x in enumerate(marks)} for i, marks in enumerate(MARKS)])
    with pytest.raises(Unclear, match="what are such rows"):
        read(wide, rewards="x0 .. x7")
    assert right_of(read(wide, rewards="x0 .. x7", id="")) == K
    added = read(wide, rewards=[f"x{j}" for j in range(8)], group="id")
    assert right_of(added) == [K[i] + K[i + 6] for i in range(6)]
    assert right_of(read(wide, rewards="x0, x1", id="")) == [m[0] + m[1] for m in MARKS]
    grouped = read(csv([{"prompt": i % 6, "g": i, "r": m} for i, _, m in LONG]), id="prompt", group="g", reward="r")
    assert grouped.problems == 12
    assert grouped.ids is not None
    assert grouped.ids.tolist() == [i % 6 for i in range(12)]


def test_threshold_and_partial_credit() -> None:
    data = (CASES / "continuous.jsonl").read_bytes()
    assert read(data).pool is None
    found = read(data, threshold=0.4)
    assert found.groups["silent"].tolist() == [True, False, True, True]  # of the rewards as they were logged
    assert right_of(found) == [0, 3, 4, 0]


def test_difficulty() -> None:
    hard = read(CASES / "difficulty_inverted.csv", high_is="hard")
    easy = read(CASES / "difficulty_inverted.csv", high_is="easy")
    assert hard.pool is not None
    assert easy.pool is not None
    assert (hard.pool.mean_rate, easy.pool.mean_rate) == pytest.approx((0.557292, 1 - 0.557292), abs=1e-6)
    assert hard.warnings == easy.warnings


@pytest.mark.parametrize("role", ["id", "rate", "right", "tries", "reward", "rewards", "step", "group", "facets"])
def test_a_column_that_is_not_there(role: str) -> None:
    with pytest.raises(ValueError, match="problem_id, num_correct, num_rollouts") as caught:
        read(CASES / "counts.csv", **{role: "foo"})
    assert "foo" in str(caught.value)
    assert not isinstance(caught.value, Refused)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"high_is": "up"}, "high_is"),
        ({"rate": "a", "reward": "b"}, "rate and reward"),
        ({"at_step": 1, "each_step": True}, "at_step"),
        ({"tries": 0}, "tries"),
        ({"at_step": 1}, "at_step"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        read(CASES / "counts.csv", **options)
    with pytest.raises(ValueError, match="colour: no such option"):
        Options.of({"colour": "a"})
    with pytest.raises(ValueError, match="size is 0"):
        Limits(size=0)


def test_what_a_page_shows() -> None:
    found = read(CASES / "trl_completions.parquet")
    assert found.alternatives["reward"][0] == "accuracy_reward"
    assert "prompt" in found.alternatives["id"]
    assert set(found.reasons) >= {"id", "reward"}
    assert list(found.rewards) == ["accuracy_reward", "format_reward"]
    assert found.rewards["format_reward"].silent.all()
    rows = found.rollouts_of(3)
    assert rows is not None
    assert rows.num_rows == 8
    assert rows.column("accuracy_reward").to_pylist().count(1.0) == right_of(found)[3]
    assert len(found.preview) == 8
    assert len(found.preview[0]) == len(found.columns)
    assert "24 problems" in repr(found)


def test_a_step_log_carries_itself() -> None:
    with pytest.raises(Refused) as caught:
        read(CASES / "step_log.csv")
    table = caught.value.table
    assert step_column(table.column_names) == "step"
    (silent,) = silent_share_columns(table.column_names)
    assert table.column(silent)[0].as_py() == 0.5


def test_stored_pools_come_back(tmp_path: Path) -> None:
    pool = Pool([1, 4, 0], 8, problems=[3, 2, 5], facets={"d": ["a", ("a", "b"), "b"]}, notes=["one row dropped"])
    write_pool(pool, tmp_path / "pool.parquet", {"source": "made up"})
    found = read(tmp_path / "pool.parquet")
    assert (found.problems, found.rollouts, found.silent_groups) == (10, 80, 5)
    assert found.pool is not None
    assert found.pool.where("d", "b").size == 7
    assert found.warnings == ("one row dropped",)
    assert found.groups["problems"].tolist() == [3, 2, 5]


def test_large_json_and_parquet_read_as_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"qid": f"q{i}", "topic": "a" if i % 2 else "b", "meta": {"reward": float(m)}} for i, _, m in LONG]
    flat = pa.table(
        {"qid": [r["qid"] for r in rows], "topic": [r["topic"] for r in rows], "reward": [m for *_, m in LONG]}
    )
    small, columnar = read(lines(rows)), read(parquet_of(flat))
    monkeypatch.setattr("stdial.reading.nested._BLOCKWISE", 100)
    monkeypatch.setattr("stdial.reading.columnar._WHOLE", 10)
    for found, large in ((small, read(lines(rows))), (columnar, read(parquet_of(flat)))):
        assert (found.mapping, found.facets, right_of(found)) == (large.mapping, large.facets, right_of(large))
    assert read(parquet_of(flat)).source is None


def parquet_of(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()
