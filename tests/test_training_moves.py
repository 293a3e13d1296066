"""Expected moves of many prompts, interpolated, against each computed by itself: also where prompts are nearly solved or lost."""

import numpy as np
import pytest

from stdial import DAPO, DR_GRPO, GRPO, Method, Pool
from stdial.training import run
from stdial.training.stepping import by_tenth, expected_move, expected_moves

RNG = np.random.default_rng(5)
RATES = np.concatenate(
    [
        RNG.random(2000),
        10.0 ** -RNG.uniform(1, 14, 1000),
        1 - 10.0 ** -RNG.uniform(1, 12, 1000),
        [0.0, 1e-300, 0.5, 1.0],
    ]
)
METHODS = [
    DR_GRPO,
    GRPO,
    DAPO,
    Method("all", exponent=2.0),
    Method("some", 0.3, ddof=1, epsilon=1e-4, leave_one_out=True),
]


@pytest.mark.parametrize("G", [2, 3, 8, 65, 1024, 1025, 9000])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("tries", [1, 4])
def test_interpolated_moves_are_as_exact_ones(G: int, method: Method, tries: int) -> None:
    whole = expected_move(RATES, G, method, tries)
    np.testing.assert_allclose(expected_moves(RATES, G, method, tries), whole, rtol=1e-8, atol=0)
    few = RATES[::10]
    np.testing.assert_array_equal(expected_moves(few, G, method, tries), expected_move(few, G, method, tries))


def test_mass_late_in_a_run_where_nearly_all_is_solved() -> None:
    trained = run(Pool([1, 2, 4, 6, 7], 8), GRPO, size=16, steps=120, learning_rate=3.0, prompts=3000)
    last = trained.rates[119]
    assert np.unique(last).size > 512
    exact = by_tenth(trained.tenth, expected_move(last, 16, GRPO, 1))
    np.testing.assert_allclose(trained.mass_at(119).predicted, exact / exact.sum(), rtol=1e-8)


def test_silent_share_predicted_in_parts_is_the_whole() -> None:
    from stdial import expectation

    for steps in (1, 7, 8, 9, 20):
        trained = run(Pool([1, 4, 7], 8), GRPO, size=200, steps=steps, prompts=50)
        np.testing.assert_array_equal(
            trained.silent_predicted, expectation.silent_rate(trained.rates[:-1], 200).mean(axis=1)
        )
