"""A mapping of columns to members, compiled to the SELECT that an operator could have written."""

from pipeline.feeds.mapping.compiling import compile_mapping
from pipeline.feeds.mapping.explaining import explain_problems

__all__ = ["compile_mapping", "explain_problems"]
