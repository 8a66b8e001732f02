"""Feeds in a bucket, here because the server is: one key, or the keys that a pattern matches."""

from pathlib import Path

import boto3
import pytest

from outings.configuration import Configuration, read_configuration
from pipeline.clean.feed_read import FeedRead
from pipeline.feed_task import read_feed
from pipeline.fetch.source import FeedError
from tests.settings import format_metro

pytestmark = pytest.mark.xdist_group("s3")

LINE = b'{"type": "event", "source_id": "%s", "name": "A walk"}\n'


@pytest.fixture
def configure(s3_endpoint: str, tmp_path: Path) -> Configuration:
    client = boto3.client("s3", endpoint_url=s3_endpoint)
    client.create_bucket(Bucket="feeds")
    for key in ("city/a.ndjson", "city/b.ndjson", "city/old/c.ndjson", "city/readme.txt"):
        client.put_object(Bucket="feeds", Key=key, Body=LINE % key.encode())
    feeds = "".join(
        f'[[feeds]]\nname = "{name}"\nmetro = "seattle"\nformat = "ndjson"\nurl = "s3://feeds/{key}"\nmax_bytes = 200\n'
        for name, key in (("one", "city/b.ndjson"), ("some", "city/*.ndjson"), ("none", "city/x*"), ("large", "*/*"))
    )
    (tmp_path / "outings.toml").write_text(
        f'[store]\nendpoint_url = "{s3_endpoint}"\n' + format_metro("seattle") + feeds
    )
    client.put_object(Bucket="feeds", Key="large/d", Body=b"x" * 300)
    return read_configuration(tmp_path / "outings.toml", {})


@pytest.mark.long
def test_a_key_and_a_pattern_of_keys_are_read_and_what_is_not_there_or_too_much_is_reported(
    configure: Configuration,
) -> None:
    def read(name: str) -> FeedRead:
        return read_feed(next(feed for feed in configure.feeds if feed.name == name), configure)

    assert [record.source_id for record in read("one").records] == ["city/b.ndjson"]
    some = read("some")
    assert [record.source_id for record in some.records] == ["city/a.ndjson", "city/b.ndjson"]
    assert [*some.files] == ["s3://feeds/city/a.ndjson", "s3://feeds/city/b.ndjson"]
    with pytest.raises(FeedError, match=r"feed none: s3://feeds/city/x\*: no key matches"):
        read("none")
    with pytest.raises(FeedError, match=r"has more than 200 bytes, the feed's max_bytes"):
        read("large")
