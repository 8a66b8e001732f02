"""Work with addresses of feeds: hide their keys, find the kind of file, and resolve the address of the next page."""

import re
from datetime import date, timedelta
from pathlib import PurePosixPath
from urllib.parse import SplitResult, parse_qsl, unquote, urljoin, urlsplit, urlunsplit

PORTS = {"http": 80, "https": 443}
SCHEMES = tuple(PORTS)
# Pages are named by these. The value of any other may be somebody's key.
_SHOWN = frozenset({
    "aftertimestamp", "afterid", "afterchangenumber", "limit", "page", "offset", "resultoffset", "start", "size", "pp",
    "per_page", "$limit", "$offset", "resultrecordcount", "rows",
})  # fmt: skip
_MOST_CHARACTERS = 300
_SUFFIXES = {
    "text/csv": ".csv", "text/tab-separated-values": ".tsv", "application/geo+json": ".geojson",
    "application/vnd.geo+json": ".geojson", "application/json": ".json", "application/x-ndjson": ".ndjson",
    "application/jsonl": ".jsonl", "application/vnd.apache.parquet": ".parquet",
}  # fmt: skip


def show_url(url: str) -> str:
    """Return the address without user, password, fragment and the values in its query that may be keys."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:
        return "an address that can't be read"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    query = "&".join(
        f"{name}={value if name.casefold() in _SHOWN else '…'}"
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    )
    shown = f"{parts.scheme}://{host}{port}{parts.path}" + (f"?{query}" if query else "")
    return shown if len(shown) <= _MOST_CHARACTERS else shown[:_MOST_CHARACTERS] + "…"


def find_host(url: str) -> str:
    """Return the host of an address, with its port where that is not the scheme's own; an empty text if it has none, or
    has a user."""
    try:
        parts = urlsplit(url)
        port = _find_port(parts)
    except ValueError:
        return ""
    if parts.scheme not in SCHEMES or parts.username is not None:
        return ""
    return (parts.hostname or "") + ("" if port is None else f":{port}")


def choose_suffix(url: str, content_type: str) -> str:
    """Return the file ending that selects a table's reader: the path's own, if known, or that of the content type."""
    own = PurePosixPath(unquote(urlsplit(url).path)).suffix.lower()
    if own in _SUFFIXES.values():
        return own
    return _SUFFIXES.get(content_type.partition(";")[0].strip().lower(), own)


_MOST_URL = 2_000


def resolve_next(stated: str, url: str) -> str:
    """Return the absolute address of the next page, `stated` by that at `url`, with the password of `url`.

    Raises ValueError for another server: an answer must not choose whom we ask.
    """
    try:
        here, there = urlsplit(url), urlsplit(urljoin(url, stated.strip()))
        if here.scheme == "https" and there.scheme == "http" and there.hostname == here.hostname:
            there = there._replace(scheme="https", netloc=there.netloc.removesuffix(":80"))  # a proxy between them lied
        same = (there.hostname, _find_port(there)) == (here.hostname, _find_port(here))
    except ValueError:
        raise ValueError("names a next page that is not an address") from None
    if there.scheme not in SCHEMES or not same or len(stated) > _MOST_URL or not stated.isprintable():
        raise ValueError(f"names a next page of another server, {show_url(stated[:_MOST_URL])}")
    return urlunsplit(there._replace(netloc=here.netloc, fragment=""))


_DAY = re.compile(r"(?:\{|%7B)today(?:(\+|%2B|-)(\d{1,4})d)?(?:\}|%7D)", re.IGNORECASE)


def fill_days(url: str, today: date) -> str:
    """Replace `{today}`, `{today+90d}` and `{today-7d}` in an address by dates.

    >>> fill_days("https://a.example/?from={today}&to={today+30d}", date(2026, 12, 5))
    'https://a.example/?from=2026-12-05&to=2027-01-04'
    """

    def write(match: re.Match[str]) -> str:
        days = int(match[2] or 0)
        return (today + timedelta(days=-days if match[1] == "-" else days)).isoformat()

    return _DAY.sub(write, url)


def normalize_url(url: str) -> tuple[str, ...]:
    """Return a key that is equal for all spellings of a page's address."""
    parts = urlsplit(url)
    pairs = sorted(parse_qsl(parts.query, keep_blank_values=True))
    return parts.path or "/", *(text for pair in pairs for text in pair)


def _find_port(parts: SplitResult) -> int | None:
    """Return the port, None for the scheme's default."""
    return None if parts.port == PORTS.get(parts.scheme) else parts.port
