"""Every public function names the argument that is wrong, its value, and what is allowed, whatever the wrong one is."""

import math

import numpy as np
import pandas as pd
import pytest

from stdial import GRPO, Method, Pool, expectation, group, reading, tally, training, tries

POOL = Pool([1, 3], 4)

OF_METHOD = [
    lambda m: group.advantages(1, 8, m),
    lambda m: group.update(1, 8, m),
    lambda m: group.advantages_of([1, 0], m),
    lambda m: group.advantages_of([1, 1], m),
    lambda m: group.update_of([1, 0], m),
    lambda m: expectation.expected_update(0.5, 8, m),
    lambda m: expectation.weight(0.5, 8, m),
    lambda m: expectation.objective(0.5, math.inf, m),
    lambda m: expectation.curves([0.5], [8], [GRPO, m]),
    lambda m: POOL.expected_update(2, m),
    lambda m: POOL.mass_share(0, 1, 2, m),
    lambda m: tries.plan(POOL, 8, method=m),
    lambda m: training.run(POOL, m),
]

OF_PAIRS = [
    (lambda a, b: group.std(a, b), "right", "size"),
    (lambda a, b: group.update(a, b, GRPO), "right", "size"),
    (lambda a, b: expectation.silent_rate(a, b), "p", "size"),
    (lambda a, b: expectation.fidelity(a, b), "p", "size"),
    (lambda a, b: expectation.objective(a, b, GRPO), "p", "size"),
    (lambda a, b: tries.price(a, b), "p", "size"),
    (lambda a, b: tries.size_for_mixed(a, b / 10), "p", "miss"),
    (lambda a, b: tries.size_by_law(a, b / 10), "p", "loss"),
]


@pytest.mark.parametrize("call", OF_METHOD)
@pytest.mark.parametrize("method", ["GRPO", None, 1.0])
def test_what_is_no_method(call, method):
    with pytest.raises(ValueError, match=f"method is {method!r}; it must be a Method"):
        call(method)


@pytest.mark.parametrize(("call", "name", "other"), OF_PAIRS)
def test_shapes_that_do_not_broadcast(call, name, other):
    with pytest.raises(ValueError, match=rf"{name} has shape \(2,\); it must broadcast with {other}, of shape \(3,\)"):
        call(np.ones(2), np.full(3, 8.0))


@pytest.mark.parametrize("field", ["exponent", "ddof", "epsilon"])
@pytest.mark.parametrize("value", ["a", None, math.nan, -1, [1]])
def test_fields_of_a_method(field, value):
    with pytest.raises(ValueError, match=field + " is .*; it must be"):
        Method("mine", **{field: value})


def test_numpy_numbers_are_numbers():
    assert Method("mine", exponent=np.float32(0.5), ddof=np.int64(1), epsilon=np.float64(1e-4)).ddof == 1
    assert tries.plan(POOL, np.int64(8), smallest=np.int64(2)).rollouts == 8


@pytest.mark.parametrize("pool", [[0.5], None, "pool"])
def test_what_is_no_pool(pool):
    for call in (lambda: tries.plan(pool, 8), lambda: training.run(pool, GRPO)):
        with pytest.raises(ValueError, match=r"pool is .*; it must be a Pool"):
            call()


@pytest.mark.parametrize("name", ["budget", "smallest", "largest", "multiple_of"])
@pytest.mark.parametrize("value", ["many", [8], math.nan])
def test_numbers_of_a_plan(name, value):
    with pytest.raises(ValueError, match=f"{name} is .*; it must be a whole number"):
        tries.plan(**{"pool": POOL, "budget": 8, name: value})


def test_facets_are_a_mapping():
    with pytest.raises(ValueError, match=r"facets is .*; it must be a mapping"):
        Pool([1], 2, facets=["easy"])


@pytest.mark.parametrize("threshold", ["high", math.nan, math.inf, [0.5]])
def test_thresholds(threshold):
    table = pd.DataFrame({"id": ["a", "a"], "reward": [0.2, 0.7]})
    calls = (
        lambda: tally.tally(table, id="id", reward="reward", threshold=threshold),
        lambda: reading.read(table.to_csv(index=False).encode(), threshold=threshold),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"threshold is .*; it must be a finite number"):
            call()
