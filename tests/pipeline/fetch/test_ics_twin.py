"""Calendars drawn by chance, read beside an independent library, and exported again: the same dates three times."""

import random
from collections import Counter
from datetime import UTC, date, datetime, time
from itertools import pairwise
from pathlib import Path
from typing import Any

from pipeline.dates.recurrence import expand_recurrence
from tests.pipeline.city import City
from tests.pipeline.dates.expanding import list_occurrences
from tests.pipeline.fetch.calendars import read_raw
from tests.pipeline.fetch.drawn_calendars import METRO, draw_calendar
from tests.pipeline.fetch.recurring import Dates, find_dates
from tests.pipeline.publish.objects.exports import read_file

WINDOW = (date(2026, 6, 1), date(2027, 8, 1))
# As one build knows them all, and a list takes them.
SHOWN = (date(2026, 8, 11), date(2027, 8, 1))
CALENDARS_A_BUILD = 40
# Of these a series is moved from a date on into hours that clocks skip or show twice.
INTO_CLOCK_CHANGES = (3181, 5097, 6536)


def read_values(content: bytes) -> list[dict[str, Any]]:
    values = []
    for raw in read_raw(content, METRO):
        assert raw.reason is None
        assert isinstance(raw.value, dict)
        values.append(raw.value)
    return values


def list_dates(values: list[dict[str, Any]]) -> Dates:
    """List dates as a build finds them."""
    first, last = (datetime.combine(day, time(), UTC).timestamp() for day in WINDOW)
    dates: Dates = Counter()
    for value in values:
        if value.get("status") == "archived":
            continue
        times = {name: tuple(map(datetime.fromisoformat, value.get(name, ()))) for name in ("exdates", "rdates")}
        is_days = "date_on" in value
        expansion = expand_recurrence(
            starts_local=datetime.fromisoformat(value["date_on"] if is_days else value["starts_local"]),
            ends_local=None, has_time=not is_days, rrule=value.get("rrule"), timezone=value["timezone"],
            horizon=(date(2026, 5, 1), date(2027, 9, 1)), **times,
        )  # fmt: skip
        assert expansion.problems == ()
        uid = value["source_id"].partition("/")[0]
        for occurrence in list_occurrences(expansion):
            if is_days and WINDOW[0] <= occurrence.starts_local.date() < WINDOW[1]:
                dates[uid, occurrence.starts_local.date()] += 1
            elif not is_days and first <= occurrence.starts_at < last:
                dates[uid, occurrence.starts_at] += 1
    return dates


def test_a_calendar_s_dates_are_those_that_an_independent_library_finds(cases: int) -> None:
    """OUTINGS_TEST_CASES=10000 tries 10,000 calendars."""
    for number in (*range(cases), *INTO_CLOCK_CHANGES):
        content = draw_calendar(random.Random(number), number)
        dates, expected = list_dates(read_values(content)), find_dates(content, metro=METRO, window=WINDOW)
        assert dates == expected, (number, sorted(map(str, dates - expected)), sorted(map(str, expected - dates)))


def test_what_is_exported_has_the_dates_that_the_list_shows(tmp_path: Path, cases: int) -> None:
    for begin in range(0, cases, CALENDARS_A_BUILD):
        folder = tmp_path / f"{begin}"
        folder.mkdir()
        city = City(folder)
        numbers = range(begin, min(begin + CALENDARS_A_BUILD, cases))
        values = [value for number in numbers for value in read_values(draw_calendar(random.Random(number), number))]
        city.write([{**value, "confidence": 0.9} for value in values])
        city.build()
        listed = list_shown(city)
        exported = find_dates(read_file(city, "events.ics"), metro=METRO, window=SHOWN)
        own = Counter[tuple[str, date | int]]()
        for (uid, at), number in exported.items():
            own[uid.partition("_")[0], at] += number
        assert own == listed, (begin, sorted(map(str, own - listed)), sorted(map(str, listed - own)))


def list_shown(city: City) -> Dates:
    """List the dates of `occurrences=expand`, from one month to the next."""
    first, last = (datetime.combine(day, time(), UTC).timestamp() for day in SHOWN)
    dates: Dates = Counter()
    starts = [date(2026 + month // 12, month % 12 + 1, 1) for month in range(7, 21)]
    for day, after in pairwise(starts):
        window = f"from={max(day, date(2026, 8, 10))}&to={date.fromordinal(after.toordinal() - 1)}"
        cursor = ""
        while cursor is not None:
            body = city.ask(f"/v1/seattle/events?occurrences=expand&limit=200&{window}{cursor and f'&cursor={cursor}'}")
            for item in body["data"]:
                at = datetime.fromisoformat(item["starts_at"])
                own = datetime.fromisoformat(item["starts_local"]).date()
                if not item["has_time"] and SHOWN[0] <= own < SHOWN[1]:
                    dates[item["id"], own] += 1
                elif item["has_time"] and first <= at.timestamp() < last:
                    dates[item["id"], int(at.timestamp())] += 1
            cursor = body["meta"]["next_cursor"]
    return dates
