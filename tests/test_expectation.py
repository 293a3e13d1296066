"""Averages over groups, against references made in high precision elsewhere and against what mathematics gives."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import DAPO, DR_GRPO, GRPO, RLOO, Method, binomial, expectation, group
from stdial.expectation import (
    all_right_rate,
    all_wrong_rate,
    attenuation,
    curves,
    expected_update,
    fidelity,
    mixed_rate,
    objective,
    silent_rate,
    weight,
)

LOG_ODDS = Method("log-odds", exponent=2)
ROWS = json.loads((Path(__file__).parent / "reference" / "expectation.json").read_text())
INF = math.inf

rates = st.floats(0, 1).filter(lambda p: p == 0 or p > 1e-9)
inner = st.floats(1e-6, 1 - 1e-6)
dials = st.floats(0, 2).map(lambda alpha: Method("dial", exponent=alpha))
methods = st.builds(
    Method,
    name=st.just("any"),
    exponent=st.floats(0, 2),
    ddof=st.sampled_from([0, 1]),
    epsilon=st.sampled_from([0.0, 1e-6, 0.1]),
    leave_one_out=st.booleans(),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"G{row['G']}-p{row['p']}")
def test_reference_row(row):
    p, size = row["p"], row["G"]
    found = {
        "silent": silent_rate(p, size),
        "grpo": expected_update(p, size, GRPO),
        "drgrpo": expected_update(p, size, DR_GRPO),
        "logodds": expected_update(p, size, LOG_ODDS),
        "fid": fidelity(p, size),
        "weight": weight(p, size, GRPO),
    }
    for name, value in found.items():
        assert value == pytest.approx(row[name], rel=1e-12, abs=0), name


def test_reference_rows_at_once_broadcast():
    p = np.array([row["p"] for row in ROWS])
    size = np.array([row["G"] for row in ROWS])
    np.testing.assert_allclose(expected_update(p, size, GRPO), [row["grpo"] for row in ROWS], rtol=1e-12, atol=0)


def test_paper_fidelity(paper):
    table = paper["fidelity"]
    assert fidelity(0.5, 8) == pytest.approx(table["G8_p.5"], abs=5e-5)
    assert fidelity(0.05, 8) == pytest.approx(table["G8_p.05"], abs=5e-4)
    assert attenuation(0.05, 8) == pytest.approx(table["law_G8_p.05"], abs=5e-3)


def exact_average(p, size, values):
    """Sum of Binomial(k; size, p) values[k] in rational arithmetic: `p` is the float's exact value."""
    p = Fraction(p)
    return sum(math.comb(size, k) * p**k * (1 - p) ** (size - k) * v for k, v in enumerate(values) if v)


@pytest.mark.parametrize(("p", "size"), [(0.37, 5), (0.8125, 12), (1e-7, 30), (0.031, 90), (0.999, 61)])
@pytest.mark.parametrize("method", [GRPO, RLOO, Method("odd", exponent=1.3, ddof=1, epsilon=1e-4)])
def test_against_rational_arithmetic(p, size, method):
    c = [Fraction(float(v)) for v in group.update(np.arange(size + 1), size, method)]
    exact = exact_average(p, size, c)
    assert expected_update(p, size, method) == pytest.approx(float(exact), rel=1e-13)
    p_fraction = Fraction(p)
    assert weight(p, size, method) == pytest.approx(float(exact / (p_fraction * (1 - p_fraction))), rel=1e-13)
    assert silent_rate(p, size) == pytest.approx(float(p_fraction**size + (1 - p_fraction) ** size), rel=1e-13)
    assert mixed_rate(p, size) == pytest.approx(float(1 - p_fraction**size - (1 - p_fraction) ** size), rel=1e-13)
    # the objective, by the formula of THEORY.md section 2
    ratio = [0, *(c[k] * size**2 / (k * (size - k)) for k in range(1, size))]
    tails = [sum(ratio[: k + 1]) for k in range(size)]
    assert objective(p, size, method) == pytest.approx(float(exact_average(p, size - 1, tails) / size), rel=1e-12)


@pytest.mark.parametrize("p", [1e-9, 3e-5, 0.2, 0.5, 0.77, 1 - 1e-6])
def test_probabilities_at_4096(p):
    n, low = 4096, min(p, 1 - p)
    for k in sorted({0, 1, 2, round(n * low), round(n * low) + 40, n // 2}):
        exact = math.comb(n, k) * Fraction(low) ** k * (1 - Fraction(low)) ** (n - k)
        found = binomial.probability(n, np.array([low]), np.array([float(k)]))[0]
        assert found == pytest.approx(float(exact), rel=2e-13)


def test_each_pair_with_its_own_size():
    p = np.array([0.0, 1e-9, 0.3, 0.9, 1.0, 0.5, 0.02])
    size = np.array([2.0, 3.0, 8.0, 4096.0, 17.0, 2.0, 700.0])
    for method in (GRPO, LOG_ODDS, Method("odd", 0.7, 1, 1e-4)):
        np.testing.assert_allclose(expectation.weight_each(p, size, method), weight(p, size, method), rtol=1e-13)


@pytest.mark.parametrize("size", [10**6, 10**9, 10**12, 10**15])
def test_huge_groups_follow_the_expansion(size):
    """The expansion is phi = 1 - 1/(8 G v) + (v/8 - 7/128)/(G v)^2 + ... with v = p (1 - p)."""
    for p in (0.5, 0.2, 0.99):
        gv = size * p * (1 - p)
        expansion = 1 - 1 / (8 * gv) + (p * (1 - p) / 8 - 7 / 128) / gv**2
        assert fidelity(p, size) == pytest.approx(expansion, abs=1e-12)


def test_powers_of_k_at_any_n():
    """Mean and variance of a binomial are known: windows and chunks must not lose any of it."""
    p = np.array([0.0, 1e-9, 1e-3, 0.3, 0.5, 0.9, 1.0])
    for n in (0, 1, 2, 50, 1000, 4096, 1_000_000, 10**12):
        first, second = binomial.mean(n, p, lambda k: np.stack([k, k * k]))
        np.testing.assert_allclose(first, n * p, rtol=1e-13)
        np.testing.assert_allclose(second, n * p * (1 - p + n * p), rtol=1e-13)


@given(rates, st.integers(2, 300), methods)
def test_dr_grpo_in_closed_form_and_dapo_per_drawn_group(p, size, method):
    assert expected_update(p, size, DR_GRPO) == pytest.approx(p * (1 - p) * (size - 1) / size, rel=1e-12)
    assert expected_update(p, size, DAPO) == expected_update(p, size, GRPO)
    assert expected_update(p, size, RLOO) == pytest.approx(p * (1 - p), rel=1e-12)
    assert objective(p, size, DR_GRPO) == pytest.approx(p * (size - 1) / size, rel=1e-12)
    assert 0 <= objective(p, size, method) <= objective(1, size, method)


@given(st.integers(0, 1024).map(lambda n: n / 1024), st.integers(2, 300), methods)
def test_p_and_its_mirror_are_the_same(p, size, method):
    assert expected_update(p, size, method) == pytest.approx(expected_update(1 - p, size, method), rel=1e-12)
    assert weight(p, size, method) == pytest.approx(weight(1 - p, size, method), rel=1e-12)
    assert silent_rate(p, size) == pytest.approx(silent_rate(1 - p, size), rel=1e-12)
    both = objective(p, size, method) + objective(1 - p, size, method)
    assert both == pytest.approx(objective(1, size, method), rel=1e-12)


@given(inner, dials)
def test_expected_update_rises_and_is_concave_in_size_from_two(p, method):
    values = expected_update(p, np.arange(2, 60), method)
    steps = np.diff(values)
    dust = 1e-13 * values[-1]
    assert (steps >= -dust).all()
    assert (np.diff(steps) <= dust).all()
    assert values[-1] <= expected_update(p, INF, method) * (1 + 1e-12)


@given(rates, methods)
def test_two_and_three_are_proportional_to_dr_grpo(p, method):
    for size in (2, 3):
        ratio = group.update(1, size, method) / group.update(1, size, DR_GRPO)
        assert expected_update(p, size, method) == pytest.approx(expected_update(p, size, DR_GRPO) * ratio, rel=1e-14)


@given(st.integers(2, 2000), st.floats(0, 2))
def test_weight_is_capped_at_the_ends(size, exponent):
    method = Method("dial", exponent=exponent)
    cap = size * (math.sqrt(size - 1) / size) ** (2 - exponent)
    assert weight(0, size, method) == pytest.approx(cap, rel=1e-12)
    assert weight(1, size, method) == pytest.approx(cap, rel=1e-12)
    assert (weight([1e-9, 0.01, 0.3, 0.5, 0.9], size, method) <= cap * (1 + 1e-12)).all()


@pytest.mark.parametrize(("size", "boost"), [(2, 1.0), (3, 1.0), (8, 1.33), (16, 1.69), (64, 2.19), (INF, 2.29)])
def test_boost_of_a_twentieth(size, boost):
    assert weight(0.05, size, GRPO) / weight(0.5, size, GRPO) == pytest.approx(boost, abs=5e-3)


@given(st.floats(0.01, 0.99), st.sampled_from([2, 5, 8, 33, INF]), methods)
def test_weight_is_the_slope_of_the_objective(p, size, method):
    h = 1e-4
    slope = (objective(p + h, size, method) - objective(p - h, size, method)) / (2 * h)
    assert slope == pytest.approx(weight(p, size, method), rel=2e-3)


def test_objectives_in_the_limit():
    p = np.array([0.0, 1e-9, 0.2, 0.5, 0.9, 1.0])
    np.testing.assert_allclose(objective(p, INF, DR_GRPO), p, rtol=1e-15)
    np.testing.assert_allclose(objective(p, INF, GRPO), 2 * np.arcsin(np.sqrt(p)), rtol=1e-14)
    np.testing.assert_allclose(objective(p[1:-1], INF, LOG_ODDS), np.log(p[1:-1] / (1 - p[1:-1])), rtol=1e-12)
    assert objective([0, 0.5, 1], INF, LOG_ODDS).tolist() == [-INF, 0, INF]
    for alpha in (0.5, 1.5, 1.99):  # B(p; a, a) ~ p^a / a near 0
        a = 1 - alpha / 2
        assert objective(1e-9, INF, Method("dial", exponent=alpha)) == pytest.approx(1e-9**a / a, rel=1e-8)


@pytest.mark.parametrize("method", [GRPO, DR_GRPO, LOG_ODDS, Method("half", exponent=0.5)])
def test_a_vanishing_epsilon_is_none(method):
    """The quadrature for epsilon > 0 and the closed forms meet; for exponent 2 up to the constant of the anchor."""
    p = np.array([0.1, 0.5, 0.8])
    with_epsilon = objective(p, INF, Method("tiny", exponent=method.exponent, epsilon=1e-13))
    without = objective(p, INF, method)
    np.testing.assert_allclose(np.diff(with_epsilon), np.diff(without), rtol=1e-10)
    if method.exponent < 2:
        np.testing.assert_allclose(with_epsilon, without, rtol=1e-10)


@given(inner, methods)
def test_large_groups_approach_the_limit(p, method):
    near, far = (abs(expected_update(p, size, method) / expected_update(p, INF, method) - 1) for size in (10**4, 10**8))
    assert far <= near + 1e-9


def test_ends_are_exact():
    for size in (2, 3, 8, 4096, INF):
        assert silent_rate([0, 1], size).tolist() == [1, 1]
        assert all_right_rate([0, 1], size).tolist() == [0, 1]
        assert all_wrong_rate([0, 1], size).tolist() == [1, 0]
        assert mixed_rate([0, 1], size).tolist() == [0, 0]
        assert fidelity([0, 1], size).tolist() == [0, 0]
        for method in (GRPO, DR_GRPO, RLOO, LOG_ODDS, Method("e", exponent=2, ddof=1, epsilon=1e-4)):
            assert expected_update([0, 1], size, method).tolist() == [0, 0]
    assert weight([0, 1], INF, GRPO).tolist() == [INF, INF]
    assert weight([0, 1], INF, DR_GRPO).tolist() == [1, 1]
    assert weight(0, INF, Method("e", epsilon=0.01)) == pytest.approx(100)
    assert attenuation([0, 1], 8).tolist() == [-INF, -INF]


def test_the_limit():
    assert silent_rate(0.01, INF) == 0
    assert fidelity(0.01, INF) == 1
    assert attenuation(0.01, INF) == 1
    assert expected_update(0.2, INF, GRPO) == pytest.approx(0.4)
    assert expected_update(0.2, INF, LOG_ODDS) == pytest.approx(1)
    assert expected_update(0.2, INF, RLOO) == pytest.approx(0.16)
    assert expected_update(0.2, INF, Method("e", epsilon=0.1)) == pytest.approx(0.16 / 0.5)


@given(rates, st.integers(2, 3000))
def test_a_group_is_all_right_or_all_wrong_or_mixed(p, size):
    assert silent_rate(p, size) == pytest.approx(all_right_rate(p, size) + all_wrong_rate(p, size))
    assert silent_rate(p, size) + mixed_rate(p, size) == pytest.approx(1, rel=1e-12)


def test_shapes():
    p, size = np.linspace(0, 1, 5), np.array([[2], [8], [INF]])
    for result in (silent_rate(p, size), fidelity(p, size), objective(p, size, GRPO), weight(p, size, GRPO)):
        assert result.shape == (3, 5)
    assert isinstance(expected_update(0.5, 8, GRPO), float)


def test_curves_are_the_single_functions():
    p, size, chosen = np.linspace(0, 1, 31), [2, 3, 8, 200, INF], [GRPO, DR_GRPO, Method("x", 1.5, 1, 1e-6)]
    frames = curves(p, size, chosen)
    for i, method in enumerate(chosen):
        for j, G in enumerate(size):
            np.testing.assert_allclose(frames.update[i, j], expected_update(p, G, method), rtol=1e-14)
            np.testing.assert_allclose(frames.weight[i, j], weight(p, G, method), rtol=1e-14)
            np.testing.assert_allclose(frames.objective[i, j], objective(p, G, method), rtol=1e-14)


def test_public_names_exist():
    assert all(hasattr(expectation, name) for name in expectation.__all__)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: silent_rate(1.5, 8), "p is 1.5; it must be a number from 0 to 1"),
        (lambda: silent_rate([0.5, math.nan], 8), "p is nan"),
        (lambda: expected_update(0.5, 1, GRPO), "size is 1; it must be a whole number of at least 2, or inf"),
        (lambda: weight(0.5, 2.5, GRPO), "size is 2.5"),
        (lambda: fidelity(0.5, math.nan), "size is nan"),
        (lambda: fidelity(0.5, -INF), "size is -inf"),
        (lambda: attenuation(-0.1, 8), "p is -0.1"),
        (lambda: objective(0.5, 1e9, GRPO), "size is 1e.09; it must be at most 10000000"),
        (lambda: curves([2], [8], [GRPO]), "p is 2"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("function", [expectation.weight, expectation.expected_update])
def test_many_sizes_of_one_p_are_as_one_by_one(function) -> None:
    sizes = np.array([2, 3, 4, 5, 8, 13, 64, 100, 257, 1024])
    for p in (0.0, 1e-9, 0.05, 0.5, 0.93, 1.0):
        together = function(p, sizes, GRPO)
        np.testing.assert_allclose(together, [function(p, size, GRPO) for size in sizes], rtol=2e-15)
    grid = np.array([[0.1], [0.6]])
    np.testing.assert_allclose(function(grid, sizes, GRPO)[1, 3], function(0.6, 5, GRPO), rtol=2e-15)
