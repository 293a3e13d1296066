"""What does my framework compute? Its advantages beside the paper's, its traps, and which convention made a log."""

from stdial.web.page import open_page
from stdial.web.views import framework_log, framework_move, framework_table
from stdial.web.views import frameworks as view

page = open_page("frameworks")


@page.body
def body() -> None:
    """The stages, and what stands under them."""
    view.resolve(page)
    with page.together():
        page.stage(view.stage, uses=view.USES)
        page.stage(view.ways, key="ways", uses=("framework",))
    view.recipes(page)
    with page.together():
        page.stage(view.watch, key="watch", uses=("framework",))
        for i in range(view.traps(page.values)):
            page.stage(view.trap(i), key=f"trap{i}", uses=("framework",))
        page.stage(framework_log.intro, key="intro", uses=())
    framework_log.box(page)
    with page.together():
        page.stage(framework_move.stage, key="move", uses=framework_move.USES)
        page.stage(framework_table.stage, key="all", uses=framework_table.USES)
    page.below(lambda: view.why(page))


page.foot(
    page.limits,
    lambda: view.exercise(page),
    lambda: page.onward("for_a_class", "Take it to a class: pictures, a guess first, and a sheet"),
)
