"""What serves the pages never loads what only other work needs: minutes of start and gigabytes of memory."""

import json
import subprocess
import sys

from tests.app.reading_stages import ROOT

HEAVY = ("datasets", "torch", "matplotlib", "transformers", "dask", "pyspark", "scipy.stats")
PROGRAM = f"""
import json, sys
sys.path.insert(0, {str(ROOT)!r})
from stdial.web.places import PLACES
from tests.app.reading_stages import run
for path in PLACES:
    run(path)
print("loaded", json.dumps([name for name in {HEAVY!r} if name in sys.modules]))
"""
ALONE = f"""
import json, sys
import stdial
from stdial import Pool, bigmath, expectation, frameworks, group, reading, tally, training, tries
never = {HEAVY!r} + ("pandas", "duckdb", "polars", "scipy.optimize", "streamlit")
print("loaded", json.dumps([name for name in never if name in sys.modules]))
"""


def loaded(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    last = done.stdout.strip().splitlines()[-1]
    found: list[str] = json.loads(last.removeprefix("loaded "))
    return found


def test_no_page_loads_what_only_other_work_needs() -> None:
    assert loaded(PROGRAM) == []


def test_importing_the_package_loads_nothing_slow() -> None:
    assert loaded(ALONE) == []
