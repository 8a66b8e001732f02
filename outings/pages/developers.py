"""Render the page for developers on plain files: what the tree has, and requests to copy."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.routes import match_route
from outings.pages.assets import Page
from outings.pages.highlighting import highlight_code
from outings.pages.layout import name_words, render_page
from outings.release.site import SiteSettings

PATH = "developers/"
# Each kind of file that has samples: the word of its heading, its path in a metro, and languages with their programs.
_JSON = {
    "sh": 'curl "{url}"',
    "python": """import json
from urllib.request import urlopen

with urlopen("{url}") as answer:
    for item in json.load(answer)["data"]:
        print(item["name"])""",
    "javascript": """const answer = await fetch("{url}");
for (const item of (await answer.json()).data) console.log(item.name);""",
}
_SAMPLES: Sequence[tuple[str, str, Mapping[str, str]]] = (
    ("lists", "/v1/{metro}/events", _JSON),
    (
        "exports",
        "/v1/{metro}/export/events.parquet",
        {
            "sql": "SELECT name, starts_local, price.min, location.neighborhood\nFROM '{url}'\nWHERE starts_local > "
            "now()::TIMESTAMP ORDER BY starts_local LIMIT 10;",
            "python": """import polars

print(polars.read_parquet("{url}").select("name", "starts_local"))""",
        },
    ),
    ("lines", "/v1/{metro}/export/places.jsonl", {"sh": 'curl "{url}" | head -1'}),
    ("calendars", "/v1/{metro}/events.ics", {"sh": 'curl -O "{url}"'}),
    ("changes", "/v1/changes", {"sh": 'curl "{url}"'}),
    ("index", "/v1/index.json", {"sh": 'curl "{url}"'}),
)
_NAMES = {"sh": "curl", "python": "Python", "javascript": "JavaScript", "sql": "DuckDB"}


class Sample(Struct, frozen=True, kw_only=True):
    """Requests for one kind of file. `file`: its path."""

    word: str
    file: str
    programs: Sequence[tuple[str, Any]]


class Route(Struct, frozen=True, kw_only=True):
    """A route of the API that has files, with one of them and how many there are."""

    path: str
    summary: str
    file: str
    count: int


def render_developers(
    settings: SiteSettings, metros: Sequence[str], files: Mapping[str, Sequence[str]], document: bytes
) -> Page:
    """Render the page. `files`: those of each request, by the request; `document`: the tree's own OpenAPI document."""
    words = name_words(settings, "developers")
    counts: dict[str, int] = {}
    for request, named in files.items():
        match = match_route(request.partition("?")[0])
        assert match is not None, request
        counts[match.route.path] = counts.get(match.route.path, 0) + len(named)
    routes = [
        Route(path=path, summary=item["get"]["summary"], file=item["get"]["x-file"]["file"], count=counts[path])
        for path, item in msgspec.json.decode(document)["paths"].items()
    ]
    values = {
        "metros": metros,
        "routes": sorted(routes, key=lambda route: route.path),
        "samples": [
            sample for sample in (_make_sample(*sample, metros, files, settings) for sample in _SAMPLES) if sample
        ],
        "total": sum(counts.values()),
        "hint": words["find"],
    }
    return render_page(PATH, "developers.html", settings=settings, page_words="developers", values=values)


def _make_sample(
    word: str, request: str, programs: Mapping[str, str], metros: Sequence[str], files: Mapping[str, Sequence[str]],
    settings: SiteSettings,
) -> Sample | None:  # fmt: skip
    """Return the requests for a file, None if the tree has it for no metro."""
    requests = [request.format(metro=metro) for metro in metros]
    file = request.lstrip("/") if word == "index" else next((files[one][0] for one in requests if one in files), None)
    if file is None:
        return None
    # A script replaces the address that nobody set by that of the page.
    origin = settings.url or name_words(settings, "home")["origin"]
    shown = [
        (
            _NAMES[language],
            highlight_code(code.replace("{url}", f"{origin}/{file}"), language, origin="" if settings.url else origin),
        )
        for language, code in programs.items()
    ]
    return Sample(word=word, file=file, programs=shown)
