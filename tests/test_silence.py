"""Chances of silent groups at sizes and rates where powers leave the range of floats."""

import math

import numpy as np
import pytest

from stdial import expectation


@pytest.mark.parametrize("G", [2, 8, 300, 1022, 1024, 1075, 4096])
def test_powers_that_underflow_are_the_powers(G: int) -> None:
    p = np.concatenate(
        [10.0 ** -np.arange(0.31, 320, 0.37), 0.5 ** np.arange(1, 40) / 3, [0.0, 0.5, np.exp(-746 / G), 0.49]]
    )
    with np.errstate(under="ignore"):
        np.testing.assert_allclose(expectation.all_right_rate(p, G), p**G, rtol=1e-15, atol=0)
        np.testing.assert_array_equal(expectation.all_right_rate(p, math.inf), np.zeros(len(p)))
    np.testing.assert_array_equal(expectation.all_wrong_rate(1 - p, G), expectation.all_right_rate(1 - (1 - p), G))
