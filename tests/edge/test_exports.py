"""The export over HTTP: which files a key sees, and how they are sent."""

import asyncio
import gzip
import hashlib
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from pyarrow.parquet import ParquetFile

from edge.bodies import cut_pieces, unpack_pieces
from tests.edge.asking import Response
from tests.edge.conftest import Service
from tests.edge.publishing import NOW, make_world, publish_worlds
from tests.release.doubles import FailingStore

EXPORT = "/v1/harbor/export"
LINES = f"{EXPORT}/events.jsonl"
MakeService = Callable[..., Service]


def list_files(got: Response) -> list[str]:
    assert got.status == 200, got.body
    return [item["links"]["self"].rpartition("/")[2] for item in got.read_json()["data"]]


def test_a_key_sees_the_files_of_its_types(service: Service) -> None:
    assert list_files(service.get(EXPORT, kind="events")) == [
        "events.jsonl", "events.parquet", "events.ics", "organizations.jsonl", "organizations.parquet",
        "occurrences.jsonl", "occurrences.parquet",
    ]  # fmt: skip
    assert list_files(service.get(EXPORT, kind="places")) == [
        "places.jsonl", "places.parquet", "organizations.jsonl", "organizations.parquet",
    ]  # fmt: skip
    assert len(list_files(service.get(EXPORT))) == 13
    assert list_files(service.get(f"{EXPORT}?types=camps,places&format=jsonl")) == ["camps.jsonl", "places.jsonl"]


def test_types_that_are_not_the_key_s_are_403_in_the_list_and_as_a_file(service: Service) -> None:
    for target in (f"{EXPORT}?types=camps,organizations", f"{EXPORT}/camps.jsonl", f"{EXPORT}/camps.parquet"):
        got = service.get(target, kind="events")
        assert (got.status, got.error["details"]) == (403, {"metros": ["harbor", "lakeside"], "types": ["events"]})
    assert service.get(LINES, kind="lakeside").error["details"] == {"metros": ["lakeside"]}


@pytest.mark.parametrize("name", ["events", "events.json", "events.xml", "places.ics", "occurrences.ics", "..", "e%00"])
def test_a_file_that_there_is_not_is_404(service: Service, name: str) -> None:
    assert service.get(f"{EXPORT}/{name}").status == 404


@pytest.mark.parametrize("accepted", ["", "gzip", "zstd, br", "gzip;q=0, *;q=0.1"])
@pytest.mark.parametrize("at", range(13))
def test_a_file_is_what_the_list_says_of_it_whatever_coding_it_travels_in(
    service: Service, at: int, accepted: str
) -> None:
    listed = service.get(EXPORT).read_json()["data"][at]
    got = service.get(listed["links"]["self"], **({"accept_encoding": accepted} if accepted else {}))
    body = got.read_body()
    assert got.headers["content-type"] == listed["content_type"]
    assert (len(body), hashlib.sha256(body).hexdigest()) == (listed["size"], listed["sha256"])
    assert int(got.headers["content-length"]) == len(got.body)
    assert got.headers.get("content-encoding") == (
        "gzip" if accepted == "gzip" and listed["format"] != "parquet" else None
    )


def test_a_file_has_a_tag_that_outlives_releases_that_leave_it_alone(make_own: MakeService) -> None:
    service = make_own()
    tag = service.get(LINES).headers["etag"]
    world = make_world("lakeside", timezone="America/Los_Angeles", events=2)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=1))
    service.edge.poll()
    got = service.get(LINES, if_none_match=tag)
    assert (got.status, got.body) == (304, b"")
    world = make_world("harbor", timezone="America/New_York", events=2)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=2))
    service.edge.poll()
    assert service.get(LINES, if_none_match=tag).status == 200


def test_a_head_has_the_size_and_no_body(service: Service) -> None:
    whole, head = (service.get(LINES, method=method) for method in ("GET", "HEAD"))
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == whole.headers["content-length"] == str(len(whole.body))


def test_without_the_store_a_file_that_was_never_fetched_is_503(make_own: MakeService) -> None:
    store = FailingStore()
    service = make_own(store=store)
    assert service.get(LINES).status == 200
    store.is_off = True
    assert service.get(LINES).status == 200
    got = service.get(f"{EXPORT}/places.jsonl")
    assert (got.status, got.error["code"], got.headers["retry-after"]) == (503, "unavailable", "5")
    assert len(list_files(service.get(EXPORT))) == 13


def test_a_large_file_is_sent_in_pieces_and_others_are_answered_meanwhile() -> None:
    body = b"".join(b"%d of many lines\n" % number for number in range(200_000))
    packed = gzip.compress(body)
    for pieces in ([*cut_pieces(body)], [*unpack_pieces(packed)]):
        assert b"".join(pieces) == body
        assert len(pieces) > 20
        assert max(map(len, pieces)) <= 65_536


def test_a_client_that_leaves_in_the_middle_takes_nothing_down(make_own: MakeService) -> None:
    service = make_own()
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)
        if message["type"] == "http.response.body":
            raise OSError("gone")

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "path": LINES, "raw_path": LINES.encode(),
        "query_string": b"", "headers": [(b"x-api-key", service.keys["all"].encode())], "client": None, "state": {},
    }  # fmt: skip
    with pytest.raises(OSError, match="gone"):
        asyncio.run(service.edge(scope, receive, send))
    assert service.get(LINES).status == 200


PARQUET = f"{EXPORT}/events.parquet"


@pytest.mark.parametrize(
    ("sent", "part"),
    [
        ("bytes=0-99", slice(0, 100)), ("bytes=100-", slice(100, None)), ("bytes=-8", slice(-8, None)),
        ("bytes=5-5", slice(5, 6)), ("bytes=0-999999999999", slice(None)), ("bytes=-999999999", slice(None)),
    ],
)  # fmt: skip
def test_a_part_of_a_parquet_file_is_sent_alone(service: Service, sent: str, part: slice) -> None:
    whole = service.get(PARQUET)
    assert whole.headers["accept-ranges"] == "bytes"
    got = service.get(PARQUET, range=sent, accept_encoding="gzip, br")
    first, last, _ = part.indices(len(whole.body))
    assert (got.status, got.body) == (206, whole.body[part])
    assert got.headers["content-range"] == f"bytes {first}-{last - 1}/{len(whole.body)}"
    assert got.headers["content-length"] == str(last - first)
    assert got.headers["etag"] == whole.headers["etag"]
    assert service.get(PARQUET, range=sent, method="HEAD").headers["content-range"] == got.headers["content-range"]


@pytest.mark.parametrize(
    "headers",
    [
        {"range": "bytes=9-3"}, {"range": "bytes=-"},
        {"range": "bytes=0-1,4-5"}, {"range": "rows=0-1"}, {"range": "bytes=0x1-2"},
        {"range": "bytes=0-9", "if_range": 'W/"of before"'},
    ],
    ids=str,
)  # fmt: skip
def test_a_range_that_means_nothing_gets_the_whole_file(service: Service, headers: dict[str, str]) -> None:
    assert service.get(PARQUET, **headers).status == 200
    assert service.get(PARQUET, **headers).body == service.get(PARQUET).body


@pytest.mark.parametrize("sent", ["bytes=9999999-", "bytes=-0"])
def test_a_range_of_which_the_file_has_nothing_is_416_with_the_size(service: Service, sent: str) -> None:
    size = len(service.get(PARQUET).body)
    got = service.get(PARQUET, range=sent)
    assert (got.status, got.body, got.headers["content-range"]) == (416, b"", f"bytes */{size}")


def test_a_part_is_sent_if_the_file_is_still_the_one_that_if_range_names(service: Service) -> None:
    """A download that was interrupted goes on, and begins again where a release brought another file."""
    tag = service.get(PARQUET).headers["etag"]
    assert not tag.startswith("W/")
    assert service.get(PARQUET, range="bytes=4-7", if_range=tag).status == 206
    assert service.get(PARQUET, range="bytes=4-7", if_range='"other"').status == 200
    assert service.get(PARQUET, range="bytes=4-7", if_range=f"W/{tag}").status == 200


def test_lists_and_compressed_files_have_no_parts(service: Service) -> None:
    for target in (LINES, f"{EXPORT}/events.ics", "/v1/harbor/events"):
        got = service.get(target, range="bytes=0-9")
        assert (got.status, "accept-ranges" in got.headers) == (200, False)


class RemoteFile(io.RawIOBase):
    """A file that is read by ranges, as DuckDB, Polars and pyarrow read one over HTTP."""

    def __init__(self, service: Service, target: str) -> None:
        self._service, self._target, self._at, self.requested = service, target, 0, 0
        self._size = int(service.get(target, method="HEAD").headers["content-length"])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self._size - self._at)
        if wanted <= 0:
            return 0
        got = self._service.get(self._target, range=f"bytes={self._at}-{self._at + wanted - 1}")
        assert (got.status, len(got.body)) == (206, wanted)
        buffer[:wanted] = got.body
        self._at += wanted
        self.requested += wanted
        return wanted


def test_who_reads_one_column_of_a_parquet_file_gets_a_part_of_its_bytes(service: Service) -> None:
    remote = RemoteFile(service, PARQUET)
    names = ParquetFile(remote, pre_buffer=False).read(columns=["name"])["name"].to_pylist()
    listed = service.get("/v1/harbor/events?audience=all&min_confidence=0").read_json()["data"]
    assert {*names} >= {item["name"] for item in listed}
    whole = len(service.get(PARQUET).body)
    parts = ParquetFile(io.BytesIO(service.get(PARQUET).body)).metadata
    columns = [parts.row_group(0).column(number) for number in range(parts.num_columns)]
    others = sum(column.total_compressed_size for column in columns if column.path_in_schema != "name")
    assert remote.requested <= whole - others + 65_536  # a reader asks for some of the end at once
