"""The smallest Streamlit app that answers a slider: what any app costs."""

import streamlit as st

st.metric("G squared", st.slider("Group size", 2, 1024, 8) ** 2)
