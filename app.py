"""What does this group teach? The first page: one group of answers, its standard deviation and its pushes."""

from stdial.web.page import open_page
from stdial.web.views import one_group as view

page = open_page("")


@page.body
def body() -> None:
    """The stage, and what stands under it."""
    page.stage(view.stage)
    page.below(lambda: view.why(page))


page.foot(
    page.limits,
    lambda: view.exercise(page),
    lambda: page.onward("difficulty", "Who gets the gradient: the same number, averaged over what a model draws"),
)
