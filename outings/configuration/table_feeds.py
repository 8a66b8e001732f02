"""What the settings of a feed of tables must agree in."""

import codecs
from typing import Any

from msgspec import structs

from outings.configuration.decoder import Decoder
from outings.configuration.formats import FORMATS
from outings.configuration.mapping import MappingError, iterate_rules
from outings.configuration.tables import FeedTable

# Settings that only a feed of tables has.
TABLE_SETTINGS = ("select", "map", "encoding", "records", "skip", "sheet", "table", "file")
_DEFAULTS = {field.name: field.default for field in structs.fields(FeedTable)}


def check_table(decoder: Decoder, feed: dict[str, Any], key: str) -> None:
    if "select" in feed and feed["select"] is None and not feed.get("map"):
        allowed = "the path of a file with one SELECT, or a table map beside it, which says the same without SQL"
        decoder.report(f"{key}.select", f"is missing; allowed: {allowed}")
    if feed.get("select") is not None and feed.get("map"):
        decoder.report(f"{key}.map", "is given beside select; allowed: one of both")
    for _, rule in iterate_rules(feed.get("map", {})):
        if isinstance(rule, MappingError):
            decoder.report(f"{key}.map.{rule.key}", rule.message)
    encoding = feed.get("encoding", "auto")
    if encoding != "auto" and not is_encoding(encoding):
        decoder.report(f"{key}.encoding", f'is "{encoding}"; allowed: auto, or the name of one, as utf-8 or cp1252')


def refuse_table_settings(decoder: Decoder, feed: dict[str, Any], key: str) -> None:
    allowed = ", ".join(name for name, row in FORMATS.items() if row.has_select)
    for name in TABLE_SETTINGS:
        if feed.get(name) not in (None, {}, _DEFAULTS[name]):
            detail = f'is set together with format "{feed["format"]}"'
            decoder.report(f"{key}.{name}", f"{detail}; allowed: only with {allowed}")


def is_encoding(name: str) -> bool:
    """Whether it is one of texts: `hex` and the like turn bytes into bytes."""
    try:
        return isinstance(codecs.lookup(name).encode("")[0], bytes) and isinstance(b"".decode(name), str)
    except (LookupError, ValueError, TypeError, AttributeError):
        return False
