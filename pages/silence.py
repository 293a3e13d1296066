"""How much is thrown away, and what does DAPO buy? Silent groups of a pool, and what dropping them costs."""

from functools import partial

from stdial.web import pools, slots
from stdial.web.page import open_page
from stdial.web.views import dropping, silence

page = open_page("silence")


@page.body
def body() -> None:
    """The stages, and what stands under them."""
    which = pools.of_page(page)
    of_pool = partial(page.stage, needs=which.token, private=which.private)
    with page.together():
        of_pool(lambda v: silence.stage(v, which), uses=silence.USES)
        page.stage(silence.means, key="means", uses=silence.MEANS_USE)
        of_pool(
            lambda v: dropping.resampling(v, which), key="resampling", uses=dropping.RESAMPLING_USES, turns=slots.brief
        )
        of_pool(lambda v: dropping.batch(v, which), key="batch", uses=dropping.BATCH_USES)
        of_pool(lambda v: dropping.growth(v, which), key="growth", uses=dropping.GROWTH_USES)
    page.below(lambda: silence.why(page, which))


page.foot(
    page.limits,
    lambda: silence.exercise(page),
    lambda: page.onward("tries", "How big must a group be?"),
)
