"""What AppTest cannot show by itself: the stages that a page sent to the browser component."""

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from stdial.web.places import PLACES

ROOT = Path(__file__).parents[2]


def run(path: str, **query: str) -> AppTest:
    """A page after one run with that query; fails on an exception."""
    app = AppTest.from_file(str(ROOT / PLACES[path].file), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def stages(app: AppTest) -> list[dict[str, Any]]:
    """The stages in reading order: each spec, with its header under "header"."""
    found = []
    for element in app.get("bidi_component"):
        table, *lines = element.proto.bytes.decode().split("\n")
        for _, count in json.loads(table):
            (head, body, *_), lines = lines[:count], lines[count:]
            found.append({**json.loads(body), "header": json.loads(head)})
    return found


def said(app: AppTest) -> str:
    """All words of the stages and of what stands under them, as one text."""
    parts: list[str] = []

    def runs(line: list[Any]) -> str:
        return "".join(piece if isinstance(piece, str) else piece["t"] for piece in line)

    for stage in stages(app):
        parts += [stage["title"], stage["heading"], runs(stage["answer"]), *(runs(p) for p in stage["text"])]
        parts += [f"{label} {value}" for label, value, _ in stage["readouts"]]
        parts += [chart["alt"] + " " + chart["caption"] for chart in stage["charts"]]
        for table in stage["tables"]:
            parts += [" ".join(runs(c) if isinstance(c, list) else str(c) for c in row) for row in table["rows"]]
    parts += [element.value for kind in (app.markdown, app.latex, app.code) for element in kind]
    return "\n".join(parts)
