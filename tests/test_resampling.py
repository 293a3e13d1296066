"""Redraw and retry against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import DR_GRPO, GRPO
from stdial.expectation import expected_update, silent_rate
from stdial.resampling import kept_share, redraw_factor, retry_mixed, retry_tries, retry_update


def test_redraw_on_big_math(paper):
    silent = paper["silent_bigmath"]["unbiased_exact"][1]
    assert redraw_factor(silent) == pytest.approx(1.76, abs=5e-3)
    assert kept_share(silent) == pytest.approx(1 - silent)
    assert redraw_factor([0, 1]).tolist() == [1, math.inf]


@given(st.floats(0.001, 0.999), st.integers(2, 64), st.integers(1, 12))
def test_retry_is_a_geometric_sum(p, size, tries):
    silent = float(silent_rate(p, size))
    number = math.fsum(silent**i for i in range(tries))
    assert retry_tries(p, size, tries) == pytest.approx(number, rel=1e-9)
    assert retry_mixed(p, size, tries) == pytest.approx(1 - silent**tries, rel=1e-9)
    for method in (GRPO, DR_GRPO):
        update = expected_update(p, size, method)
        assert retry_update(p, size, tries, method) == pytest.approx(update * number, rel=1e-9)


def test_ends_of_retry():
    assert retry_mixed([0, 1, 0.5], 8, 4)[:2].tolist() == [0, 0]
    assert retry_tries([0, 1], 8, 4).tolist() == [4, 4]
    assert retry_tries(0, 8, math.inf) == math.inf
    assert retry_update([0, 1], 8, math.inf, GRPO).tolist() == [0, 0]
    assert retry_mixed(1e-9, 8, math.inf) == 1
    assert retry_update(0.3, 8, 1, GRPO) == pytest.approx(expected_update(0.3, 8, GRPO))
    assert retry_mixed(1e-12, 2, 2) == pytest.approx(4e-12, rel=1e-9)


def test_retry_tilts_toward_the_extremes_and_a_redraw_does_not():
    p = np.array([0.02, 0.1, 0.5])
    before = expected_update(p, 8, GRPO)
    gain = retry_update(p, 8, 4, GRPO) / before
    assert gain[0] > gain[1] > gain[2] > 1
    silent = silent_rate(p, 8).mean()
    redrawn = before * redraw_factor(silent)
    np.testing.assert_allclose(redrawn / redrawn.sum(), before / before.sum())


@pytest.mark.parametrize("tries", [0, 1.5, math.nan])
def test_bad_tries_are_named(tries):
    with pytest.raises(ValueError, match="tries is"):
        retry_mixed(0.5, 8, tries)


def test_bad_share_is_named():
    with pytest.raises(ValueError, match=r"silent is 1\.2"):
        redraw_factor(1.2)
