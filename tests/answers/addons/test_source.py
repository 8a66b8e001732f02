"""`include=source`: where a listing came from, judged from its feed's words alone."""

import random
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch
from tests.answers.documents import make_uuid
from tests.answers.generated import CENTER, make_world
from tests.answers.worlds import COLLECTIONS, VERIFICATIONS, World, open_release

TODAY = date(2026, 8, 10)
HAS = Entitlement(addons=frozenset({"source"}))
HAS_NOT = Entitlement(addons=frozenset({"forecast", "related"}))
INCLUDE = {"include": "source"}
EVERY = {"min_confidence": "0", "audience": "all"}
MEMBERS = ["url", "crawled_at", "score_basis", "verification", "date_health", "source_health"]


# What a source may say → the health of the event's dates and of the source, and what the score rests on.
STATEMENTS: list[tuple[dict[str, Any], tuple[str, str | None, str]]] = [
    ({"url": "https://zoo.example/a"}, ("ok", None, "baseline")),
    ({"crawled_at": "2026-08-09T12:00:00Z"}, ("ok", "ok", "baseline")),
    # Thirty days before the day begins, which is at four in UTC, and a second more.
    ({"crawled_at": "2026-07-11T04:00:00Z"}, ("ok", "ok", "baseline")),
    ({"crawled_at": "2026-07-11T03:59:59Z"}, ("stale", "ok", "baseline")),
    ({"crawled_at": "2026-01-01T00:00:00Z", "checked_at": "2026-08-01T00:00:00Z"}, ("ok", "ok", "baseline")),
    ({"status": "clear"}, ("ok", "ok", "verified")),
    ({"status": "changed", "changed_fields": ["price", "name"]}, ("ok", "ok", "verified")),
    ({"status": "changed", "changed_fields": ["price", "starts_local"]}, ("conflicting", "ok", "verified")),
    ({"status": "flagged", "changed_fields": ["schedule.days"]}, ("conflicting", "ok", "verified")),
    ({"status": "clear", "changed_fields": ["starts_local"]}, ("ok", "ok", "verified")),
    ({"status": "changed", "changed_fields": ["url"]}, ("ok", "redirected", "verified")),
    ({"status": "unverifiable"}, ("ok", "ok", "baseline")),
    ({"status": "unreachable"}, ("ok", "unreachable", "baseline")),
    ({"status": "gone", "changed_fields": ["url"]}, ("ok", "gone", "verified")),
]


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """An event of next week for each thing that may be said, and one of which nothing is."""
    world = World()
    for number, (source, _) in enumerate([*STATEMENTS, ({}, None)]):
        world.listings.append(make_event(number, "2026-08-17T10:00:00"))
        world.dates[make_uuid(number)] = [datetime(2026, 8, 17, 10)]
        world.sources[make_uuid(number)] = source
    return open_release([world], tmp_path_factory.mktemp("said"))


def make_event(number: int, starts: str | None) -> dict[str, Any]:
    stated = (
        {}
        if starts is None
        else {"has_date": True, "has_time": True, "starts_local": starts, "starts_at": starts + "Z"}
    )
    return documents.make_event(make_uuid(number), **stated)


@pytest.mark.parametrize("number", range(len(STATEMENTS)))
def test_the_block_says_what_the_feed_says_and_what_that_amounts_to(stated: Release, number: int) -> None:
    source, judged = STATEMENTS[number]
    data = fetch(stated, f"/v1/events/{make_uuid(number)}", INCLUDE, entitlement=HAS, today=TODAY)["data"]
    assert list(data)[-1] == "source"
    block = data["source"]
    assert list(block) == MEMBERS
    assert (block["date_health"], block["source_health"], block["score_basis"]) == judged
    assert (block["url"], block["crawled_at"]) == (source.get("url"), source.get("crawled_at"))
    assert block["verification"] == {
        "status": source.get("status"), "checked_at": source.get("checked_at"),
        "changed_fields": source.get("changed_fields", []),
    }  # fmt: skip


def test_of_a_listing_whose_feed_says_nothing_there_is_a_notice_and_no_block(stated: Release) -> None:
    body = fetch(stated, f"/v1/events/{make_uuid(len(STATEMENTS))}", INCLUDE, entitlement=HAS, today=TODAY)
    assert "source" not in body["data"]
    (notice,) = body["notices"]
    assert (notice["code"], notice["include"], notice["details"]) == ("source_unavailable", "source", {"without": 1})


def test_a_list_has_a_block_an_item_and_one_notice_of_those_without(stated: Release) -> None:
    body = fetch(stated, "/v1/harbor/events", INCLUDE, entitlement=HAS, today=TODAY)
    assert [item["id"] for item in body["data"] if "source" not in item] == [make_uuid(len(STATEMENTS))]
    assert [(notice["code"], notice["details"]) for notice in body["notices"]] == [
        ("source_unavailable", {"without": 1})
    ]
    for item in body["data"]:
        alone = fetch(stated, f"/v1/events/{item['id']}", INCLUDE, entitlement=HAS, today=TODAY)
        assert alone["data"] == item
    counted = fetch(stated, "/v1/harbor/events", {**INCLUDE, "facets": "category", "limit": "0"}, entitlement=HAS)
    assert "notices" not in counted


def test_without_the_add_on_no_byte_of_it_is_answered(stated: Release) -> None:
    for path in ("/v1/harbor/events", f"/v1/events/{make_uuid(0)}"):
        plain, without = ask(stated, path), ask(stated, path, INCLUDE, entitlement=HAS_NOT)
        assert b"".join(plain.parts) == b"".join(without.parts)


def test_the_dates_of_what_is_over_are_past_from_the_day_after_on(tmp_path: Path) -> None:
    world = World(listings=[make_event(1, "2026-08-12T10:00:00"), make_event(2, None)])
    world.dates[make_uuid(1)] = [datetime(2026, 8, 12, 10)]
    world.sources = {make_uuid(number): {"url": "https://a.example"} for number in (1, 2, 3, 4, 5, 6)}
    ending = documents.make_term(starts_on="2026-06-01", ends_on="2026-08-12")
    sections = [
        documents.make_section("s1", term=ending),
        documents.make_section("s2", term=documents.make_term(starts_on="2026-06-01")),
    ]
    world.listings += [
        documents.make_class(make_uuid(3), term=ending),
        documents.make_class(make_uuid(4), sections=sections, term=ending),
        documents.make_camp(make_uuid(5), sessions=[documents.make_session("c", starts_on="2026-08-12")]),
        documents.make_place(make_uuid(6)),
    ]
    release = open_release([world], tmp_path)

    def judge(number: int, kind: str, today: date) -> Any:
        path = f"/v1/{COLLECTIONS[kind]}/{make_uuid(number)}"
        return fetch(release, path, INCLUDE, entitlement=HAS, today=today)["data"]["source"]["date_health"]

    last, after = date(2026, 8, 12), date(2026, 8, 13)
    for number, kind in ((1, "event"), (3, "class"), (5, "camp")):
        assert (judge(number, kind, last), judge(number, kind, after)) == ("ok", "past")
    # A section without an end goes on; a dateless event has none; a place has no dates at all.
    assert (judge(4, "class", after), judge(2, "event", after), judge(6, "place", after)) == ("ok", "missing", None)


def test_the_tag_moves_with_the_block_and_the_right_to_it(stated: Release) -> None:
    path = f"/v1/events/{make_uuid(1)}"

    def tag(params: dict[str, str], today: date = TODAY, entitlement: Entitlement = HAS) -> str:
        return ask(stated, path, params, today=today, entitlement=entitlement).etag

    assert tag(INCLUDE) != tag({})
    assert tag(INCLUDE) != tag(INCLUDE, entitlement=HAS_NOT)
    # A month later the dates are stale; until its date a listing without the block is as it was.
    assert tag(INCLUDE) != tag(INCLUDE, TODAY + timedelta(days=40))
    assert tag({}) == tag({}, TODAY + timedelta(days=4))
    lists = [ask(stated, "/v1/harbor/events", INCLUDE, entitlement=value).etag for value in (HAS, HAS_NOT)]
    assert lists[0] != lists[1]


def test_with_fields_the_block_is_there_when_it_is_named(stated: Release) -> None:
    path = f"/v1/events/{make_uuid(5)}"
    named = fetch(stated, path, {**INCLUDE, "fields": "name,source.verification.status"}, entitlement=HAS, today=TODAY)
    assert named["data"]["source"] == {"verification": {"status": "clear"}}
    unnamed = fetch(stated, path, {**INCLUDE, "fields": "name"}, entitlement=HAS, today=TODAY)
    assert list(unnamed["data"]) == ["id", "type", "name"]
    assert "source" not in fetch(stated, path, {"fields": "source"}, entitlement=HAS, today=TODAY)["data"]


def test_every_list_and_detail_of_a_made_up_metro_has_the_blocks_that_its_feeds_state(tmp_path: Path) -> None:
    made = random.Random(8)
    world = make_world(made, size=60)
    for listing in world.listings:
        if made.random() < 0.8:
            world.sources[listing["id"]] = {
                "url": f"https://{listing['slug']}.example",
                "status": made.choice(VERIFICATIONS),
            }
    release = open_release([world], tmp_path)
    for kind, collection in COLLECTIONS.items():
        windows = ({}, {"occurrences": "expand"}) if kind == "event" else ({},)
        for window in windows:
            params = {**EVERY, **INCLUDE, **window}
            body = fetch(release, f"/v1/harbor/{collection}", params, entitlement=HAS)
            for item in body["data"]:
                statement = world.sources.get(item["id"])
                block = item.get("source")
                assert (block and (block["url"], block["verification"]["status"])) == (
                    statement and (statement["url"], statement["status"])
                )
            without = sum(item["id"] not in world.sources for item in body["data"])
            stated = [item["details"]["without"] for item in body.get("notices", [])]
            assert stated == [without] * bool(without)
            plain = fetch(release, f"/v1/harbor/{collection}", {**EVERY, **window})
            assert [{**item, "source": None} for item in plain["data"]] == [
                {**item, "source": None} for item in body["data"]
            ]


def test_near_a_point_an_item_has_the_block_of_its_detail(tmp_path: Path) -> None:
    made = random.Random(4)
    world = make_world(made, size=80)
    for listing in world.listings[::2]:
        world.sources[listing["id"]] = {
            "url": f"https://{listing['slug']}.example",
            "status": made.choice(VERIFICATIONS),
        }
    release = open_release([world], tmp_path)
    point = {"lat": str(CENTER[0]), "lng": str(CENTER[1]), "radius_m": "50000", "min_confidence": "0"}

    def check(items: list[dict[str, Any]], body: dict[str, Any], name: str) -> None:
        assert {bool(item.get("source")) for item in items} == {True, False}
        for item in items:
            path = f"/v1/{COLLECTIONS[item['type']]}/{item[name]}"
            alone = fetch(release, path, INCLUDE, entitlement=HAS)["data"]
            assert item.get("source") == alone.get("source")
        without = sum("source" not in item for item in items)
        unavailable = [notice["details"] for notice in body["notices"] if notice["code"] == "source_unavailable"]
        assert unavailable == [{"without": without}]

    nearby = fetch(release, "/v1/harbor/nearby", {**point, **INCLUDE}, entitlement=HAS)
    check(nearby["data"], nearby, "id")
    around = fetch(release, "/v1/harbor/around", {**point, **INCLUDE}, entitlement=HAS)
    check([item for group in around["data"]["results"].values() for item in group["items"]], around, "listing_id")
    for path in ("nearby", "around"):
        plain = ask(release, f"/v1/harbor/{path}", point)
        without_it = ask(release, f"/v1/harbor/{path}", {**point, **INCLUDE}, entitlement=HAS_NOT)
        assert b"".join(plain.parts) == b"".join(without_it.parts)
    named = fetch(release, "/v1/harbor/nearby", {**point, **INCLUDE, "fields": "source.url"}, entitlement=HAS)
    urls = [item["source"]["url"] if "source" in item else None for item in named["data"]]
    assert urls == [item["source"]["url"] if "source" in item else None for item in nearby["data"]]
