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


@pytest.mark.parametrize("n", [1, 2, 3, 8, 10, 16, 18, 32, 36, 48, 64, 97, 100, 256])
def test_parts_hold_equally_many_results(n: int) -> None:
    """If every result is as frequent as any other, so is every part: no saw where n does not divide into tenths."""
    pool = Pool(np.arange(n + 1), n)
    found = mass.parts(pool)
    held = found.weight @ pool.cells.problems
    assert held == pytest.approx(np.full(len(held), (n + 1) / len(held)))
    assert found.weight.sum(axis=0) == pytest.approx(1)
    assert len(found.names) == len(found.rate) == len(held)
    assert (np.diff(found.rate) > 0).all()
    assert 0 <= found.rate[0] == pytest.approx(1 - found.rate[-1])


def test_parts_of_sixteen_tries_are_smooth_where_tenths_are_not() -> None:
    pool = Pool(np.arange(17), 16)

    def turns(shares: Any) -> int:
        return int((np.diff(np.sign(np.diff(shares))) != 0).sum())

    for method in (GRPO, DR_GRPO):
        assert turns(mass.parts(pool).shares(pool, 8, method)) == 1  # up, and down again
        assert turns(mass.by_band(pool, 8, method)) > 3


def test_parts_of_tries_that_differ() -> None:
    tries = np.repeat([5, 8, 16], [6, 9, 17])
    pool = Pool(np.concatenate([np.arange(n + 1) for n in (5, 8, 16)]), tries)
    found = mass.parts(pool)
    assert found.weight @ pool.cells.problems == pytest.approx(3.2)
    assert found.shares(pool, 4, GRPO).sum() == pytest.approx(1)
    shares = found.shares(pool, 4, GRPO)
    assert shares == pytest.approx(shares[::-1])
    assert (np.diff(shares[:5]) > 0).all()  # no saw on the way up


@pytest.mark.parametrize("right", [[0, 4, 8, 8], [0, 8], [3]])
def test_parts_add_up_to_the_whole(right: list[int]) -> None:
    pool = Pool(right, 8, problems=[10 + k for k in range(len(right))])
    shares = mass.parts(pool).shares(pool, 4, GRPO)
    tenths = mass.by_band(pool, 4, GRPO)
    assert np.isnan(shares).all() == np.isnan(tenths).all()
    if not np.isnan(shares).any():
        assert shares[pool.cells.right] == pytest.approx(tenths[np.minimum(pool.cells.right * 10 // 8, 9)])


def test_parts_of_bare_rates() -> None:
    pool = Pool.from_rates([0.1, 0.9, 0.5, 0.9, 1.0])
    assert mass.parts(pool).rate.tolist() == [0.1, 0.5, 0.9, 1.0]
    many = Pool.from_rates(np.linspace(0, 1, 500))
    assert mass.parts(many).shares(many, 8, GRPO, "plug-in") == pytest.approx(mass.by_band(many, 8, GRPO, "plug-in"))
