"""Feeds over https: whose certificate is believed is what the machine, or its environment, says."""

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.city import make_event
from tests.pipeline.fetch.web import Page, Web, serve_web
from tests.settings import format_metro


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
    (folder / "outings.toml").write_text(format_metro("seattle") + feed)
    words = [sys.executable, "-m", "command", "check", "-c", str(folder / "outings.toml")]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=os.environ | environment)


@pytest.mark.long
def test_a_certificate_that_the_environment_names_is_believed(web: Web, certificate: Path, tmp_path: Path) -> None:
    checked = check(tmp_path, web, SSL_CERT_FILE=str(certificate))
    assert checked.returncode == 0, checked.stderr
    assert web.targets == ["/feed"]


@pytest.mark.slow("a process of the command line with an HTTP client")
def test_a_certificate_that_nobody_vouches_for_is_refused(web: Web, tmp_path: Path) -> None:
    checked = check(tmp_path, web)
    assert checked.returncode == 1
    assert "a certificate that is not trusted: self-signed certificate" in checked.stderr
    assert "asked again" not in checked.stderr
    assert web.targets == []
