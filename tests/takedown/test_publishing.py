"""A takedown is a release like any other, and builds and rollbacks obey it until it is undone."""

import json
from pathlib import Path
from typing import Any

import pytest

from outings.release.pointer import list_releases
from outings.release.publishing import ConcurrentPublication
from pipeline.building import build_release
from pipeline.clock import parse_as_of
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build
from pipeline.publish import rollback
from pipeline.publish.takedown import takedown
from tests.pipeline.city import make_event
from tests.takedown.towns import CLUB, HALL, KITE, POTTERY, WORD, Town, find_words, list_targets, make_class, make_kite

pytestmark = pytest.mark.xdist_group("takedown")  # one worker builds the town


def list_names(town: Town, name: str = "events", metro: str = "seattle") -> set[str]:
    return {item["name"] for item in town.get(f"/v1/{metro}/{name}?limit=100").read_json()["data"]}


FACTS = ("is_indoor", "is_outdoor", "good_for_rainy", "is_sensory_friendly")
OF_KITE = ("kitequix", "flyquix", "1quix.png", "2quix.png")


def check_gone(town: Town, *words: str) -> None:
    """Check that nothing is left in answers, and after a prune in the store."""
    for target in list_targets():
        got = town.get(target)
        text = got.read_body().decode("latin-1").lower() if got.status == 200 else ""
        assert not any(word in text for word in words or (WORD,)), target
    town.prune()
    assert [name for word in words or (WORD,) for name in find_words(town.city.store, word)] == []
    town.run("releases", "verify")


def test_the_removal_is_reported_by_its_id_alone_and_what_showed_it_is_told_to_have_changed(town: Town) -> None:
    before = len(town.walk_changes())
    town.run("takedown", KITE, HALL, "--reason", "duplicate")
    new = town.walk_changes()[before:]
    removed = {
        (version["listing_id"], version["slug"], version["reason"]) for version in new if version["kind"] == "removed"
    }
    assert removed == {(KITE, KITE, "duplicate"), (HALL, HALL, "duplicate")}
    updated = {version["slug"]: set(version["fields"]) for version in new if version["kind"] == "updated"}
    assert updated["hall-walk"] == {"links", "location", "place", *FACTS}
    assert updated["own-walk"] == {"links", "place", *FACTS}
    assert all(change["slug"] == KITE for change in town.walk_changes() if change["listing_id"] == KITE)
    got = town.get("/v1/seattle/events?limit=100").read_json()["data"]
    places = {listing["name"]: (listing["place"], listing["location"]["address"]) for listing in got}
    assert places["Hall walk"] == places["Other hall walk"] == (None, None)
    assert {listing["name"]: listing["location"]["lat"] for listing in got}["Own walk"] == 47.6
    facts = {item["name"]: [item[fact] for fact in FACTS] for item in got}
    assert facts["Hall walk"] == facts["Own walk"] == [None] * len(FACTS)
    for parameter in ("indoor", "outdoor", "sensory"):
        for value in ("true", "false"):
            kept = town.get(f"/v1/seattle/events?limit=100&{parameter}={value}").read_json()["data"]
            assert {"Hall walk", "Own walk"}.isdisjoint(item["name"] for item in kept)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["full", "delta"])
def test_records_of_another_feed_that_named_it_do_so_no_more(town: Town, mode: str) -> None:
    references = [{"feed": "seattle", "source_id": "hallquix"}, {"name": "HALLQUIX", "address": "7 Hallquix Lane"}]
    events = [make_event(f"guide {n}", name=f"Guide {n}", place=reference) for n, reference in enumerate(references)]
    town.city.write(events, feed="guide", mode=mode)
    town.city.build()
    town.run("takedown", HALL)
    town.city.write([] if mode == "delta" else events, feed="guide", mode=mode)
    town.write(2)
    built = town.city.build()
    assert [problem.reason for feed in built.feeds for problem in feed.problems] == []
    got = town.get("/v1/seattle/events?limit=100").read_json()["data"]
    assert [listing["place"] for listing in got if listing["name"].startswith("Guide")] == [None, None]
    check_gone(town, "hallquix")


def test_an_organization_that_is_taken_down_leaves_all_its_metros(town: Town) -> None:
    done = town.run_json("takedown", CLUB)
    assert done["showing"] == {"boston": 1, "seattle": 3}
    for metro, name in (("seattle", "Club walk"), ("boston", "Guest walk")):
        got = town.get(f"/v1/{metro}/events?limit=100").read_json()["data"]
        assert {item["name"]: item["organization"]["name"] for item in got}[name] is None


def test_no_build_brings_back_what_is_taken_down_whatever_feeds_say(town: Town) -> None:
    town.run("takedown", KITE, POTTERY, HALL, CLUB)
    assert town.build()["changes"]["created"] == 0
    check_gone(town)
    town.write(1)  # each of them as it was before
    printed = town.build()
    assert sum(feed.get("withdrawn", 0) for feed in printed["feeds"]) == 4
    assert printed["records"]["read"] == sum(printed["records"][name] for name in ("listings", "merged", "quarantined"))
    records = [make_kite(), make_class("potteryquix", name="Quixclay")]
    for record in records:
        record.pop("id", None)  # by which nobody knows it now
    town.city.write([*records, "{}"], feed="seattle")
    assert town.run("build", "--allow-shrink", "--as-of", "2026-08-10", "--workers", "1").exit_code == 0
    check_gone(town)


def test_a_build_in_which_nothing_changed_carries_a_takedown_on(town: Town) -> None:
    town.run("takedown", KITE)
    town.build()
    before = town.run_json("releases", "show", town.list_ids()[0])["parts"]
    assert town.build()["objects"]["written"] == 0
    after = town.run_json("releases", "show", town.list_ids()[0])["parts"]
    assert {slug: part["manifest"] for slug, part in after.items()} == {
        slug: part["manifest"] for slug, part in before.items()
    }
    check_gone(town, *OF_KITE)


@pytest.mark.long
def test_a_takedown_leaves_what_it_is_not_about_as_it_was(town: Town) -> None:
    before = town.get("/v1/boston/events").headers["etag"]
    versions = len(town.walk_changes())
    names = list_names(town)
    town.run("takedown", POTTERY)
    assert town.get("/v1/boston/events").headers["etag"] == before
    assert len(town.walk_changes()) == versions + 1
    assert list_names(town) == names
    assert town.build()["changes"] == {"created": 0, "updated": 0, "removed": 0, "restored": 0}


@pytest.mark.long
def test_what_a_delta_said_of_a_withdrawn_listing_does_not_stand(town: Town) -> None:
    delta = {"type": "event", "source_id": "quixdelta", "name": "Quixdelta", "starts_local": "2026-08-12T10:00:00",
             "confidence": 0.9}  # fmt: skip
    other = {**delta, "source_id": "other", "name": "Other", "place": {"id": HALL}}
    town.city.write([delta, other], feed="moves", mode="delta")
    town.city.build()
    [row_id] = [item["id"] for item in town.get("/v1/seattle/search?q=quixdelta").read_json()["data"]]
    town.run("takedown", row_id, KITE, POTTERY, HALL, CLUB)
    town.city.write([], feed="moves", mode="delta")
    town.build()
    assert "Other" in list_names(town)
    check_gone(town)


@pytest.mark.long
def test_quarantine_files_are_written_without_what_is_taken_down(town: Town) -> None:
    wrong = {"type": "event", "source_id": "kitequix-1", "id": KITE, "name": "Kitequix", "starts_local": "Quixday"}
    town.city.write([wrong, make_class("fine")], feed="seattle")
    report = json.loads(town.run("build", "--allow-shrink", "--as-of", "2026-08-10", "--json").stdout)
    path = Path(report["quarantine"])
    assert "Quixday" in path.read_text()
    town.run("takedown", KITE, POTTERY, HALL, CLUB)
    assert path.read_text() == ""
    check_gone(town)


DRAFT = "0d5c0000-0000-4000-8000-0000000000d1"


@pytest.mark.long
@pytest.mark.parametrize(
    "early", [{"status": "draft"}, {"status": "archived"}, {"starts_local": "Quixday"}], ids=["draft", "old", "wrong"]
)
def test_releases_that_held_a_listing_before_it_was_published_end_too(town: Town, early: dict[str, str]) -> None:
    """Such releases had it as a draft, as archived, or in quarantine."""
    base = make_event("drafted", id=DRAFT, name="Quixdraft")
    before = town.list_ids()[0]
    for record in ({**base, **early}, make_class("between"), base):
        town.city.write([record], feed="desk")
        town.city.build(allow_shrink=True)
    _, _, holding, *_ = town.list_ids()
    town.run("query", "select 1", "--release", holding)
    town.run("takedown", DRAFT)
    town.run("query", "select 1", "--release", holding, code=2)
    town.run("query", "select 1", "--release", before)
    check_gone(town, "quixdraft", "quixday")


@pytest.mark.long
def test_a_rollback_goes_back_without_what_is_taken_down(town: Town) -> None:
    _, middle, oldest = town.list_ids()
    town.run("takedown", KITE, POTTERY, HALL, CLUB)
    town.run("releases", "rollback", middle)
    assert {"Club walk", "Hall walk"} <= list_names(town)
    town.run("releases", "rollback", oldest)
    assert "Club walk" not in list_names(town)
    town.run("releases", "rollback", middle)
    check_gone(town)
    assert "pruned" in town.run("releases", "rollback", middle, code=2).stderr
    town.build()
    check_gone(town)


@pytest.mark.long
def test_what_is_undone_comes_back_with_the_next_build(town: Town) -> None:
    names = list_names(town), list_names(town, "places"), list_names(town, "classes")
    town.run("takedown", KITE, HALL, POTTERY, CLUB)
    town.build()
    town.run("takedown", KITE, HALL, POTTERY, CLUB, "--undo")
    assert "Kitequix day" not in list_names(town)
    before = len(town.walk_changes())
    town.build()
    assert (list_names(town), list_names(town, "places"), list_names(town, "classes")) == names
    new = {change["listing_id"]: change["kind"] for change in town.walk_changes()[before:]}
    assert [new[row_id] for row_id in (KITE, HALL, POTTERY, CLUB)] == ["restored"] * 4
    assert town.get(f"/v1/places/{HALL}").read_json()["data"]["location"]["address"] == "7 Hallquix Lane"
    town.run("takedown", KITE, HALL, POTTERY, CLUB)
    town.build()
    check_gone(town)


def test_what_follows_a_rollback_and_is_undone_comes_back_too(town: Town) -> None:
    newest, *_ = town.list_ids()
    town.run("takedown", KITE)
    town.run("releases", "rollback", newest)
    town.run("takedown", KITE, "--undo")
    town.build()
    assert "Kitequix day" in list_names(town)


def test_a_build_that_was_under_way_does_not_come_into_force(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    town.write(1)
    build = Build(configuration=town.city.configuration, as_of=parse_as_of("2026-08-10", now=None))  # type: ignore[arg-type]

    def take_down(_: str) -> None:
        monkeypatch.undo()
        town.run("takedown", KITE)

    with pytest.raises(ConcurrentPublication, match="took listings down"):
        build_release(build, store=town.city.store, executor=InlineExecutor(), progress=once(take_down))
    assert "Kitequix day" not in list_names(town)
    town.run("takedown", POTTERY, HALL, CLUB)
    check_gone(town)


def once(act: Any) -> Any:
    """The first time that it is called."""
    waiting = [act]

    def call(line: str) -> None:
        if waiting:
            waiting.pop()(line)

    return call


@pytest.mark.long
def test_of_two_at_once_both_are_obeyed(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    publish = takedown.publish

    def publish_late(*words: Any, **members: Any) -> Any:
        monkeypatch.setattr(takedown, "publish", publish)
        town.run("takedown", POTTERY)
        town.build()
        return publish(*words, **members)

    monkeypatch.setattr(takedown, "publish", publish_late)
    town.run("takedown", KITE, HALL, CLUB)
    listed = town.run_json("takedown", "--list")["withdrawn"]
    assert [item["id"] for item in listed] == sorted([KITE, POTTERY, HALL, CLUB])
    check_gone(town)


def test_a_rollback_that_was_under_way_does_not_come_into_force(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    publish = rollback.publish

    def publish_late(*words: Any, **members: Any) -> Any:
        monkeypatch.setattr(rollback, "publish", publish)
        town.run("takedown", KITE)
        return publish(*words, **members)

    monkeypatch.setattr(rollback, "publish", publish_late)
    town.run("releases", "rollback", town.list_ids()[1], code=3)
    assert "Kitequix day" not in list_names(town)


def test_a_second_takedown_of_the_same_publishes_nothing(town: Town) -> None:
    town.run("takedown", KITE)
    before = town.list_ids()
    assert "already" in town.run("takedown", KITE.upper()).stdout
    assert town.list_ids() == before
    assert "undone already" in town.run("takedown", KITE, "--undo").stdout + town.run("takedown", KITE, "--undo").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["takedown"], "give the ids"),
        (["takedown", "kite"], "is not an id"),
        (["takedown", "0d5c0000-0000-4000-8000-000000000999"], "has or had the id"),
        (["takedown", KITE, "0d5c0000-0000-4000-8000-000000000999"], "nothing is published"),
        (["takedown", KITE, "--undo"], "is not taken down"),
        (["takedown", KITE, "--reason", "Mia Miller"], "--reason"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_before_anything_is_done(town: Town, words: list[str], message: str) -> None:
    before = town.list_ids()
    result = town.run(*words, code=2)
    assert message in result.stderr
    assert town.list_ids() == before


def test_what_is_taken_down_is_in_no_root_but_by_its_id(town: Town) -> None:
    town.run("takedown", KITE, POTTERY, HALL, CLUB, "--reason", "privacy")
    root = next(list_releases(town.city.store)).root
    assert {row_id: withdrawal.reason for row_id, withdrawal in root.withdrawals.items()} == dict.fromkeys(
        (KITE, POTTERY, HALL, CLUB), "privacy"
    )
    assert WORD not in str(root).lower()
