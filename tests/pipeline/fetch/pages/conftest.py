"""A server on loopback and the one feed that walks through its pages."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from outings.configuration import Configuration, read_configuration
from outings.release.store import open_store
from outings.retry_policy import RetryPolicy
from pipeline.building import BuildResult, build_release
from pipeline.clean.feed_read import FeedRead
from pipeline.clean.reading import read_source
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.fetch.opening import open_sources
from pipeline.plan import Build
from tests.pipeline.fetch.pages.paged_rows import BY_OFFSET, MAP, Make, Read
from tests.pipeline.fetch.web import PATIENT, Web
from tests.settings import format_metro


@pytest.fixture
def configure(tmp_path: Path, web: Web) -> Callable[..., Configuration]:
    def write(settings: str = BY_OFFSET, *, url: str | None = None) -> Configuration:
        feed = '[[feeds]]\nname = "agenda"\nmetro = "seattle"\nformat = "table"\nallow_private = true\n'
        feed += f'url = "{url or web.url + "/rows"}"\n{settings}\n{MAP}'
        (tmp_path / "outings.toml").write_text(format_metro("seattle") + feed)
        return read_configuration(tmp_path / "outings.toml", {"TOKEN": "secret"})

    return write


@pytest.fixture
def read_pages(configure: Callable[..., Configuration], tmp_path: Path) -> Read:
    def read(settings: str = BY_OFFSET, *, policy: RetryPolicy = PATIENT, url: str | None = None) -> FeedRead:
        configuration = configure(settings, url=url)
        sources = open_sources(configuration.feeds, configuration, scratch=tmp_path / "scratch", policy=policy)
        return read_source(configuration.feeds[0], configuration, sources["agenda"])

    return read


@pytest.fixture
def build(configure: Callable[..., Configuration]) -> Make:
    def build_city(day: str = "2026-12-01", settings: str = BY_OFFSET) -> BuildResult:
        configuration = configure(settings)
        request = Build(configuration=configuration, as_of=AsOf(day=date.fromisoformat(day)))
        return build_release(request, store=open_store(configuration.store.url), executor=InlineExecutor())

    return build_city
