"""Sites of a city by their names: what a person types into `outings init` is what is fetched."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from outings.configuration import read_configuration
from pipeline.clean.feed_read import FeedRead
from pipeline.clean.reading import read_source
from pipeline.fetch import http_client
from pipeline.fetch.opening import open_sources
from tests.pipeline.fetch.web import PATIENT
from tests.settings import format_metro
from tests.websites.internet import Internet, make_certificate, open_internet


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("internet") / "internet.pem")


@pytest.fixture
def internet(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Internet]:
    with open_internet(certificate) as (opened, proxy):
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy)
            monkeypatch.setenv(name.upper(), proxy)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.setenv(name, "127.0.0.1,localhost")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        http_client._read_certificates.cache_clear()
        yield opened
    http_client._read_certificates.cache_clear()


Read = Callable[..., FeedRead]


@pytest.fixture
def read_preset(internet: Internet, tmp_path: Path) -> Read:
    """Reads the feed of a preset by an address as a person has it."""

    def read(preset: str, url: str) -> FeedRead:
        feed = f'[[feeds]]\nname = "city"\nmetro = "seattle"\npreset = "{preset}"\nurl = "{url}"\n'
        (tmp_path / "outings.toml").write_text(format_metro("seattle") + feed)
        environ = {"EVENTBRITE_TOKEN": "secret-token", "TICKETMASTER_KEY": "secret-key"}
        configuration = read_configuration(tmp_path / "outings.toml", environ)
        sources = open_sources(configuration.feeds, configuration, scratch=tmp_path / "scratch", policy=PATIENT)
        return read_source(configuration.feeds[0], configuration, sources["city"])

    return read
