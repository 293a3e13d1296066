"""The browser's files, copied once into `static/` beside app.py, which Streamlit serves at /app/static.

Plotly's own file comes from the installed package, so there is no other host and it works offline. The folder's name holds a
hash of its contents: browsers may keep the files for good, and a new version is a new address.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

from stdial.charts.style import DARK
from stdial.web.params import PARAMS

__all__ = ["folder"]

_HERE = Path(__file__).parent / "browser"
_STATIC = Path(__file__).parents[2] / "static"


@functools.cache
def folder() -> str:
    """The name of the served folder that holds this version's files, made when it is not there yet.

    >>> folder().startswith("stdial-")
    True
    """
    texts = {path.name: path.read_bytes() for path in sorted(_HERE.iterdir()) if path.suffix in (".js", ".css")}
    texts["palette.js"] = f"export const DARK = {json.dumps(DARK)};\n".encode()
    labels = {name: param.label for name, param in PARAMS.items()}
    values = {name: param.write(param.default) for name, param in PARAMS.items()}
    texts["params.js"] = (
        f"export const LABELS = {json.dumps(labels)};\nexport const DEFAULTS = {json.dumps(values)};\n".encode()
    )
    digest = hashlib.sha256(version("plotly").encode())
    for name, text in texts.items():
        digest.update(name.encode() + text)
    target = _STATIC / f"stdial-{digest.hexdigest()[:12]}"
    if not target.is_dir():
        _make(target, texts)
    return target.name


def _make(target: Path, texts: dict[str, bytes]) -> None:
    """Writes the folder beside and renames it, so that no half-made one is ever served."""
    _STATIC.mkdir(exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=_STATIC, prefix=".making-"))
    made.chmod(0o755)
    for name, text in texts.items():
        (made / name).write_bytes(text)
    shutil.copyfile(_plotly(), made / "plotly.min.js")
    try:
        made.replace(target)
    except OSError:  # another process was first
        shutil.rmtree(made, ignore_errors=True)


def _plotly() -> Path:
    """The installed plotly's own browser file, found without importing plotly."""
    spec = importlib.util.find_spec("plotly")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("plotly is not installed; run: pip install -r requirements.txt")
    return Path(spec.submodule_search_locations[0]) / "package_data" / "plotly.min.js"


if __name__ == "__main__":
    folder()
