"""A configuration with one metro and one feed, and its files, written where the test may write."""

import json
from pathlib import Path
from typing import Any

import pytest

from outings.configuration import Configuration, read_configuration
from pipeline.feeds.reading import FeedRead, read_feed
from tests.pipeline.feeds.calendars import wrap
from tests.pipeline.feeds.documents import ReadJsonld
from tests.pipeline.feeds.instants import ReadIcs
from tests.pipeline.feeds.settings import METRO, Configure, ReadNdjson, ReadTable


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    """A configuration whose only feed, `spl`, has the settings given."""

    def configure_feed(settings: str) -> Configuration:
        feed = f'\n[[feeds]]\nname = "spl"\n{settings}\n'
        text = METRO.format(slug="seattle") + 'aliases = ["sea"]' + METRO.format(slug="new-york") + feed
        (tmp_path / "outings.toml").write_text(text)
        return read_configuration(tmp_path / "outings.toml", {})

    return configure_feed


@pytest.fixture
def read_ndjson(configure: Configure, tmp_path: Path) -> ReadNdjson:
    """Reads the bytes given as a feed of Seattle, or with the settings given."""

    def read(content: bytes, settings: str = 'metro = "seattle"') -> FeedRead:
        (tmp_path / "feed.ndjson").write_bytes(content)
        configuration = configure(f'format = "ndjson"\nurl = "feed.ndjson"\n{settings}')
        return read_feed(configuration.feeds[0], configuration)

    return read


@pytest.fixture
def read_table(configure: Configure, tmp_path: Path) -> ReadTable:
    """Reads a file of the bytes given through the SELECT given."""

    def read(select: str, content: bytes = b"a\n1\n", *, name: str = "table.csv", url: str | None = None) -> FeedRead:
        (tmp_path / name).write_bytes(content)
        (tmp_path / "feed.sql").write_text(select)
        settings = f'format = "table"\nurl = "{url or name}"\nselect = "feed.sql"\nmetro = "seattle"'
        configuration = configure(settings)
        return read_feed(configuration.feeds[0], configuration)

    return read


@pytest.fixture
def read_jsonld(configure: Configure, tmp_path: Path) -> ReadJsonld:
    """Reads bytes, a page of the scripts given, or one JSON document."""

    def read(*contents: Any, name: str = "page.jsonld", settings: str = 'metro = "seattle"') -> FeedRead:
        (content,) = contents if isinstance(contents[0], bytes) else (json.dumps(contents).encode(),)
        (tmp_path / name).write_bytes(content)
        configuration = configure(f'format = "jsonld"\nurl = "{name}"\n{settings}')
        found = read_feed(configuration.feeds[0], configuration)
        assert found.read == len(found.records) + found.merged + found.quarantined
        return found

    return read


@pytest.fixture
def read_ics(configure: Configure, tmp_path: Path) -> ReadIcs:
    """Reads a calendar of the body given, or the bytes, as a feed of Seattle."""

    def read(body: str | bytes, settings: str = 'metro = "seattle"') -> FeedRead:
        content = wrap(body).encode() if isinstance(body, str) else body
        (tmp_path / "feed.ics").write_bytes(content)
        configuration = configure(f'format = "ics"\nurl = "feed.ics"\n{settings}')
        found = read_feed(configuration.feeds[0], configuration)
        assert found.read == len(found.records) + found.merged + found.quarantined
        assert found.quarantined == sum(problem.quarantined for problem in found.problems)
        return found

    return read
