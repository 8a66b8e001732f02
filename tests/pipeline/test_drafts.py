"""Drafts publish nothing: neither an organization that only they name, nor the words of their slugs."""

from pathlib import Path

import pytest

from outings.contract.errors import ApiError
from tests.pipeline.city import City, make_event


def name_changes(city: City) -> list[tuple[str, str]]:
    return [(version.kind, version.slug) for version in city.read_versions() if version.type == "organization"]


def list_organizations(city: City) -> list[str]:
    return [item["slug"] for item in city.ask("/v1/seattle/organizations?min_count=0")["data"]]


def test_an_organization_that_only_a_draft_names_is_there_as_long_as_something_else_names_it(tmp_path: Path) -> None:
    city = City(tmp_path)
    draft = make_event("hidden", status="draft", organization={"name": "Zeppelin Society"})
    city.write([make_event("shown"), draft])
    city.build("2026-08-08")
    assert list_organizations(city) == []
    assert name_changes(city) == []
    city.write([make_event("shown", organization={"name": "Zeppelin society"}), draft])
    city.build("2026-08-09")
    assert list_organizations(city) == ["zeppelin-society"]
    organization = city.ask("/v1/seattle/events")["data"][0]["organization"]
    city.write([make_event("shown"), draft])
    city.build("2026-08-10")
    assert list_organizations(city) == []
    assert name_changes(city) == [("created", "zeppelin-society"), ("removed", "zeppelin-society")]
    with pytest.raises(ApiError, match="no organization"):
        city.ask(f"/v1/organizations/{organization['id']}")


def test_an_organization_of_another_metro_is_not_in_the_one_where_only_a_draft_refers_to_it(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.add_metro("boston", "America/New_York")
    city.write([{"type": "organization", "source_id": "club", "name": "Club"}])
    reference = {"feed": "samples", "source_id": "club"}
    city.write([make_event("a", status="draft", organization=reference)], feed="boston", metro="boston")
    built = city.build()
    assert city.ask("/v1/boston/organizations?min_count=0")["data"] == []
    assert built.problems == ()
    assert [version.metro for version in city.read_versions() if version.type == "organization"] == ["seattle"]


def test_a_feed_of_changes_that_is_silent_keeps_no_organization_of_a_draft(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write([make_event("a", status="draft", organization={"name": "Zeppelin Society"})], mode="delta")
    city.build("2026-08-08")
    city.write([make_event("b")], mode="delta")
    city.build("2026-08-10")
    assert list_organizations(city) == []


@pytest.mark.parametrize("days", [["2026-08-10"], ["2026-08-09", "2026-08-10"]], ids=["together", "later"])
def test_a_drafts_slug_is_free_for_what_is_published(tmp_path: Path, days: list[str]) -> None:
    city = City(tmp_path)
    hidden = [make_event(str(number), name="Story", status="draft") for number in range(3)]
    for day in days:
        shown = [make_event("shown", name="Story")] if day == "2026-08-10" else []
        city.write([*hidden, *shown])
        city.build(day)
    assert [event["slug"] for event in city.ask("/v1/seattle/events")["data"]] == ["story"]
    city.write([make_event("0", name="Story"), *hidden[1:], make_event("shown", name="Story")])
    city.build("2026-08-11")
    slugs = {event["id"]: event["slug"] for event in city.ask("/v1/seattle/events", day="2026-08-11")["data"]}
    assert sorted(slugs.values()) == ["story", "story-2"]
