"""Render the report of a build, given as its JSON object, as a page and as Markdown."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment

from outings.pages.layout import open_environment
from outings.release.folder import replace_file

JSON, MARKDOWN, PAGE = "build.json", "build.md", "index.html"

# Whatever may be read as Markdown or HTML: feeds' own words are shown, never obeyed.
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#|~&])")
LONGEST_VALUE = 200


def render_reports(described: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the reports by file name. `described` is the result of `describe_attempt`."""
    return {
        JSON: orjson.dumps(described, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE),
        MARKDOWN: _open_templates(is_html=False).get_template("build.md").render(**described).rstrip().encode() + b"\n",
        PAGE: _open_templates(is_html=True).get_template("build.html").render(**described).encode(),
    }


def write_reports(reports: Mapping[str, bytes], folder: Path) -> None:
    """Write reports so that each file is complete or unchanged. Raises OSError."""
    for name, data in reports.items():
        replace_file(folder / name, data)


def _open_templates(*, is_html: bool) -> Environment:
    # The template for Markdown escapes each value by a filter.
    made = open_environment(is_html=is_html)
    filters: dict[str, Callable[..., str]] = {
        "number": "{:,}".format, "duration": _format_duration, "short": _shorten, "escape_markdown": _escape_markdown,
    }  # fmt: skip
    made.filters |= filters
    return made


def _format_duration(seconds: float) -> str:
    """Format seconds: `0.4 s`, `42 s`, `3 min 20 s`, `1 h 02 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes == 0:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _escape_markdown(value: object) -> str:
    """Escape a value for a cell of a table, on one line."""
    return _MARKS.sub(r"\\\1", " ".join(str(value).split()))


def _shorten(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
