"""What happens on 215,608 real problems? Silent groups and the gradient's share on Big-Math, at every group size."""

from stdial.web import pools
from stdial.web.page import open_page
from stdial.web.views import big_math as view
from stdial.web.views import big_math_tables as tables

page = open_page("big_math")


@page.body
def body() -> None:
    """The stages, and what stands under them."""
    which = view.chosen(page)
    marked = page.values.pool
    whole = pools.chosen({"pool": "bigmath"})
    with page.together():
        page.stage(lambda v: view.stage(v, which), needs=which.token)
        page.stage(lambda v: tables.levels(v, whole.pool, marked), key="levels", needs=marked, uses=("G",))
        page.stage(tables.views, key="views", needs=which.token)
        page.stage(lambda v: tables.paper(v, whole.pool), key="paper", uses=("G",))
        page.stage(lambda v: tables.about(), key="about", uses=())
    page.below(lambda: view.why(page, which))


page.foot(
    page.limits,
    lambda: view.exercise(page),
    lambda: page.onward("your_data", "The same questions on your own problems"),
)
