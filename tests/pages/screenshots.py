"""Pictures of pages in three widths, light and dark, for people to look at: `make screenshots` writes var/screenshots.

`python -m tests.pages.screenshots PATH...` takes these pages of the sample cities alone, such as `/` and `/reference/`.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from outings.pages.layout import SECTIONS
from tests.command.demo import start_demo, stop_demo
from tests.edge.processes.serving import wait_until
from tests.pages.conftest import CHROMIUM, WIDTHS, answers

FOLDER = Path("var/screenshots")


def take(browser: Browser, url: str, path: str) -> None:
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            page.goto(url + path, wait_until="load")
            page.wait_for_load_state("networkidle")
            name = re.sub(r"\W+", "-", path).strip("-") or "home"
            page.screenshot(path=FOLDER / f"{name}-{width}-{scheme}.png", full_page=True)
            context.close()


def take_all(paths: list[str]) -> None:
    with TemporaryDirectory() as made, sync_playwright() as playwright:
        process, printed = start_demo(Path(made))
        url = re.findall(r"http://127\.0\.0\.1:\d+", printed)[0]
        wait_until(lambda: answers(f"{url}/readyz"))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            for path in paths:
                take(browser, url, path)
        finally:
            browser.close()
            stop_demo(process)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    take_all(sys.argv[1:] or ["/", *(f"/{section.path}" for section in SECTIONS), "/cities/seattle/"])
