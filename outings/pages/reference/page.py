"""The page `reference/`: what its template is given."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from outings.contract import errors
from outings.contract.envelope import NOTICES
from outings.contract.openapi.document import make_document
from outings.contract.openapi.examples import Example
from outings.contract.pricing_plans import PLANS
from outings.contract.routes import CALENDAR_DAYS_AFTER, EXPANSION_DAYS_AFTER, LIST_DAYS_AFTER
from outings.contract.vocabulary import Vocabulary
from outings.pages.layout import name_words, render_page
from outings.pages.page import Page
from outings.pages.reference.code import LANGUAGES, write_code
from outings.pages.reference.routes import ParameterEntry, RouteEntry, list_groups, read_parameter
from outings.pages.reference.shapes import list_shapes
from outings.release.site import SiteSettings

PATH = "reference/"
# What a client may send beside a request, by its word of the page.
REQUEST_HEADERS = {
    "X-API-Key": "sends_key",
    "If-None-Match": "sends_etag",
    "Accept-Encoding": "sends_coding",
    "X-Trace-Id": "sends_trace",
    "traceparent": "sends_traceparent",
}
STABILITIES = ("stable", "beta", "experimental")
_WINDOWS = (
    ("window_lists", LIST_DAYS_AFTER + 1),
    ("window_calendar", CALENDAR_DAYS_AFTER + 1),
    ("window_expansion", EXPANSION_DAYS_AFTER + 1),
)


def render_reference(settings: SiteSettings, vocabulary: Vocabulary) -> Page:
    """A pure function. The same arguments are rendered once in a process."""
    return _render(msgspec.json.encode(settings, order="sorted"), vocabulary)


@cache
def _render(encoded: bytes, vocabulary: Vocabulary) -> Page:
    settings = msgspec.json.decode(encoded, type=SiteSettings)
    document = make_document(vocabulary)
    groups = list_groups(document, vocabulary)
    entries = [entry for group in groups.values() for entry in group]
    values = {
        "groups": groups,
        "parameters": _list_parameters(document, entries),
        "shapes": list_shapes(document),
        "codes": [(code, *each) for code, each in errors.CODES.items()],
        "code_of": {str(each.status): code for code, each in reversed(list(errors.CODES.items()))},
        "reasons": errors.REASONS,
        "notices": NOTICES,
        "request_headers": REQUEST_HEADERS,
        "headers": {name: each["description"] for name, each in document["components"]["headers"].items()},
        "stabilities": STABILITIES,
        "plans": PLANS.values(),
        "windows": _WINDOWS,
        "sizes": _list_sizes(entries),
        "languages": LANGUAGES,
        "origin": name_words(settings, "home")["origin"],
        "write_code": lambda entry, origin: write_code(
            entry.example, origin=origin, needs_key=entry.route.needs_key, key=settings.key
        ),
        "write_answer": _write_answer,
        "mark": _mark_code,
        "plain": _escape,
        # The contract speaks English, whatever the language of the page.
        "english": Markup("") if settings.language == "en" else Markup(' lang="en"'),
    }
    return render_page(PATH, "reference.html", settings=settings, page_words="reference", values=values)


def _list_parameters(
    document: Mapping[str, Any], entries: Sequence[RouteEntry]
) -> Sequence[tuple[ParameterEntry, Sequence[str]]]:
    """Each name once, what stands in paths first, with the routes that take it themselves."""
    shared = document["components"]["parameters"]
    taken = [each for entry in entries for each in entry.parameters]
    rows = {(True, each.name): each for each in taken if each.is_in_path}
    rows |= {(False, name): read_parameter(node, shared) for name, node in shared.items()}
    for each in taken:
        # `fields` names the members of another object on each route.
        rows.setdefault((each.is_in_path, each.name), replace(each, form=replace(each.form, shape="")))
    return [(row, [entry.route.name for entry in entries if _takes(entry, row)]) for row in rows.values()]


def _takes(entry: RouteEntry, row: ParameterEntry) -> bool:
    return any((each.name, each.is_in_path) == (row.name, row.is_in_path) for each in entry.parameters)


def _list_sizes(entries: Iterable[RouteEntry]) -> Sequence[tuple[str, ParameterEntry]]:
    """How many items a route answers at most: its name, and its parameter `limit`."""
    return [(entry.route.name, each) for entry in entries for each in entry.parameters if each.name == "limit"]


def _write_answer(example: Example) -> Markup:
    answer = example.answer
    text = answer if isinstance(answer, str) else msgspec.json.format(msgspec.json.encode(answer), indent=2).decode()
    return _escape(text.rstrip("\n"))


def _escape(text: str) -> Markup:
    """For text between tags alone: quotation marks stay as they are, of which answers have thousands."""
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704 it is escaped


def _mark_code(text: str) -> Markup:
    """A sentence of the contract, with what it has between backticks as code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>%s</code>") % _escape(part) if number % 2 else _escape(part) for number, part in enumerate(parts)
    )
