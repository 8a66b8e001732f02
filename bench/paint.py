"""Measure how soon pages are painted with a processor four times slower: `python -m bench.paint URL...`, with
Playwright.

Milliseconds until the first text is painted and until the page is loaded: the median of several visits without a cache.
"""

import os
import sys
from statistics import median

from playwright.sync_api import sync_playwright

from bench.explorer import CHROMIUM

_SLOWER = 4
_VISITS = 5
_READ = """() => [
  performance.getEntriesByName("first-contentful-paint")[0].startTime,
  performance.getEntriesByType("navigation")[0].loadEventEnd,
]"""


def main(urls: list[str]) -> None:
    print("| Page | First paint | Loaded |\n|---|---|---|")
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        for url in urls:
            times = []
            for _ in range(_VISITS):
                context = browser.new_context(viewport={"width": 1440, "height": 900})
                page = context.new_page()
                context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
                page.goto(url, wait_until="load")
                page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
                times.append(page.evaluate(_READ))
                context.close()
            painted, loaded = (median(column) for column in zip(*times, strict=True))
            print(f"| {url} | {painted:,.0f} | {loaded:,.0f} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
