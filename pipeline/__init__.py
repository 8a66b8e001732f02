"""The build: feeds in, a release out. Five stages, each reading those before: fetch, clean, resolve, tables, publish.

`building.py` has their order. Beneath them stand `records` and `dates`: what a record is, and how dates are worked out.
"""
