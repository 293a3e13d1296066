"""Curves and figures that visitors share: bounded, the same as computed anew, and none that holds an upload."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from stdial import GRPO, Pool, expectation, tries
from stdial.charts import difficulty
from stdial.charts import tries as charts
from stdial.web import link, pools
from stdial.web.stage import to_json
from stdial.web.values import Values
from stdial.web.views import difficulty as difficulty_view
from stdial.web.views import plan
from stdial.web.views import tries as view


def values(**changed: object) -> Values:
    return Values({**link.defaults(), **changed})


def drawn(stage) -> bytes:
    return to_json(stage.spec())


@pytest.mark.parametrize("module", [charts, difficulty, difficulty_view])
def test_every_store_is_bounded(module) -> None:
    stores = [f for f in vars(module).values() if hasattr(f, "cache_info") and f.__module__ == module.__name__]
    assert stores
    assert all(store.cache_info().maxsize for store in stores)


def test_what_is_kept_is_what_the_package_says() -> None:
    for p, loss, miss, G, spend in [(0.05, 0.1, 0.1, 8, 1024), (0.123, 0.33, 0.007, 77, 5), (0.5, 0.005, 0.5, 2, 99)]:
        assert charts.exact_and_law(p, loss) == (tries.size_for_fidelity(p, loss), tries.size_by_law(p, loss))
        assert charts.mixed_size(p, miss) == tries.size_for_mixed(p, miss)
        assert charts.kept_at(p, G) == expectation.fidelity(p, G)
        assert charts.price_at(p, G) == tries.price(p, G)
        assert charts.sides_at(p, G, spend) == tries.sides(p, G, spend)
        assert difficulty.at("update", p, G, GRPO) == expectation.expected_update(p, G, GRPO)
        table = charts.fidelity_sizes(p, loss).table
        np.testing.assert_array_equal(table["exact"], tries.size_for_fidelity(table["p"], loss))
        both = charts.sides(p, G, spend).table
        np.testing.assert_array_equal(both["sum"], tries.sides(p, both["G"], spend).total)


def test_stages_are_the_same_in_any_order_and_from_many_threads() -> None:
    asked = [values(p=p, loss=loss, G=G) for p in (0.05, 0.5) for loss in (0.1, 0.25) for G in (3, 64)]
    which = pools.chosen(values())

    def built(v: Values) -> list[bytes]:
        return [drawn(stage) for stage in (view.stage(v), view.cost(v), difficulty_view.stage(v), plan.stage(v, which))]

    once = [built(v) for v in asked]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(built, [*asked[::-1], *asked])) == [*once[::-1], *once]


def test_the_plan_depends_on_another_p_only_where_all_problems_are_there() -> None:
    assert "p" not in plan.USES
    ones = [pools.chosen(values(pool="one", p=p)) for p in (0.2, 0.3)]
    assert ones[0].token != ones[1].token
    whole = [pools.chosen(values(p=p)) for p in (0.2, 0.3)]
    assert whole[0].token == whole[1].token
    assert drawn(plan.stage(values(p=0.2), whole[0])) == drawn(plan.stage(values(p=0.3), whole[1]))


def test_what_budgets_buy_of_an_upload_is_not_kept_for_everybody() -> None:
    before = dict(plan._curves)
    session: dict[object, object] = {}
    pools.put_upload(session, Pool([0, 3, 4] * 20, 8), "mine.csv")
    mine = pools.chosen({"pool": "upload"}, session)
    assert plan.stage(values(pool="upload"), mine).chart("bought") is not None
    assert plan._curves == before


def test_what_budgets_buy_is_kept_for_few() -> None:
    which = pools.chosen(values(pool="ends"))
    for smallest in range(2, 300):
        plan.planned(values(pool="ends", smallest=smallest, largest=300), which)
    assert len(plan._curves) <= 256


@pytest.mark.parametrize("upload", [False, True])
def test_a_heavy_plan_is_made_elsewhere_and_is_the_same(monkeypatch: pytest.MonkeyPatch, upload: bool) -> None:
    sent: list[bytes] = []

    def far(function, *args, **kwargs):
        sent.append(pickle.dumps((function, args, kwargs)))
        function, args, kwargs = pickle.loads(sent[-1])  # our own bytes: the way to the worker and back
        return pickle.loads(pickle.dumps(function(*args, **kwargs)))

    monkeypatch.setattr(plan, "long_apart", far)
    monkeypatch.setattr(plan, "_curves", type(plan._curves)())
    session: dict[object, object] = {}
    ids = [f"only here {i}" for i in range(120)]
    pools.put_upload(session, Pool([0, 3, 4, 8] * 30, 8, ids=ids), "mine.csv")
    name = "upload" if upload else "bell"
    v = values(pool=name, smallest=4 if upload else 130, budget_in="total", budget=10**6)
    which = pools.chosen(v, session)
    assert plan.heavy(v, which)
    there = drawn(plan.stage(v, which))
    sizes = plan.csv(v, which)
    assert sent
    assert all(b"only here" not in one for one in sent)
    assert ("only here 7" in sizes) == upload
    assert (len(plan._curves) == 0) == upload
    monkeypatch.setattr(plan, "heavy", lambda v, chosen: False)
    monkeypatch.setattr(plan, "_curves", type(plan._curves)())
    assert drawn(plan.stage(v, which)) == there
    assert plan.csv(v, which) == sizes


def test_most_plans_are_not_heavy() -> None:
    assert not plan.heavy(values(), pools.chosen(values()))
    assert not plan.heavy(values(per_problem=64), pools.chosen(values()))
    assert plan.heavy(values(pool="u", smallest=500), pools.chosen(values(pool="u")))
