"""A telephone's page in Chromium, on which a parent does a task."""

from datetime import datetime
from typing import TYPE_CHECKING

from tests.pages.accessibility import find_violations
from tests.pages.explorer import SHOWN

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOST_TAPS = 4


class Phone:
    """A page of 390 pixels that counts what is tapped."""

    def __init__(self, page: "Page", url: str, *, now: datetime, errors: list[str]) -> None:
        self.page, self.taps, self.errors = page, 0, errors
        page.clock.set_fixed_time(now)
        page.goto(url)
        page.wait_for_function(SHOWN)

    def ask(self, line: str) -> None:
        """Tap the field, write, tap the button."""
        self.page.get_by_role("combobox", name="Search").click()
        self.page.keyboard.type(line)
        self.page.get_by_role("search").get_by_role("button", name="Search").click()
        self.taps += 2
        self.page.wait_for_url(lambda url: len(url.split("&")) > 1)
        self.settle()

    def settle(self) -> None:
        self.page.wait_for_load_state("networkidle")
        self.page.wait_for_function(SHOWN)

    def list_chips(self) -> list[str]:
        return [chip.inner_text() for chip in self.page.locator("#chips bdi").all()]

    def read_first(self) -> str:
        """The first result, which lies on the first screen."""
        first = self.page.locator("#view .listings > li").first
        box = first.locator("a").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 844
        assert self.taps <= MOST_TAPS
        assert find_violations(self.page) == []
        return first.inner_text()
