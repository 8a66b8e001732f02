"""Rules of days and weeks name the dates that `dateutil` says they do."""

from datetime import datetime, timedelta
from random import Random

import pytest
from dateutil.rrule import rrulestr

from outings.answers.ical.plain_rules import list_plain_dates

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def make_rule(random: Random) -> dict[str, str]:
    parts = {"FREQ": random.choice(("DAILY", "WEEKLY", "WEEKLY"))}
    if random.random() < 0.5:
        parts["INTERVAL"] = str(random.choice((1, 2, 3, 5, 53, 400)))
    if parts["FREQ"] == "WEEKLY" and random.random() < 0.7:
        parts["BYDAY"] = ",".join(random.choices(_DAYS, k=random.randrange(1, 5)))
    return parts


def test_they_are_those_of_dateutil(cases: int) -> None:
    random = Random(5)
    for _ in range(40 * cases):
        parts = make_rule(random)
        anchor = datetime(2020, 1, 1) + timedelta(minutes=random.randrange(1_000_000))
        first = anchor + timedelta(hours=random.choice((-9_000, -1, 0, 0, 1, 5_000)))
        last = first + timedelta(days=random.choice((-3, 0, 6, 200, 700)))
        rule = ";".join(f"{name}={value}" for name, value in parts.items())
        wanted = {*rrulestr(rule, dtstart=anchor).between(first, last, inc=True)}
        assert list_plain_dates(parts, anchor, first=first, last=last) == wanted, (rule, anchor, first, last)


@pytest.mark.parametrize(
    "rule",
    ["FREQ=MONTHLY", "FREQ=DAILY;BYDAY=MO", "FREQ=WEEKLY;WKST=SU", "FREQ=WEEKLY;BYDAY=1MO", "FREQ=DAILY;INTERVAL=0",
     "FREQ=WEEKLY;INTERVAL=-1", "FREQ=WEEKLY;BYDAY=", "INTERVAL=2", "FREQ=WEEKLY;BYSETPOS=1"],
)  # fmt: skip
def test_a_rule_that_says_more_is_none_of_them(rule: str) -> None:
    parts = dict(part.split("=") for part in rule.split(";"))
    day = datetime(2026, 8, 10)
    assert list_plain_dates(parts, day, first=day, last=day + timedelta(days=9)) is None
