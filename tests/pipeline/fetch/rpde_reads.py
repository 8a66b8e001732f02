"""Reads of an RPDE feed, one after the other, as builds do them."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from outings.configuration import Configuration, read_configuration
from outings.release.root import FeedMemory
from pipeline.clean.feed_read import FeedRead
from pipeline.clean.reading import read_source
from pipeline.fetch.opening import open_sources
from pipeline.fetch.source import FeedSource
from tests.pipeline.fetch.web import PATIENT, Web
from tests.release.memory import MemoryStore
from tests.settings import format_metro

NOON = datetime.fromisoformat("2026-08-10T12:00:00+00:00")

Configure = Callable[..., Configuration]


def make_configure(folder: Path, web: Web) -> Configure:
    def write(path: str = "/feed", *, settings: str = "", url: str | None = None) -> Configuration:
        feed = '[[feeds]]\nname = "oa"\nmetro = "seattle"\nformat = "rpde"\nmode = "delta"\nallow_private = true\n'
        text = format_metro("seattle") + feed + f'url = "{url or web.url + path}"\n{settings}'
        (folder / "outings.toml").write_text(text)
        return read_configuration(folder / "outings.toml", {})

    return write


class RpdeReads:
    """Reads one feed repeatedly, each time from where the last read ended."""

    def __init__(self, configure: Configure, scratch: Path) -> None:
        self._configure = configure
        self._scratch = scratch
        self._store = MemoryStore()
        self.source: FeedSource | None = None
        self.messages: list[str] = []

    def read(self, *, now: datetime = NOON, **written: Any) -> FeedRead:
        configuration = self._configure(**written)
        (feed,) = configuration.feeds
        memories = {} if self.source is None else {"oa": remember(self.source)}
        source = open_sources(
            [feed],
            configuration,
            scratch=self._scratch,
            memories=memories,
            store=self._store,
            now=now,
            tell=self.messages.append,
            policy=PATIENT,
        )["oa"]
        read = read_source(feed, configuration, source)
        assert read.read == len(read.records) + read.merged + read.quarantined
        self.source = source
        return read


def remember(source: FeedSource) -> FeedMemory:
    return FeedMemory(
        hash=source.hash, read=0, listings=0, merged=0, quarantined=0, question=source.question, next=source.next,
        walked_at=source.walked_at,
    )  # fmt: skip


def list_names(read: FeedRead) -> list[str]:
    return [record.name or f"gone {record.source_id}" for record in read.records]
