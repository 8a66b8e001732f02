"""The home page: what this is, what it holds, a request to try, and where to go next."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from outings.pages.folders import find_templates
from outings.pages.highlighting import highlight_code
from outings.pages.layout import list_sections, name_words, render_page
from outings.pages.metro_figures import MetroFigures
from outings.pages.page import Page
from outings.release.site import SiteSettings

# The request that is shown: it works as it stands wherever the program serves the sample cities.
SAMPLE_METRO = "seattle"
SAMPLE_QUERY = "events?free=true&recurring=false&limit=2&fields=name,starts_local,ages.text"
# Kinds of readers, by the beginning of their words, and the page that each begins with.
WAYS = {
    "readers": "explore/",
    "developers": "guides/first-steps/",
    "operators": "guides/builds/",
    "staff": "guides/feed/",
}

# Of the answer, in columns, as people read JSON.
_WIDTH = 64
_STEP = "  "


@cache
def _read_sample() -> str:
    """What the program answers to the request, for the sample cities on one day."""
    return _format_json(json.loads((find_templates() / "sample_answer.json").read_bytes()))


def render_home(settings: SiteSettings, metros: Sequence[MetroFigures]) -> Page:
    # The first of which something comes back.
    slugs = [*(each.slug for each in metros if each.total), *(each.slug for each in metros), SAMPLE_METRO]
    sections = {section.path for section in list_sections(settings)}
    request = f"/v1/{slugs[0]}/{'events.json' if settings.is_static else SAMPLE_QUERY}"
    origin = name_words(settings, "home")["origin"]
    key = "" if settings.is_static else f'-H "X-API-Key: {settings.key or "$KEY"}" \\\n  '
    code = f'curl {key}"{origin}{request}"'
    values = {
        "metros": metros,
        "request": request.removeprefix("/"),
        "code": highlight_code(code, "sh", origin=origin),
        "answer": highlight_code(_read_sample(), "json", origin=""),
        "ways": {way: path if f"{path.split('/')[0]}/" in sections else None for way, path in WAYS.items()},
    }
    return render_page("", "home.html", settings=settings, page_words="home", values=values)


def _format_json(value: Any, *, indent: str = "", taken: int = 0) -> str:
    """What fits on a line stands on one. `indent` stands before each further line; `taken` columns of the first one are
    in use."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(indent) + taken + len(flat) <= _WIDTH:
        return flat
    inner = indent + _STEP
    if isinstance(value, dict):
        names = [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
        lines = [
            name + _format_json(each, indent=inner, taken=len(name))
            for name, each in zip(names, value.values(), strict=True)
        ]
    else:
        lines = [_format_json(each, indent=inner) for each in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n" + ",\n".join(inner + line for line in lines) + f"\n{indent}{last}"
