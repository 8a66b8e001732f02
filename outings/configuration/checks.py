"""What no single setting shows: names that must be unique, tables that refer to each other, what can be read yet."""

import re
from collections import Counter
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

from outings.configuration.decoder import Decoder, name_entry
from outings.configuration.formats import FORMATS
from outings.configuration.paged_feeds import check_pages
from outings.configuration.static_tree import check_static
from outings.configuration.table_feeds import check_table, refuse_table_settings
from outings.configuration.tables import NWS, split_secrets
from outings.configuration.zones import is_zone
from outings.contract.did_you_mean import suggest
from outings.contract.vocabulary import RESERVED_METRO_SLUGS

# Bit sets of the snapshot are 64 bits wide, and signed where DuckDB reads them.
MAX_WORDS = 63
# Of a secret: half as many random bytes, in hexadecimal digits.
MIN_SECRET = 32
# It stands in a header, and in quotes in the configuration of a front.
FRONT_SECRET = re.compile(rf"[A-Za-z0-9._~+/=-]{{{MIN_SECRET},}}")
RATE_SCHEMES = ("redis://", "rediss://", "unix://")
REMOTE_GEOCODERS = ("nominatim", "photon", "census")
REMOTE_SCHEMES = ("http://", "https://")

# What a fetch says itself.
OWN_HEADERS = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "range", "if-none-match",
     "if-modified-since"}
)  # fmt: skip
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

# A checked table as the decoder gives it: what was wrong in it is absent.
Values = dict[str, Any]


def check_tables(decoder: Decoder, tables: Values) -> None:
    """Reports to `decoder` whatever is wrong between settings that are right each by itself."""
    _check_store(decoder, tables.get("store", {}))
    metros: list[Values] = tables.get("metros", [])
    _check_unique(decoder, "metros", [name for metro in metros for name in _list_names(metro)])
    for number, metro in enumerate(metros):
        _check_metro(decoder, metro, name_entry("metros", number, metro))
    feeds: list[Values] = tables.get("feeds", [])
    _check_unique(decoder, "feeds", [feed["name"] for feed in feeds if "name" in feed])
    known = {metro["slug"] for metro in metros if "slug" in metro}
    for number, feed in enumerate(feeds):
        key = name_entry("feeds", number, feed)
        _check_feed(decoder, feed, key)
        _check_feed_metro(decoder, feed, f"{key}.metro", known)
    _check_edge(decoder, tables.get("edge", {}))
    _check_geocoder(decoder, tables.get("geocoder", {}))
    _check_weather(decoder, tables.get("weather", {}))
    _check_vocabulary(decoder, tables.get("vocabulary", {}))
    if tables.get("static") is not None:
        check_static(decoder, tables)


def _check_store(decoder: Decoder, store: Values) -> None:
    if not store.get("url", "file:var").startswith(("file:", "s3://")):
        decoder.report("store.url", f'is "{store["url"]}"; allowed: file:FOLDER or s3://BUCKET/PREFIX')


def _check_edge(decoder: Decoder, edge: Values) -> None:
    storage = edge.get("rate_storage", "local")
    if storage != "local" and not storage.startswith(RATE_SCHEMES):
        # What was meant as a URL may have a password in it, and is not shown.
        decoder.report("edge.rate_storage", f"is neither local nor a Redis URL; allowed: local, {RATE_SCHEMES[0]}…")
    secret = edge.get("legacy_key_secret", "")
    if secret and len(secret) < MIN_SECRET:
        decoder.report("edge.legacy_key_secret", f"is too short; allowed: {MIN_SECRET} characters or more, random ones")
    if any(len(each) < MIN_SECRET for each in split_secrets(edge.get("calendar_secrets", ""))):
        allowed = f"each {MIN_SECRET} characters or more, random ones, with blanks or commas between them"
        decoder.report("edge.calendar_secrets", f"has one that is too short; allowed: {allowed}")
    if not all(FRONT_SECRET.fullmatch(each) for each in split_secrets(edge.get("front_secret", ""))):
        allowed = f"{MIN_SECRET} characters or more, of letters, digits and -._~+/=, with blanks or commas between two"
        decoder.report("edge.front_secret", f"can't be sent in a header, or is too short; allowed: {allowed}")
    for proxy in edge.get("trusted_proxies", ()):
        try:
            ip_network(proxy, strict=False)
        except ValueError:
            decoder.report("edge.trusted_proxies", f'"{proxy}" is no address; allowed: addresses and networks of IP')


def _check_geocoder(decoder: Decoder, geocoder: Values) -> None:
    provider, url = geocoder.get("provider"), geocoder.get("url", "")
    if provider in REMOTE_GEOCODERS and not url.startswith(("http://", "https://")):
        decoder.report("geocoder.url", f"is not the URL of a {provider} server; allowed: http://… or https://…")
    elif provider not in (*REMOTE_GEOCODERS, None) and url:
        decoder.report(
            "geocoder.url", f'is set together with provider "{provider}", which uses no server; allowed: empty'
        )


def _check_weather(decoder: Decoder, weather: Values) -> None:
    provider, url, contact = weather.get("provider"), weather.get("url", NWS), weather.get("contact", "")
    if not url.startswith(("http://", "https://")):
        decoder.report("weather.url", "is not the URL of a server of nws; allowed: http://… or https://…")
    if not (contact.isascii() and contact.isprintable()):
        decoder.report("weather.contact", "can't be sent in a header; allowed: printable ASCII characters")
    if provider == "file" and "path" in weather and weather["path"] is None:
        decoder.report("weather.path", 'is missing; allowed: the path of a JSON file, which provider "file" needs')
    for name, own, default in (("url", "nws", NWS), ("contact", "nws", ""), ("path", "file", None)):
        if provider not in (own, None) and weather.get(name, default) != default:
            decoder.report(f"weather.{name}", f'is set together with provider "{provider}"; allowed: only with {own}')


def _list_names(metro: Values) -> list[str]:
    return [name for name in (metro.get("slug"), *metro.get("aliases", ())) if name]


def _check_unique(decoder: Decoder, key: str, names: list[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            decoder.report(key, f'"{name}" is named {count} times; allowed: once')


def _check_metro(decoder: Decoder, metro: Values, key: str) -> None:
    for name in sorted(RESERVED_METRO_SLUGS.intersection(_list_names(metro))):
        words = ", ".join(sorted(RESERVED_METRO_SLUGS))
        decoder.report(key, f'"{name}" is a word of the routes; not allowed as slug or alias: {words}')
    if not is_zone(zone := metro.get("timezone", "UTC")):
        decoder.report(f"{key}.timezone", f'is "{zone}"; allowed: a name of the IANA database, as America/New_York')
    bounds, center = metro.get("bounds", {}), metro.get("center", {})
    if len(bounds) == 4:
        south, west, north, east = (bounds[side] for side in ("south", "west", "north", "east"))
        if not (-90 <= south < north <= 90 and -180 <= west < east <= 180):
            decoder.report(f"{key}.bounds", f"is {bounds}; allowed: -90 ≤ south < north ≤ 90, -180 ≤ west < east ≤ 180")
        elif len(center) == 2 and not (south <= center["lat"] <= north and west <= center["lng"] <= east):
            decoder.report(f"{key}.center", f"is {center}; allowed: a point inside the metro's bounds, {bounds}")


def _check_feed(decoder: Decoder, feed: Values, key: str) -> None:
    if "format" in feed:
        _check_format(decoder, feed, key)
    _check_address(decoder, feed.get("url", ""), f"{key}.url")
    _check_headers(decoder, feed, f"{key}.headers")
    check_pages(decoder, feed, key)


def _check_format(decoder: Decoder, feed: Values, key: str) -> None:
    name: str = feed["format"]
    row = FORMATS[name]
    if row.is_walk and feed.get("mode") == "full":
        decoder.report(f"{key}.mode", f'is "full"; allowed: delta, because {name} has only changes')
    if row.is_walk and "url" in feed and not feed["url"].startswith(REMOTE_SCHEMES):
        decoder.report(
            f"{key}.url", f"is not the address of a server; allowed: http://… or https://…, which {name} needs"
        )
    if row.is_walk and "metro" in feed and feed["metro"] is None:
        decoder.report(f"{key}.metro", f"is missing; allowed: the slug of the one metro that {name} belongs to")
    if row.has_select:
        check_table(decoder, feed, key)
    else:
        refuse_table_settings(decoder, feed, key)


def _check_headers(decoder: Decoder, feed: Values, key: str) -> None:
    """A value may be somebody's key, and is not shown."""
    headers: dict[str, str] = feed.get("headers", {})
    if headers and "url" in feed and not feed["url"].startswith(REMOTE_SCHEMES):
        decoder.report(
            key, "is set together with an address that takes no headers; allowed: only with http://… and https://…"
        )
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or name.lower() in OWN_HEADERS:
            own = ", ".join(sorted(OWN_HEADERS))
            decoder.report(f"{key}.{name}", f"can't be set; allowed: names of HTTP headers, except {own}")
        if not (value.isascii() and value.isprintable()) or value != value.strip():
            decoder.report(f"{key}.{name}", "can't be sent in a header; allowed: printable ASCII characters")


def _check_address(decoder: Decoder, url: str, key: str) -> None:
    """One that is wrong may have a password in it, and is not shown."""
    if not url.casefold().startswith(("http:", "https:", "s3:")):
        return
    try:
        parts = urlsplit(url)
        right = url.startswith((*REMOTE_SCHEMES, "s3://")) and bool(parts.hostname) and parts.port != 0
    except ValueError:
        right = False
    if not right or not url.isprintable() or " " in url:
        allowed = "a path, a glob, file:, http://…, https://… or s3://BUCKET/KEY"
        decoder.report(key, f"is not a complete address; allowed: {allowed}")


def _check_feed_metro(decoder: Decoder, feed: Values, key: str, metros: set[str]) -> None:
    metro = feed.get("metro")
    if metro is not None and metro not in metros:
        allowed = ", ".join(sorted(metros)) or "none, as no metro is configured"
        decoder.report(key, f'is "{metro}"{suggest(metro, metros)}; allowed: {allowed}')


def _check_vocabulary(decoder: Decoder, vocabulary: Values) -> None:
    for name, words in vocabulary.items():
        key = f"vocabulary.{name}"
        _check_unique(decoder, key, list(words))
        if len(words) > MAX_WORDS:
            decoder.report(key, f"has {len(words)} words; allowed: at most {MAX_WORDS}")
        for word in words:
            if not (word.isascii() and word.replace("_", "a").isalnum() and word == word.lower()):
                decoder.report(key, f'has "{word}"; allowed: lower-case letters, digits and _')
