"""The address of a feed: what of it may be shown, and what kind of file it names."""

from email.message import Message
from pathlib import PurePosixPath
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEMES = ("http", "https")
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
    """Without user, password and fragment, and without the values of its query that may be keys."""
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


def find_charset(content_type: str) -> str | None:
    message = Message()
    message["content-type"] = content_type
    return message.get_content_charset()


def choose_suffix(url: str, content_type: str) -> str:
    """By which a table's reader is chosen: the path's own ending, or what the server calls the content."""
    own = PurePosixPath(unquote(urlsplit(url).path)).suffix.lower()
    if own in _SUFFIXES.values():
        return own
    return _SUFFIXES.get(content_type.partition(";")[0].strip().lower(), own)
