"""Files of a tree that hosts read themselves: what to say with each answer, and of one that there is not."""

from collections.abc import Iterator, Sequence

from outings.contract.envelope import encode_error
from outings.contract.errors import not_found
from outings.contract.resources.sync import EXPORT_TYPES
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import COLLECTIONS
from outings.release.site import ASSETS
from pipeline.publish.static.hosts import HostFile

_TEXT = "text/plain"
_MAX_AGE = {route.name: route.max_age for route in ROUTES}
_KEPT = "public, max-age=31536000, immutable"


def list_host_files(slugs: Sequence[str]) -> Iterator[HostFile]:
    missing = not_found("There is no such file; /v1/index.json lists those that there are.")
    yield HostFile("404.json", encode_error(missing, "static"), 60)
    yield HostFile("_headers", _encode_headers(slugs), 60, _TEXT)
    yield HostFile(".nojekyll", b"", 60, _TEXT)


def _encode_headers(slugs: Sequence[str]) -> bytes:
    """Return the rules of Netlify and Cloudflare Pages. No two of them say the same header of one file, since these
    hosts would join what they say; Cloudflare takes 100 rules."""
    ages = {
        "/v1/index.json": 60,
        "/v1/metros.json": _MAX_AGE["metros"],
        "/v1/changes.json": _MAX_AGE["changes"],
        "/v1/changes/*": _MAX_AGE["changes"],
        "/openapi.json": _MAX_AGE["openapi"],
    }
    for collection in (*COLLECTIONS.values(), "organizations"):
        ages[f"/v1/{collection}/:id"] = _MAX_AGE[f"{collection}.detail"]
        # Lists of a place or organization; details by slug lie as deep.
        ages[f"/v1/{collection}/:id/*"] = _MAX_AGE["events.at_place"]
    ages |= {f"/v1/{slug}/*": _MAX_AGE["events.list"] for slug in slugs}
    rules = {"/*": "Access-Control-Allow-Origin: *"}
    rules |= {path: f"Cache-Control: {HostFile('', b'', age).cache_control}" for path, age in ages.items()}
    rules[f"/{ASSETS}*"] = f"Cache-Control: {_KEPT}"
    for collection in COLLECTIONS.values():
        for file_format in ("jsonl", "parquet"):
            path = f"/v1/:metro/export/{collection}.{file_format}"
            rules[path] = f"Content-Type: {EXPORT_TYPES[file_format]}"
    return "".join(f"{path}\n  {rule}\n" for path, rule in rules.items()).encode()
