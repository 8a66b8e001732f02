"""Whom a feed may have us ask: no address of a private network, by whatever name or redirect; and who gets its keys."""

import asyncio
import ssl
from collections.abc import Callable, Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path

import httpx2
import pytest

from outings.configuration import Configuration, ConfigurationError, read_configuration
from pipeline.fetch.opening import open_sources
from pipeline.fetch.private_addresses import Address, PinnedTransport, PrivateAddress, is_public, is_routable
from pipeline.fetch.source import FeedError, FeedSource
from tests.pipeline.fetch.conftest import certificate
from tests.pipeline.fetch.web import LINE, PATIENT, Page, Web, read_body, serve_web
from tests.settings import format_metro

__all__ = ["certificate"]

SECRET = "s3cr3t-of-the-operator"


@pytest.fixture
def web() -> Iterator[Web]:
    with serve_web() as served:
        served.pages["/feed"] = Page(LINE)
        yield served


Read = Callable[..., Configuration]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def write(url: str, *, settings: str = "", kind: str = 'format = "ndjson"') -> Configuration:
        feed = f'[[feeds]]\nname = "spl"\nmetro = "seattle"\n{kind}\nurl = "{url}"\n{settings}\n'
        (tmp_path / "outings.toml").write_text(format_metro("seattle") + feed)
        return read_configuration(tmp_path / "outings.toml", {"TOKEN": SECRET})

    return write


Open = Callable[..., FeedSource]


@pytest.fixture
def open_feed(read: Read, tmp_path: Path) -> Open:
    def open_one(url: str, **written: str) -> FeedSource:
        configuration = read(url, **written)
        return open_sources(configuration.feeds, configuration, scratch=tmp_path / "scratch", policy=PATIENT)["spl"]

    return open_one


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "0.0.0.0"]
)
@pytest.mark.parametrize("kind", ['format = "ndjson"', 'format = "rpde"\nmode = "delta"'], ids=["ndjson", "rpde"])
def test_a_feed_of_this_machine_is_not_asked_for_unless_it_says_so(
    open_feed: Open, web: Web, host: str, kind: str
) -> None:
    with pytest.raises(FeedError, match=r"is at \S+, an address of this machine or of a private network; .*allow_priv"):
        open_feed(f"http://{host}:{web.url.rpartition(':')[2]}/feed", kind=kind)
    assert web.requests == []


def test_a_feed_of_this_machine_that_allows_it_is_fetched(open_feed: Open, web: Web) -> None:
    assert read_body(open_feed(f"{web.url}/feed", settings="allow_private = true")) == LINE


def test_a_redirect_to_a_private_address_is_not_followed(
    open_feed: Open, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proxy stands for the internet: it knows the feed's server, and the redirect leads past it."""
    with serve_web() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        for target in (
            f"{web.url}/feed",
            "http://169.254.169.254/latest/meta-data",
            "http://10.0.0.1/",
            "http://[::1]/",
        ):
            proxy.pages["http://feeds.invalid/feed"] = Page(status=302, headers={"Location": target})
            with pytest.raises(FeedError, match=r"feeds\.invalid/feed: leads to http://\S+, which is at ") as refused:
                open_feed("http://feeds.invalid/feed")
            assert target in str(refused.value)
        assert set(proxy.targets) == {"http://feeds.invalid/feed"}
    assert web.requests == []


@pytest.mark.parametrize(
    "target", ["http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]/"]
)
def test_a_feed_that_allows_private_addresses_is_not_led_to_link_local_ones(
    open_feed: Open, web: Web, target: str
) -> None:
    web.pages["/moved"] = Page(status=302, headers={"Location": target})
    with pytest.raises(FeedError, match="a link-local address, which no feed may have"):
        open_feed(f"{web.url}/moved", settings="allow_private = true")


PRIVATE = (
    "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "0.0.0.0",
    "100.64.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1",
    "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1", "64:ff9b::7f00:1", "2002:7f00:1::",
    "2002:a9fe:a9fe::1", "64:ff9b:1::7f00:1", "fec0::1", "::7f00:1", "::ffff:0:7f00:1",
)  # fmt: skip
PUBLIC = ("93.184.216.34", "8.8.8.8", "172.32.0.1", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808")


def test_which_addresses_are_public() -> None:
    assert [value for value in PRIVATE if is_public(ip_address(value))] == []
    assert [value for value in PUBLIC if not is_public(ip_address(value))] == []


def test_which_private_addresses_a_feed_may_allow() -> None:
    refused = [value for value in (*PRIVATE, *PUBLIC) if not is_routable(ip_address(value))]
    assert refused == ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "2002:a9fe:a9fe::1"]


def ask(url: str, *answers: Sequence[str], verify: ssl.SSLContext | None = None, then: Sequence[str] = ()) -> list[int]:
    """Statuses. `answers`: the name's addresses, each time that they are asked for. 127.0.0.1 counts as public."""
    waiting = list(answers)

    async def resolve(_host: str, _port: int) -> Sequence[Address]:
        return [ip_address(value) for value in waiting.pop(0)]

    async def run() -> list[int]:
        transport = PinnedTransport(
            verify=verify or ssl.create_default_context(), connect_timeout=30.0, resolve=resolve,
            is_allowed=lambda address: str(address) == "127.0.0.1",
        )  # fmt: skip
        async with httpx2.AsyncClient(transport=transport, timeout=30.0) as client:
            return [(await client.get(value)).status_code for value in (url, *then)]

    return asyncio.run(run())


def test_what_was_checked_is_what_is_connected_to(web: Web) -> None:
    """A name of which the second answer is another address: it is asked for once a request, and never behind it."""
    port = web.url.rpartition(":")[2]
    url = f"http://feeds.example:{port}/feed"
    assert ask(url, ["127.0.0.1"]) == [200]
    assert [headers["host"] for _, headers in web.requests] == [f"feeds.example:{port}"]
    with pytest.raises(PrivateAddress, match=r"127\.0\.0\.2"):
        ask(url, ["127.0.0.1"], ["127.0.0.2"], then=[url])
    with pytest.raises(PrivateAddress, match=r"127\.0\.0\.2"):
        ask(url, ["127.0.0.1", "127.0.0.2"])
    assert len(web.requests) == 2


def test_a_proxy_of_another_scheme_is_not_passed_by(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection without a proxy would resolve the name again, after the check."""
    port = web.url.rpartition(":")[2]
    with serve_web() as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(httpx2.ProxyError):
            ask(f"http://localhost:{port}/feed", *[["127.0.0.1"]] * 2, then=[f"https://localhost:{port}/feed"])
    assert web.targets == ["/feed"]


def test_the_certificate_is_still_the_names(certificate: Path) -> None:
    """The name leads to 127.0.0.1, whose certificate does not have the name."""
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(certificate)
    verify = ssl.create_default_context(cafile=str(certificate))
    with serve_web(served) as web:
        web.pages["/feed"] = Page(LINE)
        port = web.url.rpartition(":")[2]
        assert ask(f"https://127.0.0.1:{port}/feed", ["127.0.0.1"], verify=verify) == [200]
        with pytest.raises(httpx2.ConnectError, match="Hostname mismatch"):
            ask(f"https://feeds.example:{port}/feed", ["127.0.0.1"], verify=verify)


TOKEN = 'allow_private = true\nheaders = { X-App-Token = "${TOKEN}", User-Agent = "a-city/1" }'


def test_headers_go_to_the_feeds_own_server_and_come_back_with_it(open_feed: Open, web: Web) -> None:
    with serve_web() as other:
        web.pages["/feed"] = Page(status=302, headers={"Location": "/again"})
        web.pages["/again"] = Page(status=302, headers={"Location": f"{other.url}/away"})
        other.pages["/away"] = Page(status=302, headers={"Location": f"{web.url}/back"})
        web.pages["/back"] = Page(LINE)
        assert read_body(open_feed(f"{web.url}/feed", settings=TOKEN)) == LINE
        sent = [(target, headers.get("x-app-token"), headers["user-agent"]) for target, headers in web.requests]
        assert sent == [(target, SECRET, "a-city/1") for target in ("/feed", "/again", "/back")]
        ((_, headers),) = other.requests
    assert SECRET not in str(headers)
    assert headers["user-agent"] == "outings/1"


def test_headers_are_sent_with_each_page(open_feed: Open, web: Web) -> None:
    web.pages["/feed"] = Page(b'{"items": [], "next": "/feed?afterChangeNumber=1"}')
    web.pages["/feed?afterChangeNumber=1"] = Page(b'{"items": [], "next": "/feed?afterChangeNumber=1"}')
    open_feed(f"{web.url}/feed", settings=TOKEN, kind='format = "rpde"\nmode = "delta"')
    assert [headers["x-app-token"] for _, headers in web.requests] == [SECRET] * 2


@pytest.mark.parametrize(
    ("url", "headers", "message"),
    [
        ("https://feeds.example/a", '{ Host = "other" }', "feeds.spl.headers.Host"),
        ("https://feeds.example/a", '{ "a b" = "c" }', "feeds.spl.headers.a b"),
        ("https://feeds.example/a", '{ X-Token = "${TOKEN}\\r\\nX: y" }', "feeds.spl.headers.X-Token"),
        ("data/a.ndjson", '{ X-Token = "${TOKEN}" }', "feeds.spl.headers"),
    ],
)
def test_a_header_that_can_not_be_sent_is_reported_without_its_value(
    read: Read, url: str, headers: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as wrong:
        read(url, settings=f"headers = {headers}")
    (problem,) = wrong.value.problems
    assert problem.key == message
    assert SECRET not in str(problem)
