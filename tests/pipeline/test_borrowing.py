"""An organization recorded in one metro is shown, found and counted in each metro whose records refer to it."""

from pathlib import Path
from typing import Any

import pytest

from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from tests.pipeline.city import City, Record, make_event

ID = "0d5c0000-0000-4000-8000-000000000001"
CHAIN = {"type": "organization", "source_id": "chain", "id": ID, "name": "Chain", "description": "Many branches."}
BY_ID, BY_SOURCE = {"id": ID.upper()}, {"source_id": "chain"}
HERE, THERE = {"metro": "seattle"}, {"metro": "boston"}
BOSTON = Entitlement(metros=frozenset({"boston"}))


def make_city(folder: Path) -> City:
    city = City(folder)
    city.add_metro("boston", "America/New_York")
    return city


def make_records(reference: Record) -> dict[str, list[Record]]:
    """Make records by metro: an organization and an event of it; an event that refers to it, and one that does not."""
    return {
        "seattle": [CHAIN, make_event("here", organization=reference)],
        "boston": [make_event("there", organization=reference, categories=["swim_water"]), make_event("alone")],
    }


def write_apart(city: City, reference: Record) -> None:
    for metro, records in make_records(reference).items():
        city.write(records, feed=metro, metro=metro)


def write_at_once(city: City, reference: Record) -> None:
    """One feed whose records say their own metro."""
    city.write(
        [{**record, "metro": metro} for metro, records in make_records(reference).items() for record in records],
        metro=None,
    )


def list_problems(city: City, **options: Any) -> list[str]:
    built = city.build(**options)
    return [problem.reason for feed in built.feeds for problem in feed.problems]


def read_owner(city: City, *, metro: str = "boston") -> Any:
    """Return the organization of that metro's event that refers to one."""
    name = "Event there" if metro == "boston" else "Event here"
    events = city.ask(f"/v1/{metro}/events")["data"]
    return next(event["organization"] for event in events if event["name"] == name)


@pytest.mark.parametrize(
    ("write", "reference"),
    [(write_apart, BY_ID), (write_at_once, BY_ID), (write_at_once, BY_SOURCE)],
    ids=["of another feed by id", "of one feed by id", "of one feed by source_id"],
)
def test_an_organization_spans_the_metros_that_refer_to_it(tmp_path: Path, write: Any, reference: Record) -> None:
    city = make_city(tmp_path)
    write(city, reference)
    assert list_problems(city) == []
    assert read_owner(city) == {"id": ID, "name": "Chain", "slug": "chain"} == read_owner(city, metro="seattle")
    organization = city.ask(f"/v1/organizations/{ID}")["data"]
    assert organization["metros"] == ["boston", "seattle"]
    assert organization["counts"]["events"] == 2
    assert organization["categories"] == ["swim_water"]
    with pytest.raises(ApiError) as raised:
        city.ask(f"/v1/organizations/{ID}/events")
    assert raised.value.details["reason"] == "metro_required"
    (event,) = city.ask(f"/v1/organizations/{ID}/events?metro=boston")["data"]
    assert event["name"] == "Event there"
    (entry,) = city.ask("/v1/boston/organizations")["data"]
    assert (entry["id"], entry["counts"]["events"]) == (ID, 1)
    facets = city.ask("/v1/boston/events?limit=0&facets=organization")["facets"]["organization"]
    assert facets["top"] == [{"id": ID, "name": "Chain", "count": 1}]
    (change,) = city.ask("/v1/changes?type=organization")["data"]
    assert (change["listing_id"], change["kind"], change["metro"]) == (ID, "created", None)


def test_a_key_of_the_other_metro_alone_reads_the_whole_record(tmp_path: Path) -> None:
    city = make_city(tmp_path)
    write_apart(city, BY_ID)
    city.build()
    organization = city.ask(f"/v1/organizations/{ID}", entitlement=BOSTON)["data"]
    assert (organization["name"], organization["description"]) == ("Chain", "Many branches.")
    assert organization["metros"] == ["boston"]
    (event,) = city.ask(f"/v1/organizations/{ID}/events", entitlement=BOSTON)["data"]
    assert event["name"] == "Event there"


def test_a_slug_or_a_name_leads_to_no_other_metro(tmp_path: Path) -> None:
    city = make_city(tmp_path)
    write_apart(city, {"slug": "chain"})
    assert list_problems(city) == ["unknown_reference"] * 2  # a slug is its metro's once it is published
    write_apart(city, {"name": "Chain"})
    city.build()
    assert read_owner(city)["id"] not in (ID, None)


def test_a_draft_is_lent_to_nobody(tmp_path: Path) -> None:
    city = make_city(tmp_path)
    write_apart(city, BY_ID)
    city.write([{**CHAIN, "status": "draft"}], feed="seattle")
    assert list_problems(city) == ["unknown_reference"]
    assert read_owner(city)["id"] is None


@pytest.mark.long
@pytest.mark.parametrize("built", [None, frozenset({"seattle"})], ids=["at once", "its own metro first"])
def test_what_becomes_of_it_is_seen_in_metros_that_say_nothing_new(tmp_path: Path, built: Any) -> None:
    city = make_city(tmp_path)
    write_apart(city, BY_ID)
    city.build()
    city.write([{**CHAIN, "name": "Chains"}], feed="seattle")
    city.build("2026-08-10", metros=built)
    city.build("2026-08-10")
    assert read_owner(city)["name"] == "Chains"
    assert city.ask(f"/v1/organizations/{ID}", entitlement=BOSTON)["data"]["name"] == "Chains"
    city.write([], feed="seattle")
    city.build("2026-08-10", metros=built, allow_shrink=True)
    assert list_problems(city) == ["unknown_reference"]
    assert read_owner(city)["id"] is None
    changes = city.ask("/v1/changes?type=organization", entitlement=BOSTON)["data"]
    # Built apart, its own metro tells of the update before boston has it.
    assert list(dict.fromkeys(change["kind"] for change in changes)) == ["created", "updated", "removed"]
    city.write([CHAIN], feed="seattle")
    city.build("2026-08-10", metros=built)
    city.build("2026-08-10")
    assert read_owner(city)["id"] == ID


def test_a_metro_that_begins_to_refer_is_built_alone(tmp_path: Path) -> None:
    city = make_city(tmp_path)
    write_apart(city, {})
    city.build()
    city.write([make_event("there", organization=BY_ID)], feed="boston", metro="boston")
    city.build(metros=frozenset({"boston"}))
    assert read_owner(city)["id"] == ID
    city.write([make_event("there")], feed="boston", metro="boston")
    city.build(metros=frozenset({"boston"}))
    changes = city.ask("/v1/changes?type=organization", entitlement=BOSTON)["data"]
    assert [change["kind"] for change in changes] == ["created", "removed"]
    everyone = city.ask("/v1/changes?type=organization")["data"]
    assert [version["kind"] for version in everyone] == ["created"]


def test_a_build_that_nothing_is_said_to_leaves_all_metros_as_they_are(tmp_path: Path) -> None:
    city = make_city(tmp_path)
    write_at_once(city, BY_SOURCE)
    city.build()
    built = city.build()
    assert (built.unchanged, built.objects.written) == (("seattle", "boston"), 0)


@pytest.mark.long
def test_a_borrowed_organization_stands_where_its_own_metro_can_t_read_it_or_says_it_bit_by_bit(tmp_path: Path) -> None:
    city = make_city(tmp_path)
    write_apart(city, BY_ID)
    city.build()
    spoilt = {**CHAIN, "name": 7}
    city.write([spoilt, make_event("here", organization=BY_ID)], feed="seattle")
    city.build("2026-08-11")
    assert read_owner(city) == read_owner(city, metro="seattle") == {"id": ID, "name": "Chain", "slug": "chain"}
    city.write([CHAIN], feed="seattle", mode="delta")
    city.build("2026-08-12")
    city.write([make_event("new", organization=BY_ID)], feed="seattle", mode="delta")
    city.build("2026-08-13")
    assert read_owner(city)["id"] == ID
    city.write([{"type": "organization", "source_id": "chain", "deleted": True}], feed="seattle", mode="delta")
    city.build("2026-08-14")
    assert read_owner(city)["id"] is None


def test_an_event_whose_record_is_spoilt_keeps_it(tmp_path: Path) -> None:
    city = make_city(tmp_path)
    write_apart(city, BY_ID)
    city.build()
    city.write([{**make_event("there", organization=BY_ID), "name": 7}], feed="boston", metro="boston")
    city.build()
    assert read_owner(city)["id"] == ID
    assert city.ask("/v1/boston/organizations")["data"][0]["id"] == ID


def test_a_metros_own_record_wins_over_a_borrowed_one_and_two_metros_may_refer_to_each_other(tmp_path: Path) -> None:
    other = {**CHAIN, "id": ID.replace("1", "2"), "source_id": "other", "name": "Other"}
    city = make_city(tmp_path)
    city.write([CHAIN, make_event("here", organization={"id": other["id"]})], feed="seattle")
    city.write([other, make_event("there", organization=BY_ID)], feed="boston", metro="boston")
    city.build()
    assert (read_owner(city, metro="seattle")["name"], read_owner(city)["name"]) == ("Other", "Chain")
    own = {**CHAIN, "name": "Chain of Boston"}
    city.write([other, own, make_event("there", organization=BY_ID)], feed="boston", metro="boston")
    city.build()
    assert read_owner(city)["name"] == "Chain of Boston"


def test_readers_of_all_its_metros_see_what_its_own_metro_says_of_it(tmp_path: Path) -> None:
    """The organization's site is that of its listings there. Listings elsewhere don't count."""
    city = make_city(tmp_path)
    linked = make_event("here", organization=BY_ID, ticket_url="https://chain.example/tickets")
    city.write([CHAIN, linked], feed="seattle")
    city.write([make_event("there")], feed="boston", metro="boston")
    city.build("2026-08-10")
    before = city.ask(f"/v1/organizations/{ID}")["data"]
    assert before["website_url"] == "https://chain.example"
    city.write([make_event("there", organization=BY_ID)], feed="boston", metro="boston")
    city.build("2026-08-11")
    after = city.ask(f"/v1/organizations/{ID}")["data"]
    moving = {"metros": ["boston", "seattle"], "counts": after["counts"]}
    assert after == before | moving
    assert [item["kind"] for item in city.ask("/v1/changes?type=organization")["data"]] == ["created"]
