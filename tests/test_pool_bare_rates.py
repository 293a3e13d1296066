"""Pools of bare rates, small and large: each row is taken at its rate."""

import numpy as np
import pytest

from stdial import Pool
from stdial.expectation import silent_rate


@pytest.mark.parametrize("rows", [3, 49, 50, 400])
def test_a_row_is_taken_at_its_rate(rows: int) -> None:
    rates = np.linspace(0, 1, rows)[::-1]
    pool = Pool.from_rates(rates)
    np.testing.assert_allclose(pool.row_mean(lambda p: silent_rate(p, 8)), silent_rate(rates, 8), rtol=1e-15)
    p, weights = pool.posterior()
    assert p[pool.cells.index, 0].tolist() == rates.tolist()
    assert (weights == 1).all()
    with pytest.raises(ValueError, match="tries is unknown"):
        pool.mixing()
