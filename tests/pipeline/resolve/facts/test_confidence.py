"""Confidence where a feed states none, worked out by hand as docs/confidence.md shows."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from outings.contract.resources.listings import Hours, Registration, Schedule, Tuition
from outings.contract.resources.shared import AgeRange, Location, Price, Term
from pipeline.records.record import (
    CampRecord,
    ClassRecord,
    EventRecord,
    ListingRecord,
    PlaceRecord,
    SectionRecord,
    SessionRecord,
    Source,
    Verification,
)
from pipeline.resolve.facts.confidence import score_confidence

POINT = Location(lat=47.6, lng=-122.3)
NOON = datetime(2026, 8, 10, 12, tzinfo=UTC)


def make(kind: type[ListingRecord], **members: Any) -> Any:
    return kind(feed="f", line=1, type=kind.__name__, source_id="1", **{"name": "Storytime", **members})


def score(record: ListingRecord, *, location: Location = POINT, has_place: bool = False, newest: Any = None) -> float:
    return score_confidence(record, location=location, has_place=has_place, newest_crawled_at=newest)


WHEN: dict[type[ListingRecord], dict[str, Any]] = {
    EventRecord: {"starts_local": datetime(2026, 8, 10, 9)},
    ClassRecord: {"schedule": Schedule(days=("monday",))},
    CampRecord: {"sessions": (SessionRecord(starts_on=date(2026, 8, 10)),)},
}


@pytest.mark.parametrize("kind", list(WHEN))
def test_what_says_what_when_where_and_describes_it_passes_the_lists_default_and_bare_does_not(
    kind: type[ListingRecord],
) -> None:
    assert score(make(kind), location=Location()) == 0.2
    assert score(make(kind)) == 0.4
    assert score(make(kind, **WHEN[kind])) == 0.6
    assert score(make(kind, **WHEN[kind], description="Books and songs")) == 0.8


EVENT = make(EventRecord, **WHEN[EventRecord], description="Books and songs")
CLASS = make(ClassRecord, **WHEN[ClassRecord], description="Books and songs")
CAMP = make(CampRecord, **WHEN[CampRecord], description="Books and songs")


@pytest.mark.parametrize(
    ("record", "more", "points"),
    [
        (EVENT, {"ages": AgeRange(min=3)}, 85),
        (EVENT, {"ages": AgeRange(min=0)}, 85),
        (EVENT, {"ages": AgeRange(text="for all")}, 85),
        (EVENT, {"price": Price(type="free")}, 85),
        (EVENT, {"price": Price(min=0.0)}, 85),
        (EVENT, {"categories": ("storytime_books",)}, 85),
        (EVENT, {"registration_url": "https://a.org"}, 85),
        (EVENT, {"ticket_url": "https://a.org"}, 85),
        (EVENT, {"source": Source(url="https://a.org")}, 85),
        (EVENT, {"ages": AgeRange(max=3), "price": Price(max=5), "categories": ("a",), "ticket_url": "https://a"}, 100),
        (EVENT, {"starts_local": None}, 60),
        (EVENT, {"starts_local": None, "date_on": date(2026, 8, 10)}, 80),
        (EVENT, {"description": None, "categories": ("a",), "ages": AgeRange(min=3)}, 70),
        (EVENT, {"image_url": "https://a.org/x.png", "keywords": ("a",)}, 80),
        (CLASS, {"schedule": Schedule(), "term": Term(starts_on=date(2026, 9, 1))}, 80),
        (CLASS, {"schedule": Schedule(), "term": Term(ends_on=date(2026, 9, 1))}, 80),
        (CLASS, {"schedule": Schedule(), "term": Term(name="Fall")}, 60),
        (CLASS, {"schedule": Schedule(), "sections": (SectionRecord(schedule=Schedule(days=("monday",))),)}, 80),
        (CLASS, {"tuition": Tuition(amount=190)}, 85),
        (CLASS, {"price": Price(min=190)}, 85),
        (CLASS, {"sections": (SectionRecord(tuition=Tuition(text="$5")),)}, 85),
        (CLASS, {"registration": Registration(url="https://a.org")}, 85),
        (CAMP, {"sessions": (SessionRecord(),)}, 60),
        (CAMP, {"price": Price(min=190)}, 85),
        (CAMP, {"sessions": (SessionRecord(starts_on=date(2026, 8, 1), price=Price(min=1)),)}, 85),
        (CAMP, {"registration": Registration(url="https://a.org")}, 85),
    ],
)
def test_completeness_is_the_sum_of_what_is_stated(record: ListingRecord, more: dict[str, Any], points: int) -> None:
    assert score(replace(record, **more)) == points / 100


@pytest.mark.parametrize(
    ("more", "points"),
    [
        ({}, 70),
        ({"description": "Swings"}, 80),
        ({"type_hint": "playground"}, 75),
        ({"categories": ("social_play_spaces",)}, 75),
        ({"hours": Hours(notes="dawn to dusk")}, 75),
        ({"website_url": "https://a.org"}, 75),
        ({"ages": AgeRange(min=3)}, 70),
    ],
)
def test_a_place_with_a_name_passes_its_default_where_it_says_where_it_is(more: dict[str, Any], points: int) -> None:
    assert score(make(PlaceRecord, **more)) == points / 100
    assert score(make(PlaceRecord, **more), location=Location()) == (points - 40) / 100


@pytest.mark.parametrize(
    ("location", "has_place", "stated"),
    [
        (Location(), True, True),
        (Location(lat=47.6, lng=-122.3), False, True),
        (Location(lat=47.6), False, False),
        (Location(address="1 Main St, Seattle"), False, True),
        (Location(street_address="1 Main St"), False, True),
        (Location(city="Seattle", state="WA", zip="98101", neighborhood="Belltown"), False, False),
    ],
)
def test_where_is_a_place_a_point_or_an_address(location: Location, has_place: bool, stated: bool) -> None:
    assert score(EVENT, location=location, has_place=has_place) == (0.8 if stated else 0.6)


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (timedelta(0), 0.8),
        (timedelta(days=7), 0.8),
        (timedelta(days=7, seconds=1), 0.76),
        (timedelta(days=30), 0.76),
        (timedelta(days=30, seconds=1), 0.68),
        (timedelta(days=90), 0.68),
        (timedelta(days=90, seconds=1), 0.56),
        (timedelta(days=9000), 0.56),
        (timedelta(days=-1), 0.8),
    ],
)
def test_freshness_falls_in_steps_behind_the_newest_record_of_the_feed(age: timedelta, expected: float) -> None:
    record = replace(EVENT, source=Source(crawled_at=NOON - age))
    assert score(record, newest=NOON) == expected
    assert score(record) == 0.8
    assert score(EVENT, newest=NOON) == 0.8


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, 0.8), ("clear", 0.88), ("changed", 0.76), ("unverifiable", 0.72), ("unreachable", 0.64),
        ("flagged", 0.56), ("gone", 0.32),
    ],
)  # fmt: skip
def test_verification_raises_or_lowers_confidence(status: str | None, expected: float) -> None:
    assert score(replace(EVENT, source=Source(verification=Verification(status=status)))) == expected


def test_confidence_is_never_above_1() -> None:
    record = replace(
        EVENT, ages=AgeRange(min=3), price=Price(min=1), categories=("a",), ticket_url="https://a.org",
        source=Source(verification=Verification(status="clear")),
    )  # fmt: skip
    assert score(record) == 1


def test_a_half_is_rounded_up() -> None:
    """0.85 × 0.70 = 0.595; 0.85 × 0.95 × 1.10 = 0.88825."""
    record = replace(EVENT, categories=("a",), source=Source(crawled_at=NOON - timedelta(days=91)))
    assert score(record, newest=NOON) == 0.6
    clear = Source(crawled_at=NOON - timedelta(days=8), verification=Verification(status="clear"))
    assert score(replace(record, source=clear), newest=NOON) == 0.89


@pytest.mark.parametrize("stated", [0.0, 0.123, 1.0])
def test_a_stated_value_is_kept(stated: float) -> None:
    record = replace(EVENT, confidence=stated, source=Source(verification=Verification(status="gone")))
    assert score(record) == stated
