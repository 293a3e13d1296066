"""The batch calculator against simulated batches, closed forms and its own limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import Pool, batches
from stdial.batches import fill, fill_from, generation_batch_for, not_full_from
from stdial.expectation import silent_rate

BATCHES = 100_000


def simulate(rng, kept, train_batch, generation_batch, cap):
    """Generations used and whether each batch fell short, for many batches drawn one generation at a time."""
    have = np.zeros(BATCHES, dtype=np.int64)
    generations = np.zeros(BATCHES, dtype=np.int64)
    open_ = np.arange(BATCHES)
    while open_.size and not (cap and generations.max() >= cap):
        have[open_] += rng.binomial(generation_batch, kept, size=open_.size)
        generations[open_] += 1
        open_ = open_[have[open_] < train_batch]
    return generations, have < train_batch


@pytest.mark.parametrize(
    ("silent", "train_batch", "generation_batch", "cap"),
    [(0.431, 512, 300, 0), (0.431, 512, 300, 3), (0.9, 32, 48, 7), (0.05, 8, 3, 3), (0.98, 4, 16, 0)],
)
def test_agrees_with_simulated_batches(silent, train_batch, generation_batch, cap):
    generations, short = simulate(np.random.default_rng(1), 1 - silent, train_batch, generation_batch, cap)
    found = fill(silent, train_batch, generation_batch, size=8, cap=cap)
    error = generations.std(ddof=1) / math.sqrt(BATCHES)
    assert abs(found.generations - generations.mean()) <= error
    assert found.rollouts == pytest.approx(found.generations * generation_batch * 8)
    if cap:
        chance = short.mean()
        assert abs(found.capped - chance) <= math.sqrt(max(chance * (1 - chance), 1e-12) / BATCHES)


def test_one_pass_agrees_with_draws_without_replacement():
    rng = np.random.default_rng(2)
    rate = np.array([0.01, 0.2, 0.5, 0.95]).repeat([300, 150, 100, 250])
    silent = silent_rate(rate, 8)
    mean, variance = silent.mean(), silent.var()
    needed, short = [], 0
    for _ in range(4000):
        kept = np.cumsum(rng.permutation(rng.random(rate.size) >= silent))
        generations = np.searchsorted(kept[[159, 319, 479, 639, 799]], 160) + 1
        short += generations > 3
        needed.append(min(generations, 3))
    found = fill(mean, 160, 160, 8, cap=3, problems=rate.size, variance=variance)
    assert found.one_pass_generations == pytest.approx(np.mean(needed), abs=3 * np.std(needed) / 60 + 5e-3)
    assert found.one_pass_capped == pytest.approx(short / 4000, abs=0.02)
    assert found.pool_kept == pytest.approx(rate.size * (1 - mean))
    independent = found.capped
    assert abs(found.one_pass_capped - short / 4000) < abs(independent - short / 4000)


@given(st.floats(0, 0.999), st.integers(1, 60), st.integers(1, 60))
def test_exact_sums(silent, train_batch, generation_batch):
    """The definition, term by term, with rational-free binomial sums."""
    q, total, j = 1 - silent, 0.0, 0
    while j <= 6:
        n = j * generation_batch
        total += math.fsum(math.comb(n, k) * q**k * silent ** (n - k) for k in range(min(train_batch, n + 1)))
        j += 1
    found = fill(silent, train_batch, generation_batch, 8, cap=7)
    assert found.generations == pytest.approx(total, rel=1e-9)


def test_the_expected_number_of_draws_is_known_for_single_prompts():
    """With b = 1 it is the mean of a negative binomial, B/q, whatever the number of terms."""
    for silent, train_batch in ((0.5, 3), (0.999, 2), (1 - 1e-6, 5), (0.3, 50_000)):
        assert fill(silent, train_batch, 1, 8).generations == pytest.approx(train_batch / (1 - silent), rel=1e-9)


def test_ends():
    sure = fill(0.0, 100, 30, 8, cap=4)
    assert (sure.generations, sure.capped, sure.rollouts) == (4, 0, 960)
    never = fill(1.0, 8, 4, 8)
    assert (never.generations, never.capped) == (math.inf, 0)
    assert "never fills" in never.warning
    stopped = fill(1.0, 8, 4, 8, cap=3)
    assert (stopped.generations, stopped.capped) == (3, 1)


@given(st.floats(0, 0.99), st.integers(1, 500), st.integers(1, 6), st.floats(0.001, 0.5))
def test_generation_batch_is_the_smallest(silent, train_batch, cap, miss):
    b = int(generation_batch_for(silent, train_batch, cap, miss))
    assert fill(silent, train_batch, b, 8, cap).capped <= miss
    assert b == 1 or fill(silent, train_batch, b - 1, 8, cap).capped > miss


def test_no_generation_batch_helps_where_all_is_silent():
    assert generation_batch_for(1.0, 8, 2) == math.inf


def test_warnings():
    assert fill(0.9, 512, 512, 8, problems=1000).warning.startswith("one pass through the pool keeps 100 of 1,000")
    assert "not full after 2 generations" in fill(0.6, 512, 512, 8, cap=2).warning
    assert fill(0.4, 512, 512, 8, cap=10, problems=100_000).warning == ""


def test_a_pool_gives_its_own_share_and_variance(paper):
    pool = Pool(np.arange(65), 64, problems=paper["bigmath"]["problems_by_right"])
    found = fill_from(pool, 8, 512, 1536, cap=10)
    assert 1 / found.kept == pytest.approx(1.76, abs=5e-3)
    assert found.pool_kept == pytest.approx(pool.size * (1 - pool.silent_rate(8)))
    assert found.one_pass_generations == pytest.approx(found.generations, rel=1e-3)  # a batch is a sliver of it
    bare = Pool.from_rates([0.02, 0.5], problems=[40, 60])
    silent = silent_rate(np.array([0.02, 0.5]), 8)
    share = np.array([0.4, 0.6])
    mean = share @ silent
    expected = fill(mean, 16, 32, 8, 0, 100, share @ silent**2 - mean**2)
    assert fill_from(bare, 8, 16, 32).one_pass_generations == pytest.approx(expected.one_pass_generations)


def test_a_pass_in_which_nothing_is_left_to_chance():
    """Half of the problems always silent, half never: a whole pass keeps exactly half."""
    half = fill(0.5, 50, 100, 8, problems=100, variance=0.25)
    assert half.one_pass_capped == 0
    assert fill(0.5, 51, 100, 8, problems=100, variance=0.25).one_pass_capped == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"silent": 1.5}, "silent is 1.5"),
        ({"train_batch": 0}, "train_batch is 0; it must be a whole number from 1"),
        ({"generation_batch": 2.5}, "generation_batch is 2.5"),
        ({"cap": -1}, "cap is -1"),
        ({"size": 1}, "size is 1"),
        ({"problems": 0}, "problems is 0"),
        ({"problems": 10, "variance": 0.5}, "variance is 0.5"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"silent": 0.5, "train_batch": 8, "generation_batch": 8, "size": 8}
    with pytest.raises(ValueError, match=message):
        fill(**{**arguments, **change})


def test_one_pass_through_a_pool_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many problems as a file may claim, drawn one by one: the same figures without a term for each."""
    for silent, variance in ((0.43, 0.02), (0.999, 0.0001), (1.0, 0.0), (0.0, 0.0)):
        plain = fill(silent, 5000, 1, 8, 0, 300_000, variance)
        with monkeypatch.context() as patch:
            patch.setattr(batches, "_MOST_SUMMED", 1 << 14)
            fast = fill(silent, 5000, 1, 8, 0, 300_000, variance)
        assert fast.one_pass_generations == pytest.approx(plain.one_pass_generations, rel=1e-9)
        assert fast.one_pass_capped == plain.one_pass_capped
    vast = fill(0.5, 100_000, 1, 8, 0, 10**12, 0.1)
    assert vast.one_pass_generations == pytest.approx(200_000, rel=1e-5)
    assert fill(1 - 1e-9, 100_000, 1, 8, 0, 10**12).one_pass_capped == pytest.approx(1.0)


@pytest.mark.parametrize(
    "pool", [Pool.from_rates([0.02, 0.5], problems=[40, 60]), Pool([0, 1, 4, 8], 8, problems=[30, 50, 20, 40])]
)
@pytest.mark.parametrize(("train", "generation"), [(32, 64), (32, 16), (1, 1), (200, 7)])
def test_many_caps_at_once_are_as_one_by_one(pool: Pool, train: int, generation: int) -> None:
    js = [1, 2, 3, 7, 40]
    exact, once = not_full_from(pool, 8, train, generation, js)
    found = [fill_from(pool, 8, train, generation, j) for j in js]
    np.testing.assert_allclose(exact, [one.capped for one in found], rtol=1e-12)
    np.testing.assert_allclose(once, [one.one_pass_capped for one in found], rtol=1e-12)
