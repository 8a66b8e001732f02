"""The build: reads feeds and publishes a release, in five stages: fetch, clean, resolve, tables, publish.

`building.py` runs them in order. All stages use `records`, which defines a record, and `dates`, which computes dates.
"""
