"""An organization of several metros is one to readers: what the log says of it, whichever metro is built when."""

from pathlib import Path
from typing import Any

from outings.contract.query import Entitlement
from outings.release.log import Version
from tests.pipeline.city import City, make_event

ID = "0d5c0000-0000-4000-8000-000000000001"
CHAIN = {"type": "organization", "source_id": "chain", "id": ID, "name": "Chain"}


def make_cities(folder: Path) -> City:
    city = City(folder)
    city.add_metro("boston", "America/New_York")
    for metro in ("seattle", "boston"):
        write(city, metro, CHAIN)
    return city


def write(city: City, metro: str, *records: dict[str, Any]) -> None:
    city.write([*records, make_event(f"{metro} a"), make_event(f"{metro} b")], feed=metro, metro=metro)


def read_chain_versions(city: City) -> list[Version]:
    """Read the versions that readers of both metros see."""
    return [version for version in city.read_versions() if version.listing_id == ID and not version.known_in]


def tell(city: City) -> list[tuple[str, str | None]]:
    return [(version.kind, version.metro) for version in read_chain_versions(city)]


def tell_reader(city: City, *metros: str) -> list[str]:
    """The kinds that a key of these metros alone is told of it."""
    feed = city.ask("/v1/changes?type=organization", entitlement=Entitlement(metros=frozenset(metros)))["data"]
    return [version["kind"] for version in feed if version["listing_id"] == ID]


def test_built_at_once_it_is_created_once_and_of_no_metro(tmp_path: Path) -> None:
    city = make_cities(tmp_path)
    city.build()
    assert tell(city) == [("created", None)]


def test_built_apart_it_is_created_once(tmp_path: Path) -> None:
    city = make_cities(tmp_path)
    city.build(metros=frozenset({"seattle"}))
    city.build(metros=frozenset({"boston"}))
    assert tell(city) == [("created", "seattle")]


def test_another_content_in_the_second_metro_is_an_update(tmp_path: Path) -> None:
    city = make_cities(tmp_path)
    city.build(metros=frozenset({"seattle"}))
    write(city, "boston", {**CHAIN, "description": "Now in Boston too."})
    city.build("2026-08-11", metros=frozenset({"boston"}))
    assert tell(city) == [("created", "seattle"), ("updated", None)]
    assert read_chain_versions(city)[-1].fields == ("description",)
    assert city.ask(f"/v1/organizations/{ID}")["data"]["description"] == "Now in Boston too."


def test_gone_from_one_metro_it_is_still_there_and_gone_from_both_it_is_removed(tmp_path: Path) -> None:
    city = make_cities(tmp_path)
    city.build()
    write(city, "seattle")
    city.build()
    assert tell(city) == [("created", None)]
    assert city.ask(f"/v1/organizations/{ID}")["data"]["status"] == "published"
    write(city, "boston")
    city.build()
    assert tell(city) == [("created", None), ("removed", None)]
    assert read_chain_versions(city)[-1].reason == "withdrawn"
    write(city, "boston", CHAIN)
    city.build()
    assert tell(city) == [("created", None), ("removed", None), ("restored", None)]


def test_a_change_told_by_both_metros_is_one_version(tmp_path: Path) -> None:
    city = make_cities(tmp_path)
    city.build()
    for metro in ("seattle", "boston"):
        write(city, metro, {**CHAIN, "name": "Chains"})
    city.build()
    assert tell(city) == [("created", None), ("updated", None)]


def test_a_reader_of_one_metro_is_reported_when_it_comes_there_and_when_it_leaves(tmp_path: Path) -> None:
    city = make_cities(tmp_path)
    city.build(metros=frozenset({"seattle"}))
    assert (tell_reader(city, "seattle"), tell_reader(city, "boston")) == (["created"], [])
    city.build(metros=frozenset({"boston"}))
    assert (tell_reader(city, "seattle"), tell_reader(city, "boston")) == (["created"], ["created"])
    write(city, "boston")
    city.build()
    assert (tell_reader(city, "seattle"), tell_reader(city, "boston")) == (["created"], ["created", "removed"])
    write(city, "boston", CHAIN)
    city.build()
    assert tell_reader(city, "boston") == ["created", "removed", "restored"]
    assert tell_reader(city, "seattle") == tell_reader(city, "seattle", "boston") == ["created"]


def test_a_filter_by_metro_keeps_an_organization_of_several_for_each_of_them(tmp_path: Path) -> None:
    city = make_cities(tmp_path)
    city.build()
    for metro in ("seattle", "boston"):
        (change,) = city.ask(f"/v1/changes?type=organization&metro={metro}")["data"]
        assert (change["listing_id"], change["metro"], change["kind"]) == (ID, None, "created")


def test_a_listing_that_goes_to_another_metro_is_removed_before_it_is_created_there(tmp_path: Path) -> None:
    city = make_cities(tmp_path)
    mover = make_event("mover", id="0d5c0000-0000-4000-8000-00000000000e")
    write(city, "seattle", mover)
    city.build()
    write(city, "seattle")
    write(city, "boston", mover)
    city.build()
    changes = [item for item in city.ask("/v1/changes")["data"] if item["listing_id"] == mover["id"]]
    assert [(change["kind"], change["metro"]) for change in changes] == [
        ("created", "seattle"), ("removed", "seattle"), ("created", "boston"),
    ]  # fmt: skip
    assert city.ask(f"/v1/events/{mover['id']}")["data"]["metro"] == "boston"
