"""Settings that all tests share."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# A runner started in the background may have been told to ignore Ctrl-C; tests of it need the usual answer.
if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL):
    signal.signal(signal.SIGINT, signal.default_int_handler)

REFERENCE = Path(__file__).parent / "reference"

# No deadline: no test depends on a clock. Few examples by default; HYPOTHESIS_PROFILE=deep looks longer.
settings.register_profile("quick", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("deep", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(scope="session")
def paper() -> dict[str, Any]:
    """The paper's numbers (tests/reference/paper.json)."""
    return json.loads((REFERENCE / "paper.json").read_text())
