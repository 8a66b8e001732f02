"""RRULE texts: what is read, what is readable but not followed, what is no rule."""

from datetime import UTC, datetime, time

import pytest
from msgspec.structs import replace

from pipeline.dates.rule_days import RecurrenceRule, RuleError, parse_rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("FREQ=DAILY", RecurrenceRule(frequency="DAILY")),
        ("RRULE:FREQ=DAILY", RecurrenceRule(frequency="DAILY")),
        (" freq=weekly;byday=mo,we; ", RecurrenceRule(frequency="WEEKLY", weekdays=((0, 0), (0, 2)))),
        (
            "FREQ=WEEKLY;INTERVAL=2;COUNT=10;WKST=SU",
            RecurrenceRule(frequency="WEEKLY", interval=2, count=10, week_start=6),
        ),
        ("COUNT=3;FREQ=YEARLY", RecurrenceRule(frequency="YEARLY", count=3)),
        ("FREQ=MONTHLY;BYDAY=2TU,-1FR,+3SU", RecurrenceRule(frequency="MONTHLY", weekdays=((2, 1), (-1, 4), (3, 6)))),
        ("FREQ=MONTHLY;BYMONTHDAY=1,-1", RecurrenceRule(frequency="MONTHLY", month_days=(1, -1))),
        ("FREQ=YEARLY;BYMONTH=1,12", RecurrenceRule(frequency="YEARLY", months=(1, 12))),
        (
            "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1",
            RecurrenceRule(frequency="MONTHLY", weekdays=((0, 0), (0, 1)), positions=(-1,)),
        ),
        ("FREQ=DAILY;COUNT=-1", RecurrenceRule(frequency="DAILY")),
        ("FREQ=YEARLY;BYYEARDAY=1,-366", RecurrenceRule(frequency="YEARLY", year_days=(1, -366))),
        ("FREQ=YEARLY;BYWEEKNO=20,-1", RecurrenceRule(frequency="YEARLY", weeks=(20, -1))),
        ("FREQ=DAILY;UNTIL=20261231", RecurrenceRule(frequency="DAILY", until=datetime(2026, 12, 31, 23, 59, 59))),
        ("FREQ=DAILY;UNTIL=2026-12-31", RecurrenceRule(frequency="DAILY", until=datetime(2026, 12, 31, 23, 59, 59))),
        ("FREQ=DAILY;UNTIL=20261231T090000", RecurrenceRule(frequency="DAILY", until=datetime(2026, 12, 31, 9))),
        (
            "FREQ=DAILY;UNTIL=20261231T090000Z",
            RecurrenceRule(frequency="DAILY", until=datetime(2026, 12, 31, 9, tzinfo=UTC)),
        ),
    ],
)
def test_a_rule_is_read(text: str, rule: RecurrenceRule) -> None:
    assert replace(parse_rule(text), parts=()) == rule


def test_a_rule_keeps_its_parts_as_they_are_written_but_for_its_end() -> None:
    rule = parse_rule("RRULE:freq=weekly;COUNT=3;BYDAY=MO ; UNTIL=20261231")
    assert rule.parts == (("FREQ", "WEEKLY"), ("BYDAY", "MO"))


@pytest.mark.parametrize(
    ("text", "unsupported"),
    [
        ("FREQ=SECONDLY", ("SECONDLY",)),
        ("FREQ=MINUTELY;INTERVAL=90", ("MINUTELY",)),
        ("FREQ=HOURLY;BYHOUR=9,10", ("HOURLY", "BYHOUR")),
        ("FREQ=DAILY;BYHOUR=10", ("BYHOUR",)),
        ("FREQ=DAILY;BYHOUR=9", ()),
        ("FREQ=DAILY;BYMINUTE=0;BYSECOND=30", ("BYSECOND",)),
        ("FREQ=YEARLY;BYEASTER=0", ("BYEASTER",)),
        ("RSCALE=CHINESE;FREQ=YEARLY", ("RSCALE",)),
        ("FREQ=MONTHLY;SKIP=OMIT", ("SKIP",)),
        ("FREQ=DAILY;X-PLACE=HERE", ("X-PLACE",)),
    ],
)
def test_a_readable_rule_names_the_parts_that_are_not_followed(text: str, unsupported: tuple[str, ...]) -> None:
    assert parse_rule(text).list_unsupported(time(9)) == unsupported


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'': a part is NAME=VALUE"),
        ("every Tuesday", "'EVERY TUESDAY': a part is NAME=VALUE"),
        ("INTERVAL=2", "FREQ=: expected one of YEARLY, MONTHLY, WEEKLY, DAILY"),
        ("FREQ=FORTNIGHTLY", "FREQ=FORTNIGHTLY: expected one of YEARLY, MONTHLY, WEEKLY, DAILY"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL=0: expected a whole number from 1"),
        ("FREQ=DAILY;INTERVAL=-1", "INTERVAL=-1: expected a whole number from 1"),
        ("FREQ=DAILY;INTERVAL=9999999999", "INTERVAL=9999999999: expected a whole number from 1"),
        ("FREQ=DAILY;COUNT=0", "COUNT=0: expected a whole number from 1"),
        ("FREQ=DAILY;COUNT=ten", "COUNT=TEN: expected a whole number from 1"),
        ("FREQ=DAILY;COUNT=", "'COUNT=': a part is NAME=VALUE"),
        ("FREQ=DAILY;COUNT=2;COUNT=3", "COUNT appears twice"),
        ("FREQ=DAILY;;COUNT=2", "'': a part is NAME=VALUE"),
        ("FREQ=DAILY;UNTIL=20261331", "UNTIL=20261331: expected a date (20261231) or a date-time (20261231T235959Z)"),
        ("FREQ=DAILY;UNTIL=SOON", "UNTIL=SOON: expected a date (20261231) or a date-time (20261231T235959Z)"),
        ("FREQ=WEEKLY;BYDAY=MON", "BYDAY=MON: expected weekdays such as MO or -1FR"),
        ("FREQ=WEEKLY;BYDAY=MO,", "BYDAY=MO,: expected weekdays such as MO or -1FR"),
        ("FREQ=MONTHLY;BYDAY=0MO", "BYDAY=0MO: expected weekdays such as MO or -1FR"),
        ("FREQ=YEARLY;BYDAY=54MO", "BYDAY=54MO: expected weekdays such as MO or -1FR"),
        ("FREQ=WEEKLY;BYDAY=1MO", "BYDAY=1MO: a numbered weekday has no meaning in a WEEKLY rule"),
        ("FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY=32: expected numbers from -31 to 31, without 0"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY=0: expected numbers from -31 to 31, without 0"),
        ("FREQ=YEARLY;BYMONTH=13", "BYMONTH=13: expected numbers from 1 to 12, without 0"),
        ("FREQ=YEARLY;BYMONTH=-1", "BYMONTH=-1: expected numbers from 1 to 12, without 0"),
        ("FREQ=YEARLY;BYWEEKNO=54", "BYWEEKNO=54: expected numbers from -53 to 53, without 0"),
        ("FREQ=YEARLY;BYYEARDAY=367", "BYYEARDAY=367: expected numbers from -366 to 366, without 0"),
        ("FREQ=DAILY;BYHOUR=24", "BYHOUR=24: expected numbers from 0 to 23"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", "BYSETPOS=0: expected numbers from -366 to 366, without 0"),
        ("FREQ=WEEKLY;WKST=1", "WKST=1: expected one of MO, TU, WE, TH, FR, SA, SU"),
        ("FREQ=DAILY\nEXDATE:20260810", "'FREQ=DAILY\\nEXDATE:20260810': a part is NAME=VALUE"),
        ("FREQ=SECONDLY;INTERVAL=0", "INTERVAL=0: expected a whole number from 1"),
    ],
)
def test_an_error_names_the_wrong_part_of_a_rule(text: str, message: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_rule(text)
    assert str(refused.value) == message
