"""The sample cities as `make run` serves them, and Chromium.

A test that opens a page is marked `browser`. At its end each page that it opened must have had no error and no request
to anybody else. Never lift the policy of a page (`bypass_csp`): that hides faults. Wait for elements and functions,
never for an expression in a string, which the policy blocks. While Chromium is open no other event loop runs in the
process: what builds or asks in the process itself belongs in a test without the mark.
"""

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.request import urlopen

import pytest

from tests.built_once import build_once
from tests.command.demo import PATIENCE, build_demo, start_demo, stop_demo
from tests.edge.processes.serving import wait_until

if TYPE_CHECKING:
    # `make test` leaves these tests out, and does not install it.
    from playwright.sync_api import Browser, Page

CHROMIUM = "/usr/bin/chromium"
WIDTHS = (320, 768, 1440)
# Visitors, each with a rate of its own: however quick the machine is, no page waits for what another test sent.
ADDRESSES = (f"10.0.{number >> 8}.{number & 255}" for number in count(1))
Scheme = Literal["light", "dark"]


@dataclass(frozen=True)
class Demo:
    """`key` may read everything; `visitors_key` is the one that pages have."""

    url: str
    key: str
    visitors_key: str
    folder: Path


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(build_once("demo", build_demo), folder, dirs_exist_ok=True)
    process, printed = start_demo(folder)
    url = re.search(r"http://127\.0\.0\.1:\d+", printed)
    key = re.search(r"^export KEY=(\S+)$", printed, flags=re.MULTILINE)
    assert url is not None
    assert key is not None
    try:
        wait_until(lambda: answers(f"{url[0]}/readyz"))
        yield Demo(url[0], key[1], (folder / "var/visitors-key.txt").read_text().strip(), folder)
    finally:
        stop_demo(process)


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=PATIENCE) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Chromium's own sandbox refuses to be started by root.
        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        yield browser
        browser.close()


@dataclass
class Pages:
    """Opens pages, and remembers what went wrong in them. A test that expects an error takes it out of `errors`."""

    browser: "Browser"
    url: str
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def open(self, path: str = "/", *, width: int = 1440, height: int = 900, scheme: Scheme = "light") -> "Page":
        """Open an address below the demo's, or a whole one, in a context of its own."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce",
            extra_http_headers={"X-Forwarded-For": next(ADDRESSES)},
        )  # fmt: skip
        page = context.new_page()
        page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._check_request(request.url))
        page.goto(path if ":" in path else self.url + path, wait_until="networkidle")
        page.wait_for_load_state("load")  # on a busy machine the network falls silent before the scripts have run
        return page

    def _check_request(self, url: str) -> None:
        if not url.startswith((self.url, "data:", "blob:")):
            self.outside.append(url)

    def close(self) -> None:
        for context in self.browser.contexts:
            context.close()


@pytest.fixture
def pages(chromium: "Browser", demo: Demo) -> Iterator[Pages]:
    opened = Pages(chromium, demo.url)
    yield opened
    opened.close()
    assert opened.outside == []
    assert opened.errors == []
