"""How big must a group be? Exact sizes, their price, and a budget of rollouts spread over a pool."""

import streamlit as st

from stdial.web import pools, slots
from stdial.web.page import open_page
from stdial.web.views import plan, tries

page = open_page("tries")


@page.body
def body() -> None:
    """The stages, the plan's download, and what stands under them."""
    which = pools.of_page(page)
    with page.together():
        page.stage(tries.stage, uses=tries.USES)
        page.stage(tries.cost, key="cost", uses=tries.COST_USES)
    page.stage(
        lambda v: plan.stage(v, which),
        key="plan",
        needs=which.token,
        private=which.private,
        uses=plan.USES,
        turns=slots.long if plan.heavy(page.values, which) else slots.near,
        meanwhile=lambda v: plan.meanwhile(v, which),
    )
    values = page.values
    st.download_button(
        "Download the sizes (CSV)", lambda: plan.csv(values, which), "stdial-plan.csv", "text/csv", on_click="ignore"
    )
    page.below(lambda: tries.why(page))


page.foot(
    page.limits,
    lambda: tries.exercise(page),
    lambda: page.onward("big_math", "The same questions on 215,608 real problems"),
)
