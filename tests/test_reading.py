"""Every example file comes out as expected.json says."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stdial.reading import Reading, Refused, Unclear, read

CASES = Path(__file__).parent / "cases"
EXPECTED: dict[str, dict[str, Any]] = json.loads((CASES / "expected.json").read_text())
READ = [name for name, case in EXPECTED.items() if case["outcome"] == "read"]


def numbers(found: Reading) -> dict[str, Any]:
    pool, groups = found.pool, found.groups
    shown: dict[str, Any] = {"problems": found.problems, "rollouts": found.rollouts}
    shown["silent_groups"] = int(groups["silent"].sum())
    shown["mean_sigma"] = float(groups["sigma"].mean()) if pool is None else pool.mean_sigma
    if pool is not None:
        tries = pool.tries
        shown["mean_rate"] = pool.mean_rate
        shown["all_wrong"] = int((pool.rate == 0).sum())
        shown["all_right"] = int((pool.rate == 1).sum() if tries is None else (pool.right == tries).sum())
    return shown


@pytest.mark.parametrize("name", READ)
def test_read(name: str) -> None:
    case = EXPECTED[name]
    found = read(CASES / name)
    shown = numbers(found)
    for key in ("problems", "rollouts", "all_wrong", "all_right", "silent_groups", "mean_rate", "mean_sigma"):
        if key in case:
            assert shown[key] == (pytest.approx(case[key], abs=5.1e-7) if case[key] is not None else None), key
    if "mapping" in case:
        assert found.mapping == case["mapping"]
    if "facets" in case:
        assert set(case["facets"]) == set(found.facets)
    assert len(found.warnings) == len(case["warnings"]), found.warnings
    for text in case["warnings"]:
        assert any(text.lower() in warning.lower() for warning in found.warnings), found.warnings


@pytest.mark.parametrize("name", [n for n, c in EXPECTED.items() if c["outcome"] == "refuse"])
def test_refused(name: str) -> None:
    case = EXPECTED[name]
    with pytest.raises(Refused) as caught:
        read(CASES / name)
    assert caught.value.kind == case["kind"]
    for text in case["message_names"]:
        assert text.lower() in str(caught.value).lower()
    assert (caught.value.table is not None) == (case["kind"] == "steps")


@pytest.mark.parametrize("name", [n for n, c in EXPECTED.items() if c["outcome"] == "ask"])
def test_asked(name: str) -> None:
    with pytest.raises(Unclear) as caught:
        read(CASES / name)
    assert list(caught.value.choices) == EXPECTED[name]["choices"]
    for label, options in caught.value.answers:  # every offered answer leads to a reading
        found = read(CASES / name, **options)
        assert found.problems >= 24, label


def test_groups_agree_with_the_pool() -> None:
    found = read(CASES / "long_true_false.csv")
    assert found.pool is not None
    assert list(found.groups) == ["id", "n", "mean", "sigma", "min", "max", "silent"]
    np.testing.assert_array_equal(found.groups["silent"], (found.pool.rate == 0) | (found.pool.rate == 1))
