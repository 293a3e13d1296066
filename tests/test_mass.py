"""Gradient mass by bands: the sum over bands, the pool's own shares, and the paper's tenths."""

import math
from typing import Any

import numpy as np
import pytest

from stdial import DR_GRPO, GRPO, Pool, bigmath, mass


@pytest.mark.parametrize("method", [GRPO, DR_GRPO])
@pytest.mark.parametrize(
    ("size", "estimate"), [(8, "unbiased"), (64, "plug-in"), (100, "deconvolved"), (math.inf, "plug-in")]
)
def test_agrees_with_the_pool(method: Any, size: float, estimate: str) -> None:
    pool = bigmath.load()
    shares = mass.by_band(pool, size, method, estimate)
    assert shares.sum() == pytest.approx(1, rel=1e-12)
    singly = [
        pool.mass_share(a, b, size, method, estimate) for a, b in zip(mass.TENTHS[:-1], mass.TENTHS[1:], strict=True)
    ]
    assert shares == pytest.approx(singly, rel=1e-9)


def test_the_papers_tenths(paper: dict[str, Any]) -> None:
    printed = paper["mass_bigmath"]["deciles_limit"]
    for method, name in ((DR_GRPO, "dr_grpo"), (GRPO, "grpo")):
        found = mass.by_band(bigmath.load(), math.inf, method, "plug-in")
        assert found == pytest.approx(np.array(printed[name]), abs=5.0001e-5)


def test_no_update_at_all() -> None:
    assert np.isnan(mass.by_band(Pool([0, 8], 8), 8, GRPO)).all()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"edges": (0, 0.5)}, "edges"),
        ({"edges": (0, 0.5, 0.5, 1)}, "edges"),
        ({"estimate": "best"}, "estimate"),
        ({"size": 9}, "size"),
    ],
)
def test_refusals(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        mass.by_band(Pool([0, 4], 8), **{"size": 8, "method": GRPO, **change})


def test_bare_rates() -> None:
    pool = Pool.from_rates([0.1, 0.5])
    with pytest.raises(ValueError, match="tries"):
        mass.by_band(pool, 8, GRPO)
    assert mass.by_band(pool, 8, GRPO, "deconvolved") == pytest.approx(mass.by_band(pool, 8, GRPO, "plug-in"))
