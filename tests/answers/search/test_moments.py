"""When a query says that something is, what happens then comes before what does not, in `match=auto`."""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path

import pytest

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
    ("q", "first"),
    [
        ("clay saturday", "Clay saturday"),
        ("clay weekend", "Clay saturday"),
        ("clay this saturday", "Clay saturday"),
        ("clay saturday morning", "Clay saturday"),
        ("clay weekday evenings", "Clay evening"),
        ("clay tonight", "Clay evening"),
        ("clay tomorrow", "Clay tomorrow"),
    ],
)
def test_what_happens_then_comes_first(events: Release, q: str, first: str) -> None:
    scores = score(events, q, {**AUTO, "to": "2027-08-09"})
    assert next(iter(scores)) == first
    # Nothing is hidden; what is on the day at another hour, or in another week, has lost a half.
    assert [*scores.values()].count(0.95) == 1
    assert len(scores) == 4
    assert {*scores.values()} <= {0.95, 0.893, 0.836}
    assert set(score(events, q).values()) == {0.95}


def test_words_of_time_are_listed_as_what_did_not_decide(events: Release) -> None:
    assert search(events, "clay saturday morning", AUTO)["meta"]["ignored_words"] == ["saturday", "morning"]


def test_tonight_is_the_first_day_of_the_window(tmp_path: Path) -> None:
    release = open_events(tmp_path, monday=FIRST.replace(hour=18), saturday=SATURDAY.replace(hour=18))
    assert next(iter(find(release, "clay tonight", AUTO))) == "Clay monday"
    assert next(iter(find(release, "clay tonight", {**AUTO, "from": "2026-08-15"}))) == "Clay saturday"
    assert next(iter(find(release, "clay tonight", AUTO, today=date(2026, 8, 15)))) == "Clay saturday"


def test_a_series_is_then_if_one_of_its_dates_is(tmp_path: Path) -> None:
    events = [documents.make_event(make_uuid(number), name=f"Clay {number}", has_date=True) for number in (1, 2)]
    dates = {make_uuid(1): [FIRST], make_uuid(2): [FIRST, SATURDAY]}
    release = open_listings(tmp_path, *events, dates=dates)
    assert list(find(release, "clay saturday", AUTO)) == ["Clay 2", "Clay 1"]
    # Of a day and a time one and the same date has both.
    assert score(release, "clay saturday evening", AUTO) == {"Clay 2": 0.836, "Clay 1": 0.836}


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
        ("clay tuesdays", ["Clay 2", "Clay 1", "Clay 3"]),
        ("clay monday afternoon", ["Clay 1", "Clay 2", "Clay 3"]),
        # This week is before the term.
        ("clay this tuesday", ["Clay 1", "Clay 2", "Clay 3"]),
        ("clay after school", ["Clay 2", "Clay 1", "Clay 3"]),
        ("clay tomorrow", ["Clay 1", "Clay 2", "Clay 3"]),
    ],
)
def test_a_class_is_then_if_it_meets_on_such_a_day_of_its_term(classes: Release, q: str, order: list[str]) -> None:
    assert list(find(classes, q, AUTO)) == order


def test_a_place_is_there_at_any_time(tmp_path: Path) -> None:
    places = [documents.make_place(make_uuid(at), name=name) for at, name in ((8, "Clay Court"), (9, "Park Clay"))]
    events = [documents.make_event(make_uuid(1), name="Clay day", has_date=True)]
    release = open_listings(tmp_path, *events, *places, dates={make_uuid(1): [FIRST]})
    assert score(release, "clay saturday", AUTO) == {"Park Clay": 0.95, "Clay day": 0.836, "Clay Court": 0.45}


def test_what_is_repeated_is_then_if_one_of_it_is(tmp_path: Path) -> None:
    starts = {1: FIRST, 2: FIRST, 3: SATURDAY}
    names = {1: "Clay one", 2: "Clay two", 3: "Clay two"}
    place = {"id": make_uuid(50), "name": "Hall"}
    dated = {"place": place, "has_date": True}
    events = [documents.make_event(make_uuid(number), name=names[number], **dated) for number in starts]
    release = open_listings(tmp_path, *events, dates={make_uuid(number): [start] for number, start in starts.items()})
    assert score(release, "clay saturday", AUTO) == {"Clay two": 0.95, "Clay one": 0.836}


def test_no_level_is_left_for_being_then(tmp_path: Path) -> None:
    early = documents.make_event(make_uuid(1), name="Clay", has_date=True)
    then = documents.make_event(make_uuid(2), name="Art", has_date=True, description="With clay.")
    texts = {"description": " ".join(["word"] * 70) + " clay"}
    then.update(texts)
    release = open_listings(tmp_path, early, then, dates={make_uuid(1): [FIRST], make_uuid(2): [SATURDAY]})
    assert find(release, "clay saturday", AUTO) == {"Clay": "all_terms", "Art": "partial"}


def test_a_spanish_query_says_when_too(events: Release) -> None:
    assert next(iter(find(events, "clay cuentos para niños el sábado por la mañana", AUTO))) == "Clay saturday"
