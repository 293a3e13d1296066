"""Exact sizes are minimal, the law is the paper's, and prices add up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial.expectation import expected_update, fidelity, silent_rate
from stdial.method import DR_GRPO, GRPO
from stdial.tries import price, size_by_law, size_for_fidelity, size_for_mixed

INF = math.inf
rates = st.one_of(st.floats(0.001, 0.999), st.sampled_from([1e-9, 1e-6, 1 - 1e-6, 0.5, 0.1]))
shares = st.one_of(st.floats(0.001, 0.999), st.sampled_from([0.5, 0.1, 0.01, 1e-4]))


def test_paper_group_size_table(paper):
    table = paper["group_size_table"]
    loss = 1 - np.array(table["columns_fidelity"])
    for p, row in table["rows"].items():
        assert size_for_fidelity(float(p), loss).tolist() == row["exact"]
        unrounded = 1 / (8 * loss * float(p) * (1 - float(p)))
        assert np.rint(unrounded).tolist() == row["law"]  # the paper prints the law rounded to nearest
        assert size_by_law(float(p), loss).tolist() == np.ceil(unrounded - 1e-6).tolist()


@given(rates, shares)
def test_fidelity_size_is_minimal(p, loss):
    size = size_for_fidelity(p, loss)
    assert size >= 2
    assert size == math.floor(size)
    assert fidelity(p, size) >= 1 - loss
    assert size == 2 or fidelity(p, size - 1) < 1 - loss


@given(rates, shares)
def test_mixed_size_is_minimal(p, miss):
    size = size_for_mixed(p, miss)
    assert size >= 2
    assert size == math.floor(size)
    assert silent_rate(p, size) <= miss
    assert size == 2 or silent_rate(p, size - 1) > miss


@given(st.integers(1, 1023).map(lambda n: n / 1024), shares)
def test_p_and_its_mirror_need_the_same(p, share):
    assert size_for_mixed(p, share) == size_for_mixed(1 - p, share)
    assert size_by_law(p, share) == size_by_law(1 - p, share)


def test_where_no_finite_size_does():
    for size_for in (size_for_fidelity, size_for_mixed, size_by_law):
        assert size_for([0, 1, 0, 0.3], [0.1, 0.1, 0, 0]).tolist() == [INF] * 4
    assert size_for_fidelity([0, 0.3], 1).tolist() == [2, 2]  # everything may be lost
    assert size_for_mixed([0, 0.3], 1).tolist() == [2, 2]


def test_sizes_in_theory():
    assert size_by_law([0.1, 0.05], 0.1).tolist() == [14, 27]
    assert size_for_fidelity([0.1, 0.05], 0.1).tolist() == [22, 42]
    assert fidelity(0.1, 14) == pytest.approx(0.829, abs=5e-4)


def test_the_law_rounds_up_only_beyond_dust():
    assert size_by_law(0.5, 0.1) == 5  # 1/(8 x .1 x .25) is 5.000000000000001 or so
    assert size_by_law(0.5, 0.5 / 5.0000001) == 6
    assert size_by_law(0.5, 0.9) == 2


def test_sizes_of_a_whole_curve_broadcast():
    p = np.linspace(0.001, 0.999, 201)
    table = size_for_fidelity(p[:, None], [0.1, 0.01])
    assert table.shape == (201, 2)
    assert table[40, 1] == size_for_fidelity(p[40], 0.01)
    assert isinstance(size_for_mixed(0.5, 0.1), float)


def test_extreme_rates_end_quickly():
    assert size_for_mixed(1e-300, 0.5) == pytest.approx(math.log(2) * 1e300, rel=1e-12)
    assert size_for_fidelity(1e-9, 0.01) == pytest.approx(1.2976e10, rel=1e-4)
    assert size_for_fidelity(0.5, 1e-9) == pytest.approx(5e8, rel=1e-6)


def test_price():
    np.testing.assert_allclose(price(0.02, [2, 16, 64]), [51.02, 57.9, 88.2], rtol=1e-3)
    assert price([0, 1, 0.5], [8, 8, INF]).tolist() == [INF, INF, INF]
    assert price(0.5, 2) == 4
    assert price(1e-12, 2) == pytest.approx(1e12, rel=1e-11)


@given(rates, st.integers(2, 300))
def test_price_is_rollouts_over_chance(p, size):
    assert price(p, size) == pytest.approx(size / (1 - silent_rate(p, size)), rel=1e-6)


def test_two_sides_of_a_larger_group():
    size = np.array([2, 8, 64])
    average = expected_update(0.05, size, GRPO)
    np.testing.assert_allclose(average, [0.0475, 0.1175, 0.206], rtol=3e-3)
    np.testing.assert_allclose(1024 / size * average, [24.3, 15.0, 3.3], rtol=5e-3)
    assert (expected_update(0.05, size, DR_GRPO) < average).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: size_for_fidelity(2, 0.1), "p is 2; it must be a number from 0 to 1"),
        (lambda: size_for_fidelity(0.5, 1.2), "loss is 1.2"),
        (lambda: size_for_mixed(0.5, -0.1), "miss is -0.1"),
        (lambda: size_by_law(0.5, math.nan), "loss is nan"),
        (lambda: price(0.5, 1), "size is 1"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("p", [1e-13, 1e-15, 1e-16, 1e-18, 1e-200, 5e-324, 1 - 2.0**-53])
def test_next_to_the_ends_every_size_is_one_that_a_group_can_have(p: float) -> None:
    for loss in (0.005, 0.1, 0.5):
        size = size_for_fidelity(p, loss)
        assert math.isinf(size) or size <= 2**53
        assert price(p, size) >= 2
        assert fidelity(p, size) >= 1 - loss
        assert size_for_mixed(p, loss) > 1e12
    assert price(p, 2) > 1e12
