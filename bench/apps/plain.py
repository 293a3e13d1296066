"""A page of ours with its words, controls and charts, drawn as a Streamlit app usually is: st.slider, st.plotly_chart."""

from __future__ import annotations

import types
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from stdial.web import link, words
from stdial.web.page import Values
from stdial.web.stage import Choice, Slider


def _text(runs: list[Any]) -> str:
    return words.markdown("".join(run if isinstance(run, str) else run["t"] for run in runs))


def _why(text: str, latex: str, python: str) -> None:
    st.markdown(f"## Why\n\n{text}")
    st.latex(latex)
    st.code(python, language="python")


def draw(view: types.ModuleType) -> None:
    """The whole page; the size is written over each chart, so that a benchmark sees when it is drawn."""
    values = Values(link.defaults())
    G = st.session_state.get("G", 8)
    values = values.but(G=G)
    stage = view.stage(values)
    st.title(stage.title)
    st.markdown(_text(stage.answer))
    for one in stage.controls:
        if isinstance(one, Slider):
            whole = int if one.step == 1 else float
            low, high, now, step = (whole(n) for n in (one.low, one.high, one.value, one.step))
            st.slider(
                one.label, low, high, None if one.name == "G" and "G" in st.session_state else now, step, key=one.name
            )
        elif isinstance(one, Choice):
            st.radio(one.label, [label for _, label in one.options], horizontal=True)
    for column, (label, value, _) in zip(st.columns(len(stage.readouts) or 1), stage.readouts, strict=False):
        column.metric(label, value)
    for chart in stage.charts:
        st.plotly_chart(go.Figure(chart.figure()).update_layout(title=str(G)), key=chart.name)
    view.why(types.SimpleNamespace(values=values, why=_why))
    with st.expander("What the identity does not say"):
        st.markdown(words.LIMITS)
