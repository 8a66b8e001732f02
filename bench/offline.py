"""What the folder of a metro feels like that opens without a server: `python -m bench.offline`, with Playwright.

Megabytes of the folder and seconds to write it; seconds from opening its page until the first list stands; and
milliseconds from a choice until its answer stands, by what is chosen.
"""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bench.explorer import CHOICES, CHOOSE, CHROMIUM, list_choices, print_times
from bench.peers.world import METRO, make_world
from bench.servers import OUTINGS

_SHOWN = "() => document.querySelector('#view:not([aria-busy]) > *') !== null"
_OPENINGS = 5


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.offline", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as scratch:
        world = make_world(Path(options.keep or scratch), listings=options.listings)
        pages = Path(scratch, "pages")
        began = time.perf_counter()
        subprocess.run([*OUTINGS, "site", str(pages), "--offline", METRO.slug, "-c", str(world.config)], check=True)
        seconds = time.perf_counter() - began
        folder = pages / "offline" / METRO.slug
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        print(f"{options.listings:,} listings: {size / 1e6:.1f} MB, written with the site in {seconds:.1f} s\n")
        look(folder / "index.html")


def look(index: Path) -> None:
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        openings = []
        for _ in range(_OPENINGS):
            page.goto("about:blank")
            began = time.perf_counter()
            page.goto(index.as_uri())
            page.wait_for_function(_SHOWN)
            openings.append((time.perf_counter() - began) * 1000)
        print("| Milliseconds | Median | 95 % | Most |\n|---|---|---|---|")
        print_times("opened", openings)
        for name in CHOICES:
            print_times(name, [page.evaluate(CHOOSE, choice) for choice in list_choices(page, name)])
        print_times("map", [look_at_map(page) for _ in range(_OPENINGS)])
        browser.close()


def look_at_map(page: Page) -> float:
    """Of all events, and back to the list."""
    began = time.perf_counter()
    page.get_by_role("button", name="Map", exact=True).click()
    page.wait_for_selector(".map")
    page.wait_for_function(_SHOWN)
    seconds = time.perf_counter() - began
    page.get_by_role("button", name="List", exact=True).click()
    page.wait_for_selector(".listings")
    return seconds * 1000


if __name__ == "__main__":
    main()
