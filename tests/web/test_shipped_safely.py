"""What the source promises by what it does not contain, settings that ship, and versions that are pinned."""

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "stdial/web/browser").glob("*.js"))
PYTHON = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py")), *sorted((ROOT / "stdial").rglob("*.py"))]
IN_SCRIPTS = (
    r"\beval\s*\(", r"\bFunction\s*\(", r"\.innerHTML\b", r"\.outerHTML\b", r"insertAdjacentHTML", r"document\.write",
    r"\.srcdoc\b", r"javascript:", r"createContextualFragment", r"DOMParser", r"setTimeout\(\s*['\"`]",
    r"https?://(?!www\.w3\.org/)",
)  # fmt: skip
NO_CALLS = {"eval", "exec", "compile", "__import__", "system", "popen", "unsafe_load", "getoutput"}
NO_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml"}
NO_SWITCHES = {"unsafe_allow_html", "unsafe_allow_javascript", "shell", "allow_pickle"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_nothing_received_is_evaluated_in_the_browser(path: Path) -> None:
    code = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
    assert [pattern for pattern in IN_SCRIPTS if re.search(pattern, code)] == []


def test_nothing_received_is_evaluated_in_python() -> None:
    found = []
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text())):
            if any(_is_unsafe(node)):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")  # type: ignore[attr-defined]
    assert found == []


def _is_unsafe(node: ast.AST) -> Iterator[bool]:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            yield name in NO_CALLS
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
            yield name in NO_CALLS and owner not in ("re", "page")
        case ast.Import(names=names):
            yield any(one.name.partition(".")[0] in NO_MODULES for one in names)
        case ast.ImportFrom(module=str(module)):
            yield module.partition(".")[0] in NO_MODULES
        case ast.keyword(arg=str(name), value=ast.Constant(value=True)):
            yield name in NO_SWITCHES


def test_settings_that_ship() -> None:
    settings = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
    server = settings["server"]
    assert server.get("enableXsrfProtection", True)
    assert server.get("enableCORS", True)
    assert not server.get("enableAgentApi", False)
    assert settings["client"]["showErrorDetails"] == "none"
    assert settings["client"]["toolbarMode"] == "minimal"
    assert settings["browser"]["gatherUsageStats"] is False


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_dependencies_are_pinned_and_are_what_is_installed(name: str) -> None:
    lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
    for line in lines:
        if not line or line.startswith("-r "):
            continue
        package, equals, wanted = line.partition(";")[0].partition("==")
        assert equals, f"{line} is not pinned"
        assert version(package.partition("[")[0]) == wanted


def test_no_secret_ships() -> None:
    ships = [ROOT / "deploy/compose.yaml", ROOT / "deploy/Containerfile", ROOT / ".streamlit/config.toml"]
    for path in ships:
        for value in re.findall(r"(?i)(?:secret|password|token)\w*\s*[:=]\s*(\S+)", path.read_text()):
            assert value.startswith(("${", "$(")), f"{path.name} holds {value}"
