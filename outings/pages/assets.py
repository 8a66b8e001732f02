"""Styles and scripts, named by their own hash, so that browsers keep them for good."""

import hashlib
from collections.abc import Mapping
from functools import cache

from outings.failures import OperatorError
from outings.pages.folders import find_assets
from outings.pages.page import Page
from outings.release.site import ASSETS

# By the ending of a file's name.
_MEDIA = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HASH_DIGITS = 10


class AssetsError(OperatorError):
    """The checkout has no built styles and scripts, or older ones."""


def explain_no_assets() -> str | None:
    """Return why there can be no pages and what to do, or None if their styles and scripts were built."""
    folder = find_assets()
    if (folder / "site.css").is_file():
        return None
    return (
        f"pages are left out: {folder} has no styles and scripts. `make install` builds them in a checkout; elsewhere "
        "install the program again where npm's registry can be reached. `[site] enabled = false` turns pages off"
    )


@cache
def read_assets() -> Mapping[str, Page]:
    """By the name that a template calls it: `site.css`. Raises AssetsError."""
    folder = find_assets()
    files = sorted(path for path in folder.glob("*") if path.suffix in _MEDIA) if folder.is_dir() else []
    if not files:
        raise AssetsError(f"{folder} has no styles and scripts for the pages; `make install` builds them")
    return {path.name: make_asset(path.name, path.read_bytes()) for path in files}


def find_asset(name: str) -> Page:
    """Raises AssetsError."""
    asset = read_assets().get(name)
    if asset is None:
        raise AssetsError(f"{find_assets()} was built before {name} was written; `make install` builds it anew")
    return asset


def make_asset(name: str, data: bytes) -> Page:
    """The file under the name that its bytes give it: `assets/site.1f3a5c7e9b.css`."""
    stem, _, suffix = name.rpartition(".")
    digest = hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]
    return Page(path=f"{ASSETS}{stem}.{digest}.{suffix}", media=_MEDIA[f".{suffix}"], data=data)
