"""The log: numbered in order, sealed, paged and searched; judged by lists in plain Python."""

import gzip
import json
from collections.abc import Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.release.log import BLOCK, Version, append_versions, list_history, read_versions
from outings.release.root import Log
from outings.release.store import hash_of
from tests.release.log_pages import read_page
from tests.release.worlds import change, listing_id, minutes

SMALL = 600  # versions in a sealed segment: two blocks and a bit


class Shelf(dict[str, bytes]):
    """Objects by hash, and how many bytes were looked at."""

    def append(self, log: Log, numbers: Sequence[int], *, segment: int = SMALL) -> Log:
        grown = append_versions(log, [change(number) for number in numbers], read=self.__getitem__, segment=segment)
        self.update({hash_of(data): data for data in grown.objects})
        return grown.log


def test_versions_are_numbered_from_one_in_the_order_given() -> None:
    shelf = Shelf()
    log = shelf.append(shelf.append(Log(), [5, 3, 4]), [3])
    page = read_page(log, after=0, limit=10, read=shelf.__getitem__)
    assert [(version.version_id, version.listing_id) for version in page] == [
        (1, listing_id(5)), (2, listing_id(3)), (3, listing_id(4)), (4, listing_id(3)),
    ]  # fmt: skip
    assert log.latest_version_id == 4


def test_a_version_keeps_all_that_its_change_said() -> None:
    shelf = Shelf()
    change_ = change(1, kind="updated", stamp=minutes(3))
    grown = append_versions(Log(), [change_], read=shelf.__getitem__)
    shelf.update({hash_of(data): data for data in grown.objects})
    assert read_page(grown.log, after=0, limit=1, read=shelf.__getitem__) == [
        Version(
            version_id=1,
            listing_id=change_.listing_id,
            type="event",
            metro="seattle",
            slug="listing-1",
            kind="updated",
            reason=None,
            replaced_by=None,
            changed_at=minutes(3),
            fields=("name",),
        )
    ]


def test_changed_at_never_goes_back() -> None:
    shelf = Shelf()
    log = Log()
    for minute in (5, 3, 8, 1):
        grown = append_versions(log, [change(minute, stamp=minutes(minute))], read=shelf.__getitem__)
        shelf.update({hash_of(data): data for data in grown.objects})
        log = grown.log
    page = read_page(log, after=0, limit=10, read=shelf.__getitem__)
    assert [entry.changed_at for entry in page] == [minutes(5), minutes(5), minutes(8), minutes(8)]
    assert log.latest_changed_at == minutes(8)


def test_nothing_added_leaves_the_log_and_writes_nothing() -> None:
    shelf = Shelf()
    log = shelf.append(Log(), range(3))
    grown = append_versions(log, [], read=shelf.__getitem__)
    assert grown.log is log
    assert grown.objects == ()


@given(st.lists(st.integers(0, 3 * BLOCK), max_size=8), st.integers(0, 8 * BLOCK), st.integers(1, 700))
def test_however_it_grew_a_log_reads_as_one_list(sizes: list[int], after: int, limit: int) -> None:
    shelf, log, all_numbers = Shelf(), Log(), list[int]()
    for size in sizes:
        numbers = [(len(all_numbers) + at) % 97 for at in range(size)]
        log = shelf.append(log, numbers)
        all_numbers += numbers
    assert [segment.first for segment in log.sealed] == [*range(1, len(all_numbers) - SMALL + 2, SMALL)]
    assert all(segment.last - segment.first + 1 == SMALL for segment in log.sealed)
    page = read_page(log, after=after, limit=limit, read=shelf.__getitem__)
    assert [(version.version_id, version.listing_id) for version in page] == [
        (at + 1, listing_id(number)) for at, number in enumerate(all_numbers) if after < at + 1 <= after + limit
    ]
    for number in (0, 41, 96):
        history = list_history(log, listing_id(number), read=shelf.__getitem__)
        assert history == [at + 1 for at, value in enumerate(all_numbers) if value == number]
        assert [version.version_id for version in read_versions(log, history[::-1], read=shelf.__getitem__)] == history[
            ::-1
        ]


def test_the_same_versions_are_the_same_bytes_however_they_came() -> None:
    at_once, in_steps = Shelf(), Shelf()
    one = at_once.append(Log(), range(1_500))
    log = Log()
    for start in range(0, 1_500, 125):
        log = in_steps.append(log, range(start, start + 125))
    assert log == one


def test_a_segment_is_json_lines_for_zcat_and_its_index_is_sorted() -> None:
    shelf = Shelf()
    log = shelf.append(Log(), range(SMALL))
    (segment,) = log.sealed
    lines = gzip.decompress(shelf[segment.object]).splitlines()
    assert [json.loads(line)["version_id"] for line in lines] == [*range(1, SMALL + 1)]
    rows = [shelf[segment.index][-20 * SMALL :][at : at + 20] for at in range(0, 20 * SMALL, 20)]
    assert rows == sorted(UUID(listing_id(at)).bytes + at.to_bytes(4, "big") for at in range(SMALL))


def test_a_page_late_in_a_long_log_costs_what_an_early_one_does() -> None:
    shelf = Shelf()
    log = shelf.append(Log(), range(20 * SMALL))
    read: list[str] = []

    def count(sha: str) -> bytes:
        read.append(sha)
        return shelf[sha]

    costs = []
    for after in (10, 19 * SMALL + 10):
        read.clear()
        assert len(read_page(log, after=after, limit=200, read=count)) == 200
        costs.append(len(read))
    assert costs[0] == costs[1] == 2  # one block: its place in the index, and itself


def test_a_version_that_is_not_there_is_a_key_error() -> None:
    shelf = Shelf()
    log = shelf.append(Log(), range(3))
    for version_id in (0, 4, -1):
        with pytest.raises(KeyError):
            read_versions(log, [version_id], read=shelf.__getitem__)
    assert read_page(log, after=3, limit=10, read=shelf.__getitem__) == []
    assert read_page(log, after=99, limit=10, read=shelf.__getitem__) == []
    assert list_history(log, listing_id("unknown"), read=shelf.__getitem__) == []
    assert read_page(Log(), after=0, limit=10, read=shelf.__getitem__) == []
