"""`include=related`, judged by every pair and every list of generated worlds."""

from datetime import date, timedelta
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers.asking import ask, fetch
from tests.answers.details.oracle import COLLECTIONS, GROUPS, KINDS, relate
from tests.answers.generated import TODAY, make_world
from tests.answers.worlds import World, open_release

ADDONS = frozenset({"related"})
HAS = Entitlement(addons=ADDONS)
INCLUDE = {"include": "related"}
SCOPES = [set(kinds) for size in (1, 2, 3) for kinds in combinations(KINDS, size)]


def allow(kinds: set[str]) -> Entitlement:
    return Entitlement(types=frozenset(kinds | {"place"}), addons=ADDONS)


@pytest.fixture(scope="module")
def world() -> World:
    return make_world(Random(5), size=110)


@pytest.fixture(scope="module")
def release(world: World, tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release([world], tmp_path_factory.mktemp("related"))


def list_readable(world: World, kinds: set[str]) -> list[dict[str, Any]]:
    return [listing for listing in world.listings if listing["type"] in kinds and listing["status"] != "draft"]


def fetch_related(release: Release, listing: dict[str, Any], entitlement: Entitlement, today: date) -> dict[str, Any]:
    path = f"/v1/{COLLECTIONS[listing['type']]}/{listing['id']}"
    archived = {"include_archived": "true"} if listing["status"] == "archived" else {}
    return fetch(release, path, {**INCLUDE, **archived}, entitlement=entitlement, today=today)


@pytest.mark.long
@pytest.mark.parametrize("days", [0, 3])
def test_groups_are_what_every_pair_and_every_list_say(world: World, release: Release, days: int) -> None:
    """For keys of all types and of some, on the build's date and after it."""
    today, counts = TODAY + timedelta(days=days), dict.fromkeys(GROUPS, 0)
    for number, listing in enumerate(list_readable(world, set(KINDS))[days % 2 :: 2]):
        scopes = [scope for scope in SCOPES if listing["type"] in scope]
        scope = scopes[number % len(scopes)]
        body = fetch_related(release, listing, allow(scope), today)
        related = body["data"].pop("related")
        expected = relate(world, listing, kinds=[kind for kind in KINDS if kind in scope], today=today)
        assert list(related) == GROUPS
        for group in GROUPS:
            assert related[group] == expected[group], (listing["id"], group)
            counts[group] += len(related[group])
        notices = [(item["code"], item["include"], item["details"]) for item in body.get("notices", [])]
        empty = [group for group in GROUPS if not expected[group]]
        assert notices == [("related_unavailable", "related", {"list": group}) for group in empty]
    assert min(counts.values()) > 10


@pytest.mark.long
def test_a_key_of_some_types_is_answered_as_if_there_were_no_others(world: World, tmp_path: Path) -> None:
    release = open_release([world], tmp_path / "whole")
    for scope in SCOPES[:3]:
        kept = [listing for listing in world.listings if listing["type"] in scope | {"place"}]
        alone = World(**{**vars(world), "listings": kept})
        narrow = open_release([alone], tmp_path / "-".join(sorted(scope)))
        for listing in list_readable(world, scope)[::4]:
            answers = [fetch_related(value, listing, allow(scope), TODAY) for value in (release, narrow)]
            assert answers[0] == answers[1]


@pytest.mark.long
def test_every_card_is_in_the_lists_that_the_key_reads(world: World, release: Release) -> None:
    listed = {}
    for kind, name in COLLECTIONS.items():
        params = {"limit": "200", **({"expand": "sessions"} if kind == "class" else {})}
        listed[kind] = {item["id"] for item in fetch(release, f"/v1/harbor/{name}", params)["data"]}
    for listing in list_readable(world, set(KINDS))[::3]:
        related = fetch_related(release, listing, HAS, TODAY)["data"]["related"]
        for group in GROUPS:
            cards = related[group]
            assert len(cards) <= 6
            assert listing["id"] not in {card["id"] for card in cards}
            assert all(card["id"] in listed[card["type"]] for card in cards)
            programs = [world.programs.get(card["id"], card["id"]) for card in cards]
            assert len(programs) == len(set(programs))


def test_the_slug_answers_as_the_id(world: World, release: Release) -> None:
    for listing in list_readable(world, set(KINDS))[:12]:
        if listing["status"] == "published":
            path = f"/v1/{COLLECTIONS[listing['type']]}/slug/{listing['slug']}"
            by_slug = fetch(release, path, INCLUDE, entitlement=HAS)
            assert by_slug == fetch_related(release, listing, HAS, TODAY)


def test_the_tag_moves_with_the_date_and_the_rights(world: World, release: Release) -> None:
    listing = next(item for item in list_readable(world, {"class"}) if item["status"] == "published")
    path = f"/v1/classes/{listing['id']}"

    def tag(entitlement: Entitlement, params: dict[str, str], days: int = 0) -> str:
        return ask(release, path, params, entitlement=entitlement, today=TODAY + timedelta(days=days)).etag

    tags = [tag(HAS, INCLUDE), tag(HAS, INCLUDE, 1), tag(allow({"class"}), INCLUDE), tag(HAS, {})]
    assert len(set(tags)) == len(tags)
    assert tag(HAS, {}) == tag(HAS, {}, 1) == tag(Entitlement(), INCLUDE)
    both = tag(Entitlement(addons=frozenset({"related", "source"})), {"include": "related,source"})
    assert both not in tags


def test_without_the_add_on_no_byte_of_it_is_answered(world: World, release: Release) -> None:
    for listing in list_readable(world, set(KINDS))[:10]:
        if listing["status"] == "published":
            path = f"/v1/{COLLECTIONS[listing['type']]}/{listing['id']}"
            without = ask(release, path, INCLUDE, entitlement=Entitlement(addons=frozenset({"source"})))
            assert b"".join(without.parts) == b"".join(ask(release, path).parts)


def test_fields_name_what_is_kept_of_it(world: World, release: Release) -> None:
    for listing in list_readable(world, set(KINDS))[:10]:
        if listing["status"] == "published":
            path = f"/v1/{COLLECTIONS[listing['type']]}/{listing['id']}"
            whole = fetch(release, path, INCLUDE, entitlement=HAS)["data"]["related"]
            named = fetch(release, path, {**INCLUDE, "fields": "related.at_place.name"}, entitlement=HAS)["data"]
            assert named["related"] == {"at_place": [{"name": item["name"]} for item in whole["at_place"]]}
            assert "related" not in fetch(release, path, {**INCLUDE, "fields": "name"}, entitlement=HAS)["data"]
