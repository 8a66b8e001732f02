"""Pictures of listings in Chromium, from the site's own server."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from tests.edge.publishing import add_keys
from tests.pages.accessibility import find_violations
from tests.pages.conftest import Pages
from tests.pages.explorer import SHOWN
from tests.pages.real_cities import serve_built
from tests.pipeline.city import City, make_event
from tests.pipeline.fetch.web import Page, serve_web

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.fixture
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    city, target = City(tmp_path_factory.mktemp("pictures")), BytesIO()
    Image.new("RGB", (1200, 800), "teal").save(target, "PNG")
    keys = add_keys(city.store, {"visitors": {"plan": "partner", "metros": ["*"], "types": ["*"]}})
    with serve_web() as web:
        web.pages["/walk.png"] = Page(target.getvalue())
        city.site = f'[site]\nkey = "{keys["visitors"]}"\npictures = ["{web.url.removeprefix("http://")}"]\n'
        city.write([
            make_event("walk", name="Walk", image_url=f"{web.url}/walk.png"), make_event("swim", name="Swim"),
            make_event("gone", name="Gone", image_url=f"{web.url}/gone.png"),
        ])  # fmt: skip
        with ThreadPoolExecutor(1) as elsewhere:  # the browser's own loop runs in this thread
            elsewhere.submit(city.build).result()
    with serve_built(city.folder / "outings.toml", now=datetime(2026, 8, 10, 18, tzinfo=UTC)) as url:
        yield url


def test_a_listing_shows_its_picture_and_one_without_has_a_drawing(chromium: "Browser", url: str) -> None:
    pages = Pages(chromium, url)
    page = pages.open("/explore/?metro=seattle&type=events")
    page.wait_for_function(SHOWN)
    rows = page.locator("#view .listings > li")
    walk = rows.filter(has_text="Walk").locator("img.picture")
    walk.wait_for()
    page.wait_for_function("() => document.querySelector('img.picture').naturalWidth === 160")
    assert {name: walk.get_attribute(name) for name in ("loading", "alt")} == {"loading": "lazy", "alt": ""}
    assert rows.filter(has_text="Swim").locator("svg.picture").count() == 1
    rows.filter(has_text="Gone").locator("svg.picture").wait_for()
    assert [re.sub(r".*(404).*", r"\1", error) for error in pages.errors] == ["404"]
    pages.errors.clear()
    assert find_violations(page) == []
    rows.get_by_role("link", name="Walk").click()
    page.wait_for_function("() => document.querySelector('img.photo')?.naturalWidth === 640")
    photo = page.locator("img.photo")
    assert [photo.get_attribute(name) for name in ("width", "height", "alt")] == ["576", "384", "Walk"]
    assert find_violations(page) == []
    pages.close()
    assert (pages.outside, pages.errors) == ([], [])
