"""Curves and figures that visitors share: bounded, the same as computed anew, and none that holds an upload."""

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
        plan._curve(values(pool="ends", smallest=smallest), which)
    assert len(plan._curves) <= 256
