"""Details by id and by slug."""

from datetime import date
from pathlib import Path

import pytest

from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers.asking import ask, fetch
from tests.answers.documents import make_uuid
from tests.answers.listings.details import (
    ADULT,
    CLASS,
    DRAFT,
    ELSEWHERE,
    EVENT,
    OLD,
    OTHER_TWIN,
    PLACE,
    SERIES,
    TWIN,
    make_worlds,
)
from tests.answers.worlds import World, open_release


@pytest.fixture(scope="module")
def worlds() -> list[World]:
    return make_worlds()


@pytest.fixture(scope="module")
def release(worlds: list[World], tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release(worlds, tmp_path_factory.mktemp("worlds"))


def fail(release: Release, path: str, params: dict[str, str] | None = None, **context: Entitlement) -> ApiError:
    with pytest.raises(ApiError) as raised:
        ask(release, path, params, **context)  # type: ignore[arg-type]
    return raised.value


def test_a_detail_is_the_document_in_data(release: Release, worlds: list[World]) -> None:
    for row_id, path in ((EVENT, "events"), (CLASS, "classes"), (PLACE, "places")):
        assert fetch(release, f"/v1/{path}/{row_id}") == {"data": worlds[0].get(row_id)}


def test_a_detail_of_a_listing_in_a_list_is_what_the_list_holds_of_it(release: Release) -> None:
    item = fetch(release, "/v1/harbor/events")["data"][0]
    assert fetch(release, f"/v1/events/{item['id']}")["data"] == item
    made = b"".join(ask(release, f"/v1/events/{item['id']}").parts)
    listed = b"".join(ask(release, "/v1/harbor/events").parts)
    assert made.removeprefix(b'{"data":').removesuffix(b"}") in listed


def test_adults_and_low_confidence_are_answered(release: Release) -> None:
    assert fetch(release, f"/v1/places/{ADULT}")["data"]["audience"] == "adults"


def test_an_upper_case_id_is_the_same(release: Release) -> None:
    upper = make_uuid(0xABCDEF).upper()
    assert fail(release, f"/v1/places/{upper}").code == "not_found"
    assert fetch(release, f"/v1/places/{PLACE.upper()}")["data"]["id"] == PLACE


@pytest.mark.parametrize(
    "path",
    [f"/v1/events/{PLACE}", f"/v1/places/{make_uuid(99)}", f"/v1/camps/{OLD}", f"/v1/camps/{DRAFT}",
     "/v1/camps/slug/old-camp", "/v1/camps/slug/draft-camp", "/v1/events/slug/swim", "/v1/places/slug/nothing",
     "/v1/places/slug/swi", "/v1/places/slug/swimm"],
)  # fmt: skip
def test_what_is_not_there_or_not_visible_is_not_found(release: Release, path: str) -> None:
    assert fail(release, path).code == "not_found"


@pytest.mark.parametrize("path", [f"/v1/camps/{OLD}", "/v1/camps/slug/old-camp"])
def test_an_archived_listing_is_answered_when_asked_for(release: Release, path: str) -> None:
    assert fetch(release, path, {"include_archived": "true"})["data"]["status"] == "archived"


def test_a_draft_is_never_answered(release: Release) -> None:
    assert fail(release, f"/v1/camps/{DRAFT}", {"include_archived": "true"}).code == "not_found"


def test_a_slug_is_of_one_type(release: Release) -> None:
    assert fetch(release, "/v1/classes/slug/swim")["data"]["id"] == CLASS
    assert fetch(release, "/v1/places/slug/swim")["data"]["id"] == PLACE


def test_a_slug_in_two_metros_asks_which(release: Release) -> None:
    error = fail(release, "/v1/places/slug/zoo")
    assert error.status == 400
    assert error.details["param"] == "metro"
    assert error.details["reason"] == "metro_required"
    assert error.details["allowed"] == ["harbor", "hills"]
    assert fetch(release, "/v1/places/slug/zoo", {"metro": "hills"})["data"]["id"] == OTHER_TWIN
    assert fetch(release, "/v1/places/slug/zoo", {"metro": "harbor"})["data"]["id"] == TWIN


def test_a_slug_is_unique_when_the_key_may_use_one_of_its_metros(release: Release) -> None:
    hills = Entitlement(metros=frozenset({"hills"}))
    assert fetch(release, "/v1/places/slug/zoo", entitlement=hills)["data"]["id"] == OTHER_TWIN


@pytest.mark.parametrize("path", [f"/v1/places/{ELSEWHERE}", "/v1/places/slug/barn"])
def test_a_listing_in_another_metro_than_the_keys_is_forbidden(release: Release, path: str) -> None:
    error = fail(release, path, entitlement=Entitlement(metros=frozenset({"harbor"})))
    assert error.code == "forbidden"
    assert error.details == {"metros": ["harbor"]}


def test_metro_is_checked_before_the_row(release: Release) -> None:
    harbor = Entitlement(metros=frozenset({"harbor"}))
    assert fail(release, "/v1/places/slug/nothing", {"metro": "hills"}, entitlement=harbor).code == "forbidden"
    assert fail(release, "/v1/places/slug/zoo", {"metro": "atlantis"}).code == "not_found"


CASES = [
    (date(2026, 8, 1), "2026-08-03T09:00:00", 3),
    (date(2026, 8, 3), "2026-08-03T09:00:00", 3),
    (date(2026, 8, 4), "2026-08-10T09:00:00", 2),
    (date(2026, 8, 17), "2026-08-17T09:00:00", 1),
    (date(2026, 8, 18), None, 0),
]


@pytest.mark.parametrize(("today", "local", "remaining"), CASES)
def test_a_series_tells_its_next_date_on_or_after_today(
    release: Release, today: date, local: str | None, remaining: int
) -> None:
    data = fetch(release, f"/v1/events/{SERIES}", today=today)["data"]
    assert list(data)[-1] == "occurrence"
    assert data["occurrence"] == {
        "next_starts_at": None if local is None else local.replace("T09", "T13") + "Z",
        "next_starts_local": local,
        "remaining": remaining,
        "total": 3,
    }


def test_a_series_without_an_end_counts_nothing(tmp_path: Path) -> None:
    world = make_worlds()[0]
    world.unending.add(SERIES)
    block = fetch(open_release([world], tmp_path), f"/v1/events/{SERIES}")["data"]["occurrence"]
    assert (block["remaining"], block["total"]) == (None, None)
    assert block["next_starts_local"] == "2026-08-10T09:00:00"


def test_an_event_without_recurrence_has_no_occurrence(release: Release) -> None:
    assert "occurrence" not in fetch(release, f"/v1/events/{EVENT}")["data"]


FIELDS = [
    ("name", ["id", "type", "name"]),
    ("location.lat,location.city", ["id", "type", "location"]),
    ("name,name", ["id", "type", "name"]),
]


@pytest.mark.parametrize(("fields", "members"), FIELDS)
def test_fields_keep_members_in_the_documents_order(release: Release, fields: str, members: list[str]) -> None:
    assert list(fetch(release, f"/v1/places/{PLACE}", {"fields": fields})["data"]) == members


def test_fields_keep_the_occurrence_of_a_series(release: Release) -> None:
    data = fetch(release, f"/v1/events/{SERIES}", {"fields": "occurrence.remaining"})["data"]
    assert data == {"id": SERIES, "type": "event", "occurrence": {"remaining": 2}}


def test_fields_are_kept_in_lists(release: Release) -> None:
    [item] = fetch(release, "/v1/harbor/events", {"fields": "starts_local"})["data"]
    assert item == {"id": SERIES, "type": "event", "starts_local": "2026-08-03T09:00:00"}
