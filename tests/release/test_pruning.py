"""Pruning: what is kept, for how long, and what a prune that dies in its middle leaves."""

from datetime import timedelta
from typing import Any

import pytest

from outings.release.pointer import list_releases, read_release
from outings.release.pruning import WrongClock, prune
from outings.release.publishing import publish
from outings.release.root import Root
from outings.release.store import NotFound, StoreError, name_of
from tests.release.doubles import Nth, ProcessKilledError, WatchedObject, die, die_after, fail
from tests.release.memory import MemoryStore
from tests.release.worlds import NOON, change, put_metro, read_chain, read_current, read_log, read_whole, remember

DAY = 86_400.0
HALF_WRITTEN = f"tmp/{'0' * 32}-7"
HOUR = timedelta(hours=1)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> MemoryStore:
    return MemoryStore(clock=clock)


def publish_daily(store: Any, clock: Clock, *, days: int) -> list[str]:
    """A release each day, each with another Seattle and the same Boston; their ids."""
    base: Root | None = None
    boston, ids = put_metro(store, "boston", "always"), []
    for day in range(days):
        clock.now = day * DAY
        parts = {"seattle": put_metro(store, "seattle", str(day)), "boston": boston}
        published = publish(store, base=base, parts=parts, changes=[change(day)], feeds={}, now=NOON)
        base = published.root
        ids.append(published.id)
    return ids


def test_a_release_is_kept_until_it_was_replaced_so_many_days_ago(store: MemoryStore, clock: Clock) -> None:
    ids = publish_daily(store, clock, days=10)
    clock.now = 10 * DAY
    # Release 7 (from 0) was replaced on day 8, two days ago; release 6 three days ago.
    pruned = prune(store, keep_days=2, now=clock.now, longest_build=HOUR)
    assert [release.id for release in list_releases(store)] == ids[:6:-1]
    assert pruned.releases == 3
    for root in read_chain(store):
        assert read_whole(store, root)["boston"] == "boston table always"
    for gone in ids[:7]:
        with pytest.raises(NotFound):
            read_release(store, gone)


def test_what_no_kept_release_names_is_gone_and_nothing_else(store: MemoryStore, clock: Clock) -> None:
    publish_daily(store, clock, days=10)
    clock.now = 10 * DAY
    store.put("keys.json", b"{}")
    before = {entry.name for entry in store.list("")}
    pruned = prune(store, keep_days=0, now=clock.now + 30 * DAY, longest_build=HOUR, is_clock_right=True)
    after = {entry.name for entry in store.list("")}
    assert {entry.name for entry in pruned.deleted} == before - after
    assert name_of(b"seattle table 9") in after
    assert name_of(b"seattle table 8") not in after
    assert {"keys.json", "current.json"} < after
    assert len(after) == 2 + 1 + 2 * 6 + 2  # pointer and keys; root; two metros of six objects; the log's tail
    assert [version["version_id"] for version in read_log(store, read_chain(store)[0])] == [*range(1, 11)]


def test_a_second_prune_finds_nothing(store: MemoryStore, clock: Clock) -> None:
    publish_daily(store, clock, days=5)
    assert prune(store, keep_days=1, now=5 * DAY, longest_build=HOUR).deleted
    assert prune(store, keep_days=1, now=5 * DAY, longest_build=HOUR).deleted == ()


def test_what_is_younger_than_the_longest_build_is_kept(store: MemoryStore, clock: Clock) -> None:
    publish_daily(store, clock, days=1)
    clock.now = 40 * DAY
    orphan = name_of(b"of a build that is still going on")
    store.put_many([(orphan, b"of a build that is still going on"), (HALF_WRITTEN, b"x")])
    assert prune(store, keep_days=0, now=clock.now + 3_599, longest_build=HOUR).deleted == ()
    later = prune(store, keep_days=0, now=clock.now + 3_601, longest_build=HOUR)
    assert {entry.name for entry in later.deleted} == {orphan, HALF_WRITTEN}


def test_a_build_or_a_rollback_that_began_on_a_releases_last_day_may_end(store: MemoryStore, clock: Clock) -> None:
    ids = publish_daily(store, clock, days=2)
    prune(store, keep_days=7, now=8 * DAY + 3_599, longest_build=HOUR)
    assert read_release(store, ids[0]).root.sequence == 1
    prune(store, keep_days=7, now=8 * DAY + 3_601, longest_build=HOUR, is_clock_right=True)
    with pytest.raises(NotFound):
        read_release(store, ids[0])


def test_what_a_build_remembers_of_feeds_is_kept(store: MemoryStore, clock: Clock) -> None:
    store.put(name_of(b"a quarantine line"), b"a quarantine line")
    problems = name_of(b"a quarantine line").rpartition("/")[2]
    feeds = {"spl": remember("h", problems=problems)}
    publish(store, base=None, parts={}, changes=[], feeds=feeds, now=NOON)
    assert prune(store, keep_days=0, now=90 * DAY).deleted == ()


def test_a_store_without_a_release_loses_only_what_is_old(store: MemoryStore, clock: Clock) -> None:
    store.put(name_of(b"old"), b"old")
    clock.now = 90 * DAY
    store.put(name_of(b"new"), b"new")
    pruned = prune(store, keep_days=7, now=clock.now)
    assert ([entry.name for entry in pruned.deleted], pruned.releases) == ([name_of(b"old")], 0)


@pytest.mark.parametrize("fate", [die, die_after, fail])
def test_a_prune_that_ends_anywhere_leaves_whole_releases(clock: Clock, fate: Any) -> None:
    n, ended = 0, False
    while not ended:
        clock.now = 0.0
        store = MemoryStore(clock=clock)
        publish_daily(store, clock, days=5)
        watch = Nth(n, fate)
        try:
            prune(WatchedObject(store, watch), keep_days=1, now=9 * DAY, longest_build=HOUR, is_clock_right=True)
            ended = len(watch.calls) <= n
        except (ProcessKilledError, StoreError):
            pass
        chain = read_chain(store)
        assert len(chain) in (1, 5)
        for root in chain:
            read_whole(store, root)
        prune(store, keep_days=1, now=9 * DAY, longest_build=HOUR, is_clock_right=True)
        assert len(read_chain(store)) == 1
        n += 1
    assert n > 20
    assert read_current(store) is not None


def publish_on(store: Any, clock: Clock, days: list[float], *, ahead: float = 0) -> None:
    """A release on each of those days; from the third on whoever builds believes that it is so many days later."""
    base: Root | None = None
    for number, day in enumerate(days):
        clock.now = day * DAY
        believed = NOON + timedelta(days=day + (ahead if number >= 2 else 0))
        parts = {"seattle": put_metro(store, "seattle", str(number))}
        base = publish(store, base=base, parts=parts, changes=[change(number)], feeds={}, now=believed).root


def test_nothing_is_pruned_where_the_last_release_came_long_after_the_one_before(
    store: MemoryStore, clock: Clock
) -> None:
    publish_on(store, clock, [0, 1, 2], ahead=40)
    before = {entry.name for entry in store.list("")}
    with pytest.raises(WrongClock, match=r"release 3-\w{8} was published 41 days.* after release 2-.*--clock-is-right"):
        prune(store, keep_days=7, now=clock.now + 40 * DAY)
    assert {entry.name for entry in store.list("")} == before
    assert prune(store, keep_days=7, now=clock.now + 40 * DAY, is_clock_right=True).releases == 1


def test_a_wrong_clock_is_still_reported_when_several_releases_came_by_it(store: MemoryStore, clock: Clock) -> None:
    publish_on(store, clock, [0, 1, 42, 42.1, 42.2])
    before = {entry.name for entry in store.list("")}
    with pytest.raises(WrongClock, match=r"release 3-\w{8} was published 41 days.* after release 2-"):
        prune(store, keep_days=7, now=clock.now + DAY)
    assert {entry.name for entry in store.list("")} == before
    # Said once that it is right: there is nothing left for it to take.
    assert prune(store, keep_days=7, now=clock.now + DAY, is_clock_right=True).releases == 4
    assert prune(store, keep_days=7, now=clock.now + 2 * DAY).releases == 4
    # A week on, what was before the pause has had its days.
    assert prune(store, keep_days=7, now=clock.now + 8 * DAY, is_clock_right=True).releases == 1


def test_nothing_is_pruned_where_only_the_current_release_would_be_left(store: MemoryStore, clock: Clock) -> None:
    """A clock that is a year ahead before anything was built by it: releases, their files and the store agree."""
    publish_on(store, clock, [0, 1, 2])
    before = {entry.name for entry in store.list("")}
    clock.now += 365 * DAY
    with pytest.raises(WrongClock, match=r"all releases but 3-\w{8}, the current one.*--clock-is-right"):
        prune(store, keep_days=7, now=clock.now)
    assert {entry.name for entry in store.list("")} == before
    assert prune(store, keep_days=7, now=clock.now, is_clock_right=True).releases == 1
    assert prune(store, keep_days=7, now=clock.now).releases == 1


def test_only_what_has_an_objects_name_is_pruned(store: MemoryStore, clock: Clock) -> None:
    publish_on(store, clock, [0])
    others = ["objects/notes.txt", "objects/aa/photo.jpg", f"objects/aa/bb{'0' * 62}", "tmp/report.csv"]
    store.put_many((name, b"somebody else's") for name in others)
    store.put(HALF_WRITTEN, b"x")
    pruned = prune(store, keep_days=7, now=clock.now + 30 * DAY)
    assert [entry.name for entry in pruned.deleted] == [HALF_WRITTEN]


def test_builds_that_pause_for_less_than_a_release_is_kept_are_pruned_as_ever(store: MemoryStore, clock: Clock) -> None:
    publish_on(store, clock, [0, 6.9, 13.8, 20.7])
    assert prune(store, keep_days=7, now=clock.now).releases == 3
