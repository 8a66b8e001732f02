"""An internet of a test's own: sites by their names over https, behind a proxy on loopback."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.loopback import run_server
from tests.pipeline.fetch.web import Page

# What tests visit. A certificate names them all.
HOSTS = (
    "museum.example", "events.example", "*.santarosa.example", "*.far.example", "*.college.far.example",
    "*.readers.far.example", "*.librarycalendar.far.example", "*.circus.far.example",
    "*.bibliocommons.com", "*.libnet.info", "*.libcal.com", "www.trumba.com",
    "tockify.com", "www.meetup.com", "www.eventbrite.com", "www.eventbriteapi.com", "app.ticketmaster.com",
    "calendar.google.com",
)  # fmt: skip
Answer = Page | Callable[[str], Page]


class Internet:
    """`pages` by host and path (`library.example/events`), with or without the query; a function makes one of the
    request's target. `requests`: host and target of each request, with its user agent, in order; `unchanged`: what was
    answered by 304."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.requests: list[tuple[str, str]] = []
        self.agents: set[str] = set()
        self.unchanged: list[str] = []

    @property
    def addresses(self) -> list[str]:
        return [f"{host}{target}" for host, target in self.requests]

    def find(self, host: str, target: str) -> Page:
        whole = f"{host}{target}"
        page = self.pages.get(whole) or self.pages.get(whole.partition("?")[0]) or Page(b"not here", status=404)
        return page if isinstance(page, Page) else page(target)


class _Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    internet: Internet
    context: ssl.SSLContext

    def do_CONNECT(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            inner = self.context.wrap_socket(self.connection, server_side=True)
            _Site(inner, self.client_address, self.server, host=self.path.partition(":")[0], internet=self.internet)
            with suppress(OSError):
                inner.shutdown(socket.SHUT_RDWR)
            inner.close()
        self.close_connection = True

    def log_message(self, *args: Any) -> None:
        pass


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, host: str, internet: Internet) -> None:
        self.host, self.internet = host, internet
        super().__init__(*args)

    def do_GET(self) -> None:
        self.internet.requests.append((self.host, self.path))
        self.internet.agents.add(self.headers.get("User-Agent", ""))
        page = self.internet.find(self.host, self.path)
        status = page.statuses.pop(0) if page.statuses else page.status
        if page.etag is not None and self.headers.get("If-None-Match") == page.etag:
            status = 304
            self.internet.unchanged.append(f"{self.host}{self.path}")
        body = b"" if status == 304 else page.body
        self.send_response(status)
        self.send_header("Connection", "close")
        self.send_header("Content-Length", str(len(body)))
        own = {"ETag": page.etag} if page.etag else {}
        for name, value in (page.headers | own).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def open_internet(certificate: Path) -> Iterator[tuple[Internet, str]]:
    """Yield the internet and the address of the proxy that leads there."""
    internet, context = Internet(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    handler = type("InternetProxy", (_Proxy,), {"internet": internet, "context": context})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    with run_server(server) as proxy:
        yield internet, proxy


def make_certificate(path: Path) -> Path:
    """Write a self-signed certificate of all hosts, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an internet")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in HOSTS]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    path.write_bytes(key.private_bytes(pem, form, plain) + made.public_bytes(pem))
    return path
