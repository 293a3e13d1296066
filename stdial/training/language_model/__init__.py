"""A tiny language model trained for real with GRPO, Dr. GRPO and DAPO; needs torch (the extra ``lm``)."""
