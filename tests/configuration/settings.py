"""A metro and a feed of a configuration, as tests write them."""

METRO = """
[[metros]]
slug = "seattle"
name = "Seattle"
timezone = "America/Los_Angeles"
aliases = ["sea"]
center = { lat = 47.6062, lng = -122.3321 }
bounds = { south = 47.3, west = -122.6, north = 47.9, east = -121.9 }
"""
FEED = """
[[feeds]]
name = "spl"
metro = "seattle"
format = "ndjson"
url = "data/*.ndjson"
"""
