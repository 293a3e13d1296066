"""The form of one finding about a recorded run."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["METHODS", "Finding", "make"]

Finding = dict[str, Any]
METHODS = ("GRPO", "Dr. GRPO", "DAPO")


def make(name: str, claim: str, held: bool | None, sentence: str, **numbers: Any) -> Finding:
    """A finding as JSON holds it.

    >>> make("silence", "None is silent.", False, "Half are.", share=0.5)["numbers"]
    {'share': 0.5}
    """
    rounded = {key: _plain(value) for key, value in numbers.items()}
    return {"name": name, "claim": claim, "held": held, "sentence": sentence, "numbers": rounded}


def _plain(value: Any) -> Any:
    """JSON's own types, floats to six significant digits."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{float(value):.6g}") if np.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value
