"""Check settings against each other: unique names, references between tables, readable files."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from ipaddress import ip_network
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import msgspec
from Stemmer import algorithms

from outings.configuration.decoder import Decoder, name_entry
from outings.configuration.mapping import MappingError, iterate_rules
from outings.configuration.tables import FORMATS, NWS, PARAMETERS, split_secrets
from outings.configuration.zones import is_zone
from outings.contract.did_you_mean import suggest
from outings.contract.errors import ApiError
from outings.contract.languages.language import FILES, SHIPPED, Language, LanguageError, find_stems, parse_language
from outings.contract.parameters import MOMENTS
from outings.contract.query import parse_query
from outings.contract.routes import match_route
from outings.contract.static_files import name_file, spell_request
from outings.contract.vocabulary import RESERVED_METRO_SLUGS, Vocabulary

# Parameters that no request for static files may have. A list's pages are files of its one request.
_NEVER_STATIC = ("page", "cursor", "include", "changed_since")


def locate_url(url: str, directory: Path) -> str:
    """Make a `file:` URL absolute: `file:var`, `file:/var` or `file:///var`. Return other URLs unchanged."""
    if not url.startswith("file:"):
        return url
    folder = url.removeprefix("file:")
    return f"file:{directory / (folder[2:] if folder.startswith('///') else folder)}"


def check_static(decoder: Decoder, tables: dict[str, Any]) -> None:
    """Report errors in `[static]`, such as a metro or request that the other tables do not allow, to `decoder`."""
    static, store = tables["static"], tables.get("store", {})
    url, other = static.get("url"), store.get("url")
    if url is not None and not url.startswith(("file:", "s3://")):
        decoder.report("static.url", f'is "{url}"; allowed: file:FOLDER or s3://BUCKET/PREFIX')
    elif url is not None and other is not None and _is_nested(url, other, decoder.directory):
        decoder.report(
            "static.url", f'is "{url}", the place of the store "{other}" or inside one another; allowed: another place'
        )
    metros = {metro["slug"]: metro.get("aliases", ()) for metro in tables.get("metros", []) if "slug" in metro}
    _check_slugs(decoder, "static.metros", static.get("metros", ()), metros)
    published = static.get("metros") or tuple(metros)
    names = {name for slug in published for name in (slug, *metros.get(slug, ()))}
    vocabulary = msgspec.convert(tables.get("vocabulary", {}), Vocabulary)
    for request in static.get("requests", ()):
        reason = _explain_request(request, names, vocabulary)
        if reason is not None:
            decoder.report("static.requests", f'has "{request}": {reason}')


def _is_nested(first: str, second: str, directory: Path) -> bool:
    """Return True if two URLs of stores are the same place, or one is within the other."""
    if first.partition(":")[0] != second.partition(":")[0]:
        return False
    one, two = (
        PurePosixPath(Path(locate_url(url, directory).removeprefix("file:")).resolve())
        if url.startswith("file:")
        else PurePosixPath(url.removeprefix("s3://").strip("/"))
        for url in (first, second)
    )
    return one.is_relative_to(two) or two.is_relative_to(one)


def _explain_request(request: str, metros: set[str], vocabulary: Vocabulary) -> str | None:
    """Return why a request's answer can't be a static file, or None if it can."""
    path, _, query_string = request.partition("?")
    match = match_route(path)
    if match is None:
        return "there is no such route; allowed: a path of the API, such as /v1/seattle/events?free=true"
    route = match.route
    if match.format or not route.needs_key or route.is_now or (route.max_age is None and route.name != "changes"):
        allowed = "lists, details, facets, calendars, directories, coverage, changes and exports"
        return f"its answer can't be a file; allowed: {allowed}"
    try:
        query = parse_query(match, query_string.encode(), vocabulary=vocabulary)
    except ApiError as error:
        return error.message
    for name in _NEVER_STATIC:
        if name in query.values or (name == "cursor" and query.cursor is not None):
            return f"{name} can't be part of it; allowed: the request without it"
    for name in MOMENTS:
        if query.get(name) == "now":
            return f"{name}=now can't be part of it, since its answer is valid for a minute; allowed: a local time"
    if query.metro is not None and query.metro not in metros:
        return f"{query.metro} is not among the metros of the tree; allowed: {', '.join(sorted(metros)) or 'none'}"
    try:
        name_file(spell_request(query))
    except ValueError as error:
        return str(error)
    return None


def read_languages(decoder: Decoder, tables: Mapping[str, Any]) -> dict[str, Language]:
    """Read the folders of `[languages]`, by name. Report errors in them, and metros with an unknown language, to
    `decoder`."""
    folders: dict[str, Path] = tables.get("languages", {})
    read = {code: _read_language(decoder, code, folder) for code, folder in folders.items()}
    codes = sorted({*SHIPPED, *folders})
    for number, metro in enumerate(tables.get("metros", ())):
        code = metro.get("language")
        if code is not None and code not in codes:
            key = f"{name_entry('metros', number, metro)}.language"
            near = suggest(code, codes)
            decoder.report(key, f'is "{code}"{near}; allowed: {", ".join(codes)}, and what [languages] names')
    return {code: language for code, language in read.items() if language is not None}


def _read_language(decoder: Decoder, code: str, folder: Path) -> Language | None:
    key = f"languages.{code}"
    try:
        contents = {name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()}
        if not contents:
            decoder.report(key, f"names {folder}, where no words are; allowed: a folder with any of {', '.join(FILES)}")
            return None
        return _check_stems(decoder, key, parse_language(code, contents))
    except OSError as error:
        decoder.report(key, f"names {folder}, which can't be read: {error.strerror}")
    except LanguageError as error:
        decoder.report(key, f"names {folder}: {error}")
    return None


def _check_stems(decoder: Decoder, key: str, language: Language) -> Language:
    stems, known = "".join(find_stems(language).split()[:1]), sorted(algorithms())
    if stems and stems not in known:
        near = suggest(stems, known)
        decoder.report(key, f'search.toml: stems is "{stems}"{near}; allowed: {", ".join(known)}, or none')
    return language


# Settings, each with its default and the values of another setting with which alone it has a meaning.
Dependents = tuple[tuple[str, Any, tuple[str, ...]], ...]
_TABLES = tuple(name for name, row in FORMATS.items() if row.has_select)
# Settings of files that are not JSON. A feed of several pages is always JSON.
_OF_FILES = ("skip", "sheet", "table", "file")
_BY_FORMAT: Dependents = (
    ("keep", {}, (*_TABLES, "ics")), ("drop", {}, (*_TABLES, "ics")), ("select", None, _TABLES), ("map", {}, _TABLES),
    ("encoding", "auto", _TABLES), ("records", "", _TABLES), ("references", {}, _TABLES), ("skip", 0, _TABLES),
    ("follow", "", ("jsonld",)), ("sheet", "", _TABLES), ("table", "", _TABLES),
    ("file", "", _TABLES), ("pages", None, _TABLES),
)  # fmt: skip
_BY_WAY: Dependents = (
    ("path", "", ("next",)), ("parameter", "", tuple(PARAMETERS)), ("first", 1, ("page",)),
    ("last", "", ("page", "next", "link")),
)  # fmt: skip
_BY_WEATHER: Dependents = (("url", NWS, ("nws",)), ("contact", "", ("nws",)), ("path", None, ("file",)))


def _refuse_unused(
    decoder: Decoder, table: dict[str, Any], key: str, settings: Dependents, *, by: str, chosen: str | None
) -> None:
    """Report the settings that have no meaning with the `chosen` value of another one, which `by` names."""
    for name, default, values in settings:
        if chosen not in (None, *values) and table.get(name, default) != default:
            *others, last = values
            allowed = f"{', '.join(others)} and {last}" if others else last
            decoder.report(f"{key}.{name}", f'is set together with {by} "{chosen}"; allowed: only with {allowed}')


def _check_slugs(
    decoder: Decoder, key: str, slugs: Iterable[str], metros: Collection[str], *, verb: str = "has"
) -> None:
    for slug in slugs:
        if slug not in metros:
            allowed = ", ".join(sorted(metros)) or "none, as no metro is configured"
            decoder.report(key, f'{verb} "{slug}"{suggest(slug, metros)}; allowed: {allowed}')


def check_pages(decoder: Decoder, feed: dict[str, Any], key: str) -> None:
    pages = feed.get("pages")
    if pages is None:
        return
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
    _refuse_unused(decoder, pages, key, _BY_WAY, by="by =", chosen=by)
    if bool(pages.get("size")) != bool(pages.get("size_parameter")):
        missing = "size" if pages.get("size_parameter") else "size_parameter"
        decoder.report(f"{key}.{missing}", "is missing; allowed: both size and size_parameter, or neither")


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


def is_encoding(name: str) -> bool:
    """Return True if Python has a text encoding of this name. `hex` and the like are none: they convert bytes."""
    try:
        return b"".decode(name) == "" and "".encode(name) is not None
    except (LookupError, ValueError):
        return False


# The most words of a vocabulary. Bit sets have 64 bits, of which DuckDB reads one as a sign.
MAX_WORDS = 63
# The fewest characters of a secret: 16 random bytes in hexadecimal digits.
MIN_SECRET = 32
RATE_SCHEMES = ("redis://", "rediss://", "unix://")
REMOTE_GEOCODERS = ("nominatim", "photon", "census")
REMOTE_SCHEMES = ("http://", "https://")

# Headers that a fetch sets itself.
OWN_HEADERS = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "range", "if-none-match",
     "if-modified-since"}
)  # fmt: skip
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

# A table as the decoder returns it. Wrong settings are missing.
Values = dict[str, Any]


def check_tables(decoder: Decoder, tables: Values) -> None:
    """Report contradictions between settings that are valid alone to `decoder`."""
    store = tables.get("store", {})
    if not store.get("url", "file:var").startswith(("file:", "s3://")):
        decoder.report("store.url", f'is "{store["url"]}"; allowed: file:FOLDER or s3://BUCKET/PREFIX')
    metros: list[Values] = tables.get("metros", [])
    _check_unique(decoder, "metros", [name for metro in metros for name in _list_names(metro)])
    for number, metro in enumerate(metros):
        _check_metro(decoder, metro, name_entry("metros", number, metro))
    feeds: list[Values] = tables.get("feeds", [])
    _check_unique(decoder, "feeds", [feed["name"] for feed in feeds if "name" in feed])
    slugs = {metro["slug"] for metro in metros if "slug" in metro}
    for number, feed in enumerate(feeds):
        key = name_entry("feeds", number, feed)
        if "format" in feed:
            _check_format(decoder, feed, key)
        _check_address(decoder, feed.get("url", ""), f"{key}.url")
        _check_headers(decoder, feed, f"{key}.headers")
        check_pages(decoder, feed, key)
        if feed.get("metro") is not None:
            _check_slugs(decoder, f"{key}.metro", [feed["metro"]], slugs, verb="is")
    _check_edge(decoder, tables.get("edge", {}))
    _check_slugs(decoder, "edge.metros", tables.get("edge", {}).get("metros", ()), slugs)
    _check_geocoder(decoder, tables.get("geocoder", {}))
    _check_weather(decoder, tables.get("weather", {}))
    _check_vocabulary(decoder, tables.get("vocabulary", {}))
    if tables.get("static") is not None:
        check_static(decoder, tables)


def _check_edge(decoder: Decoder, edge: Values) -> None:
    storage = edge.get("rate_storage", "local")
    if storage != "local" and not storage.startswith(RATE_SCHEMES):
        # The value is not shown, because it may contain a password.
        decoder.report("edge.rate_storage", f"is neither local nor a Redis URL; allowed: local, {RATE_SCHEMES[0]}…")
    if any(len(secret) < MIN_SECRET for secret in split_secrets(edge.get("calendar_secrets", ""))):
        allowed = f"each {MIN_SECRET} characters or more, random ones, with blanks or commas between them"
        decoder.report("edge.calendar_secrets", f"has one that is too short; allowed: {allowed}")
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
    _refuse_unused(decoder, weather, "weather", _BY_WEATHER, by="provider", chosen=provider)


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


def _check_format(decoder: Decoder, feed: Values, key: str) -> None:
    name: str = feed["format"]
    row = FORMATS[name]
    if row.is_paged and feed.get("mode") == "full":
        decoder.report(f"{key}.mode", f'is "full"; allowed: delta, because {name} has only changes')
    if row.is_paged and "url" in feed and not feed["url"].startswith(REMOTE_SCHEMES):
        decoder.report(
            f"{key}.url", f"is not the address of a server; allowed: http://… or https://…, which {name} needs"
        )
    if row.is_paged and "metro" in feed and feed["metro"] is None:
        decoder.report(f"{key}.metro", f"is missing; allowed: the slug of the one metro that {name} belongs to")
    _refuse_unused(decoder, feed, key, _BY_FORMAT, by="format", chosen=name)
    if row.has_select:
        check_table(decoder, feed, key)


def _check_headers(decoder: Decoder, feed: Values, key: str) -> None:
    """Report invalid headers of a feed. Messages do not quote values, since one may be a key."""
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
    """Report an incomplete address. The message does not quote it, since it may contain a password."""
    if not re.match(r"(?!file:)([a-z][a-z0-9+.-]*://|https?:|s3:)", url.casefold()):
        return
    try:
        parts = urlsplit(url)
        right = url.startswith((*REMOTE_SCHEMES, "s3://")) and bool(parts.hostname) and parts.port != 0
    except ValueError:
        right = False
    if not right or not url.isprintable() or " " in url:
        allowed = "a path, a glob, file:, http://…, https://… or s3://BUCKET/KEY"
        decoder.report(key, f"is not a complete address; allowed: {allowed}")


def _check_vocabulary(decoder: Decoder, vocabulary: Values) -> None:
    for name, words in vocabulary.items():
        key = f"vocabulary.{name}"
        _check_unique(decoder, key, list(words))
        if len(words) > MAX_WORDS:
            decoder.report(key, f"has {len(words)} words; allowed: at most {MAX_WORDS}")
        for word in words:
            if not (word.isascii() and word.replace("_", "a").isalnum() and word == word.lower()):
                decoder.report(key, f'has "{word}"; allowed: lower-case letters, digits and _')
