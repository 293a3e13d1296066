"""What happens over time? The controlled run, live, and the recorded run of a tiny real language model."""

from stdial.web import pools, slots
from stdial.web.page import open_page
from stdial.web.views import training_run as view

page = open_page("training_run")


@page.body
def body() -> None:
    """The controlled run, the recorded run, and what stands under them."""
    which = pools.of_page(page)
    page.stage(
        lambda v: view.stage(v, which),
        needs=which.token,
        private=which.private,
        uses=view.USES,
        turns=slots.long,
        meanwhile=lambda v: view.meanwhile(v, which),
    )
    page.stage(view.plots, key="model", uses=view.MODEL_USES)
    page.below(lambda: view.why(page, which))


page.foot(
    page.limits,
    lambda: view.exercise(page),
    lambda: page.onward("frameworks", "What does your framework compute?"),
)
