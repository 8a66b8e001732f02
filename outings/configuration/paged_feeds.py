"""What the settings of a feed with pages must agree in."""

from typing import Any

from outings.configuration.decoder import Decoder
from outings.configuration.feed_pages import PARAMETERS
from outings.configuration.formats import FORMATS

# Settings of files that are no JSON, in which alone pages are read.
_OF_FILES = ("skip", "sheet", "table", "file")


def check_pages(decoder: Decoder, feed: dict[str, Any], key: str) -> None:
    pages = feed.get("pages")
    if pages is None:
        return
    if "format" in feed and not FORMATS[feed["format"]].has_select:
        allowed = ", ".join(name for name, row in FORMATS.items() if row.has_select)
        decoder.report(f"{key}.pages", f'is set together with format "{feed["format"]}"; allowed: only with {allowed}')
    if not feed.get("url", "http://").startswith(("http://", "https://")):
        decoder.report(f"{key}.pages", "is set together with a file; allowed: only with http://… and https://…")
    for name in _OF_FILES:
        if feed.get(name):
            decoder.report(f"{key}.{name}", "is set together with pages, which are JSON; allowed: one of both")
    if "by" in pages:
        _check_words(decoder, pages, f"{key}.pages")


def _check_words(decoder: Decoder, pages: dict[str, Any], key: str) -> None:
    by = pages["by"]
    if by == "next" and not pages.get("path"):
        decoder.report(f"{key}.path", "is missing; allowed: where a page says the next address, as links.next")
    if by != "next" and pages.get("path"):
        decoder.report(f"{key}.path", f'is set together with by = "{by}"; allowed: only with next')
    if by not in PARAMETERS and pages.get("parameter"):
        decoder.report(f"{key}.parameter", f'is set together with by = "{by}"; allowed: only with page and offset')
    if by != "page" and pages.get("first", 1) != 1:
        decoder.report(f"{key}.first", f'is set together with by = "{by}"; allowed: only with page')
    if by == "offset" and pages.get("last"):
        decoder.report(f"{key}.last", 'is set together with by = "offset"; allowed: only with page, next and link')
    if bool(pages.get("size")) != bool(pages.get("size_parameter")):
        missing = "size" if pages.get("size_parameter") else "size_parameter"
        decoder.report(f"{key}.{missing}", "is missing; allowed: both size and size_parameter, or neither")
