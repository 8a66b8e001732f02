"""RPDE 1.0 to the letter: pages and their last, what is updated and deleted, a place that moves with releases alone."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.release.store import open_store
from pipeline.building import BuildResult, build_release
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.fetch.source import FeedError, find_item
from pipeline.plan import Build
from tests.pipeline.city import City
from tests.pipeline.fetch.documents import show
from tests.pipeline.fetch.publisher import Publisher
from tests.pipeline.fetch.rpde_reads import NOON, Configure, RpdeReads, list_names, make_configure
from tests.pipeline.fetch.web import Page, Web, serve_web


@pytest.fixture
def configure(tmp_path: Path, web: Web) -> Configure:
    return make_configure(tmp_path, web)


@pytest.fixture
def reads(configure: Configure, tmp_path: Path) -> RpdeReads:
    return RpdeReads(configure, tmp_path / "scratch")


@pytest.mark.parametrize("by_number", [False, True], ids=["time and id", "change number"])
def test_a_build_reads_each_item_once_and_the_next_reads_what_changed_since(
    reads: RpdeReads, publisher: Publisher, by_number: bool
) -> None:
    publisher.by_number = by_number
    publisher.put(*"abcdefg")
    assert sorted(list_names(reads.read())) == [f"Walk {own}" for own in "abcdefg"]
    first = reads.source
    assert reads.read().read == 0
    assert first is not None
    assert reads.source is not None
    assert (reads.source.hash, reads.source.next) == (first.hash, first.next)
    publisher.put("c", name="Stroll c")
    publisher.delete("d")
    publisher.put("h")
    changed = reads.read()
    assert sorted(list_names(changed)) == ["Stroll c", "Walk h", "gone SessionSeries/d"]
    assert changed.items == ("SessionSeries/c", "SessionSeries/d", "SessionSeries/h")
    assert (first.is_whole, reads.source.is_whole) == (True, False)


def test_an_item_is_what_was_said_of_it_last(reads: RpdeReads, web: Web) -> None:
    def make(own: str, state: str, name: str = "") -> dict[str, Any]:
        data = {"data": {"type": "Event", "name": name, "startDate": "2026-08-12T17:00:00Z"}} if name else {}
        return {"state": state, "kind": "event", "id": own, "modified": 1, **data}

    items = [make("1", "updated", "A"), make("2", "updated", "B"), make("1", "updated", "C"), make("2", "deleted")]
    web.pages["/feed"] = Page(json.dumps({"items": items, "next": "/feed?p=2"}).encode())
    web.pages["/feed?p=2"] = Page(json.dumps({"items": [], "next": f"{web.url}/feed?p=2"}).encode())
    read = reads.read()
    assert (list_names(read), read.merged) == (["C", "gone event/2"], 2)


def test_a_page_without_items_is_not_the_last_unless_it_names_itself(reads: RpdeReads, web: Web) -> None:
    item = {"state": "updated", "kind": "event", "id": 7, "data": {"type": "Event", "name": "A"}}
    pages: list[tuple[str, list[Any]]] = [("/feed?p=2", []), ("/feed?p=3", [item]), ("/feed?p=3", [])]
    for number, (following, items) in enumerate(pages, start=1):
        target = "/feed" if number == 1 else f"/feed?p={number}"
        web.pages[target] = Page(json.dumps({"next": web.url + following, "items": items}).encode())
    read = reads.read()
    assert (list_names(read), web.targets) == (["A"], ["/feed", "/feed?p=2", "/feed?p=3"])
    assert read.records[0].source_id == "event/7"


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ({"/feed": {"next": "/feed", "items": [{"id": "1"}]}}, "/feed: has items and names itself as the next page"),
        (
            {"/feed": {"next": "/feed?p=2", "items": [{"id": "1"}]}, "/feed?p=2": {"next": "/feed", "items": []}},
            "was read already: the pages have no end",
        ),
        (
            {"/feed": {"next": "/feed?p=2", "items": [{"id": "1"}]},
             "/feed?p=2": {"next": "/feed?p=3", "items": [{"id": "1"}]}},
            "has the same rows as a page before it",
        ),
        ({"/feed": {"items": []}}, "is not an RPDE page: Object missing required field `next`"),
        ({"/feed": {"next": "/feed"}}, "is not an RPDE page: Object missing required field `items`"),
        ({"/feed": {"next": "/feed", "items": {}}}, "is not an RPDE page"),
        ({"/feed": []}, "is not an RPDE page"),
        ({"/feed": {"next": "http://127.0.0.1:1/feed", "items": []}}, "names a next page of another server"),
        ({"/feed": {"next": "file:///etc/passwd", "items": []}}, "names a next page of another server"),
        ({"/feed": {"next": "/gone", "items": []}}, "/gone: answers 404"),
        ({"/feed": {"next": "/big", "items": []}, "/big": {"next": "/big", "items": ["x" * 500]}}, "max_bytes"),
    ],
)  # fmt: skip
def test_pages_that_lead_to_no_end_stop_the_build(
    reads: RpdeReads, web: Web, pages: dict[str, Any], message: str
) -> None:
    for target, page in pages.items():
        web.pages[target] = Page(json.dumps(page).encode())
    with pytest.raises(FeedError, match="feed oa: ") as raised:
        reads.read(settings="max_bytes = 450")
    assert message in str(raised.value)


def test_pages_that_go_round_under_ever_new_addresses_stop_the_build(reads: RpdeReads, web: Web) -> None:
    def answer(target: str) -> Page:
        number = int(target.partition("?n=")[2] or 0)
        items = [{"id": str(number % 3), "kind": "k", "state": "deleted"}]
        return Page(json.dumps({"next": f"/feed?n={number + 1}", "items": items}).encode())

    web.pages["/feed"] = answer
    with pytest.raises(FeedError, match="has the same rows as a page before it"):
        reads.read(settings="max_bytes = 5_000")
    assert web.targets == ["/feed", "/feed?n=1", "/feed?n=2", "/feed?n=3"]


@pytest.mark.parametrize("headers", [{}, {"Retry-After": "0"}])
def test_a_busy_server_is_asked_again(
    reads: RpdeReads, publisher: Publisher, web: Web, headers: dict[str, str]
) -> None:
    web.pages["/feed"] = Page(status=503, headers=headers)
    with pytest.raises(FeedError, match=r"answers 503 \(3 times\)"):
        reads.read()
    assert len(web.requests) == 3
    statuses = [503]

    def busy_once(target: str) -> Page:
        return Page(status=statuses.pop(), headers=headers) if statuses else publisher.answer(target)

    web.pages["/feed"] = busy_once
    assert reads.read().read == 0


@pytest.mark.parametrize("status", [404, 410])
def test_a_build_starts_at_the_first_page_if_its_position_is_gone(
    reads: RpdeReads, publisher: Publisher, web: Web, status: int
) -> None:
    publisher.put(*"abcd")
    reads.read()
    publisher.delete("a")
    statuses = [status]

    def forget_once(target: str) -> Page:
        return Page(status=statuses.pop()) if statuses else publisher.answer(target)

    web.pages["/feed"] = forget_once
    assert sorted(list_names(reads.read())) == ["Walk b", "Walk c", "Walk d", "gone SessionSeries/a"]
    assert reads.source is not None
    assert reads.source.is_whole


@pytest.mark.parametrize(
    ("change", "is_whole"),
    [
        ({}, False),
        ({"now": NOON + timedelta(days=6)}, False),
        ({"now": NOON + timedelta(days=6, seconds=1)}, True),
        ({"path": "/feed?limit=5"}, True),
        ({"settings": 'defaults = { description = "x" }'}, True),
        ({"settings": "max_shrink = 0.9"}, True),
    ],
    ids=["as before", "six days on", "more than six days on", "another address", "other settings", "other guard"],
)
def test_a_build_starts_at_the_first_page_if_its_position_is_unusable(
    reads: RpdeReads, publisher: Publisher, change: dict[str, Any], is_whole: bool
) -> None:
    publisher.put(*"ab")
    reads.read()
    reads.read(**change)
    assert reads.source is not None
    assert reads.source.is_whole is is_whole
    lines = [line for line in reads.messages if line.startswith("feed oa: ")]  # a slow machine's requests are told too
    assert len(lines) == is_whole
    assert all(line.startswith("feed oa: read again from its first page: ") for line in lines)


def test_a_password_is_lent_to_each_page_and_not_remembered(reads: RpdeReads, publisher: Publisher, web: Web) -> None:
    publisher.put(*"abcd")
    url = publisher.url.replace("//", "//ann:secret@")
    reads.read(url=url)
    reads.read(url=url)
    assert all("authorization" in headers for _, headers in web.requests)
    assert reads.source is not None
    assert "secret" not in str(reads.source)


@pytest.mark.parametrize(
    ("item", "reason", "source_id"),
    [
        (None, "wrong_type: expected an item, an object", None),
        (7, "wrong_type: expected an item, an object", None),
        ({"state": "updated", "id": "1"}, "missing: expected the item's kind", None),
        ({"state": "updated", "kind": "e", "id": True}, "missing: expected the item's id", None),
        ({"state": "gone", "kind": "e", "id": 1}, "unknown_word: expected the state updated or deleted", "e/1"),
        ({"state": "updated", "kind": "e", "id": 1}, "missing: expected data", "e/1"),
        (
            {"state": "updated", "kind": "e", "id": "#", "data": {"type": "Slot"}},
            "unsupported: its type is Slot", "e/%23",
        ),
        ({"state": "updated", "kind": "e", "id": 1, "data": {"type": "Event"}}, "missing: expected a text", "e/1"),
        (
            {"state": "updated", "kind": "e", "id": 1, "data": {"type": "Event", "name": "A", "startDate": "soon"}},
            "wrong_type: expected a local time", "e/1",
        ),
    ],
)  # fmt: skip
def test_an_item_that_can_not_be_read_is_one_line(
    reads: RpdeReads, web: Web, item: Any, reason: str, source_id: str | None
) -> None:
    good = {"state": "updated", "kind": "e", "id": "good", "data": {"type": "Event", "name": "A"}}
    web.pages["/feed"] = Page(json.dumps({"next": "/feed?p=2", "items": [item, good]}).encode())
    web.pages["/feed?p=2"] = Page(json.dumps({"next": "/feed?p=2", "items": []}).encode())
    read = reads.read()
    (problem,) = read.problems
    assert list_names(read) == ["A"]
    assert problem.reason.startswith(reason)
    assert (problem.source_id, problem.line, problem.quarantined) == (source_id, 1, True)


def test_a_session_says_what_its_series_in_the_same_item_says(reads: RpdeReads, publisher: Publisher) -> None:
    series = {"type": "SessionSeries", "name": "Yoga", "description": "Easy", "location": {"name": "Park"}}
    publisher.put("a", kind="ScheduledSession", type="ScheduledSession", name=None, superEvent=series)
    (session,) = map(show, reads.read().records)
    assert (session["name"], session["description"], session["location"]["address"]) == ("Yoga", "Easy", "Park")
    assert session["starts_local"] == "2026-08-12T10:00:00"


def test_a_session_whose_name_stands_in_another_item_is_reported(reads: RpdeReads, publisher: Publisher) -> None:
    publisher.put("s", **{"@id": "https://a.example/s"})
    publisher.put("a", kind="ScheduledSession", name=None, superEvent="https://a.example/s")
    publisher.put("b", kind="ScheduledSession", name="Own", superEvent="https://a.example/s")
    read = reads.read()
    assert sorted(list_names(read)) == ["Own", "Walk s"]
    (problem,) = read.problems
    assert problem.source_id == "ScheduledSession/a"
    assert problem.reason == "unsupported: it has no name, and its superEvent, which may have one, is another item"


@given(seed=st.integers(min_value=0, max_value=2**32))
def test_repeated_reads_give_what_one_read_of_all_pages_gives(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """An item that can't be read any more keeps its last good version."""
    random, folder = Random(seed), tmp_path_factory.mktemp("reads")
    with serve_web() as web:
        publisher = Publisher(f"{web.url}/feed", by_number=True)
        web.pages["/feed"] = publisher.answer
        following, known = RpdeReads(make_configure(folder, web), folder / "scratch"), dict[str, dict[str, Any]]()
        for _ in range(random.randint(1, 6)):
            for _ in range(random.randint(0, 4)):
                change_feed(publisher, random)
            read = following.read()
            stay = {problem.source_id for problem in read.problems}
            for source_id in [value for value in known if find_item(value) in read.items and value not in stay]:
                del known[source_id]
            known |= {record.source_id: show_stated(record) for record in read.records if not record.deleted}
        whole = RpdeReads(make_configure(folder, web), folder / "whole").read()
    members = {record.source_id: show_stated(record) for record in whole.records if not record.deleted}
    unread = {problem.source_id for problem in whole.problems}
    assert {own: record for own, record in known.items() if own not in unread} == members


def change_feed(publisher: Publisher, random: Random) -> None:
    own, other = random.sample("abcdst", 2)
    choice = random.random()
    if choice < 0.3 and own in publisher.items:
        publisher.delete(own)
    elif choice < 0.5:
        publisher.put(own, name=None, superEvent=f"https://a.example/{other}")
    else:
        publisher.put(own, name=random.choice(["Yoga", "Chess", "Judo"]), superEvent={"description": other})


def show_stated(record: Any) -> dict[str, Any]:
    return {name: value for name, value in show(record).items() if name != "line"}


Make = Callable[..., BuildResult]


@pytest.fixture
def build(configure: Configure) -> Make:
    def build_city(at: datetime = NOON, **written: Any) -> BuildResult:
        configuration = configure(**written)
        request = Build(configuration=configuration, as_of=AsOf(instant=at))
        return build_release(request, store=open_store(configuration.store.url), executor=InlineExecutor())

    return build_city


def list_live(tmp_path: Path) -> list[str]:
    events = City(tmp_path).ask("/v1/seattle/events?min_confidence=0&limit=50")["data"]
    return sorted(event["name"] for event in events)


@pytest.mark.long
def test_a_release_has_what_the_feed_says_by_now_and_its_place_moves_with_it(
    build: Make, publisher: Publisher, web: Web, tmp_path: Path
) -> None:
    festival = [{"type": "Event", "name": f"Tent {n}", "startDate": f"2026-08-1{n}T17:00:00Z"} for n in (4, 5)]
    publisher.put(*"abcdef")
    publisher.put("g", type="Event", subEvent=festival)
    assert build().changes == {"created": 9}

    publisher.put("a", name="Stroll a")
    publisher.delete("b")
    publisher.put("c", startDate="soon")
    publisher.put("g", type="Event", subEvent=festival[:1])
    working, place = web.pages["/feed"], web.targets[-1]
    web.pages[place] = Page(status=500, statuses=[])
    failed = build(NOON + timedelta(days=1))
    assert failed.changes == {}
    assert "500" in (failed.feeds[0].memory.failure or "")
    del web.pages[place]
    web.pages["/feed"] = working
    built = build(NOON + timedelta(days=1))
    assert built.changes == {"updated": 1, "removed": 2}
    assert [problem.source_id for problem in built.feeds[0].problems] == ["SessionSeries/c"]
    assert list_live(tmp_path) == ["Stroll a", "Tent 4", "Walk c", "Walk d", "Walk e", "Walk f", "Walk g"]

    # Begun anew after a long time: what the publisher no longer has to say is gone, the guard permitting; what can't be
    # read stays with all its parts.
    for own in "cde":
        del publisher.items[own]
    later = NOON + timedelta(days=30)
    publisher.put("a")
    publisher.put("g", type="Slot")
    build(later, settings="max_shrink = 0.9")
    assert list_live(tmp_path) == ["Tent 4", "Walk a", "Walk f", "Walk g"]
    for own in "afg":
        del publisher.items[own]
    refused = build(later + timedelta(days=30))
    assert "feed oa: 4 of its 4 listings would leave: 100 % are gone" in (refused.feeds[0].memory.failure or "")
    assert list_live(tmp_path) == ["Tent 4", "Walk a", "Walk f", "Walk g"]
