"""Who gets the gradient? Expected update, relative weight and objective at every group size."""

from stdial.web.page import open_page
from stdial.web.views import difficulty as view

page = open_page("difficulty")


@page.body
def body() -> None:
    """The stage, and what stands under it."""
    page.stage(view.stage)
    page.below(lambda: view.why(page))


page.foot(
    page.limits,
    lambda: view.exercise(page),
    lambda: page.onward("silence", "How much is thrown away: groups that teach nothing"),
)
