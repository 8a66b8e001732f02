"""The contract of a store, over every store."""

import threading
from collections.abc import Callable

import pytest

from outings.release.pruning import WrongClock, check_clock
from outings.release.store import NotFound, Outcome, Store, StoreError, VersionedBytes, open_store

WRITERS = 16


def race(act: Callable[[int], Outcome]) -> list[Outcome]:
    """Return the result of each writer that began at the same moment."""
    start, outcomes = threading.Barrier(WRITERS), [Outcome.UNKNOWN] * WRITERS

    def run(number: int) -> None:
        start.wait()
        outcomes[number] = act(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_what_was_put_is_got_as_it_was(store: Store) -> None:
    for data in (b"", b"text", bytes(range(256)) * 5000):
        store.put("objects/aa/one", data)
        assert store.get("objects/aa/one") == data


def test_a_name_that_nothing_has_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match=r"cannot get objects/aa/none: it does not exist"):
        store.get("objects/aa/none")
    assert store.read_versioned("current.json") is None
    assert not store.exists("objects/aa/none")
    assert list(store.list("")) == []


def test_many_are_put_from_any_iterable(store: Store) -> None:
    store.put_many((f"objects/{number % 7:02}/{number}", b"%d" % number) for number in range(60))
    assert {entry.name: entry.size for entry in store.list("objects/")} == {
        f"objects/{number % 7:02}/{number}": len(str(number)) for number in range(60)
    }
    assert store.get("objects/03/59") == b"59"
    assert store.exists("objects/03/59")


def test_put_many_of_nothing_is_nothing(store: Store) -> None:
    store.put_many([])
    assert list(store.list("")) == []


def test_a_list_holds_what_begins_with_its_prefix(store: Store) -> None:
    store.put_many((name, b"x") for name in ("objects/ab/abc", "objects/ab/abd", "objects/ac/abc", "keys.json"))
    assert {entry.name for entry in store.list("objects/ab/")} == {"objects/ab/abc", "objects/ab/abd"}
    assert {entry.name for entry in store.list("objects/ab/abd")} == {"objects/ab/abd"}
    assert {entry.name for entry in store.list("objects/a")} == {"objects/ab/abc", "objects/ab/abd", "objects/ac/abc"}
    assert {entry.name for entry in store.list("")} >= {"keys.json", "objects/ac/abc"}


def test_the_first_swap_wins_only_where_there_is_nothing(store: Store) -> None:
    assert store.put_if("current.json", b"first", expected=None) is Outcome.WON
    assert store.put_if("current.json", b"other", expected=None) is Outcome.LOST
    assert store.get("current.json") == b"first"


def test_a_swap_wins_only_against_what_was_read(store: Store) -> None:
    store.put_if("current.json", b"first", expected=None)
    first = store.read_versioned("current.json")
    assert isinstance(first, VersionedBytes)
    assert store.put_if("current.json", b"second", expected=first.etag) is Outcome.WON
    assert store.put_if("current.json", b"third", expected=first.etag) is Outcome.LOST
    second = store.read_versioned("current.json")
    assert second is not None
    assert second.data == b"second"
    assert second.etag != first.etag


def test_a_swap_of_what_is_gone_is_lost(store: Store) -> None:
    store.put_if("current.json", b"first", expected=None)
    versioned = store.read_versioned("current.json")
    assert versioned is not None
    store.delete(list(store.list("current.json")))
    assert store.put_if("current.json", b"second", expected=versioned.etag) is Outcome.LOST
    assert not store.exists("current.json")


def test_of_racing_first_swaps_one_wins(store: Store) -> None:
    for number in range(3):
        name = f"pointer-{number}"
        outcomes = race(lambda writer, name=name: store.put_if(name, b"%d" % writer, expected=None))
        assert outcomes.count(Outcome.WON) == 1
        assert outcomes.count(Outcome.LOST) == WRITERS - 1
        assert store.get(name) == b"%d" % outcomes.index(Outcome.WON)


def test_of_racing_swaps_one_wins(store: Store) -> None:
    store.put_if("current.json", b"start", expected=None)
    for number in range(3):
        versioned = store.read_versioned("current.json")
        assert versioned is not None
        outcomes = race(
            lambda writer, number=number, etag=versioned.etag: store.put_if(
                "current.json", b"%d %d" % (number, writer), expected=etag
            )
        )
        assert outcomes.count(Outcome.WON) == 1
        assert store.get("current.json") == b"%d %d" % (number, outcomes.index(Outcome.WON))


def test_counting_by_swaps_loses_no_count(store: Store) -> None:
    store.put_if("counter", b"0", expected=None)

    def count(_: int) -> Outcome:
        while True:
            versioned = store.read_versioned("counter")
            assert versioned is not None
            outcome = store.put_if("counter", b"%d" % (int(versioned.data) + 1), expected=versioned.etag)
            if outcome is Outcome.WON:
                return outcome

    race(count)
    assert store.get("counter") == b"%d" % WRITERS


def test_a_delete_removes_what_was_listed_and_says_so(store: Store) -> None:
    store.put_many((f"objects/aa/{number}", b"x") for number in range(5))
    listed = [entry for entry in store.list("objects/") if entry.name != "objects/aa/3"]
    assert {entry.name for entry in store.delete(listed)} == {entry.name for entry in listed}
    assert [entry.name for entry in store.list("objects/")] == ["objects/aa/3"]
    assert list(store.delete(listed)) == []


def test_urls_of_other_stores_are_refused() -> None:
    for url in ("", "var/store", "file:", "s3:", "s3://", "ftp://host/x", "memory:x"):
        with pytest.raises(ValueError, match="allowed: file:PATH and s3://BUCKET/PREFIX"):
            open_store(url)


def test_an_error_says_store_operation_name_and_cause() -> None:
    error = StoreError(store="file:/x", operation="put", name="objects/aa/1", cause="No space left on device")
    assert str(error) == "store file:/x: cannot put objects/aa/1: No space left on device"
    assert (error.store, error.operation, error.name) == ("file:/x", "put", "objects/aa/1")


def test_the_clock_of_a_store_is_that_by_which_it_says_when_something_was_written(store: Store) -> None:
    read = []
    for name in ("before", "after"):
        store.put(f"objects/aa/{name}", b"x")
        read.append(store.read_clock())
    before, after = (next(store.list(f"objects/aa/{name}")).modified_at for name in ("before", "after"))
    # Some tell whole seconds.
    assert before - 1 <= read[0] <= after + 1
    assert after - 1 <= read[1]
    assert {entry.name for entry in store.list("")} == {"objects/aa/before", "objects/aa/after"}


def test_a_clock_far_ahead_of_the_stores_own_prunes_nothing(store: Store) -> None:
    check_clock(store, now=store.read_clock())
    # One that is behind prunes less.
    check_clock(store, now=store.read_clock() - 40 * 86_400)
    with pytest.raises(WrongClock, match=r"is 40 days,? .*ahead of the store's"):
        check_clock(store, now=store.read_clock() + 40 * 86_400 + 60)
