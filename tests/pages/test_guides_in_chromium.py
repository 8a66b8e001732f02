"""Each guide in Chromium: it fits, axe is content, and what is copied from it works on this server."""

from pathlib import Path

import pytest

from tests.pages.accessibility import find_violations
from tests.pages.conftest import Pages, Scheme

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parents[2] / "docs/guides"
GUIDES = ["/guides/", *(f"/guides/{path.stem}/" for path in sorted(FOLDER.glob("*.md")) if path.stem != "README")]


@pytest.mark.parametrize("path", GUIDES)
def test_a_guide_is_accessible_and_fits_on_a_phone_in_the_dark_and_on_a_wide_screen(pages: Pages, path: str) -> None:
    views: list[tuple[int, Scheme]] = [(320, "dark"), (1440, "light")]
    for width, scheme in views:
        page = pages.open(path, width=width, scheme=scheme)
        assert find_violations(page) == []
        wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, f"{wide} px stand out at the side at {width}"


def test_an_example_that_is_copied_asks_the_server_that_the_page_came_from(pages: Pages) -> None:
    page = pages.open("/guides/first-steps/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    example = page.locator(".code-frame", has_text="/v1/metros").first
    example.hover()
    example.get_by_role("button", name="Copy").click()
    example.get_by_role("button", name="Copied").wait_for()
    assert f'"{pages.url}/v1/metros"' in page.evaluate("() => navigator.clipboard.readText()")


def test_the_outline_leads_to_its_heading(pages: Pages) -> None:
    page = pages.open("/guides/paging/")
    page.get_by_role("navigation", name="On this page").get_by_role("link", name="Only what changed").click()
    assert page.url.endswith("#only-what-changed")
    assert page.get_by_role("heading", name="Only what changed").is_visible()
