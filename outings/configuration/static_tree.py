"""`[static]`: where the tree may lie, and which requests it may have."""

from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from outings.configuration.decoder import Decoder
from outings.contract.did_you_mean import suggest
from outings.contract.errors import ApiError
from outings.contract.query import parse_query
from outings.contract.routes import match_route
from outings.contract.static_files import name_file, spell_request
from outings.contract.vocabulary import Vocabulary

# A page is one of its list's files; the others answer for a key or a moment of their own.
_OWN = ("page", "cursor", "include", "changed_since")


def locate_url(url: str, directory: Path) -> str:
    """A folder's url made absolute: `file:var`, `file:/var` and `file:///var` are all read."""
    if not url.startswith("file:"):
        return url
    folder = url.removeprefix("file:")
    return f"file:{directory / (folder[2:] if folder.startswith('///') else folder)}"


def check_static(decoder: Decoder, tables: dict[str, Any]) -> None:
    """Report what is wrong between `[static]` and the other tables."""
    static, store = tables["static"], tables.get("store", {})
    url, other = static.get("url"), store.get("url")
    if url is not None and not url.startswith(("file:", "s3://")):
        decoder.report("static.url", f'is "{url}"; allowed: file:FOLDER or s3://BUCKET/PREFIX')
    elif url is not None and other is not None and _is_nested(url, other, decoder.directory):
        decoder.report(
            "static.url", f'is "{url}", the place of the store "{other}" or inside one another; allowed: another place'
        )
    metros = {metro["slug"]: metro.get("aliases", ()) for metro in tables.get("metros", []) if "slug" in metro}
    for slug in static.get("metros", ()):
        if slug not in metros:
            allowed = ", ".join(sorted(metros)) or "none, as no metro is configured"
            decoder.report("static.metros", f'has "{slug}"{suggest(slug, metros)}; allowed: {allowed}')
    published = static.get("metros") or tuple(metros)
    names = {name for slug in published for name in (slug, *metros.get(slug, ()))}
    vocabulary = msgspec.convert(tables.get("vocabulary", {}), Vocabulary)
    for request in static.get("requests", ()):
        reason = _explain_request(request, names, vocabulary)
        if reason is not None:
            decoder.report("static.requests", f'has "{request}": {reason}')


def _is_nested(first: str, second: str, directory: Path) -> bool:
    if first.partition(":")[0] != second.partition(":")[0]:
        return False
    one, two = (_read_place(each, directory) for each in (first, second))
    return one.is_relative_to(two) or two.is_relative_to(one)


def _read_place(url: str, directory: Path) -> PurePosixPath:
    if url.startswith("file:"):
        return PurePosixPath(Path(locate_url(url, directory).removeprefix("file:")).resolve())
    return PurePosixPath(url.removeprefix("s3://").strip("/"))


def _explain_request(request: str, metros: set[str], vocabulary: Vocabulary) -> str | None:
    """Return why it can be no file, or None."""
    path, _, query_string = request.partition("?")
    match = match_route(path)
    if match is None:
        return "there is no such route; allowed: a path of the API, such as /v1/seattle/events?free=true"
    route = match.route
    if not route.needs_key or route.is_now or (route.max_age is None and route.name != "changes"):
        allowed = "lists, details, facets, calendars, directories, coverage, changes and exports"
        return f"its answer can't be a file; allowed: {allowed}"
    try:
        query = parse_query(match, query_string.encode(), vocabulary=vocabulary)
    except ApiError as error:
        return error.message
    own = [name for name in _OWN if name in query.values or (name == "cursor" and query.cursor is not None)]
    if own:
        return f"{own[0]} can't be part of it; allowed: the request without it"
    if query.metro is not None and query.metro not in metros:
        return f"{query.metro} is not among the metros of the tree; allowed: {', '.join(sorted(metros)) or 'none'}"
    try:
        name_file(spell_request(query))
    except ValueError as error:
        return str(error)
    return None
