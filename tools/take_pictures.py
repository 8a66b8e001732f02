"""Take the README's pictures of the sample cities' pages: `make pictures` writes docs/pictures."""

import base64
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pages.conftest import CHROMIUM
from tests.pages.screenshots import serve_demo

FOLDER = Path("docs/pictures")
PAGES = {"city": "/explore/?metro=seattle", "reference": "/reference/events/"}
# A picture shows nobody's key.
_HIDE_KEYS = """() => document.querySelectorAll("code span").forEach((span) => {
  if (span.textContent.includes("ldk_")) span.textContent = span.textContent.replace(/ldk_[\\w-]+/, "$KEY");
})"""
_SIZE: Any = {"width": 1440, "height": 900}


def take_pictures() -> None:
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as playwright, serve_demo(Path(folder)) as url:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, path in PAGES.items():
            page = browser.new_page(viewport=_SIZE, color_scheme="light")
            page.goto(url + path, wait_until="networkidle")
            page.mouse.move(10, 10)  # the map comes with a reader's first movement
            page.mouse.move(12, 12)
            page.wait_for_timeout(1_000)
            page.wait_for_load_state("networkidle")
            page.evaluate(_HIDE_KEYS)
            # Playwright itself writes no WebP.
            session = page.context.new_cdp_session(page)
            taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 85})
            (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))
        browser.close()


if __name__ == "__main__":
    take_pictures()
