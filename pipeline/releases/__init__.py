"""Releases compared, and an earlier one published again."""
