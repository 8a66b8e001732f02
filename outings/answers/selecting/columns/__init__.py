"""The evaluator over mapped arrays: the same rows as SQL finds, without an engine."""
