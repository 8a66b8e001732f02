"""Semantic ranking, where an operator names a model: texts → vectors, and how near a query is to each listing."""
