"""A configuration with one metro and one feed, and its files, written where the test may write."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from outings.configuration import Configuration, read_configuration
from pipeline.clean.feed_read import FeedRead
from pipeline.feed_task import read_feed
from tests.pipeline.fetch.calendars import wrap
from tests.pipeline.fetch.documents import ReadJsonld
from tests.pipeline.fetch.instants import ReadIcs
from tests.pipeline.fetch.publisher import Publisher
from tests.pipeline.fetch.settings import Configure, ReadNdjson, ReadTable
from tests.pipeline.fetch.web import Web, serve_web
from tests.settings import format_metro


@pytest.fixture
def web() -> Iterator[Web]:
    with serve_web() as served:
        yield served


@pytest.fixture
def publisher(web: Web) -> Publisher:
    """An OpenActive feed that `web` serves."""
    published = Publisher(f"{web.url}/feed")
    web.pages["/feed"] = published.answer
    return published


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    """A configuration whose only feed, `spl`, has the settings given."""

    def configure_feed(settings: str) -> Configuration:
        feed = f'\n[[feeds]]\nname = "spl"\n{settings}\n'
        text = format_metro("seattle") + 'aliases = ["sea"]' + format_metro("new-york") + feed
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

    def read(
        select: str,
        content: bytes = b"a\n1\n",
        *,
        name: str = "table.csv",
        url: str | None = None,
        settings: str = "",
    ) -> FeedRead:
        (tmp_path / name).write_bytes(content)
        (tmp_path / "feed.sql").write_text(select)
        stated = f'format = "table"\nurl = "{url or name}"\nselect = "feed.sql"\nmetro = "seattle"\n{settings}'
        configuration = configure(stated)
        return read_feed(configuration.feeds[0], configuration)

    return read


@pytest.fixture
def read_jsonld(configure: Configure, tmp_path: Path) -> ReadJsonld:
    """Reads bytes, a page of the scripts given, or one JSON document."""

    def read(*contents: Any, name: str = "page.jsonld", settings: str = 'metro = "seattle"') -> FeedRead:
        (content,) = contents if isinstance(contents[0], bytes) else (json.dumps(contents).encode(),)
        (tmp_path / name).write_bytes(content)
        configuration = configure(f'format = "jsonld"\nurl = "{name}"\n{settings}')
        feed = read_feed(configuration.feeds[0], configuration)
        assert feed.read == len(feed.records) + feed.merged + feed.quarantined
        return feed

    return read


@pytest.fixture
def read_ics(configure: Configure, tmp_path: Path) -> ReadIcs:
    """Reads a calendar of the body given, or the bytes, as a feed of Seattle."""

    def read(body: str | bytes, settings: str = 'metro = "seattle"') -> FeedRead:
        content = wrap(body).encode() if isinstance(body, str) else body
        (tmp_path / "feed.ics").write_bytes(content)
        configuration = configure(f'format = "ics"\nurl = "feed.ics"\n{settings}')
        feed = read_feed(configuration.feeds[0], configuration)
        assert feed.read == len(feed.records) + feed.merged + feed.quarantined
        assert feed.quarantined == sum(problem.quarantined for problem in feed.problems)
        return feed

    return read


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a self-signed certificate of 127.0.0.1, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a city")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("certificate") / "city.pem"
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    path.write_bytes(key.private_bytes(pem, form, plain) + made.public_bytes(pem))
    return path
