"""Answers that only S3 gives: conflicts, missing keys, refusals, and lost replies."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import boto3
import pytest

from outings.release.pointer import NAME, Pointer, read_pointer, swap_pointer
from outings.release.publishing import publish
from outings.release.s3 import S3Store
from outings.release.store import NotFound, Outcome, StoreError
from tests.loopback import run_server
from tests.ports import find_free_port
from tests.release.unreliable import UnreliableWay
from tests.release.worlds import NOON, change, read_chain, read_log

pytestmark = pytest.mark.xdist_group("s3")

Between = Callable[[list[str]], S3Store]


@pytest.fixture
def between(s3_endpoint: str) -> Iterator[Between]:
    """Makes a store whose conditional writes meet what a script says on their way to the server."""
    running = ExitStack()

    def make(script: list[str]) -> S3Store:
        way = UnreliableWay(s3_endpoint, script)
        running.enter_context(run_server(way))
        boto3.client("s3", endpoint_url=way.url).create_bucket(Bucket=f"between-{way.server_port}")
        return S3Store(f"between-{way.server_port}", endpoint_url=way.url)

    with running:
        yield make


def pointer(sequence: int) -> Pointer:
    return Pointer(sequence=sequence, root=f"{sequence:064}", published_at=NOON, latest_version_id=0)


def test_a_conflict_is_tried_again(between: Between) -> None:
    store = between(["conflict", "conflict"])
    assert store.put_if("current.json", b"x", expected=None) is Outcome.WON
    assert store.get("current.json") == b"x"


def test_conflicts_without_end_are_an_error(between: Between, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outings.release.s3.CONFLICT_SECONDS", 0)
    store = between(["conflict"] * 100)
    with pytest.raises(StoreError, match=r"cannot swap current.json: it answered 409 to 8 attempts"):
        store.put_if("current.json", b"x", expected=None)
    assert not store.exists("current.json")


@pytest.mark.long
@pytest.mark.parametrize("fate", ["lose reply", "lose request", "fail"])
def test_no_reply_is_unknown_and_is_not_asked_again(between: Between, fate: str) -> None:
    script = [fate, "conflict"]
    store = between(script)
    assert store.put_if("current.json", b"x", expected=None) is Outcome.UNKNOWN
    assert script == ["conflict"]
    assert store.exists("current.json") is (fate != "lose request")


@pytest.mark.long
@pytest.mark.parametrize("fate", ["lose reply", "lose request", "fail"])
def test_a_publish_whose_reply_is_lost_is_published_once(between: Between, fate: str) -> None:
    store = between([fate])
    first = publish(store, base=None, parts={}, changes=[change(1)], feeds={}, now=NOON)
    second = publish(store, base=first.root, parts={}, changes=[change(2)], feeds={}, now=NOON)
    chain = read_chain(store)
    assert [root["sequence"] for root in chain] == [2, 1]
    assert [version["version_id"] for version in read_log(store, chain[0])] == [1, 2]
    assert second.root.previous == first.sha


@pytest.mark.long
def test_a_server_that_never_replies_is_an_error_that_says_so(between: Between) -> None:
    store = between(["lose request"] * 100)
    with pytest.raises(StoreError, match="it is not known whether release 1 was published"):
        swap_pointer(store, old=None, new=pointer(1))
    assert read_pointer(store) is None


@pytest.mark.long
@pytest.mark.parametrize(("cuts", "ends"), [(4, False), (5, True)])
def test_an_object_that_breaks_off_is_asked_for_again(
    s3_store: S3Store, s3_endpoint: str, cuts: int, ends: bool
) -> None:
    """The client by itself asks again only where no answer begins."""
    s3_store.put("objects/one", b"0123456789")
    bucket = str(s3_store).removeprefix("s3://").partition("/")[0]
    way = UnreliableWay(s3_endpoint, [], choose=lambda number, _: "cut reply" if number < cuts else None)
    with run_server(way):
        store = S3Store(bucket, "some/prefix", endpoint_url=way.url)
        if ends:
            with pytest.raises(StoreError, match="cannot get objects/one: "):
                store.get("objects/one")
        else:
            assert store.get("objects/one") == b"0123456789"
    assert len(way.requests) == 5


def test_a_swap_of_a_missing_key_is_lost(s3_store: S3Store) -> None:
    assert s3_store.put_if(NAME, b"x", expected='"0123456789abcdef0123456789abcdef"') is Outcome.LOST


def test_a_bucket_that_is_not_there_is_said(s3_endpoint: str) -> None:
    store = S3Store("no-such-bucket", "p", endpoint_url=s3_endpoint)
    for act in (lambda: store.put("keys.json", b"x"), lambda: store.put_if(NAME, b"x", expected="y")):
        with pytest.raises(StoreError, match=r"s3://no-such-bucket/p/: cannot .*NoSuchBucket.*create the bucket"):
            act()
    with pytest.raises(StoreError, match="NoSuchBucket") as caught:
        store.get("keys.json")
    assert not isinstance(caught.value, NotFound)


def test_a_server_that_is_not_there_is_said(s3_endpoint: str) -> None:
    store = S3Store("bucket", endpoint_url=f"http://127.0.0.1:{find_free_port()}")
    with pytest.raises(StoreError, match=r"cannot swap current\.json: Could not connect to the endpoint URL"):
        store.put_if(NAME, b"x", expected=None)


def test_credentials_that_are_not_there_are_said(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    store = S3Store("bucket", endpoint_url=s3_endpoint)
    with pytest.raises(StoreError, match=r"cannot put keys\.json: Unable to locate credentials"):
        store.put("keys.json", b"{}")


def test_names_stay_under_the_prefix(s3_store: S3Store, s3_endpoint: str) -> None:
    s3_store.put("objects/aa/one", b"x")
    bucket = str(s3_store).removeprefix("s3://").partition("/")[0]
    listing = boto3.client("s3", endpoint_url=s3_endpoint).list_objects_v2(Bucket=bucket)
    assert [content["Key"] for content in listing["Contents"]] == ["some/prefix/objects/aa/one"]
    whole = S3Store(bucket, endpoint_url=s3_endpoint)
    assert [entry.name for entry in whole.list("")] == ["some/prefix/objects/aa/one"]


@pytest.mark.long
def test_a_list_of_more_than_a_page_is_whole(s3_store: S3Store) -> None:
    names = {f"objects/{number:04}" for number in range(1_050)}
    s3_store.put_many((name, b"") for name in names)
    assert {entry.name for entry in s3_store.list("objects/")} == names
