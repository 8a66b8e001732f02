"""Measure how fast the explorer feels with as many listings as you say: `python -m bench.explorer`, with Playwright.

Milliseconds from a choice until its answer stands on the page, by what is chosen; and how far frames are apart while
the map is dragged and zoomed, beside the same page at rest.
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.peers.world import METRO, make_world
from bench.servers import OUTINGS, find_free_port, make_key, run_process

CHROMIUM = "/usr/bin/chromium"
CHOICES = ("category", "weekday", "price", "age")
_REST_MS = 1_500
_DRAGS, _STEPS = 6, 40

# From the event of a choice until the view is no longer busy, with the counts beside the filters.
CHOOSE = """([id, value]) => new Promise(resolve => {
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
# Gaps between frames from here on, and tasks that keep the main thread for more than 50 ms.
_WATCH = """() => {
  const watched = window.watched = { gaps: [], long: [] };
  let last = performance.now();
  const step = (now) => {
    watched.gaps.push(now - last);
    last = now;
    watched.next = requestAnimationFrame(step);
  };
  watched.next = requestAnimationFrame((now) => { last = now; watched.next = requestAnimationFrame(step); });
  watched.observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) watched.long.push(entry.duration);
  });
  watched.observer.observe({ type: "longtask" });
}"""
_TELL = """() => {
  cancelAnimationFrame(window.watched.next);
  window.watched.observer.disconnect();
  return [window.watched.gaps, window.watched.long];
}"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.explorer", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as scratch:
        world, port = make_world(Path(options.keep or scratch), listings=options.listings), find_free_port()
        key = make_key(world.config)
        words = [*OUTINGS, "serve", "-c", str(world.config), "--port", str(port), "--workers", "1"]
        with run_process(words, port=port):
            print(f"{options.listings:,} listings; milliseconds\n", flush=True)
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
            print_times(name, [page.evaluate(CHOOSE, choice) for choice in list_choices(page, name)])
        page.get_by_role("button", name="Map", exact=True).click()
        page.wait_for_selector(".map[data-counted]")
        page.wait_for_selector("#view:not([aria-busy])")
        print("\n| Frames | How many | Median gap | 95 % | Most | Tasks over 50 ms | Longest |")
        print("|---|---|---|---|---|---|---|")
        for name, move in MOVES.items():
            print_frames(name, *watch(page, move))
        browser.close()


def rest(page: Page) -> None:
    page.wait_for_timeout(_REST_MS)


def drag(page: Page) -> None:
    """Across a third of the map, back and forth."""
    box = page.locator(".map").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for turn in range(_DRAGS):
        page.mouse.move(x, y)
        page.mouse.down()
        far = box["width"] / 3 * (-1 if turn % 2 else 1)
        for step in range(1, _STEPS + 1):
            page.mouse.move(x + far * step / _STEPS, y + step)
        page.mouse.up()


def zoom(page: Page) -> None:
    """Three levels nearer, and back."""
    for title in ("Zoom in", "Zoom out"):
        for _ in range(3):
            page.locator(f".map [title='{title}']").click()
            page.wait_for_timeout(_REST_MS / 6)


def come_near(page: Page) -> None:
    """Zoom in until the map shows each listing."""
    while page.locator(".map[data-points='0']").count():
        page.locator(".map [title='Zoom in']:not(.leaflet-disabled)").click()
        page.wait_for_timeout(_REST_MS)


MOVES: Mapping[str, Callable[[Page], None]] = {
    "squares, at rest": rest, "squares, dragged": drag, "zoomed in and out": zoom, "coming near": come_near,
    "points, at rest": rest, "points, dragged": drag,
}  # fmt: skip


def watch(page: Page, move: Callable[[Page], None]) -> tuple[list[float], list[float]]:
    page.evaluate(_WATCH)
    move(page)
    gaps, long = page.evaluate(_TELL)
    return gaps, long


def print_frames(name: str, gaps: Sequence[float], long: Sequence[float]) -> None:
    ordered = sorted(gaps)
    cells = (statistics.median(ordered), ordered[int(len(ordered) * 0.95)], ordered[-1])
    times = " | ".join(f"{cell:.0f}" for cell in cells)
    print(f"| {name} | {len(gaps)} | {times} | {len(long)} | {max(long, default=0):.0f} |", flush=True)


def list_choices(page: Page, name: str) -> Iterator[list[Any]]:
    """Each choice of a filter, and then it is taken back."""
    if name == "age":
        for age in range(13):
            page.evaluate(f"() => {{ document.querySelector('#age').value = '{age}'; }}")
            yield [name, ""]
        return
    fields = f"document.querySelectorAll('#{name} [value]')"
    values: list[str] = page.evaluate(f"() => [...{fields}].map(node => node.value)")
    for value in filter(None, values):
        yield [name, value]
        if name != "price":
            yield [name, value]


def print_times(name: str, times: Sequence[float]) -> None:
    ordered = sorted(times)
    cells = (statistics.median(ordered), ordered[int(len(ordered) * 0.95)], ordered[-1])
    print(f"| {name} | {' | '.join(f'{cell:.0f}' for cell in cells)} |", flush=True)


if __name__ == "__main__":
    main()
