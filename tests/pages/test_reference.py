"""The reference has all that is public, and says of it what the program does."""

import html
import json
import re
from collections import Counter
from functools import cache
from typing import Any
from urllib.parse import urljoin

import pytest

from outings.contract import errors
from outings.contract.envelope import NOTICES
from outings.contract.openapi.document import make_document
from outings.contract.openapi.examples import read_examples
from outings.contract.parameters import PARAMETERS
from outings.contract.pricing_plans import PLANS
from outings.contract.routes import ROUTES, Route
from outings.contract.vocabulary import Vocabulary
from outings.pages.reference import render_reference
from outings.release.site import SiteSettings

by_route = pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
WITH_EXAMPLE = [route for route in ROUTES if route.name in read_examples()]


@cache
def read_document() -> dict[str, Any]:
    return make_document(Vocabulary())


@cache
def read_pages() -> dict[str, str]:
    """The pages by their path below `/`."""
    return {page.path: page.data.decode() for page in render_reference(SiteSettings(), Vocabulary())}


def read_all() -> str:
    return "".join(text for path, text in read_pages().items() if path.endswith("/"))


def list_ids(text: str) -> list[str]:
    return re.findall(r'\sid="([^"]+)"', text)


def read_section(route: Route) -> str:
    match = re.search(rf'<section class="route" id="{re.escape(route.name)}".*?</section>', read_all(), flags=re.DOTALL)
    assert match, f"{route.name} has no section in the reference"
    return match[0]


def list_rows(section: str) -> set[str]:
    return set(re.findall(r'<th scope="row"><code>([^<]+)</code>', section))


def list_code(section: str) -> dict[str, str]:
    blocks = re.findall(r'<figure data-code="(\w+)">.*?<code[^>]*>(.*?)</code>', section, flags=re.DOTALL)
    return {language: html.unescape(re.sub(r"</?span[^>]*>", "", code)) for language, code in blocks}


@by_route
def test_a_route_has_its_path_its_parameters_and_what_it_fails_with(route: Route) -> None:
    section = read_section(route)
    assert f'<span class="method">GET</span> <code>{route.path}</code>' in section
    assert f">{route.meaning.removesuffix('.')}</a></h2>" in section
    listed = list_rows(section)
    in_path = set(re.findall(r"{(\w+)}", route.path))
    for like, without in re.findall(r"It takes every parameter of <a href=\"#([^\"]+)\">.*?</a>(.*?)\.</p>", section):
        left_out = set(re.findall(r"<code>(\w+)</code>", without))
        of_list = list_rows(read_section(next(route for route in ROUTES if route.name == like)))
        listed |= of_list - left_out - ({"metro"} - in_path)
    assert {*route.parameters, *route.ignored, *in_path} == listed
    statuses = {status for status in read_document()["paths"][route.path]["get"]["responses"] if int(status) >= 400}
    shown = set(re.findall(r'href="../../reference/errors/#code-\w+">(\d+)</a>', section))
    assert statuses - {"416"} <= shown  # it has no body, and so no code


@pytest.mark.parametrize("route", WITH_EXAMPLE, ids=lambda route: route.name)
def test_a_route_has_a_request_in_three_languages_and_a_whole_answer(route: Route) -> None:
    section, example = read_section(route), read_examples()[route.name]
    code = list_code(section)
    assert list(code) == ["curl", "python", "javascript"]
    for text in code.values():
        assert f'"http://127.0.0.1:8000{example.request}"' in text
        assert ("X-API-Key" in text) == route.needs_key
    (shown,) = re.findall(r'<pre class="code answer".*?<code[^>]*>(.*?)</code>', section, flags=re.DOTALL)
    answer = html.unescape(shown)
    assert (json.loads(answer) if example.media == "application/json" else answer + "\n") == (
        example.answer if example.media == "application/json" else example.answer.rstrip("\n") + "\n"
    )


@by_route
def test_what_is_not_promised_is_marked(route: Route) -> None:
    opening = read_section(route).split("<dl", 1)[0]
    marked = re.findall(r'href="../../reference/headers/#stability-(\w+)"', opening)
    assert marked == ([] if route.stability == "stable" else [route.stability])


def test_every_parameter_member_code_reason_notice_header_and_plan_has_a_place() -> None:
    wanted = {f"parameter-{name}" for name in PARAMETERS}
    wanted |= {f"path-{name}" for route in ROUTES for name in re.findall(r"{(\w+)}", route.path)}
    for shape, schema in read_document()["components"]["schemas"].items():
        if "properties" in schema and "data" not in schema["properties"]:
            wanted |= {shape, *(f"{shape}.{member}" for member in schema["properties"])}
    wanted |= {f"code-{code}" for code in errors.CODES} | {f"reason-{reason}" for reason in errors.REASONS}
    wanted |= {f"notice-{code}" for code in NOTICES} | {f"plan-{plan}" for plan in PLANS}
    wanted |= {f"answer-{header}" for header in read_document()["components"]["headers"]}
    wanted |= {"header-X-API-Key", "header-If-None-Match", "header-Accept-Encoding", "header-X-Trace-Id"}
    assert wanted - set(list_ids(read_all())) == set()


def test_each_row_says_what_it_means() -> None:
    rows = re.findall(r'<tr id="[^"]+".*?</tr>', read_all(), flags=re.DOTALL)
    empty = [row for row in rows if "<td></td>" in row]
    assert len(rows) > 700
    assert empty == []


def test_each_place_is_there_once_and_each_link_leads_to_one() -> None:
    places = {path: list_ids(text) for path, text in read_pages().items() if path.endswith("/")}
    assert [name for ids in places.values() for name, count in Counter(ids).items() if count > 1] == []
    for path, text in read_pages().items():
        for href in re.findall(r'href="([^"]*#[^"]+)"', text):
            page, _, place = urljoin(f"http://host/{path}", href).removeprefix("http://host/").partition("#")
            assert place in places[page], href


def test_search_knows_where_each_route_parameter_member_and_code_is() -> None:
    for entry in json.loads(read_pages()["reference/index.json"]):
        assert f'id="{entry["id"]}"' in read_pages()[f"reference/{entry['page']}"]


def test_what_is_planned_to_be_charged_is_said_once() -> None:
    assert read_all().count("Planned credits</h2>") == 1
    assert "credit" not in "".join(read_section(route) for route in ROUTES).lower()


def test_a_deployments_own_words_are_shown() -> None:
    page = "".join(page.data.decode() for page in render_reference(SiteSettings(), Vocabulary(categories=("chess",))))
    assert "<code>chess</code>" in page
    assert "<code>arts_creative</code>" not in page


def test_the_key_for_visitors_is_in_the_code() -> None:
    page = "".join(page.data.decode() for page in render_reference(SiteSettings(key="ldk_of_visitors"), Vocabulary()))
    assert 'curl -H "X-API-Key: ldk_of_visitors"' in re.sub(r"<[^>]*>", "", html.unescape(page))
    assert 'data-key="ldk_of_visitors"' in page
    assert "$KEY" not in page


def test_a_page_in_spanish_says_which_texts_are_english() -> None:
    page = "".join(page.data.decode() for page in render_reference(SiteSettings(language="es"), Vocabulary()))
    assert "<h1>Referencia</h1>" in page
    assert "<h1>Eventos</h1>" in page
    assert '<a class="self" href="#events.list" lang="en">List events of a metro</a>' in page


def test_numbers_are_written_as_the_language_of_the_page_does() -> None:
    english = read_all()
    spanish = "".join(
        page.data.decode() for page in render_reference(SiteSettings(language="es"), Vocabulary())
        if page.path.endswith("parameters/")
    )  # fmt: skip
    assert "100\u00a0…\u00a050,000" in english
    assert "100\u00a0…\u00a050\u00a0000" in spanish
    assert re.search(r"\d\u202f\d", english) is None
