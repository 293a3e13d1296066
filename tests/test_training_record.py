"""The recorded run of a tiny language model: the file, its tables, and the statements computed from it."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stdial import expectation, group
from stdial.training import findings, outcomes, record, statement
from stdial.training.language_model import arithmetic, settings


@pytest.fixture(scope="module")
def shipped() -> record.Record:
    return record.load()


@pytest.fixture(scope="module")
def found(shipped: record.Record) -> dict[str, statement.Finding]:
    return {finding["name"]: finding for finding in shipped.findings}


class TestFile:
    def test_is_small_and_says_how_it_was_made(self, shipped: record.Record) -> None:
        assert record.SHIPPED.stat().st_size < 3_000_000
        about = shipped.about
        assert about["versions"]["torch"].startswith("2.13.0")
        assert len(about["commit"]) == 40
        assert len(about["source_sha256"]) == 64
        assert about["seeds"] == list(settings.WARM_UP_SEEDS)
        assert about["cpu_seconds"] / 2 < 20 * 60
        assert set(about["tolerances"]) == {"rate", "mean_silent"}
        assert about["tolerances_hold_for_steps"] == 50

    def test_reading_it_needs_no_torch(self) -> None:
        program = "import sys; sys.modules['torch'] = None; from stdial.training import record; record.load().probes"
        subprocess.run([sys.executable, "-c", program], check=True)

    def test_holds_every_run_of_the_plan(self, shipped: record.Record) -> None:
        planned = settings.recorded_runs()
        runs = shipped.runs
        assert runs.run.tolist() == list(range(len(planned)))
        for i, run in enumerate(planned):
            stored = (runs.method[i], runs.verifier[i], runs.seed[i], runs.optimizer[i], runs.steps[i], runs.updates[i])
            assert stored == (run.method, run.verifier, run.seed, run.optimizer, run.steps, run.updates)
            assert runs.learning_rate[i] == pytest.approx(run.learning_rate)
            assert (shipped.steps.run == i).sum() == run.steps

    def test_another_table_is_refused(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
        with pytest.raises(ValueError, match="must be a record"):
            record.load(tmp_path / "other.parquet")

    def test_written_and_read_again(self, tmp_path: Path) -> None:
        steps = pa.table({"run": [3], "step": [1], "rollouts": [512], "groups": [64], "silent": [0.5]})
        record.write(tmp_path / "one.parquet", {"step": [steps]}, {"findings": []})
        record.replace_about(tmp_path / "one.parquet", findings=[{"name": "none"}])
        again = record.Record(tmp_path / "one.parquet")
        assert again.findings == [{"name": "none"}]
        assert (again.steps.run[0], again.steps.rollouts[0], again.steps.silent[0]) == (3, 512, 0.5)
        assert math.isnan(again.steps.silent_predicted[0])
        assert len(again.runs) == len(again.probes) == 0
        assert findings.compute(again) == []


class TestTables:
    def test_groups_add_up_to_the_steps(self, shipped: record.Record) -> None:
        groups, steps = shipped.groups, shipped.steps
        assert len(groups) == steps.groups.sum()
        runs = len(shipped.runs)
        size = shipped.runs.size[groups.run]
        place = groups.run * 1000 + groups.step
        drawn = np.bincount(place, minlength=1000 * runs)
        silent = np.bincount(place, (groups.k == 0) | (groups.k == size), minlength=1000 * runs)
        at = steps.run * 1000 + steps.step
        assert np.array_equal(drawn[at], steps.groups)
        assert np.allclose(silent[at] / drawn[at], steps.silent, atol=1e-6)

    def test_rollouts_are_groups_times_size(self, shipped: record.Record) -> None:
        for run, size in zip(shipped.runs.run, shipped.runs.size, strict=True):
            steps = shipped.steps.take(shipped.steps.run == run)
            assert np.array_equal(np.cumsum(steps.groups) * size, steps.rollouts)

    def test_dynamic_sampling_trains_on_live_groups_only(self, shipped: record.Record) -> None:
        dapo = np.isin(shipped.steps.run, shipped.runs.run[shipped.runs.method == "DAPO"])
        steps = shipped.steps
        live = np.rint(steps.groups * (1 - steps.silent))
        assert np.array_equal(np.minimum(live, 64)[dapo], steps.trained_groups[dapo])
        assert np.array_equal(steps.groups[~dapo], steps.trained_groups[~dapo])

    def test_predicted_silence_is_that_of_the_stored_rates(self, shipped: record.Record) -> None:
        run = outcomes.matching_runs(shipped, "GRPO")[0]
        groups = shipped.groups.take((shipped.groups.run == run) & (shipped.groups.step == 40))
        steps = shipped.steps.take((shipped.steps.run == run) & (shipped.steps.step == 40))
        assert expectation.silent_rate(groups.p, 8).mean() == pytest.approx(steps.silent_predicted[0], abs=0.002)

    def test_probes_hold_the_identity(self, shipped: record.Record) -> None:
        probes = shipped.probes.take(shipped.probes.update == 1)
        assert probes.error.max() < 1e-5
        assert np.allclose(probes.norm, probes.c * probes.contrast, rtol=1e-5)
        grpo = np.isin(probes.run, shipped.runs.run[(shipped.runs.method != "Dr. GRPO") & (shipped.runs.size == 8)])
        assert np.allclose(probes.c[grpo], group.std(probes.k[grpo], 8), atol=1e-6)
        assert set(probes.k[grpo]) == set(range(1, 8))

    def test_ladder_in_float64(self, shipped: record.Record) -> None:
        rungs = shipped.ladder
        assert rungs.take(rungs.rung == "float64").error.max() < 1e-12
        assert rungs.take(rungs.k % 8 == 0).norm.max() == 0
        ddof = rungs.take(rungs.rung == "ddof 1")
        assert np.allclose(ddof.error, math.sqrt(8 / 7) - 1, atol=1e-6)
        assert np.bincount(rungs.take(rungs.rung == "ddof 1").k)[1:8].min() >= 12

    def test_warm_ups_stop_at_their_spread(self, shipped: record.Record) -> None:
        stop = shipped.about["warm_up"]["stopped_at_mean_rate"]
        for seed in shipped.about["seeds"]:
            looks = shipped.warm_ups.take(shipped.warm_ups.seed == seed)
            last = looks.step == looks.step.max()
            assert looks.rate[last].min() >= stop > looks.rate[~last].max()
            assert looks.share[last].sum() == pytest.approx(1, abs=1e-6)
            pool = shipped.problems.take((shipped.problems.seed == seed) & (shipped.problems.split == "pool"))
            assert pool.p.mean() == pytest.approx(looks.rate[last][0], abs=1e-6)
            assert np.histogram(pool.p, 5, (0, 1))[0].min() > 50

    def test_problems_are_those_of_the_script(self, shipped: record.Record) -> None:
        pool, held_out = arithmetic.held_out_and_pool()
        stored = shipped.problems.take(shipped.problems.seed == 0)
        assert stored.text.tolist() == pool.texts() + held_out.texts()


class TestStatements:
    def test_are_computed_from_the_tables(self, shipped: record.Record) -> None:
        assert findings.compute(shipped) == shipped.findings

    def test_what_held(self, found: dict[str, statement.Finding]) -> None:
        assert found["identity"]["held"]
        assert found["silent groups"]["held"]
        assert found["silence"]["held"]
        assert found["expected update"]["held"]

    def test_what_did_not(self, found: dict[str, statement.Finding]) -> None:
        for name in ("size of the update", "mean pass rate", "later updates", "conventions"):
            assert found[name]["held"] is False, name
        assert found["size of the update"]["numbers"]["explained"]["exact"] < 0.5

    def test_sentences_are_whole(self, found: dict[str, statement.Finding]) -> None:
        assert len(found) == 13
        for finding in found.values():
            assert finding["claim"].endswith(".")
            assert finding["sentence"].endswith(".")
            assert "nan" not in finding["sentence"]

    def test_numbers_become_plain(self) -> None:
        made = statement.make("a", "b.", None, "c.", x=np.float64(1 / 3), y=[np.int64(2)], z={1: math.nan})
        assert made["numbers"] == {"x": 0.333333, "y": [2], "z": {"1": None}}


class TestArithmetic:
    def test_answers_are_right(self) -> None:
        pool, held_out = arithmetic.held_out_and_pool()
        for problems in (pool, held_out):
            for text, value in zip(problems.texts(), problems.value, strict=True):
                left, right = text[:-1].replace("*", "+").split("+")
                assert value == (int(left) * int(right) if "*" in text else int(left) + int(right))
            assert arithmetic.verify(problems.answer, problems.answer, problems.value, "exact").all()
            assert arithmetic.verify(problems.answer, problems.answer, problems.value, "near").all()
        assert not set(pool.texts()) & set(held_out.texts())

    def test_near_takes_leading_zeros_and_a_twentieth_but_no_nonsense(self) -> None:
        problem = arithmetic.encode(0, np.array([50]), np.array([50]))
        texts = ["95;__", "105;_", "0100;", "94;__", "106;_", "1=0;_", ";____", "10000", "100_;"]
        tries = np.array([[arithmetic.CHARACTERS.index(c) for c in text] for text in texts])
        right = arithmetic.verify(tries, problem.answer, problem.value, "near")
        assert right.tolist() == [True, True, True, False, False, False, False, False, False]

    def test_wrong_names_are_refused(self) -> None:
        with pytest.raises(ValueError, match="verifier is 'loose'"):
            arithmetic.verify(np.zeros((1, 5), int), np.zeros((1, 5), int), np.zeros(1, int), "loose")
        with pytest.raises(ValueError, match="too few"):
            arithmetic.held_out_and_pool(20_000, 10)
