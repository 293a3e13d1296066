"""Redraw and retry over a pool, against their definitions and a simulation; the two sides of a larger group."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import DR_GRPO, GRPO, Pool, bigmath, tries
from stdial.dropping import distribution, dropping, relative_weight, retry_prices
from stdial.expectation import expected_update, silent_rate, weight
from stdial.resampling import retry_mixed


def test_big_math_at_eight() -> None:
    found = dropping(bigmath.load(), 8, 4)
    assert found.redraw_factor == pytest.approx(1 / (1 - 0.43067822610354034), rel=1e-12)
    assert round(found.redraw_factor, 2) == 1.76
    assert found.redraw_price == pytest.approx(8 * found.redraw_factor)
    assert found.retry_price > found.redraw_price
    assert 1 < found.retry_scale < found.redraw_factor


@given(
    st.lists(st.tuples(st.floats(0.01, 0.99), st.integers(1, 9)), min_size=1, max_size=6),
    st.integers(2, 20),
    st.integers(1, 9),
)
def test_bare_rates_by_hand(rows: list[tuple[float, int]], size: int, m: int) -> None:
    rates, many = (np.array(column, float) for column in zip(*rows, strict=True))
    found = dropping(Pool.from_rates(rates, problems=many), size, m, DR_GRPO)
    share, silent = many / many.sum(), silent_rate(rates, size)
    c = expected_update(rates, size, DR_GRPO)
    number = sum(silent**i for i in range(m))
    assert found.kept == pytest.approx(1 - share @ silent, rel=1e-9)
    assert found.retry_mixed == pytest.approx(share @ (1 - silent**m), rel=1e-9)
    assert found.retry_tries == pytest.approx(share @ number, rel=1e-9)
    assert found.retry_price == pytest.approx(size * (share @ number) / (share @ (1 - silent**m)), rel=1e-9)
    assert found.retry_scale == pytest.approx((share @ (c * number)) / (share @ c), rel=1e-9)
    assert float(retry_prices(Pool.from_rates(rates, problems=many), size, [m])[0]) == pytest.approx(found.retry_price)
    assert found.retry_price >= found.redraw_price * (1 - 1e-9)  # it insists on the prompts that are rarely mixed


def test_retries_simulated() -> None:
    rng = np.random.default_rng(4)
    p, G, m, prompts = np.array([0.05, 0.5]), 8, 4, 200_000
    found = dropping(Pool.from_rates(p), G, m)
    which = rng.integers(0, 2, prompts)
    tried, mixed = np.zeros(prompts), np.zeros(prompts, bool)
    for _ in range(m):
        going = ~mixed
        tried[going] += 1
        k = rng.binomial(G, p[which[going]])
        mixed[going] = (k > 0) & (k < G)
    for values, expected in ((tried, found.retry_tries), (mixed, found.retry_mixed)):
        assert values.mean() == pytest.approx(expected, abs=4 * values.std() / math.sqrt(prompts))


def test_nothing_to_keep() -> None:
    found = dropping(Pool.from_rates([0.0, 1.0]), 8, 4)
    assert (found.kept, found.redraw_factor, found.retry_mixed) == (0.0, math.inf, 0.0)
    assert found.retry_price == math.inf
    assert math.isnan(found.retry_scale)
    assert found.retry_tries == 4


def test_distribution_adds_up_and_keeps_averages() -> None:
    pool = bigmath.load()
    p, mass = distribution(pool)
    assert mass.sum() == pytest.approx(1, abs=1e-12)
    assert (mass >= 0).all()
    deconvolved = pool.silent_rate(16, "deconvolved")
    assert float(mass @ silent_rate(p, 16)) == pytest.approx(deconvolved, rel=1e-9)
    small = Pool([0, 3, 8], 8)
    p, mass = distribution(small)
    assert float(mass @ retry_mixed(p, 4, 1)) == pytest.approx(1 - small.silent_rate(4, "deconvolved"), rel=1e-9)


@pytest.mark.parametrize("size", [2, 3, 8, 64])
def test_weights_tilt_by_up_to_m(size: int) -> None:
    p = np.linspace(0, 0.5, 26)
    once, four = relative_weight(p, size, 1), relative_weight(p, size, 4)
    np.testing.assert_allclose(once, weight(p, size, GRPO) / weight(0.5, size, GRPO), rtol=1e-12)
    tilt = four / once
    assert (np.diff(tilt) <= 1e-12).all()
    middle = 1 - silent_rate(0.5, size)
    assert tilt[0] == pytest.approx(4 * middle / retry_mixed(0.5, size, 4), rel=1e-9)
    if size <= 3:
        np.testing.assert_allclose(once, 1, rtol=1e-12)


@pytest.mark.parametrize(
    ("pool_size", "m", "message"), [((8.5), 4, "size is 8.5"), ((8), 0, "tries is"), (math.inf, 4, "size is inf")]
)
def test_bad_arguments_are_named(pool_size: float, m: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dropping(Pool.from_rates([0.5]), pool_size, m)  # type: ignore[arg-type]


def test_two_sides_of_a_larger_group() -> None:
    two = tries.sides(0.05, [2, 8, 64], 1024)
    np.testing.assert_allclose(two.total.round(1), [24.3, 15.0, 3.3])
    np.testing.assert_allclose(two.average.round(4), [0.0475, 0.1175, 0.2060], atol=1e-9)
    np.testing.assert_allclose(two.noise, [2**-0.5, 8**-0.5, 0.125])
    np.testing.assert_allclose(two.groups, [512, 128, 16])
    with pytest.raises(ValueError, match="rollouts is -1"):
        tries.sides(0.5, 8, -1)
    with pytest.raises(ValueError, match="size is inf"):
        tries.sides(0.5, math.inf, 8)


def test_noise_of_a_mixed_group_is_one_over_the_root() -> None:
    from stdial import group

    rng = np.random.default_rng(2)
    for k, G in ((1, 8), (4, 8), (3, 16)):
        right, wrong = (float(a) for a in group.advantages(k, G, GRPO))
        scores = rng.normal(size=(50_000, G))
        direction = (scores * np.array([right] * k + [wrong] * (G - k))).mean(axis=1)
        assert direction.std() == pytest.approx(G**-0.5, rel=0.02)
