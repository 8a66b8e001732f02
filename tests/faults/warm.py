"""For the server that forks builds alone: what a process works out once is worked out there, once for all of them."""

from pipeline.dates.rule_days import list_days, parse_rule
from pipeline.dates.zones import find_zone

for name in ("America/Los_Angeles", "America/New_York", "UTC"):
    find_zone(name)
for rule in ("FREQ=MONTHLY", "FREQ=YEARLY;BYYEARDAY=1"):
    list_days(parse_rule(rule), anchor=20_000, last=20_001)
