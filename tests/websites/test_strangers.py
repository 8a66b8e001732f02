"""Websites that nobody here made are read by their address to what a visitor sees on them."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from outings.configuration import read_configuration
from pipeline.feed_task import read_feed
from pipeline.records.record import EventRecord
from tests.new_cities.exporting import run
from tests.websites.internet import Internet
from tests.websites.stranger import Stranger
from tests.websites.stranger_calendars import CALENDARS
from tests.websites.stranger_pages import PAGES


@pytest.mark.parametrize("open_site", [*CALENDARS, *PAGES])
def test_a_site_is_read_as_a_visitor_sees_it(
    open_site: Callable[[], Stranger], internet: Internet, tmp_path: Path
) -> None:
    stranger = open_site()
    internet.pages.update(stranger.pages)
    config = tmp_path / "outings.toml"
    done = run("init", f"https://{next(iter(stranger.pages))}", *stranger.metro, "--yes", "-c", str(config))
    assert done.exit_code == 0, done.output
    (feed,) = tomllib.loads(config.read_text())["feeds"]
    configuration = read_configuration(config, {})
    records = read_feed(configuration.feeds[0], configuration).records
    events = sorted((own for own in records if isinstance(own, EventRecord)), key=lambda own: str(own.begins))
    first, expected = events[0], stranger.expected
    where = first.location
    assert (
        feed.get("preset", feed.get("format")),
        len(events),
        first.name,
        first.starts_local and first.starts_local.isoformat(),
        ((where and where.address) or "")[: len(expected.place)],
        where and where.lat,
    ) == (expected.system, expected.count, expected.name, expected.starts, expected.place, expected.lat), done.output
