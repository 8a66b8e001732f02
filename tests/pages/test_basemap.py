"""A base map in Chromium, from a server of its own."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.edge.publishing import add_keys
from tests.pages.accessibility import find_violations
from tests.pages.basemap import write_basemap
from tests.pages.conftest import Pages, Scheme
from tests.pages.explorer import SHOWN
from tests.pages.real_cities import serve_built
from tests.pipeline.city import City, make_event

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

# Of each tile of the map, in its western and its eastern half, and on the street between.
COLORS = """canvases => canvases.map((canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const pixels = copy.getContext("2d", { willReadFrequently: true });
  pixels.drawImage(canvas, 0, 0);
  const at = (x, y) => [...pixels.getImageData(canvas.width * x, canvas.height * y, 1, 1).data].join();
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.75, 0.5)];
})"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    city = City(tmp_path_factory.mktemp("basemap"))
    write_basemap(city.folder / "harbor.pmtiles", lat=47.6, lng=-122.3)
    city.write([make_event(str(n), location={"lat": 47.6 + n / 8, "lng": -122.3}) for n in range(3)])
    keys = add_keys(city.store, {"visitors": {"plan": "partner", "metros": ["*"], "types": ["*"]}})
    city.site = f'[site]\nbasemap = "harbor.pmtiles"\nkey = "{keys["visitors"]}"\n'
    city.build()
    with serve_built(city.folder / "outings.toml", now=datetime(2026, 8, 10, 18, tzinfo=UTC)) as url:
        yield url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_water_and_streets_are_drawn_from_the_operators_file_by_ranges(
    chromium: "Browser", url: str, scheme: Scheme
) -> None:
    pages = Pages(chromium, url)
    page = pages.open("/explore/", scheme=scheme)
    parts: list[tuple[int, str]] = []
    page.on("response", lambda got: parts.append((got.status, got.url)) if ".pmtiles" in got.url else None)
    page.goto(f"{url}/explore/?metro=seattle&type=events&view=map")
    page.wait_for_function(SHOWN)
    page.locator(".leaflet-tile-loaded").first.wait_for()
    page.wait_for_load_state("networkidle")
    drawn = {tuple(colors) for colors in page.locator("canvas.leaflet-tile-loaded").evaluate_all(COLORS)}
    assert any(len(set(colors)) == 3 for colors in drawn), drawn
    assert {status for status, _ in parts} == {206}
    assert page.locator(".leaflet-control-attribution").text_content() == "© The survey of & for Harbor"
    assert page.locator(".place").count() > 0
    assert find_violations(page) == []
    pages.close()
    assert (pages.outside, pages.errors) == ([], [])
