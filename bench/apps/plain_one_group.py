"""The page One group drawn with st.plotly_chart."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.apps.plain import draw
from stdial.web.views import one_group

draw(one_group)
