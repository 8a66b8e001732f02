"""`[static]`: a place of its own, and requests that files can answer."""

from pathlib import Path

import pytest

from outings.configuration import Configuration, ConfigurationError, read_configuration
from tests.configuration.settings import FEED, METRO


def read(folder: Path, text: str) -> Configuration:
    (folder / "outings.toml").write_text(text)
    return read_configuration(folder / "outings.toml", {})


@pytest.mark.parametrize(
    ("table", "key", "words"),
    [
        ('url = "http://x"', "static.url", ["file:FOLDER or s3://BUCKET/PREFIX"]),
        ('url = "file:var/store"', "static.url", ["the place of the store", "another place"]),
        ('url = "file:var"', "static.url", ["another place"]),
        ('url = "file:./var/x/../store/public"', "static.url", ["another place"]),
        ('metros = ["seatle"]', "static.metros", ["did you mean seattle?"]),
        ('days = -1', "static.days", ["from 0 to 366"]),
        ('max_objects = 0', "static.max_objects", ["from 1"]),
        ('requests = ["/v1/seattle/evnts"]', "static.requests", ["no such route", "/v1/seattle/events"]),
        ('requests = ["/v1/seattle/events?categry=x"]', "static.requests", ["Did you mean category?"]),
        ('requests = ["/v1/seattle/events?page=2"]', "static.requests", ["page can't be part"]),
        ('requests = ["/v1/seattle/places?free=true"]', "static.requests", ["ignores"]),
        ('requests = ["/v1/boston/events"]', "static.requests", ["boston is not among", "allowed: sea, seattle"]),
        ('requests = ["/v1/seattle/nearby?lat=47.6&lng=-122.3"]', "static.requests", ["can't be a file"]),
        ('requests = ["/v1/seattle/places?open_at=now"]', "static.requests", ["open_at=now", "local time"]),
        ('requests = ["/v1/seattle/events?ends_after=now"]', "static.requests", ["ends_after=now can't be part"]),
        ('requests = ["/v1/changes?cursor=7"]', "static.requests", ["cursor can't be part"]),
        ('requests = ["/v1/seattle/events.ics/address"]', "static.requests", ["can't be a file"]),
        ('requests = ["/v1/seattle/events?include=source"]', "static.requests", ["include can't be part"]),
    ],
)  # fmt: skip
def test_a_static_tree_has_a_place_of_its_own_and_requests_that_files_can_answer(
    tmp_path: Path, table: str, key: str, words: list[str]
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read(tmp_path, f"{METRO}{FEED}[static]\n{table}")
    [message] = [problem.message for problem in refused.value.problems if problem.key == key]
    assert [word for word in words if word not in message] == []


def test_a_static_tree_is_published_only_where_it_is_configured(tmp_path: Path) -> None:
    assert read(tmp_path, METRO + FEED).static is None
    static = read(tmp_path, f'{METRO}{FEED}[static]\nrequests = ["/v1/sea/events.ics?free=true", "/v1/metros"]').static
    assert static is not None
    assert (static.url, static.days, static.max_objects) == (f"file:{tmp_path}/var/public", 15, 200_000)
    beside = '[store]\nurl = "s3://b/store"\n[static]\nurl = "s3://b/public/"'
    assert read(tmp_path, f"{METRO}{FEED}{beside}").static is not None
