"""Texts as words: what a search compares, and what names are found by."""
