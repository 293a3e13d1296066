"""A pool that grows, beside DAPO's log."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import Pool, bigmath
from stdial.competence import all_right_share, grown, logged, mean_rate


def test_the_log_is_the_reference(paper: dict[str, Any]) -> None:
    log, reference = logged(), paper["dapo_fig3b"]
    assert log.step.tolist() == reference["step"]
    assert log.share.tolist() == reference["share"]
    assert (log.samples, log.size) == (32, 16)
    assert log.first_step(0.0) == 71
    assert log.first_step(0.25) == 1283
    assert log.first_step(0.9) == math.inf


@given(st.floats(1e-3, 0.999), st.floats(-12, 12), st.floats(-30, 30))  # farther out 1 - p has too few digits left
def test_growth_adds_to_the_logit(p: float, one: float, two: float) -> None:
    assert grown(grown(p, one), two) == pytest.approx(float(grown(p, one + two)), rel=1e-6, abs=1e-12)
    assert float(grown(p, 0.0)) == pytest.approx(p, rel=1e-12, abs=1e-300)
    if 1e-6 < p < 1 - 1e-6 and abs(one) < 10:
        moved = float(grown(p, one))
        assert math.log(moved / (1 - moved)) == pytest.approx(math.log(p / (1 - p)) + one, abs=1e-5)


def test_ends_stay_and_far_growth_is_no_nan() -> None:
    assert grown([0.0, 1.0], 700.0).tolist() == [0.0, 1.0]
    assert grown([0.0, 1.0], -700.0).tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match="by is 701"):
        grown(0.5, 701)


def test_shares_of_big_math() -> None:
    pool = bigmath.load()
    by = np.linspace(-4, 8, 13)
    share, rate = all_right_share(pool, 32, by), mean_rate(pool, by)
    assert (np.diff(share) > 0).all()
    assert (np.diff(rate) > 0).all()
    assert float(mean_rate(pool)) == pytest.approx(pool.mean_rate, abs=1e-3)
    assert float(all_right_share(pool, 32)) == pytest.approx(pool.silent_rate(32, side="right"), abs=1e-3)


def test_made_up_pool_by_hand() -> None:
    pool = Pool.from_rates([0.5, 0.9], problems=[1, 3])
    assert float(all_right_share(pool, 4)) == pytest.approx(0.25 * 0.5**4 + 0.75 * 0.9**4)
    assert float(mean_rate(pool, 1.0)) == pytest.approx(float(0.25 * grown(0.5, 1.0) + 0.75 * grown(0.9, 1.0)))
