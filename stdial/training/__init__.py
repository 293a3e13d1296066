"""Training runs: the controlled run of Bernoulli-logit prompts, and the recorded run of a tiny language model."""
