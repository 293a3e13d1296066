"""The controlled run against the paper, its mean-field twin and closed forms; the recorded run against itself."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import DAPO, DR_GRPO, GRPO, RLOO, Method, Pool, bigmath, expectation, group, training
from stdial.training import stepping

METHODS = (GRPO, DR_GRPO, DAPO)


@pytest.fixture(scope="module")
def pool() -> Pool:
    return bigmath.load()


@pytest.fixture(scope="module")
def small() -> Pool:
    return Pool([0, 1, 2, 4, 6, 7, 8], 8, problems=[5, 1, 2, 3, 2, 1, 5])


@pytest.fixture(scope="module")
def by_method(pool: Pool) -> dict[str, list[training.Run]]:
    return {method.name: [training.run(pool, method, seed=seed) for seed in range(3)] for method in METHODS}


class TestPaper:
    """THEORY.md section 6, three seeds here; tests/extra and bench/training.py take twenty."""

    def test_hardest_quarter(self, by_method: dict[str, list[training.Run]], paper: dict[str, Any]) -> None:
        final = {name: [run.hardest_quarter[-1] for run in runs] for name, runs in by_method.items()}
        seen = paper["controlled_run"]["ours_over_seeds"]["hardest_quarter"]
        assert np.allclose(final["GRPO"], np.mean(seen["grpo"]), atol=0.001)
        assert all(0.88 < rate < 0.912 for rate in final["Dr. GRPO"])
        assert all(rate > 0.995 for rate in final["DAPO"])

    def test_silent_share_is_the_predicted_one(self, by_method: dict[str, list[training.Run]]) -> None:
        assert all(run.r2_silent >= 0.998 for runs in by_method.values() for run in runs)

    def test_extreme_mass(self, by_method: dict[str, list[training.Run]], paper: dict[str, Any]) -> None:
        expected = paper["controlled_run"]["ours_over_seeds"]["extreme_mass_expected"]
        for method, value in ((GRPO, expected["grpo"]), (DR_GRPO, expected["dr_grpo"])):
            for run in by_method[method.name]:
                assert run.mass.predicted[[0, 9]].sum() == pytest.approx(value, abs=0.001)
                assert run.mass.measured[[0, 9]].sum() == pytest.approx(run.mass.predicted[[0, 9]].sum(), abs=0.012)

    def test_expected_extreme_mass_over_the_whole_pool(self, pool: Pool) -> None:
        rates = pool.rate[(pool.rate > 0) & (pool.rate < 1)].clip(*training.CLIP)
        problems = pool.problems[(pool.rate > 0) & (pool.rate < 1)]
        for method, value in ((GRPO, 0.169), (DR_GRPO, 0.1423)):
            mass = stepping.by_tenth(stepping.tenths(rates), expectation.expected_update(rates, 8, method) * problems)
            assert mass[[0, 9]].sum() / mass.sum() == pytest.approx(value, abs=0.0005)

    def test_rollouts_of_dynamic_sampling(self, by_method: dict[str, list[training.Run]]) -> None:
        plain = [run.rollouts for run in by_method["GRPO"]]
        assert plain == [150 * 6000 * 8] * 3
        factor = np.mean([run.rollouts for run in by_method["DAPO"]]) / plain[0]
        assert factor == pytest.approx(3.488, abs=0.02)


class TestRun:
    def test_shapes_and_bookkeeping(self, small: Pool) -> None:
        run = training.run(small, DAPO, size=4, steps=20, prompts=300)
        assert run.rates.shape == (21, 300)
        assert run.silent.shape == run.silent_predicted.shape == (20,)
        assert run.hardest_quarter.shape == run.mean_rate.shape == run.rollouts_by_step.shape == (21,)
        assert run.rollouts == run.rollouts_by_step[-1]
        assert run.rollouts_by_step[0] == 0
        assert run.tries == 4
        for shares in (*run.mass, run.mass_limit, *run.mass_at(19)):
            assert shares.shape == (10,)
            assert shares.sum() == pytest.approx(1)

    def test_only_rates_strictly_inside_start_and_are_clipped(self) -> None:
        start = training.starting_rates(Pool([0, 1, 50, 99, 100], 100, problems=[9, 1, 1, 1, 9]), 3000, seed=1)
        values, counts = np.unique(start, return_counts=True)
        assert values.tolist() == [0.02, 0.5, 0.98]
        assert counts.tolist() == [1000] * 3

    def test_problems_weigh_rows(self) -> None:
        start = training.starting_rates(Pool([1, 3], 4, problems=[1, 99]), 5000, seed=0)
        assert start.mean() == pytest.approx(0.745, abs=1e-4)

    def test_a_pool_of_so_many_problems_is_taken_whole(self) -> None:
        rates = np.random.default_rng(5).uniform(0.02, 0.98, 37)
        assert sorted(training.starting_rates(Pool.from_rates(rates), 37, seed=6)) == sorted(rates)

    def test_pool_of_bare_rates(self) -> None:
        run = training.run(Pool.from_rates([0.25, 0.5]), GRPO, steps=3, prompts=50)
        assert set(run.rates[0]) == {0.25, 0.5}

    def test_equal_seeds_give_equal_runs_and_methods_share_their_start(self, small: Pool) -> None:
        first, again = (training.run(small, GRPO, steps=5, prompts=100, seed=3) for _ in range(2))
        other = training.run(small, DR_GRPO, steps=5, prompts=100, seed=3)
        assert np.array_equal(first.rates, again.rates)
        assert np.array_equal(first.rates[0], other.rates[0])
        assert first.silent[0] == other.silent[0]
        assert not np.array_equal(first.rates, training.run(small, GRPO, steps=5, prompts=100, seed=4).rates)

    def test_every_step_is_a_multiple_of_c(self, small: Pool) -> None:
        method = Method("between", exponent=0.7, ddof=1, epsilon=1e-3)
        run = training.run(small, method, size=6, steps=4, prompts=200, learning_rate=0.25)
        moved = np.diff(np.log(run.rates / (1 - run.rates)), axis=0) / 0.25
        allowed = group.update(np.arange(7), 6, method)
        assert np.abs(moved[..., None] - allowed).min(axis=-1).max() < 1e-9

    @pytest.mark.parametrize("method", [GRPO, DR_GRPO, RLOO, Method("log-odds", exponent=2.0)])
    @pytest.mark.parametrize("size", [2, 3, 8, 40])
    def test_drawn_mean_is_the_expected_update(self, method: Method, size: int) -> None:
        run = training.run(Pool([1], 10), method, size=size, steps=1, prompts=40_000, learning_rate=1.0)
        moved = np.log(run.rates[1] / (1 - run.rates[1])) - math.log(1 / 9)
        error = moved.std() / 200
        assert abs(moved.mean() - expectation.expected_update(0.1, size, method)) < 5 * error + 1e-12

    def test_same_prompt_is_tried_again(self) -> None:
        """P(live) = 1 - S^m and E[tries] = (1 - S^m) / (1 - S), THEORY.md section 4."""
        run = training.run(Pool([1], 20), DAPO, steps=1, prompts=50_000, tries=3)
        silent = float(expectation.silent_rate(0.05, 8))
        assert run.silent[0] == pytest.approx(silent, abs=0.01)
        assert (run.rates[1] > run.rates[0] + 1e-6).mean() == pytest.approx(1 - silent**3, abs=0.01)
        assert run.rollouts / (8 * 50_000) == pytest.approx((1 - silent**3) / (1 - silent), rel=0.01)

    def test_redrawing_keeps_the_weights_of_problems(self, pool: Pool) -> None:
        plain = training.run(pool, GRPO, steps=1, prompts=60_000)
        redrawn = training.run(pool, DAPO, steps=1, prompts=60_000, redraw=True, tries=200)
        retried = training.run(pool, DAPO, steps=1, prompts=60_000, tries=200)
        assert np.allclose(redrawn.mass.predicted, plain.mass.predicted, rtol=1e-12)
        assert np.abs(redrawn.mass.measured - plain.mass.predicted).max() < 0.004
        assert retried.mass.predicted[0] > 1.5 * plain.mass.predicted[0]
        mean_silent = plain.silent_predicted[0]
        assert redrawn.rollouts / plain.rollouts == pytest.approx(1 / (1 - mean_silent), rel=0.01)
        assert redrawn.mass_by_step.sum() / plain.mass_by_step.sum() == pytest.approx(1 / (1 - mean_silent), rel=0.02)

    def test_infinite_groups_have_their_limit(self, small: Pool) -> None:
        run = training.run(small, GRPO, size=4096, steps=1, prompts=500)
        assert np.abs(run.mass.predicted - run.mass_limit).max() < 1e-3

    def test_nothing_changes_where_nothing_is_silent_to_compare(self) -> None:
        assert math.isnan(training.run(Pool([1], 2), GRPO, size=64, steps=3, prompts=10).r2_silent)

    def test_progress_counts_and_can_stop(self, small: Pool) -> None:
        seen: list[tuple[int, int]] = []

        def stop_at_two(done: int, steps: int) -> None:
            seen.append((done, steps))
            if done == 2:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            training.run(small, GRPO, steps=10, prompts=20, progress=stop_at_two)
        assert seen == [(1, 10), (2, 10)]

    def test_steps_one_at_a_time_are_the_run(self, small: Pool) -> None:
        run = training.run(small, DAPO, steps=4, prompts=60, seed=2)
        steps = list(training.simulate(small, DAPO, steps=4, prompts=60, seed=2))
        assert np.array_equal([step.rates for step in steps], run.rates[1:])
        assert [step.silent for step in steps] == run.silent.tolist()
        assert sum(step.rollouts for step in steps) == run.rollouts

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"size": 1}, "size is 1"),
            ({"size": math.inf}, "size is inf"),
            ({"size": [8, 8]}, "size is"),
            ({"steps": 0}, "steps is 0"),
            ({"prompts": 0.5}, "prompts is 0.5"),
            ({"tries": 0}, "tries is 0"),
            ({"seed": -1}, "seed is -1"),
            ({"learning_rate": 0}, "learning_rate is 0"),
            ({"learning_rate": math.nan}, "learning_rate is nan"),
            ({"method": "GRPO"}, "method is 'GRPO'"),
            ({"pool": Pool([0, 8], 8)}, "strictly between 0 and 1"),
        ],
    )
    def test_wrong_arguments_are_named(self, small: Pool, arguments: dict[str, Any], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            training.run(**{"pool": small, "method": GRPO, "prompts": 10, "steps": 1, **arguments})


class TestMeanField:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("redraw", [False, True])
    def test_sampled_runs_follow_it(self, pool: Pool, method: Method, redraw: bool) -> None:
        mean = training.run(pool, method, redraw=redraw, sampled=False, steps=40, prompts=4000)
        drawn = training.run(pool, method, redraw=redraw, steps=40, prompts=4000)
        assert np.abs(mean.silent - drawn.silent).max() < 0.05
        assert np.abs(mean.mean_rate - drawn.mean_rate).max() < 0.03
        assert mean.rollouts == pytest.approx(drawn.rollouts, rel=0.03)
        assert np.allclose(mean.silent, mean.silent_predicted)
        assert np.allclose(*mean.mass)

    @given(alpha=st.floats(0, 2), size=st.integers(2, 40), rate=st.floats(0.02, 0.98))
    def test_one_step_is_the_expected_update(self, alpha: float, size: int, rate: float) -> None:
        method = Method("dial", exponent=alpha)
        run = training.run(
            Pool.from_rates([rate]), method, size=size, steps=1, prompts=1, learning_rate=1.0, sampled=False
        )
        moved = math.log(run.rates[1, 0] / (1 - run.rates[1, 0])) - math.log(rate / (1 - rate))
        assert moved == pytest.approx(expectation.expected_update(rate, size, method), rel=1e-9, abs=1e-12)

    def test_interpolated_where_rates_are_many(self) -> None:
        rates = np.random.default_rng(0).uniform(0.02, 0.98, 1500)
        many = training.run(Pool.from_rates(rates), DAPO, steps=25, prompts=900, sampled=False)
        few = training.run(Pool.from_rates(many.rates[0][:200]), DAPO, steps=25, prompts=900, sampled=False)
        assert len(np.unique(many.rates[0])) > 512
        assert len(np.unique(few.rates[0])) <= 512
        order, few_order = np.argsort(many.rates[0]), np.argsort(few.rates[0])
        by_start = np.interp(few.rates[0][few_order], many.rates[0][order], many.rates[-1][order])
        assert np.abs(by_start - few.rates[-1][few_order]).max() < 1e-7
