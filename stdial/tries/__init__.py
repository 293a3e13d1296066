"""How many tries: exact group sizes, the law beside them, their price, and the plan for a budget (THEORY.md 3)."""

from stdial.tries.buying import Bought, bought
from stdial.tries.ending import ending, hopeless
from stdial.tries.gains import Sizes
from stdial.tries.plan import Even, Plan, plan, plans
from stdial.tries.sides import Sides, sides
from stdial.tries.size import price, size_by_law, size_for_fidelity, size_for_mixed
from stdial.tries.solving import TooMany

__all__ = [
    "Bought",
    "Even",
    "Plan",
    "Sides",
    "Sizes",
    "TooMany",
    "bought",
    "ending",
    "hopeless",
    "plan",
    "plans",
    "price",
]
__all__ += ["sides", "size_by_law", "size_for_fidelity", "size_for_mixed"]
