"""A release's tables for an operator's own SQL: what lists show, by names and words instead of numbers."""
