"""Two builds in every order of their store operations, with a crash or a lost reply anywhere, against a plain model.

The model is what a person would say: the log is the changes of each build that took effect, one build after the other
in the order in which the pointer moved, each once.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from outings.release.pruning import prune
from outings.release.publishing import ConcurrentPublication, Publication, publish
from outings.release.root import Root
from outings.release.store import Outcome, StoreError, name_of
from tests.release.actors import LATE, Program, run_all
from tests.release.doubles import ProcessKilledError, die, die_after, fail, fail_after, lose_reply, lose_request
from tests.release.memory import MemoryStore
from tests.release.worlds import NOON, change, listing_id, put_metro, read_chain, read_log, read_whole

FATES = {
    "dies before": die,
    "dies after": die_after,
    "fails before": fail,
    "fails after": fail_after,
    "reply lost": lose_reply,
    "request lost": lose_request,
}


class HistoryStore(MemoryStore):
    """Remembers what the pointer was, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.history: list[dict[str, Any]] = []

    def put_if(self, name: str, data: bytes, *, expected: str | None) -> Outcome:
        outcome = super().put_if(name, data, expected=expected)
        if outcome is Outcome.WON:
            self.history.append(json.loads(data))
        return outcome


def build(name: str, metro: str, *, base: Root | None) -> Program:
    def program(store: Any) -> Publication:
        part = put_metro(store, metro, f"of {name}")
        changes = [change(f"{name} {number}") for number in range(2)]
        return publish(store, base=base, parts={metro: part}, changes=changes, feeds={}, now=NOON)

    return program


def set_up(*builds: tuple[str, str], first: bool = False) -> Callable[[], tuple[HistoryStore, list[Program]]]:
    """A store with a release before (not where it is the `first`), and builds that began from it."""

    def make() -> tuple[HistoryStore, list[Program]]:
        store = HistoryStore()
        base = None if first else build("base", "seattle", base=None)(store).root
        return store, [build(name, metro, base=base) for name, metro in builds]

    return make


def is_noticed(operation: str) -> bool:
    """Objects are named by their content: only where the pointer is read and swapped does the order matter."""
    return operation in ("read_versioned", "put_if")


def check_against_model(store: HistoryStore, names: list[str], endings: list[Any]) -> None:
    assert [item["sequence"] for item in store.history] == [*range(1, len(store.history) + 1)]
    log = read_log(store, read_chain(store)[0])
    assert [version["version_id"] for version in log] == [*range(1, len(log) + 1)]
    written = {listing_id(f"{name} {number}"): name for name in ("base", *names) for number in range(2)}
    order = [written[item["listing_id"]] for item in log]
    applied = order[::2]
    assert [item["listing_id"] for item in log] == [
        listing_id(f"{name} {number}") for name in applied for number in range(2)
    ]
    assert len(set(applied)) == len(applied) == len(store.history)
    for name, ending in zip(names, endings, strict=True):
        if isinstance(ending, Publication):
            assert applied[ending.root.sequence - 1] == name
        elif isinstance(ending, ConcurrentPublication):
            assert name not in applied
        else:
            assert isinstance(ending, ProcessKilledError | StoreError), ending
    for root in read_chain(store):
        read_whole(store, root)


@pytest.mark.parametrize("first", [False, True])
def test_two_builds_of_two_metros_are_both_published(first: bool) -> None:
    runs = 0
    for _, store, endings in run_all(
        set_up(("a", "boston"), ("b", "chicago"), first=first), gates=is_noticed, fates={}, most_faults=0
    ):
        runs += 1
        check_against_model(store, ["a", "b"], endings)
        assert all(isinstance(ending, Publication) for ending in endings)
        assert {"boston", "chicago"} <= set(read_whole(store, read_chain(store)[0]))
    assert runs >= 6


@pytest.mark.parametrize("first", [False, True])
def test_of_two_builds_of_one_metro_one_is_published(first: bool) -> None:
    for _, store, endings in run_all(
        set_up(("a", "boston"), ("b", "boston"), first=first), gates=is_noticed, fates={}, most_faults=0
    ):
        check_against_model(store, ["a", "b"], endings)
        assert sorted(type(ending).__name__ for ending in endings) == ["ConcurrentPublication", "Publication"]


@pytest.mark.long
@pytest.mark.parametrize("metros", [("boston", "chicago"), ("boston", "boston")])
@pytest.mark.parametrize("first", [False, True])
def test_no_version_is_lost_doubled_or_reordered_whatever_fails(metros: tuple[str, str], first: bool) -> None:
    runs = 0
    for _, store, endings in run_all(
        set_up(("a", metros[0]), ("b", metros[1]), first=first), gates=is_noticed, fates=FATES, late=LATE, most_faults=1
    ):
        runs += 1
        if not store.history:
            assert not any(isinstance(ending, Publication) for ending in endings)
            continue
        check_against_model(store, ["a", "b"], endings)
    assert runs > 100


def test_a_build_that_dies_at_any_operation_leaves_the_old_release_or_the_new() -> None:
    for _, store, endings in run_all(
        set_up(("a", "boston")), gates=lambda _: True, fates=FATES, late=LATE, most_faults=1
    ):
        check_against_model(store, ["a"], endings)
        assert len(store.history) in (1, 2)


class AgedStore(HistoryStore):
    """A store whose objects were written long ago unless `now` says otherwise."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__()
        self._clock = lambda: self.now


DAY = 86_400.0


def test_a_prune_beside_a_build_leaves_nothing_dangling() -> None:
    orphan = name_of(b"boston table of a")

    def make() -> tuple[AgedStore, list[Program]]:
        store = AgedStore()
        base = None
        for name in ("base", "next"):
            base = build(name, "seattle", base=base)(store).root
            store.now += 30 * DAY
        # What a crashed build left, old enough to go, and this build writes again.
        put_metro(store, "boston", "of a")

        def clean(watched: Any) -> Any:
            return prune(watched, keep_days=7, now=90 * DAY, is_clock_right=True)

        store.now = 90 * DAY
        return store, [build("a", "boston", base=base), clean]

    outcomes = set()
    for _, store, endings in run_all(
        make,
        gates=lambda operation: operation in ("read_versioned", "put_many", "put_if", "list", f"delete {orphan}"),
        fates={"dies before": die},
        most_faults=1,
    ):
        chain = read_chain(store)
        outcomes.add((type(endings[0]).__name__, type(endings[1]).__name__, len(chain)))
        for root in chain:
            read_whole(store, root)
    assert {
        ("Publication", "PruneResult", 2),
        ("ProcessKilledError", "PruneResult", 1),
        ("Publication", "ProcessKilledError", 3),
    } <= outcomes
