"""The page Difficulty drawn with st.plotly_chart, as a Streamlit app usually is."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import plotly.graph_objects as go
import streamlit as st

from stdial.charts import difficulty, one_group

st.title("Who gets the gradient?")
G = st.slider("Group size", 2, 1024, 8)
st.metric("at p = .05", f"{difficulty.boost(G):.2f}")
first = go.Figure(difficulty.chart("update", G, 0.5, 1.0).figure()).update_layout(title=str(G))
st.plotly_chart(first, key="first")
st.plotly_chart(go.Figure(one_group.updates(G, 1, 1.0).figure()), key="second")
