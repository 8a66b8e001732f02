"""Pictures of pages in three widths, light and dark, for people to look at: `make screenshots` writes var/screenshots.

`python -m tests.pages.screenshots NAME...` takes those alone whose name begins so, such as `home` or `state-city`.
Names begin with `es` where the sample cities speak Spanish, with `state` for pages of `tests/pages/states.py`.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, Route, sync_playwright

from outings.pages.layout import SECTIONS
from tests.command.demo import start_demo, stop_demo
from tests.edge.processes.serving import wait_until
from tests.pages.conftest import CHROMIUM, WIDTHS, answers
from tests.pages.states import NAMES, PAGES, serve_samples, serve_states

FOLDER = Path("var/screenshots")
# The whole reference is tall: its picture alone takes half a minute on a busy machine.
_PATIENCE_MS = 300_000


@dataclass(frozen=True)
class Shot:
    """`prepare` is done before the page is opened, and `act` when it is there."""

    name: str
    path: str
    prepare: Callable[[Page], None] = lambda _: None
    act: Callable[[Page], None] = lambda _: None


def open_first_listing(page: Page) -> None:
    page.locator(".listings a").first.click()
    page.locator("h1 bdi").wait_for()


def open_request(page: Page) -> None:
    page.locator("#request summary").click()


def fail(page: Page, *, status: int, message: str = "") -> None:
    """Every list fails so: 0 stands for no answer at all."""

    def answer(route: Route) -> None:
        error = {"error": {"code": "failed", "message": message, "request_id": "1"}}
        if status:
            route.fulfill(status=status, json=error, headers={"Retry-After": "17"})
        else:
            route.abort()

    page.route("**/v1/*/events?**", answer)


def send_wrong_key(page: Page) -> None:
    page.add_init_script("sessionStorage.setItem('outings-key', 'ldk_wrong')")


SAMPLES = (
    Shot("home", "/"),
    *(Shot(section.path.strip("/"), f"/{section.path}") for section in SECTIONS if not section.needs_files),
    Shot("reference-events", "/reference/events/"),
    Shot("reference-objects", "/reference/objects/"),
    Shot("guides-first-steps", "/guides/first-steps/"),
    Shot("city", "/cities/seattle/"),
    Shot("explore-map", "/explore/?metro=seattle&view=map"),
    Shot("explore-calendar", "/explore/?metro=seattle&type=events&view=calendar"),
    Shot("explore-listing", "/explore/?metro=seattle", act=open_first_listing),
    Shot("explore-request", "/explore/?metro=seattle&type=places", act=open_request),
    Shot("explore-nothing", "/explore/?metro=seattle&q=zzzzzz"),
    Shot("explore-unreachable", "/explore/?metro=seattle&type=events", prepare=partial(fail, status=0)),
    Shot("explore-wrong-key", "/explore/?metro=seattle", prepare=send_wrong_key),
    Shot("explore-limited", "/explore/?metro=seattle", prepare=partial(fail, status=429)),
    Shot(
        "explore-unavailable",
        "/explore/?metro=seattle",
        prepare=partial(fail, status=503, message="This cannot be answered at the moment."),
    ),
)
SPANISH = tuple(Shot(f"es-{shot.name}", shot.path, shot.prepare, shot.act) for shot in SAMPLES)
STATES = (
    Shot("state-home", "/"),
    *(Shot(f"state-city-{slug}", f"/cities/{slug}/") for slug in NAMES),
    *(Shot(f"state-explore-{slug}", f"/explore/?metro={slug}") for slug in NAMES),
    Shot("state-listing-long", "/explore/?metro=long", act=open_first_listing),
    Shot("state-listing-hebrew", "/explore/?metro=hebrew", act=open_first_listing),
)
# Opened as files, as an operator does.
OPERATOR = (
    Shot("state-operator", "internal/index.html"),
    Shot("state-operator-museum", "internal/museum.html"),
    Shot("state-operator-many", "internal/many-samples.html"),
)


def take(browser: Browser, origin: str, shots: Sequence[Shot]) -> None:
    for shot in shots:
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
                )  # fmt: skip
                context.set_default_timeout(_PATIENCE_MS)
                page = context.new_page()
                shot.prepare(page)
                page.goto(origin + shot.path, wait_until="load")
                page.wait_for_load_state("networkidle")
                shot.act(page)
                page.screenshot(path=FOLDER / f"{shot.name}-{width}-{scheme}.png", full_page=True)
                context.close()


@contextmanager
def serve_demo(folder: Path) -> Iterator[str]:
    process, printed = start_demo(folder)
    url = "http://127.0.0.1:" + printed.partition("http://127.0.0.1:")[2].partition("/")[0]
    wait_until(lambda: answers(f"{url}/readyz"))
    yield url
    stop_demo(process)


def take_all(wanted: Sequence[str]) -> None:
    with TemporaryDirectory() as made, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, shots in (("samples", SAMPLES), ("spanish", SPANISH), ("states", (*STATES, *OPERATOR))):
            chosen = [shot for shot in shots if shot.name.startswith(tuple(wanted))] if wanted else shots
            if not chosen:
                continue
            folder = Path(made, name)
            folder.mkdir()
            with WORLDS[name](folder) as url:
                take(browser, url, [shot for shot in chosen if shot not in OPERATOR])
                take(browser, f"{(folder / PAGES).as_uri()}/", [shot for shot in chosen if shot in OPERATOR])
        browser.close()


WORLDS: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "samples": serve_demo,
    "spanish": partial(serve_samples, language="es"),
    "states": serve_states,
}

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    take_all(sys.argv[1:])
