"""Training runs: the controlled run of Bernoulli-logit prompts, and the recorded run of a tiny language model."""

from stdial.training.controlled import Mass, Run, run, simulate
from stdial.training.stepping import CLIP, Step, starting_rates

__all__ = ["CLIP", "Mass", "Run", "Step", "run", "simulate", "starting_rates"]
