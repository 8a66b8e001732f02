"""Feeds over https: whose certificate is believed is what the machine, or its environment, says."""

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.pipeline.city import make_event
from tests.pipeline.feeds.settings import METRO
from tests.pipeline.feeds.web import Page, Web, serve_web


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of 127.0.0.1, by nobody but itself, with its key."""
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


@pytest.fixture
def web(certificate: Path) -> Iterator[Web]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serve_web(context) as served:
        served.pages["/feed"] = Page(json.dumps(make_event("a")).encode())
        yield served


def check(folder: Path, web: Web, **environment: str) -> subprocess.CompletedProcess[str]:
    feed = f'[[feeds]]\nname = "spl"\nmetro = "seattle"\nformat = "ndjson"\nurl = "{web.url}/feed"\n'
    feed += "allow_private = true\n"
    (folder / "outings.toml").write_text(METRO.format(slug="seattle") + feed)
    words = [sys.executable, "-m", "outings.command", "check", "-c", str(folder / "outings.toml")]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=os.environ | environment)


def test_a_certificate_that_the_environment_names_is_believed(web: Web, certificate: Path, tmp_path: Path) -> None:
    checked = check(tmp_path, web, SSL_CERT_FILE=str(certificate))
    assert checked.returncode == 0, checked.stderr
    assert web.targets == ["/feed"]


def test_one_that_nobody_vouches_for_is_not(web: Web, tmp_path: Path) -> None:
    checked = check(tmp_path, web)
    assert checked.returncode == 1
    assert "a certificate that is not believed: self-signed certificate" in checked.stderr
    assert "asked again" not in checked.stderr
    assert web.targets == []
