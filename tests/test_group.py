"""One group: the identity in any dimension, silence, and the conventions of the family."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stdial import DAPO, DR_GRPO, GRPO, RLOO, Method, group

methods = st.builds(
    Method,
    name=st.just("any"),
    exponent=st.floats(0, 2),
    ddof=st.sampled_from([0, 1]),
    epsilon=st.sampled_from([0.0, 1e-9, 1e-6, 1e-4, 0.1]),
    leave_one_out=st.booleans(),
    drop_silent=st.booleans(),
)
binary_groups = st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=40)
partial_credit = st.lists(st.integers(-40, 40).map(lambda n: n / 8), min_size=2, max_size=24)


def gradient(advantages, scores):
    return np.asarray(advantages) @ scores / len(advantages)


def test_paper_identity_table(paper):
    table = paper["identity_table_G8"]
    np.testing.assert_allclose(group.std(table["k"], 8), table["sigma"], rtol=1e-12)
    np.testing.assert_allclose(group.update(table["k"], 8, GRPO), table["sigma"], rtol=1e-12)
    np.testing.assert_allclose(group.update(table["k"], 8, DR_GRPO), np.square(table["sigma"]), rtol=1e-12)


@given(binary_groups, methods, st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_vector_identity_in_any_dimension(rewards, method, dimension, seed):
    size, right = len(rewards), int(sum(rewards))
    scores = np.random.default_rng(seed).normal(size=(size, dimension))
    of_right, of_wrong = group.advantages(right, size, method)
    advantages = [of_right if r else of_wrong for r in rewards]
    if 0 < right < size:
        won = np.asarray(rewards) == 1
        expected = group.update(right, size, method) * (scores[won].mean(axis=0) - scores[~won].mean(axis=0))
    else:
        expected = np.zeros(dimension)
    scale = max(abs(of_right), abs(of_wrong), 1e-300)
    np.testing.assert_allclose(gradient(advantages, scores), expected, rtol=1e-10, atol=1e-13 * scale)


@given(partial_credit, methods, st.integers(0, 2**32 - 1))
def test_any_rewards_update_is_c_times_slope(rewards, method, seed):
    scores = np.random.default_rng(seed).normal(size=(len(rewards), 3))
    r = np.asarray(rewards)
    assume(r.max() > r.min())
    beta = (r - r.mean()) @ (scores - scores.mean(axis=0)) / np.sum((r - r.mean()) ** 2)
    advantages = group.advantages_of(rewards, method)
    np.testing.assert_allclose(
        gradient(advantages, scores),
        group.update_of(rewards, method) * beta,
        rtol=1e-9,
        atol=1e-12 * np.abs(advantages).max(),
    )


@given(binary_groups, methods)
def test_any_rewards_agree_with_counts(rewards, method):
    size, right = len(rewards), int(sum(rewards))
    of_right, of_wrong = group.advantages(right, size, method)
    expected = np.where(np.asarray(rewards) == 1, of_right, of_wrong)
    np.testing.assert_allclose(group.advantages_of(rewards, method), expected, rtol=1e-12)
    np.testing.assert_allclose(group.update_of(rewards, method), group.update(right, size, method), rtol=1e-12)
    np.testing.assert_allclose(group.std_of(rewards), group.std(right, size), rtol=1e-12)


@given(binary_groups, methods, st.integers(-1000, 1000))
def test_a_constant_added_to_every_reward_moves_nothing(rewards, method, constant):
    np.testing.assert_allclose(
        group.advantages_of(np.asarray(rewards) + constant, method), group.advantages_of(rewards, method), rtol=1e-12
    )


@given(st.integers(2, 4096), st.data(), methods)
def test_right_and_wrong_mirror_each_other(size, data, method):
    right = data.draw(st.integers(0, size))
    of_right, of_wrong = group.advantages(right, size, method)
    mirrored = group.advantages(size - right, size, method)
    assert (mirrored[0], mirrored[1]) == (-of_wrong, -of_right)
    assert group.update(right, size, method) == group.update(size - right, size, method)


@given(st.integers(2, 4096), methods)
def test_silent_groups_are_zero_under_every_method(size, method):
    for right in (0, size):
        values = [*group.advantages(right, size, method), group.update(right, size, method), group.std(right, size)]
        assert values == [0, 0, 0, 0]
    assert not group.advantages_of([0.7] * min(size, 50), method).any()


@pytest.mark.parametrize("reward", [0.1, 0.3, 0.7, 1 / 3, 1e-30, 1e30])
@pytest.mark.parametrize("size", [3, 7, 8, 64])
def test_float32_dust_is_silent(reward, size):
    dust = np.full(size, reward, dtype=np.float32)
    assert group.is_silent(dust)
    assert group.std_of(dust) == 0
    assert not group.advantages_of(dust, Method("dusty", ddof=1, epsilon=1e-9)).any()


def test_a_half_everywhere_is_silent_and_a_zero_mean_is_not():
    assert group.is_silent([0.5, 0.5, 0.5])
    assert not group.is_silent([-1, 1])
    assert group.is_silent([[0, 0], [0, 1]]).tolist() == [True, False]
    assert group.is_silent([True, True])


def test_advantages_of_the_named_methods():
    np.testing.assert_allclose(group.advantages(1, 8, GRPO), [math.sqrt(7), -math.sqrt(1 / 7)], rtol=1e-14)
    assert group.advantages(1, 8, DAPO) == group.advantages(1, 8, GRPO)
    np.testing.assert_allclose(group.advantages(3, 8, DR_GRPO), [5 / 8, -3 / 8], rtol=1e-14)
    np.testing.assert_allclose(group.advantages(3, 8, RLOO), [5 / 7, -3 / 7], rtol=1e-14)
    np.testing.assert_allclose(group.update(3, 8, RLOO), 15 / 64 * 8 / 7, rtol=1e-14)


def test_leave_one_out_is_the_mean_of_the_others():
    rewards = np.array([0.25, 1.0, 0.0, 0.5])
    others = [np.delete(rewards, i).mean() for i in range(4)]
    np.testing.assert_allclose(group.advantages_of(rewards, RLOO), rewards - others, rtol=1e-14)


@pytest.mark.parametrize(("size", "factor"), [(2, 0.7071), (4, 0.8660), (8, 0.9354), (16, 0.9682)])
def test_ddof_one_scales_grpo(size, factor):
    unbiased = group.update(1, size, Method("GRPO, ddof 1", ddof=1))
    assert unbiased / group.update(1, size, GRPO) == pytest.approx(factor, abs=5e-5)


@given(st.integers(2, 500), st.data(), st.sampled_from([1e-9, 1e-4, 0.5]), st.floats(0, 2))
def test_epsilon_and_exponent_follow_their_formula(size, data, epsilon, exponent):
    right = data.draw(st.integers(1, size - 1))
    sigma = math.sqrt(right * (size - right)) / size
    method = Method("dial", exponent=exponent, epsilon=epsilon)
    assert group.update(right, size, method) == pytest.approx(sigma**2 / (sigma + epsilon) ** exponent, rel=1e-12)


@given(st.integers(2, 200), st.data())
def test_mean_sizes_of_advantages(size, data):
    right = data.draw(st.integers(0, size))
    share, sigma = right / size, group.std(right, size)
    for method, absolute, root in ((GRPO, 2 * sigma, float(sigma > 0)), (DR_GRPO, 2 * sigma**2, sigma)):
        a, b = group.advantages(right, size, method)
        assert share * abs(a) + (1 - share) * abs(b) == pytest.approx(absolute, rel=1e-12)
        assert math.sqrt(share * a**2 + (1 - share) * b**2) == pytest.approx(root, rel=1e-12)


def test_huge_and_tiny_rewards():
    for unit in (1e-300, 1e150):
        np.testing.assert_allclose(group.advantages_of([unit, 0, 0, 0], GRPO), group.advantages_of([1, 0, 0, 0], GRPO))
    np.testing.assert_allclose(group.std_of([1e9 + 1, 1e9, 1e9, 1e9]), group.std_of([1, 0, 0, 0]), rtol=1e-12)


def test_broadcasting():
    table = group.std(np.arange(3)[:, None], [2, 4, 8])
    assert table.shape == (3, 3)
    assert isinstance(group.std(1, 2), float)
    assert [a.shape for a in group.advantages([0, 1, 2], 2, GRPO)] == [(3,), (3,)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: group.std(9, 8), "right is 9; .* from 0 to the group size, here 8"),
        (lambda: group.std(-1, 8), "right is -1"),
        (lambda: group.std(1.5, 8), "right is 1.5"),
        (lambda: group.update(math.nan, 8, GRPO), "right is nan"),
        (lambda: group.update(1, 1, GRPO), "size is 1; .* at least 2"),
        (lambda: group.advantages(1, 2.5, GRPO), "size is 2.5"),
        (lambda: group.std(1, math.inf), "size is inf"),
        (lambda: group.std("three", 8), "right is 'three'"),
        (lambda: group.advantages_of([1], GRPO), r"rewards has shape \(1,\)"),
        (lambda: group.advantages_of([1, math.nan], GRPO), "rewards holds nan"),
        (lambda: group.advantages_of([1, math.inf], GRPO), "rewards holds inf"),
        (lambda: group.advantages_of([[1, 0], [1, 0]], GRPO), "one group"),
        (lambda: group.advantages_of(["yes", "no"], GRPO), "rewards is"),
        (lambda: group.is_silent([]), "rewards has shape"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
