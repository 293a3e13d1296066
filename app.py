"""What does this group teach? The first page."""

from stdial.web.page import open_page

page = open_page("")
