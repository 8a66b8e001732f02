"""Writes what readers get unchanged: documents in packs, pages and exports."""
