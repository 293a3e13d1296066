"""What does my data teach, and what should change? A file of pass rates or rollouts, read in this session only."""

from stdial.web.page import open_page
from stdial.web.views import your_data_page as view

page = open_page("your_data")
held = view.Held()


@page.body
def body() -> None:
    """How the file was read, and what it says."""
    view.draw(page, held)


view.foot(page, held)
