"""Dates inside a window, both ends inclusive, and where a camp comes in the order."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.answers import documents
from tests.answers.asking import fetch
from tests.answers.documents import make_uuid
from tests.answers.worlds import World, open_release

WINDOW = {"from": "2026-08-10", "to": "2026-08-20"}
A, B, C, D = map(make_uuid, (1, 2, 3, 4))

pytestmark = pytest.mark.xdist_group("windows")  # one worker makes the release of most tests


def list_ids(folder: Path, world: World, collection: str, params: dict[str, str]) -> list[str]:
    return [item["id"] for item in fetch(open_release([world], folder), f"/v1/harbor/{collection}", params)["data"]]


def make_camp(row_id: str, *spans: tuple[str | None, str | None], **members: Any) -> dict[str, Any]:
    sessions = [
        documents.make_session(f"{row_id}-{number}", starts_on=first, ends_on=last)
        for number, (first, last) in enumerate(spans)
    ]
    return documents.make_camp(row_id, sessions=sessions, **members)


STARTS = [
    ("2026-08-09T23:59:59", False),
    ("2026-08-10T00:00:00", True),
    ("2026-08-20T23:59:59", True),
    ("2026-08-21T00:00:00", False),
]
TERMS = [
    ((None, None), True),
    (("2026-08-01", None), True),
    ((None, "2026-08-10"), True),
    ((None, "2026-08-09"), False),
    (("2026-08-01", "2026-08-09"), False),
    (("2026-08-20", None), True),
    (("2026-08-21", None), False),
    (("2026-08-01", "2026-12-01"), True),
]


SESSIONS = [
    ([("2026-08-05", "2026-08-10")], True),
    ([("2026-08-05", "2026-08-09")], False),
    ([("2026-08-20", "2026-08-24")], True),
    ([("2026-08-21", "2026-08-24")], False),
    ([("2026-08-01", "2026-08-05"), ("2026-08-25", "2026-08-29")], False),
    ([], True),
    ([(None, None)], True),
    ([(None, None), ("2026-07-01", "2026-07-05")], False),
]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return what the window shows of each type, from one release with all starts, terms and sessions. A listing's id
    has its number."""
    world = World()
    for number, (local, _) in enumerate(STARTS):
        row_id = make_uuid(100 + number)
        world.listings.append(documents.make_event(row_id, has_date=True, starts_local=local, starts_at=local + "Z"))
        world.dates[row_id] = [datetime.fromisoformat(local)]
    for number, (span, _) in enumerate(TERMS):
        term = documents.make_term(starts_on=span[0], ends_on=span[1])
        world.listings.append(documents.make_class(make_uuid(200 + number), term=term))
    world.listings += [make_camp(make_uuid(300 + number), *spans) for number, (spans, _) in enumerate(SESSIONS)]
    release = open_release([world], tmp_path_factory.mktemp("windows"))
    return {
        collection: [item["id"] for item in fetch(release, f"/v1/harbor/{collection}", WINDOW)["data"]]
        for collection in ("events", "classes", "camps")
    }


@pytest.mark.parametrize("number", range(len(STARTS)), ids=[str(value) for value, _ in STARTS])
def test_an_event_is_in_a_window_by_its_local_start(shown: dict[str, list[str]], number: int) -> None:
    local, inside = STARTS[number]
    assert (make_uuid(100 + number) in shown["events"]) == inside, local


@pytest.mark.parametrize("number", range(len(TERMS)), ids=[str(value) for value, _ in TERMS])
def test_a_class_is_in_a_window_unless_its_term_is_known_to_be_outside(
    shown: dict[str, list[str]], number: int
) -> None:
    span, inside = TERMS[number]
    assert (make_uuid(200 + number) in shown["classes"]) == inside, span


@pytest.mark.parametrize("number", range(len(SESSIONS)), ids=[str(value) for value, _ in SESSIONS])
def test_a_camp_is_in_a_window_by_a_session_or_without_any_date(shown: dict[str, list[str]], number: int) -> None:
    spans, inside = SESSIONS[number]
    assert (make_uuid(300 + number) in shown["camps"]) == inside, spans


def test_camps_are_ordered_by_their_first_session_not_ended_by_the_windows_start(tmp_path: Path) -> None:
    world = World(
        listings=[
            make_camp(D),
            make_camp(C, (None, None)),
            make_camp(B, ("2026-06-01", "2026-06-05"), ("2026-08-12", "2026-08-14")),
            make_camp(A, ("2026-08-11", "2026-08-15")),
        ]
    )
    assert list_ids(tmp_path, world, "camps", {}) == [A, B, C, D]
    assert list_ids(tmp_path, world, "camps", {"from": "2026-06-05"}) == [B, A, C, D]
    assert list_ids(tmp_path, world, "camps", {"from": "2026-06-06"}) == [A, B, C, D]


def test_a_clock_time_is_after_inclusively_and_before_strictly(tmp_path: Path) -> None:
    world = World()
    for row_id, clock in ((A, "09:00:00"), (B, "11:59:59"), (C, "12:00:00")):
        local = f"2026-08-12T{clock}"
        world.listings.append(
            documents.make_event(
                row_id, has_date=True, has_time=True, start_time=clock, starts_local=local, starts_at=local + "Z"
            )
        )
        world.dates[row_id] = [datetime.fromisoformat(local)]
    params = {"start_after": "09:00", "start_before": "12:00"}
    assert list_ids(tmp_path, world, "events", params) == [A, B]
    assert list_ids(tmp_path, world, "events", {"start_after": "09:00:01"}) == [B, C]


def test_one_date_of_a_series_must_meet_all_conditions_on_dates(tmp_path: Path) -> None:
    """A Tuesday in the window and a Saturday outside it are no Saturday in the window."""
    world = World(
        listings=[
            documents.make_event(
                A, has_date=True, has_time=True, is_recurring=True, starts_local="2026-08-11T09:00:00",
                starts_at="2026-08-11T13:00:00Z",
            )
        ],
        dates={A: documents.read_dates("2026-08-11T09:00:00", "2026-08-22T09:00:00")},
    )  # fmt: skip
    assert list_ids(tmp_path, world, "events", {**WINDOW, "weekday": "saturday"}) == []
    assert list_ids(tmp_path, world, "events", {**WINDOW, "weekday": "saturday,tuesday"}) == [A]
    assert list_ids(tmp_path, world, "events", {**WINDOW, "to": "2026-08-22", "weekday": "saturday"}) == [A]
    [item] = fetch(open_release([world], tmp_path), "/v1/harbor/events", {"from": "2026-08-20"})["data"]
    assert item["starts_local"] == "2026-08-11T09:00:00"
