"""The page of a city, and the operator's own pages, in Chromium: accessible and whole at each width, whatever is in
them."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from outings.pages.assets import Page
from outings.pages.city import MEMBERS
from outings.pages.settings import BuildRow
from outings.pages.site import render_metro, render_site
from outings.release.root import FeedTally
from outings.release.site import SiteSettings
from outings.release.snapshot import Snapshot
from pipeline.records.record import Problem
from pipeline.reports.feed_pages import FeedReport, ReleaseColumn, WrongGroup, render_feeds
from tests.answers import documents
from tests.answers.coverage.worlds import enrich
from tests.answers.documents import make_uuid
from tests.answers.generated import make_world
from tests.answers.worlds import TODAY, World, open_world
from tests.loopback import run_server
from tests.pages.accessibility import find_sideways, find_violations
from tests.pages.conftest import WIDTHS, Pages, Scheme
from tests.pages.many import multiply

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

LONG = "The Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft of " * 2


def make_usual(folder: Path) -> Snapshot:
    world = make_world(Random(7), size=200)
    enrich(world, Random(7))
    return open_world(world, folder)


def make_named(folder: Path, *, name: str) -> Snapshot:
    """Everything in it has this name."""
    known = {"id": make_uuid(90), "name": name, "slug": "museum"}
    location = documents.make_location(neighborhood=name, neighborhood_slug="there", lat=40.0, lng=-74.0)
    listings = [
        documents.make_event(make_uuid(number), name=name, organization=known, location=location) for number in range(9)
    ]
    organization = {**documents.make_organization(make_uuid(90)), "name": name}
    made = open_world(World(listings=listings, organizations=[organization]), folder)
    return replace(made, metro=replace(made.metro, name=name))


def make_many(folder: Path) -> Snapshot:
    return multiply(make_usual(folder / "few"), 800, folder=folder)


CITIES: Mapping[str, Callable[[Path], Snapshot]] = {
    "usual": make_usual,
    "empty": lambda folder: open_world(World(), folder),
    "long": partial(make_named, name=LONG),
    "hebrew": partial(make_named, name="מוזיאון הילדים של העיר"),
    "huge": make_many,
}


HEBREW = "מוזיאון הילדים של העיר"
INTERNAL = ("/internal/", "/internal/museum.html")


def make_operators_pages(settings: SiteSettings) -> tuple[Page, ...]:
    """Make the pages of a feed with very long values and names from right to left, in as many releases as are shown."""
    counts = FeedTally(read=100_000, listings=99_000, merged=10, quarantined=990)
    releases = [
        ReleaseColumn(
            id=f"{number}-0a1b2c3d", built_on=TODAY - timedelta(days=number), versions=number, feeds={"museum": counts}
        )
        for number in range(6)
    ]
    lines = [
        Problem(
            feed="museum",
            line=70_000 + number,
            source_id=LONG.replace(" ", "-"),
            field="sections[].ages.min",
            reason="out_of_range",
            quarantined=True,
            value=value,
        )
        for number, value in enumerate((LONG.replace(" ", ""), HEBREW, None))
    ]
    groups = [
        WrongGroup(
            field="sections[].ages.min", code=code, allowed=LONG, quarantined=is_set_aside, count=990,
            lines=tuple(lines),
        )
        for code in ("out_of_range", "missing")
        for is_set_aside in (True, False)
    ]  # fmt: skip
    report = FeedReport(
        account=(LONG,), name="museum", counts=counts, before=TODAY, brought=3, brought_names=(LONG, HEBREW), lost=900,
        lost_names=(LONG, HEBREW) * 9, groups=tuple(groups), published=99_000, incomplete=2,
        incomplete_listings=[{**dict.fromkeys(MEMBERS, True), "name": LONG, "source_id": HEBREW, "ages": False}],
    )  # fmt: skip
    builds = [
        BuildRow(
            outcome=outcome, started_at=datetime(2026, 8, 10, 12, tzinfo=UTC), seconds=93.5, metros=("harbor",) * 30,
            release=release, error=None if release else LONG.replace(" ", ""), feed="museum",
        )
        for outcome, release in (("failed", None), ("published", "7-0a1b2c3d"))
    ]  # fmt: skip
    return render_feeds(settings, releases, [report], builds=builds)


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 the library's own name
        pass


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The pages of these cities in a folder, and the address of a server that shows it."""
    folder = tmp_path_factory.mktemp("site")
    settings = SiteSettings(shows_data=True)
    files = [*render_site(settings, []), *make_operators_pages(settings)]
    for name, make in CITIES.items():
        snapshot = make(tmp_path_factory.mktemp(name))
        metro = replace(snapshot.metro, slug=name)
        files += render_metro(replace(snapshot, metro=metro), today=TODAY, settings=settings)
    usual = make_usual(tmp_path_factory.mktemp("es"))
    spanish = SiteSettings(language="es", shows_data=True)
    files += render_metro(replace(usual, metro=replace(usual.metro, slug="spanish")), today=TODAY, settings=spanish)
    for file in files:
        path = folder / (f"{file.path}index.html" if file.path.endswith("/") or not file.path else file.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    with run_server(ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=folder))) as url:
        yield url, folder


@pytest.fixture
def shown(chromium: "Browser", served: tuple[str, Path]) -> Iterator[Pages]:
    opened = Pages(chromium, served[0])
    yield opened
    opened.close()
    assert (opened.outside, opened.errors) == ([], [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", [*(f"/cities/{city}/" for city in CITIES), *INTERNAL])
def test_a_page_is_accessible_and_fits(shown: Pages, path: str, width: int, scheme: Scheme) -> None:
    page = shown.open(path, width=width, scheme=scheme)
    assert find_violations(page) == []
    wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0, f"{wide} px stand out at the side"
    assert find_sideways(page) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_longer_words_of_another_language_fit_too(shown: Pages, width: int) -> None:
    page = shown.open("/cities/spanish/", width=width)
    kind = page.locator(".having").get_by_text("Campamentos")
    assert kind.evaluate("node => node.getClientRects().length") == 1
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert find_violations(page) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_a_bar_of_ages_is_as_wide_as_its_table(shown: Pages, width: int) -> None:
    page = shown.open("/cities/usual/", width=width)
    table, *bars = page.locator(".ages, .ages .stack svg").evaluate_all(
        "all => all.map(node => { const { left, right } = node.getBoundingClientRect(); return [left, right] })"
    )
    assert bars == [table] * 3


def test_without_columns_figures_are_in_line_and_ages_say_since_when(shown: Pages) -> None:
    page = shown.open("/cities/usual/", width=320)
    assert page.get_by_role("rowheader", name="Since its source was verified").is_visible()
    # Below the name: how many listings, and, three figures to a line, how many are not on the map.
    lines = page.locator(".gaps tbody tr").evaluate_all(
        "rows => rows.map(row => [0, 1, 4].map(at => { const text = document.createRange();"
        " text.selectNodeContents(row.children[at]); return text.getBoundingClientRect().left }))"
    )
    assert len({left for line in lines for left in line}) == 1


def test_a_city_of_a_hundred_thousand_listings_is_a_light_page(served: tuple[str, Path]) -> None:
    page = (served[1] / "cities/huge/index.html").read_text()
    listings = re.search(r"<dt>Listings</dt><dd>([0-9,]+)</dd>", page)
    assert listings is not None
    assert int(listings[1].replace(",", "")) > 100_000
    assert len(page) < 100_000


def test_a_city_reads_without_scripts(chromium: "Browser", served: tuple[str, Path]) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served[0]}/cities/usual/")
    assert page.get_by_role("heading", name="What is missing").is_visible()
    assert page.get_by_role("img", name="A map of the number of listings").is_visible()
    context.close()
