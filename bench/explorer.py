"""What the explorer feels like, at as many listings as you say: `python -m bench.explorer`, with Playwright.

Milliseconds from a choice until its answer stands on the page, by what is chosen; and how long the main thread is kept
by each redraw of the map, for as many points as the explorer reads and for a hundred thousand.
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.peers.world import METRO, make_world
from bench.servers import OUTINGS, find_free_port, make_key, run_process

CHROMIUM = "/usr/bin/chromium"
CHOICES = ("category", "weekday", "price", "age")
POINTS = (2_000, 100_000)
_FRAMES = 40

# From the event of a choice until the view is no longer busy, with the counts beside the filters.
_CHOOSE = """([id, value]) => new Promise(resolve => {
  const view = document.querySelector("#view");
  const began = performance.now();
  const watcher = new MutationObserver(() => {
    if (view.hasAttribute("aria-busy")) return;
    watcher.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - began));
  });
  watcher.observe(view, { attributes: true, attributeFilter: ["aria-busy"] });
  const box = document.querySelector(`#${id} input[value="${value}"]`);
  const field = box ?? document.querySelector(`#${id}`);
  if (box) box.checked = !box.checked;
  else if (value) field.value = value;
  field.dispatchEvent(new Event("change", { bubbles: true }));
})"""
_PAN = """async ([address, count, frames]) => {
  const { openMap } = await import(address);
  const frame = document.createElement("div");
  frame.className = "map";
  document.querySelector("#view").replaceChildren(frame);
  const points = Array.from({ length: count }, (_, at) => ({
    lat: 47.3 + (at * 0.61803 % 1) * 0.6, lng: -122.6 + (at * 0.41421 % 1) * 0.7, id: String(at), name: "Walk",
  }));
  const map = openMap(frame, { areas: [], choose: () => {}, look: () => {}, zoomIn: "+", zoomOut: "-" });
  map.show(points, { south: 47.3, west: -122.6, north: 47.9, east: -121.9 });
  const kept = [];
  for (let at = 0; at < frames; at++) {
    await new Promise(requestAnimationFrame);
    const began = performance.now();
    map.redraw();
    kept.push(performance.now() - began);
  }
  map.close();
  return kept;
}"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.explorer", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as scratch:
        world, port = make_world(Path(asked.keep or scratch), listings=asked.listings), find_free_port()
        key = make_key(world.config)
        words = [*OUTINGS, "serve", "-c", str(world.config), "--port", str(port), "--workers", "1"]
        with run_process(words, port=port):
            print(f"{asked.listings:,} listings; milliseconds\n", flush=True)
            look(f"http://127.0.0.1:{port}", key)


def look(url: str, key: str) -> None:
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        page.add_init_script(f"sessionStorage.setItem('outings-key', '{key}')")
        page.goto(f"{url}/explore/?metro={METRO.slug}")
        page.wait_for_selector("#category input")
        page.wait_for_selector("#view:not([aria-busy]) > *")
        print("| Choice | Median | 95 % | Most |\n|---|---|---|---|")
        for name in CHOICES:
            print_times(name, [page.evaluate(_CHOOSE, choice) for choice in list_choices(page, name)])
        address = page.evaluate("() => new URL(document.querySelector('#explorer').dataset.map, document.baseURI).href")
        print("\n| Redraw of the map | Median | 95 % | Most |\n|---|---|---|---|")
        for points in POINTS:
            print_times(f"{points:,} points", page.evaluate(_PAN, [address, points, _FRAMES]))
        browser.close()


def list_choices(page: Page, name: str) -> Iterator[list[Any]]:
    """Each choice of a filter, and then it is taken back."""
    if name == "age":
        for age in range(13):
            page.evaluate(f"() => {{ document.querySelector('#age').value = '{age}'; }}")
            yield [name, ""]
        return
    fields = f"document.querySelectorAll('#{name} [value]')"
    values: list[str] = page.evaluate(f"() => [...{fields}].map(each => each.value)")
    for value in filter(None, values):
        yield [name, value]
        if name != "price":
            yield [name, value]


def print_times(name: str, times: Sequence[float]) -> None:
    ordered = sorted(times)
    cells = (statistics.median(ordered), ordered[int(len(ordered) * 0.95)], ordered[-1])
    print(f"| {name} | {' | '.join(f'{each:.0f}' for each in cells)} |", flush=True)


if __name__ == "__main__":
    main()
