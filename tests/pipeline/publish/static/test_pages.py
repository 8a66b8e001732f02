"""The pages of a tree for people without script, and what search engines and readers of feeds find beside them."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin

import polars as pl
import pytest

from pipeline.publish.static.hosts import FolderHost
from pipeline.publish.takedown.takedown import take_down
from tests.edge.sample_edge import DAY, make_edge
from tests.pipeline.city import City, Record, make_event, make_place
from tests.pipeline.publish.static.trees import publish, read_tree

# How many links one follows from the home page to any listing.
MOST_STEPS = 4


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree of the sample cities, at an address of its own."""
    folder = tmp_path_factory.mktemp("pages")
    make_edge(folder).close()
    publish(City(folder), FolderHost(folder / "tree"), day=DAY.isoformat())
    return folder / "tree"


def list_links(page: Path, *, base: str) -> Iterator[str]:
    """Yield the addresses of the page's links, in full, without the query and the part of the page."""
    for link in re.findall(r'<a[^>]*? href="([^"]+)"', page.read_text()):
        address = urljoin(base, unescape(link).partition("#")[0].partition("?")[0])
        if address.startswith("http://site/"):
            yield address


def crawl(folder: Path) -> dict[str, int]:
    """Return each file that links lead to, with the number of links from the home page."""
    steps = {"index.html": 0}
    queue = ["index.html"]
    for name in queue:
        for address in list_links(folder / name, base=f"http://site/{name}"):
            path = unquote(address.removeprefix("http://site/"))
            file = f"{path}index.html" if path.endswith("/") or not path else path
            assert (folder / file).is_file(), f"{name} leads to {file}"
            if file not in steps:
                steps[file] = steps[name] + 1
                if file.endswith(".html"):
                    queue.append(file)
    return steps


def list_published(folder: Path) -> set[str]:
    """The addresses of the pages of all listings in the tree's exports, as `type` and slug."""
    found = set()
    for export in folder.glob("v1/*/export/*.jsonl"):
        items = (json.loads(line) for line in export.read_text().splitlines())
        found |= {f"{export.parts[-3]}/{export.stem}/{item['slug']}/index.html" for item in items if "slug" in item}
    return found


@pytest.mark.xdist_group("pages")
def test_each_listing_is_reached_by_four_links_from_the_home_page_without_script(tree: Path) -> None:
    steps = crawl(tree)
    published = list_published(tree)
    assert len(published) > 150
    assert published - steps.keys() == set()
    assert max(steps[page] for page in published) <= MOST_STEPS
    pages = {str(path.relative_to(tree)) for path in tree.rglob("*.html")}
    assert pages - steps.keys() == {"404.html"}


@pytest.mark.xdist_group("pages")
def test_each_organization_and_each_neighborhood_with_listings_has_a_page_that_names_them(tree: Path) -> None:
    lines = (tree / "v1/seattle/export/places.jsonl").read_text().splitlines()
    for item in map(json.loads, lines):
        named = {"organizations": item["organization"]["slug"], "neighborhoods": item["location"]["neighborhood_slug"]}
        for kind, slug in named.items():
            if slug is not None:
                pages = (tree / f"seattle/{kind}/{slug}").glob("*.html")
                assert any(f"/places/{item['slug']}/" in page.read_text() for page in pages), (kind, slug)


HIDDEN = "Quixotic"


def make_hidden(kind: str) -> Record:
    """A listing whose name nothing else has, and neither its organization's nor its neighborhood's."""
    place = {"address": f"1 {HIDDEN} Street", "lat": 47.6, "lng": -122.3, "neighborhood": f"{HIDDEN} Hill"}
    members: Record = {
        "name": f"{HIDDEN} Kites", "location": place, "organization": {"name": f"{HIDDEN} Club"}, "confidence": 0.9,
        "description": f"{HIDDEN} things.", "created_at": "2026-08-11T00:00:00Z",
    }  # fmt: skip
    if kind == "event":
        return make_event(
            "hidden",
            **members,
            starts_local="2026-08-10T08:00:00",
            rrule="FREQ=DAILY",
            registration_url="https://quixotic.example.org/",
        )
    if kind == "place":
        return make_place("hidden", **members)
    dates = {"starts_on": "2026-08-17", "ends_on": "2026-08-21"}
    own = {"term": dates} if kind == "class" else {"sessions": [{"id": "w", "name": HIDDEN, **dates}]}
    return {"type": kind, "source_id": "hidden", **members, **own}


def find_words(folder: Path) -> set[str]:
    """The files of a tree that have the hidden name, in their own names or their bytes, also in Parquet."""
    word = HIDDEN.lower()
    found = set()
    for name, data in read_tree(folder).items():
        text = data.decode("latin-1") + (str(pl.read_parquet(data).to_dicts()) if name.endswith(".parquet") else "")
        if word in f"{name}{text}".lower():
            found.add(name)
    return found


@pytest.mark.parametrize("kind", ["event", "class", "camp", "place"])
def test_a_takedown_leaves_the_name_in_no_page_feed_sitemap_index_or_calendar(tmp_path: Path, kind: str) -> None:
    city = City(tmp_path)
    city.site = '[site]\nurl = "https://example.org"\nlanguages = ["en", "es"]\n'
    # More than one page of the kind, so that all pages after that of the listing move.
    city.write([make_hidden(kind), *(make_event(f"e{number}") for number in range(105)), make_place("p")])
    city.build()
    host = FolderHost(tmp_path / "tree")
    publish(city, host)
    before = find_words(tmp_path / "tree")
    plural = {"event": "events", "class": "classes", "camp": "camps", "place": "places"}[kind]
    pages = {"index.html"} if kind == "event" else set()
    pages |= {
        f"seattle/{plural}/index.html", f"seattle/{plural}/feed.xml", f"seattle/{plural}/quixotic-kites/index.html",
        "seattle/organizations/quixotic-club/index.html", "seattle/neighborhoods/quixotic-hill/index.html",
        "seattle/organizations/index.html", "seattle/neighborhoods/index.html", "cities/seattle/index.html",
        "cities/seattle/feed.xml", "sitemap-seattle.xml", "v1/seattle/explorer/index.json",
    }  # fmt: skip
    pages |= {f"es/{page}" for page in pages if page.endswith((".html", "feed.xml"))}
    assert pages - before == set()
    (row_id,) = (item["id"] for item in city.ask(f"/v1/seattle/{plural}?limit=200")["data"] if HIDDEN in item["name"])
    organization = city.ask(f"/v1/{plural}/{row_id}")["data"]["organization"]["id"]
    now = datetime(2026, 8, 11, tzinfo=UTC)
    take_down(city.store, [row_id, organization], reason="asked", now=now, cache=city.cache)
    publish(city, host, looks=True)
    # The log keeps the id, and no name.
    assert find_words(tmp_path / "tree") == set()


TRANSLATED = '[site]\nurl = "https://example.org/city"\nlanguages = ["en", "es"]\n'


def test_each_page_is_in_each_language_and_names_the_other(tmp_path: Path) -> None:
    city, folder = City(tmp_path), tmp_path / "tree"
    city.site = TRANSLATED
    afternoon = {"starts_local": "2026-08-12T14:00:00", "price": {"min": 120, "currency": "USD"}}
    city.write([make_event("e", name="Kites", **afternoon), make_place("p")])
    city.build()
    publish(city, FolderHost(folder))
    pages = {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")} - {"404.html"}
    spanish = {page for page in pages if page.startswith("es/")}
    assert {f"es/{page}" for page in pages - spanish} == spanish
    assert crawl(folder).keys() >= {"es/seattle/events/kites/index.html", "es/explore/index.html"}
    for page in spanish:
        path = page.removeprefix("es/").removesuffix("index.html")
        for name, other in ((page, path), (page.removeprefix("es/"), f"es/{path}")):
            for code, own in (("en", path), ("es", f"es/{path}")):
                link = f'<link rel="alternate" hreflang="{code}" href="https://example.org/city/{own}">'
                assert link in (folder / name).read_text()
            assert f"http://site/{other}" in list_links(folder / name, base=f"http://site/{name}")
    text = (folder / "es/seattle/events/kites/index.html").read_text()
    assert '<html lang="es"' in text
    # As in the metro's country.
    assert "miércoles, 12 de agosto de 2026, 2:00\N{NO-BREAK SPACE}p.\N{NO-BREAK SPACE}m." in text
    assert "$120" in text
    assert '<link rel="canonical" href="https://example.org/city/es/seattle/events/kites/">' in text
    city.site = TRANSLATED.replace(', "es"', "")
    city.build()
    publish(city, FolderHost(folder), allow_shrink=True)
    assert not (folder / "es/index.html").exists()
    assert "hreflang" not in (folder / "index.html").read_text()
