"""What a query says of time, season and price filters in `match=auto`."""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path

import pytest

from outings.contract.vocabulary import WEEKDAYS
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import Document, find, open_listings, score, search

AUTO = {"match": "auto"}
# The worlds' today is Monday, August 10th 2026.
FIRST, SATURDAY = datetime(2026, 8, 10, 10), datetime(2026, 8, 15, 10)


def open_events(folder: Path, **starts: datetime) -> Release:
    """Events of one name, "Clay", with these second words."""
    events, dates = [], {}
    for number, (name, start) in enumerate(starts.items(), 1):
        clock = {"has_date": True, "has_time": True, "start_time": f"{start:%H:%M:%S}"}
        clock["starts_local"] = f"{start:%FT%T}"
        events.append(documents.make_event(make_uuid(number), name=f"Clay {name}", **clock))
        dates[make_uuid(number)] = [start]
    return open_listings(folder, *events, dates=dates)


def open_classes(folder: Path, *classes: Mapping[str, object]) -> Release:
    """Classes of one name, "Clay", with a number, in a term from September to December, and these schedules."""
    term = documents.make_term(starts_on="2026-09-01", ends_on="2026-12-20")
    made: list[Document] = [
        documents.make_class(
            make_uuid(number), name=f"Clay {number}", term=term, schedule=documents.make_schedule(**schedule)
        )
        for number, schedule in enumerate(classes, 1)
    ]
    return open_listings(folder, *made)


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_events(
        tmp_path_factory.mktemp("events"),
        monday=FIRST, evening=FIRST.replace(hour=18), tomorrow=datetime(2026, 8, 11, 13), saturday=SATURDAY,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("clay saturday", ["Clay saturday"]),
        ("clay weekend", ["Clay saturday"]),
        ("clay this saturday", ["Clay saturday"]),
        ("clay saturday morning", ["Clay saturday"]),
        ("clay weekday evenings", ["Clay evening"]),
        ("clay tonight", ["Clay evening"]),
        ("clay tomorrow", ["Clay tomorrow"]),
        ("clay today", ["Clay monday", "Clay evening"]),
        ("clay august 11", ["Clay tomorrow"]),
        ("clay this weekend", ["Clay saturday"]),
        ("clay before 11", ["Clay monday", "Clay saturday"]),
        # No word decides: the soonest first.
        ("things to do this week", ["Clay monday", "Clay evening", "Clay tomorrow", "Clay saturday"]),
        ("tomorrow", ["Clay tomorrow"]),
    ],
)
def test_what_happens_then_is_shown(events: Release, q: str, names: list[str]) -> None:
    body = search(events, q, AUTO)
    assert [item["name"] for item in body["data"]] == names
    assert (body["meta"]["relaxed"], body["meta"]["ignored_words"]) == ([], [])


@pytest.mark.parametrize(
    ("q", "relaxed"),
    [("clay sunday", ["sunday"]), ("clay in september", ["in september"]), ("clay sunday tomorrow", ["sunday"])],
)
def test_where_nothing_happens_then_the_time_is_given_up(events: Release, q: str, relaxed: list[str]) -> None:
    body = search(events, q, AUTO)
    assert body["data"]
    assert body["meta"]["relaxed"] == relaxed


def test_what_was_read_is_shown_with_parameters_that_say_the_same(events: Release) -> None:
    read = search(events, "clay this saturday after 9", AUTO)["meta"]["interpreted"]["filters"]
    week = {"weekday": ["saturday"], "from": "2026-08-10", "to": "2026-08-16", "meets": "true"}
    assert read == [
        {"parameters": week, "from": "this saturday", "overridden_by": None},
        {"parameters": {"start_after": "09:00"}, "from": "after 9", "overridden_by": None},
    ]


def test_a_parameter_overrides_what_the_query_says(events: Release) -> None:
    body = search(events, "clay tomorrow", {**AUTO, "from": "2026-08-15"})
    assert [item["name"] for item in body["data"]] == ["Clay saturday"]
    (read,) = body["meta"]["interpreted"]["filters"]
    assert (read["from"], read["overridden_by"], body["meta"]["relaxed"]) == ("tomorrow", "from", [])


def test_a_price_is_a_filter(tmp_path: Path) -> None:
    events = [
        documents.make_event(make_uuid(number), name=f"Clay {price}", price=documents.make_price(min=price, max=price))
        for number, price in enumerate((10, 20, 30), 1)
    ]
    dates = {make_uuid(number): [FIRST] for number in (1, 2, 3)}
    release = open_listings(tmp_path, *events, dates=dates)
    for q in ("clay under $20", "clay 20 dollars or less", "less than $20 clay", "clay up to $20"):
        assert sorted(find(release, q, AUTO)) == ["Clay 10", "Clay 20"], q
    assert find(release, "clay under $5", AUTO) == {}


def test_what_states_no_price_comes_behind_what_fits(tmp_path: Path) -> None:
    prices = {"Clay 30": {"min": 30, "max": 30}, "Clay": {}, "Clay 10": {"min": 10, "max": 10}}
    events = [
        documents.make_event(make_uuid(number), name=name, price=documents.make_price(**price))
        for number, (name, price) in enumerate(prices.items(), 1)
    ]
    release = open_listings(tmp_path, *events, dates={make_uuid(number): [FIRST] for number in (1, 2, 3)})
    assert list(find(release, "clay under $20", AUTO).items()) == [("Clay 10", "all_terms"), ("Clay", "partial")]
    body = search(release, "clay under $5", AUTO)
    assert ([item["name"] for item in body["data"]], body["meta"]["relaxed"]) == (["Clay"], ["under $5"])


def test_tonight_is_today(tmp_path: Path) -> None:
    release = open_events(tmp_path, monday=FIRST.replace(hour=18), saturday=SATURDAY.replace(hour=18))
    assert list(find(release, "clay tonight", AUTO)) == ["Clay monday"]
    assert list(find(release, "clay tonight", AUTO, today=date(2026, 8, 15))) == ["Clay saturday"]


def test_a_series_is_then_if_one_of_its_dates_is(tmp_path: Path) -> None:
    events = [documents.make_event(make_uuid(number), name=f"Clay {number}", has_date=True) for number in (1, 2)]
    dates = {make_uuid(1): [FIRST], make_uuid(2): [FIRST, SATURDAY]}
    release = open_listings(tmp_path, *events, dates=dates)
    assert list(find(release, "clay saturday", AUTO)) == ["Clay 2"]
    # Of a day and a time one and the same date has both.
    assert search(release, "clay saturday evening", AUTO)["meta"]["relaxed"] == ["saturday evening"]


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The third says nothing of its days."""
    monday, tuesday = (
        {"days": [day], "start_time": start} for day, start in (("monday", "13:30:00"), ("tuesday", "17:30:00"))
    )
    return open_classes(tmp_path_factory.mktemp("classes"), monday, tuesday, {})


@pytest.mark.parametrize(
    ("q", "order"),
    [
        ("clay tuesdays", ["Clay 2"]),
        ("clay monday afternoon", ["Clay 1"]),
        # This week is before the term.
        ("clay this tuesday", ["Clay 1", "Clay 2", "Clay 3"]),
        ("clay after school", ["Clay 2"]),
        ("clay tomorrow", ["Clay 1", "Clay 2", "Clay 3"]),
        ("clay starting in september", ["Clay 1", "Clay 2"]),
        ("clay starting in october", ["Clay 1", "Clay 2", "Clay 3"]),
    ],
)
def test_a_class_is_then_if_it_meets_on_such_a_day_of_its_term(classes: Release, q: str, order: list[str]) -> None:
    assert list(find(classes, q, AUTO)) == order


def test_the_date_of_a_result_is_the_first_that_fits_what_the_query_says(tmp_path: Path) -> None:
    """One class meets on Saturday mornings and Wednesday afternoons, the other says "after school" on Saturdays."""
    listings = []
    for number, (name, slots) in enumerate(
        {"Clay": [("saturday", "10:00:00"), ("wednesday", "15:30:00")], "After school clay": [("saturday", "10:00:00")]}
        .items(), 1,
    ):  # fmt: skip
        sections = [
            documents.make_section(
                make_uuid(10 * number + at), schedule=documents.make_schedule(days=[day], start_time=start),
                term=documents.make_term(starts_on="2026-08-01", ends_on="2026-12-20"),
            )
            for at, (day, start) in enumerate(slots)
        ]  # fmt: skip
        listings.append(documents.make_class(make_uuid(number), name=name, sections=sections))
    release = open_listings(tmp_path, *listings)
    for q in ("after school program", "clay after school"):
        starts = {item["name"]: item["starts_local"] for item in search(release, q, AUTO)["data"]}
        assert starts == {"Clay": "2026-08-12T15:30:00", "After school clay": "2026-08-15T10:00:00"}


def test_camps_that_have_begun_come_behind_those_that_begin_whatever_their_names_are(tmp_path: Path) -> None:
    weeks = {"Camp begun": "2026-08-03", "Camp of October": "2026-10-05", "Nature week": "2026-09-07"}
    camps = [
        documents.make_camp(
            make_uuid(number), name=name,
            sessions=[documents.make_session(make_uuid(number + 10), starts_on=first, ends_on=f"{first[:-2]}21")],
        )
        for number, (name, first) in enumerate(weeks.items(), 1)
    ]  # fmt: skip
    release = open_listings(tmp_path, *camps)
    assert list(find(release, "camps", AUTO)) == ["Nature week", "Camp of October", "Camp begun"]


def test_a_place_is_there_at_any_time(tmp_path: Path) -> None:
    places = [documents.make_place(make_uuid(at), name=name) for at, name in ((8, "Clay Court"), (9, "Park Clay"))]
    events = [documents.make_event(make_uuid(1), name="Clay day", has_date=True)]
    release = open_listings(tmp_path, *events, *places, dates={make_uuid(1): [FIRST]})
    assert score(release, "clay saturday", AUTO) == {"Park Clay": 0.95, "Clay Court": 0.45}


def test_what_is_repeated_is_then_if_one_of_it_is(tmp_path: Path) -> None:
    starts = {1: FIRST, 2: FIRST, 3: SATURDAY}
    names = {1: "Clay one", 2: "Clay two", 3: "Clay two"}
    place = {"id": make_uuid(50), "name": "Hall"}
    dated = {"place": place, "has_date": True}
    events = [documents.make_event(make_uuid(number), name=names[number], **dated) for number in starts]
    release = open_listings(tmp_path, *events, dates={make_uuid(number): [start] for number, start in starts.items()})
    assert list(find(release, "clay saturday", AUTO)) == ["Clay two"]


def test_a_spanish_query_says_when_too(events: Release) -> None:
    assert next(iter(find(events, "clay cuentos para niños el sábado por la mañana", AUTO))) == "Clay saturday"


def test_only_places_are_open_now(tmp_path: Path) -> None:
    place = documents.make_place(make_uuid(1), name="Pool", hours=dict.fromkeys(WEEKDAYS, "00:00-24:00"))
    event = documents.make_event(make_uuid(2), name="Pool party")
    release = open_listings(tmp_path, place, event, dates={make_uuid(2): [FIRST]})
    assert list(find(release, "open now", AUTO)) == ["Pool"]
    assert list(find(release, "pool open now", AUTO)) == ["Pool"]


def test_as_few_filters_as_possible_are_given_up(tmp_path: Path) -> None:
    """Nothing is outdoors, so the weekend, which is weaker, stays."""
    release = open_events(tmp_path, monday=FIRST, saturday=SATURDAY)
    body = search(release, "outdoor clay saturday", AUTO)
    assert [item["name"] for item in body["data"]] == ["Clay saturday"]
    assert body["meta"]["relaxed"] == ["outdoor"]
