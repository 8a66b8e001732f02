"""Builds into a bucket whose server refuses, is silent, or loses what it was asked or what it said."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import boto3
import pytest

from command.sample_cities import write_world
from outings.release import s3
from outings.release.folder import FolderStore
from outings.release.s3 import S3Store
from tests.faults.commands import CREDENTIALS, CommandResult, Meets, build
from tests.faults.whole import Whole, list_published, read_whole, replay
from tests.faults.worlds import MONDAY, clock_of, copy_world, forget_cache, write_round
from tests.loopback import run_server
from tests.release.unreliable import SILENCE_SECONDS, UnreliableWay

pytestmark = [pytest.mark.xdist_group("s3"), pytest.mark.long]

# What becomes of a request; "after": it was done all the same.
FATES = ("slow down", "unavailable", "fail", "lose request", "lose reply", "cut reply", "silence", "silence after")
# The longest that a request takes to which nothing happens, on a machine that has much to do.
PATIENCE = SILENCE_SECONDS - 2


def shorten_retries() -> None:
    """A client that waits for a minute would be tried for hours."""
    s3.READ_SECONDS = PATIENCE


class Bucket:
    """A world that is built into a bucket over an unreliable way, and its twin in a folder that nothing befalls."""

    def __init__(self, way: UnreliableWay, folder: Path, *, endpoint: str) -> None:
        self.way = way
        name = f"bucket-{uuid4().hex}"
        boto3.client("s3", endpoint_url=endpoint).create_bucket(Bucket=name)
        self.store = S3Store(name, "p", endpoint_url=endpoint)
        self.config = write_world(folder / "here/outings.toml", today=MONDAY, size=6)
        write_round(self.config, 0)
        self.twin = copy_world(self.config, folder / "twin")
        settings = {"OUTINGS_STORE_URL": f"s3://{name}/p", "OUTINGS_STORE_ENDPOINT_URL": way.url}
        self._meets = Meets(environ={**CREDENTIALS, **settings}, prepare=shorten_retries)

    def build(self, number: int) -> CommandResult:
        """Build, and request again what a build may cache from the store."""
        write_round(self.config, number)
        forget_cache(self.config)
        self.way.requests.clear()
        return build(self.config, as_of=clock_of(number), meets=self._meets)

    def build_twin(self, number: int) -> Whole:
        write_round(self.twin, number)
        assert build(self.twin, as_of=clock_of(number)).code == 0
        whole = read_whole(FolderStore(self.twin.parent / "var/store"))
        assert whole is not None
        return whole

    def read(self) -> Whole | None:
        """Read the current release, around the unreliable connection, and check that it is whole and agrees with its
        log."""
        whole = read_whole(self.store)
        assert whole is None or replay(whole.log) == list_published(whole)
        return whole

    def strike(self, fate: str, *numbers: int, methods: tuple[str, ...] = ("GET", "HEAD", "PUT")) -> None:
        """These requests of the next build, from 0; with a negative number all from there on."""
        first = -min(numbers, default=0) if min(numbers, default=0) < 0 else None

        def choose(number: int, method: str) -> str | None:
            is_meant = number in numbers or (first is not None and number >= first)
            return fate if is_meant and method in methods else None

        self.way.choose = choose
        self.way.met = 0


@contextmanager
def open_bucket(endpoint: str, folder: Path) -> Iterator[Bucket]:
    way = UnreliableWay(endpoint, [])
    with run_server(way):
        yield Bucket(way, folder, endpoint=endpoint)


@pytest.mark.parametrize("fate", FATES)
def test_what_befalls_some_requests_leaves_no_trace(fate: str, s3_endpoint: str, tmp_path: Path, cases: int) -> None:
    """The swap among them, each time: the release is byte for byte the one of a store to which nothing happens."""
    chance = random.Random(fate)
    with open_bucket(s3_endpoint, tmp_path) as bucket:
        assert bucket.build(0).code == 0
        expected = bucket.build_twin(0)
        for number in range(1, 1 + max(1, min(cases // 3, 20))):
            assert bucket.read() == expected
            bucket.strike(fate, *chance.sample(range(len(bucket.way.requests) // 2), 3))
            bucket.way.script[:] = [fate]  # and the swap
            ended = bucket.build(number)
            assert ended.code == 0, ended.err
            assert (bucket.way.met, bucket.way.script) == (4, [])
            bucket.strike(fate)
            expected = bucket.build_twin(number)
        assert bucket.read() == expected


@pytest.mark.parametrize("fate", ["slow down", "lose request", "silence"])
def test_a_store_that_is_lost_at_any_request_ends_the_build_and_the_next_one_mends_it(
    fate: str, s3_endpoint: str, tmp_path: Path, cases: int
) -> None:
    """The request is drawn from as many as the build before made. A build that makes fewer never meets its fate: it
    must be whole, and another is drawn."""
    chance = random.Random(fate)
    with open_bucket(s3_endpoint, tmp_path) as bucket:
        assert bucket.build(0).code == 0
        expected = bucket.build_twin(0)
        requests = len(bucket.way.requests)
        number, ends = 0, max(2, min(cases // 5, 20))
        while ends:
            number += 1
            bucket.strike(fate, -chance.randrange(1, requests))
            ended = bucket.build(number)
            if bucket.way.met:
                ends -= 1
                assert (ended.code, ended.out) == (1, ""), ended.err
                assert f"s3://{str(bucket.store).removeprefix('s3://').rstrip('/')}" in ended.err
                assert bucket.read() == expected
                bucket.strike(fate)
                ended = bucket.build(number)
            assert ended.code == 0, ended.err
            expected = bucket.build_twin(number)
            requests = len(bucket.way.requests)
            assert bucket.read() == expected


def test_replies_to_writes_that_are_all_lost_publish_nothing_or_all_of_it(s3_endpoint: str, tmp_path: Path) -> None:
    """Replies don't say whether a write succeeded. The build gives up, and the current release is whole."""
    with open_bucket(s3_endpoint, tmp_path) as bucket:
        assert bucket.build(0).code == 0
        before = bucket.build_twin(0)
        bucket.strike("lose reply", -1, methods=("PUT",))
        ended = bucket.build(1)
        assert (ended.code, ended.out) == (1, ""), ended.err
        assert bucket.read() == before
        bucket.strike("lose reply")
        assert bucket.build(1).code == 0
        assert bucket.read() == bucket.build_twin(1)
