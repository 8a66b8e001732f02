"""One organization over several metros, and the list of metros: what moves with the day and the key."""

from datetime import datetime
from pathlib import Path

import pytest

from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch
from tests.answers.documents import make_uuid
from tests.answers.worlds import World, open_release

BOTH, HILLS_ONLY, OLD = make_uuid(100), make_uuid(101), make_uuid(102)
OWNER = {"id": BOTH, "name": "Both", "slug": "both"}


def make_worlds() -> list[World]:
    harbor = World(
        organizations=[
            documents.make_organization(BOTH, name="Older", updated_at="2026-01-01T00:00:00Z"),
            documents.make_organization(OLD, status="archived"),
        ],
        organization_categories={BOTH: ["swim_water"]},
        listings=[
            documents.make_event(
                make_uuid(number), organization=OWNER, has_date=True, starts_local=f"2026-08-{day}T09:00:00",
                starts_at=f"2026-08-{day}T13:00:00Z",
            )
            for number, day in ((1, 10), (2, 12))
        ]
        + [
            documents.make_place(make_uuid(3), organization=OWNER),
            documents.make_place(make_uuid(4), organization=OWNER, audience="adults"),
            documents.make_place(make_uuid(5), organization=OWNER, status="archived"),
            documents.make_place(make_uuid(6)),
            documents.make_class(make_uuid(7), organization=OWNER),
            documents.make_class(make_uuid(8), organization=OWNER),
        ],
        dates={make_uuid(1): [datetime(2026, 8, 10, 9)], make_uuid(2): [datetime(2026, 8, 12, 9)]},
        programs={make_uuid(7): "swim", make_uuid(8): "swim"},
    )  # fmt: skip
    hills = World(
        slug="hills",
        organizations=[
            documents.make_organization(BOTH, name="Newer", updated_at="2026-03-01T00:00:00Z"),
            documents.make_organization(HILLS_ONLY),
        ],
        organization_categories={BOTH: ["arts_creative", "swim_water"]},
        listings=[documents.make_camp(make_uuid(20), organization=OWNER, metro="hills")],
    )
    return [harbor, hills]


PATH = f"/v1/organizations/{BOTH}"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release(make_worlds(), tmp_path_factory.mktemp("worlds"))


def test_copies_are_merged_and_the_newest_is_the_record(release: Release) -> None:
    data = fetch(release, f"/v1/organizations/{BOTH}")["data"]
    assert list(data)[-3:] == ["categories", "metros", "counts"]
    assert data["name"] == "Newer"
    assert data["categories"] == ["arts_creative", "swim_water"]
    assert data["metros"] == ["harbor", "hills"]
    assert data["counts"] == {"events": 2, "classes": 1, "camps": 1, "places": 1}


def test_a_key_sees_its_own_metros_alone(release: Release) -> None:
    harbor = Entitlement(metros=frozenset({"harbor"}), types=frozenset({"event", "place"}))
    data = fetch(release, f"/v1/organizations/{BOTH}", entitlement=harbor)["data"]
    assert data["name"] == "Older"
    assert data["metros"] == ["harbor"]
    assert data["categories"] == ["swim_water"]
    assert data["counts"] == {"events": 2, "classes": 0, "camps": 0, "places": 1}


def test_counts_move_with_the_day_and_so_does_the_tag(release: Release) -> None:
    path, later = f"/v1/organizations/{BOTH}", datetime(2026, 8, 11).date()
    assert fetch(release, path, today=later)["data"]["counts"]["events"] == 1
    assert ask(release, path, today=later).etag != ask(release, path).etag


def test_fields_reach_what_is_made_when_answering(release: Release) -> None:
    data = fetch(release, f"/v1/organizations/{BOTH}", {"fields": "counts.events,name"})["data"]
    assert data == {"id": BOTH, "type": "organization", "name": "Newer", "counts": {"events": 2}}


def test_an_organization_without_a_copy_in_the_keys_metros_is_forbidden(release: Release) -> None:
    with pytest.raises(ApiError) as raised:
        ask(release, f"/v1/organizations/{HILLS_ONLY}", entitlement=Entitlement(metros=frozenset({"harbor"})))
    assert raised.value.code == "forbidden"
    assert raised.value.details == {"metros": ["harbor"]}


@pytest.mark.parametrize("row_id", [make_uuid(999), make_uuid(3), OLD])
def test_no_organization_of_that_id_is_not_found(release: Release, row_id: str) -> None:
    with pytest.raises(ApiError) as raised:
        ask(release, f"/v1/organizations/{row_id}")
    assert raised.value.code == "not_found"


def test_an_archived_one_is_answered_when_asked_for(release: Release) -> None:
    data = fetch(release, f"/v1/organizations/{OLD}", {"include_archived": "true"})["data"]
    assert data["status"] == "archived"


def test_metros_are_all_listed_with_counts_of_what_the_key_may_read(release: Release) -> None:
    body = fetch(release, "/v1/metros", entitlement=Entitlement(metros=frozenset({"harbor"})))
    assert list(body) == ["data", "meta"]
    assert body["meta"] == {"count": 2, "generated_at": "2026-08-01T12:00:00Z"}
    harbor, hills = body["data"]
    assert list(harbor) == [
        "slug", "name", "timezone", "aliases", "center", "bounds", "counts", "accessible", "links",
    ]  # fmt: skip
    assert (harbor["slug"], harbor["aliases"], harbor["accessible"]) == ("harbor", ["harbor-city"], True)
    assert harbor["counts"] == {"events": 2, "classes": 1, "camps": 0, "places": 2}
    assert (hills["slug"], hills["accessible"]) == ("hills", False)
    assert hills["counts"] == {"events": 0, "classes": 0, "camps": 0, "places": 0}
    assert harbor["links"]["classes"] == "/v1/harbor/classes"


def test_counts_are_the_sizes_of_the_default_lists(release: Release, tmp_path: Path) -> None:
    for metro in fetch(release, "/v1/metros")["data"]:
        for collection, count in metro["counts"].items():
            assert fetch(release, f"/v1/{metro['slug']}/{collection}")["meta"]["count"] == count


def test_what_other_details_take_an_organization_takes_too(release: Release) -> None:
    """An organization has nothing that `expand` could attach, and a notice says so."""
    plain = fetch(release, PATH)
    assert fetch(release, PATH, {"include_mode": "lenient"}) == plain
    expanded = fetch(release, PATH, {"expand": "place,organization"})
    assert expanded["data"] == plain["data"]
    assert [(notice["code"], notice["param"]) for notice in expanded["notices"]] == [("parameter_ignored", "expand")]


@pytest.mark.parametrize("include", ["source", "forecast", "related"])
def test_no_addon_is_for_an_organization(release: Release, include: str) -> None:
    with pytest.raises(ApiError) as refused:
        fetch(release, PATH, {"include": include, "include_mode": "lenient"})
    assert refused.value.details == {"param": "include", "reason": "include_not_supported", "allowed": []}
