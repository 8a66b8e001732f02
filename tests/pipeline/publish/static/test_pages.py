"""The pages of a tree for people without script, and what search engines and readers of feeds find beside them."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest

from pipeline.publish.static.hosts import FolderHost
from tests.edge.sample_edge import DAY, make_edge
from tests.pipeline.city import City
from tests.pipeline.publish.static.trees import publish

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
