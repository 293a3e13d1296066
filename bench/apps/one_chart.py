"""The smallest app with one st.plotly_chart."""

import plotly.graph_objects as go
import streamlit as st

st.plotly_chart(go.Figure(go.Scatter(y=[1, 3, 2])))
