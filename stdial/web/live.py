"""The one browser component: it draws a `Stage` and reports moved controls (browser/live.js)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit.components.v2 as components

from stdial.web import assets

__all__ = ["mount"]

# A few bytes that fetch the served module: the component's inline code travels with every rerun.
_LOADER = """
const from = document.querySelector('script[type=module][src*="static/"]').src.split('/static/')[0] + '/app/static/FOLDER/';
const add = (tag, more) => document.head.append(Object.assign(document.createElement(tag), more));
if (!window.stdialPlotly) {  // everything is asked for at once, the largest first
  window.stdialPlotly = new Promise((onload, onerror) => add('script', { src: from + 'plotly.min.js', onload, onerror }));
  for (const name of ['words', 'controls', 'charts', 'palette']) add('link', { rel: 'modulepreload', href: from + name + '.js' });
  add('link', { rel: 'stylesheet', href: from + 'live.css' });
}
const module = import(from + 'live.js');
export default function (component) { module.then((live) => live.show(component)); }
"""

_component = components.component(
    "stdial",
    html='<div class="sd-stage"></div>',
    js=_LOADER.replace("FOLDER", assets.folder()),
    isolate_styles=False,
)


def mount(
    key: str,
    header: Mapping[str, Any],
    body: bytes,
    extra: bytes,
    on_move: Callable[[], None],
    on_want: Callable[[], None],
) -> None:
    """Draw a stage.

    Parameters
    ----------
    key : unique on the page; the browser keeps the region's nodes under it.
    header : the small part that changes with every run: the number of the last move, notes, the address.
    body : the stage as JSON; equal bytes are not drawn again.
    extra : what the browser asked for (frames, a table) as JSON, or nothing.
    on_move, on_want : called before the script when a control moved, or when the browser asks for something.
    """
    head = json.dumps(header, separators=(",", ":")).encode()
    parts = [head, body, extra] if extra else [head, body]
    _component(key=key, data=b"\n".join(parts), on_move_change=on_move, on_want_change=on_want)
