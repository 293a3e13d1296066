"""What is kept with a pool and what is sent to another process: the same figures, little data, nothing twice, bounded."""

import gc
import pickle
from typing import Any

import numpy as np
import pytest

from stdial import Pool, advice, by_size, elsewhere, per_problem, pool, remembered
from stdial.band import band
from stdial.charts import problems as charts
from stdial.reading import read

RNG = np.random.default_rng(3)
RIGHT = RNG.binomial(8, RNG.beta(0.6, 0.6, 400))


def upload(secret: str = "q") -> Pool:
    return Pool(
        RIGHT, 8, facets={"topic": [f"{secret} {i % 3}" for i in range(400)]}, ids=[f"{secret}{i}" for i in range(400)]
    )


@pytest.mark.parametrize("G", [4, 8, 30])
def test_cards_made_elsewhere_are_the_same_and_carry_no_name(G: int) -> None:
    whole = upload("only-here")
    small = elsewhere.nameless(whole)
    sent = pickle.dumps((small, by_size.known(whole)))
    assert b"only-here" not in sent
    assert len(sent) < 40_000
    there, known = pickle.loads(sent)  # our own bytes: the way between the server and its worker
    cards, found = elsewhere.cards(there, known, G, [])
    assert cards == advice.of_pool(whole, G)
    for one in found:
        assert one == pytest.approx(by_size.at(whole, one.size))


def test_bounds_found_elsewhere_are_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = upload()
    _, found = elsewhere.cards(elsewhere.nameless(whole), [], 16, [])
    by_size.learn(whole, found)

    def never(*arguments: Any) -> Any:
        raise AssertionError("a linear program for what is known")

    monkeypatch.setattr(pool.bounds, "bounds", never)
    for G in (16, 32):
        assert by_size.is_known(whole, G)
        assert whole.silent_interval(G) == (by_size.at(whole, G).low, by_size.at(whole, G).high)
    elsewhere.cards(elsewhere.nameless(whole), by_size.known(whole), 16, [])


def test_only_what_is_everybodys_is_kept_there() -> None:
    one, other = (elsewhere.nameless(upload()) for _ in range(2))
    before = dict(elsewhere._everybodys)
    elsewhere.cards(one, [], 30, [])
    elsewhere.silent(one, 30)
    assert elsewhere._everybodys == before
    alone, _ = elsewhere.cards(other, [], 30, [])
    for G in (16, 60, 30):  # whatever was asked for before
        kept, _ = elsewhere.cards(pickle.loads(pickle.dumps(one)), [], G, [], keep=True)
        assert elsewhere.silent(pickle.loads(pickle.dumps(other)), G, keep=True) == by_size.at(one, G)
    assert kept == alone
    assert len(elsewhere._everybodys) == len(before) + 1
    elsewhere._everybodys.clear()
    elsewhere._everybodys.update(before)


def test_nothing_of_a_problem_is_computed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move that leaves G as it is computes no posterior again: not for the band, nor for the order, nor for a facet."""
    whole = upload()
    found = read(b"id,right,tries\n" + b"".join(b"q%d,%d,8\n" % (i, k) for i, k in enumerate(RIGHT)))
    assert found.pool is not None

    def look(low: float, place: int) -> None:
        band(whole, low, 0.9, 8)
        for by in charts.ORDERS:
            charts.in_order(found, by, place, 8)

    look(0.1, 1)
    monkeypatch.setattr(Pool, "posterior", lambda self: pytest.fail("computed again"))
    monkeypatch.setattr(Pool, "row_mean", lambda self, h: pytest.fail("computed again"))
    look(0.2, 5)


def test_what_is_kept_is_bounded_and_goes_with_its_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = upload()
    monkeypatch.setattr(remembered, "MOST", 5000)
    for G in range(2, 200):
        per_problem.silent_cells(whole, G)
    own = remembered._kept[whole].items
    assert sum(size for _, size in own.values()) == remembered._kept[whole].size <= 5000
    assert ("silent", 199) in own
    assert ("silent", 2) not in own
    before = len(remembered._kept)
    too_large = remembered.remembered(whole, "rows", lambda: np.zeros(10_000))
    assert not too_large.flags.writeable
    assert "rows" not in own
    del whole, own
    gc.collect()
    assert len(remembered._kept) == before - 1


def test_two_uploads_of_one_file_share_nothing() -> None:
    one, other = upload(), upload()
    assert per_problem.silent_cells(one, 8) is not per_problem.silent_cells(other, 8)
    assert by_size.at(one, 8) == by_size.at(other, 8)
    assert elsewhere.nameless(one) is not elsewhere.nameless(other)
