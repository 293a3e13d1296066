"""The one browser component: it draws stages and reports moved controls (browser/live.js)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit.components.v2 as components

from stdial.web import assets

__all__ = ["Region", "mount"]

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
    html='<div class="sd-stages"></div>',
    js=_LOADER.replace("FOLDER", assets.folder()),
    isolate_styles=False,
)


class Region(NamedTuple):
    """One stage as it is sent.

    `name` is unique on the page; the browser keeps the region's nodes under it. `header` is the small part that changes with
    every run: the number of the last move, notes, the address. `body` is the stage as JSON; equal bytes are not drawn again.
    `extra` is what the browser asked for (frames, a table) as JSON, or nothing.
    """

    name: str
    header: Mapping[str, Any]
    body: bytes
    extra: bytes = b""

    def lines(self) -> list[bytes]:
        """Each part as a line: JSON as we write it has no line breaks."""
        head = json.dumps(self.header, separators=(",", ":")).encode()
        return [head, self.body, self.extra] if self.extra else [head, self.body]


def mount(regions: Sequence[Region], on_move: Callable[[], None], on_want: Callable[[], None]) -> None:
    """Draw stages, one under the other, as one element under the first one's name.

    Parameters
    ----------
    regions : at least one.
    on_move, on_want : called before the script when controls moved, or when the browser asks for something; the component's
        state then holds, by region, what was moved or asked for.
    """
    sent = [(region.name, region.lines()) for region in regions]
    table = json.dumps([[name, len(lines)] for name, lines in sent], separators=(",", ":")).encode()
    data = b"\n".join([table, *(line for _, lines in sent for line in lines)])
    _component(key=regions[0].name, data=data, on_move_change=on_move, on_want_change=on_want)
