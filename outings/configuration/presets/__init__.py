"""Presets: the settings of a feed from a known system, one TOML file for each system.

`preset = "socrata"` fills in the settings of a feed before they are checked. Settings of the feed itself win.
"""

import base64
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

import msgspec
from msgspec import Struct

from outings.configuration.decoder import expand_references
from outings.configuration.query_string import has_parameter, set_parameter
from outings.contract.did_you_mean import suggest

_REMOTE = ("http://", "https://", "webcal:")


class Rewrite(Struct, frozen=True, forbid_unknown_fields=True):
    """A replacement of matches of `pattern` by `to`, which may use its groups."""

    pattern: str
    to: str


class Address(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules that turn the address that a person knows into the one to fetch: apply `rewrites`, append `path` unless the
    address contains `unless`, then add missing parameters of `query`. The result must match `pattern`, which error
    messages describe as `allowed`."""

    rewrites: tuple[Rewrite, ...] = ()
    path: str = ""
    unless: str = ""
    query: dict[str, str] = {}
    pattern: str = ""
    allowed: str = ""


class Version(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings for another version of a system's API, whose addresses match `pattern`. They replace the preset's."""

    pattern: str
    feed: dict[str, Any]
    query: dict[str, str] | None = None


class Preset(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of one system. `url`: an example; `says`: which address to enter; `needs`: other required settings,
    and what the system tells; `recognize`: a pattern that only this system's addresses match; `marks`: patterns in the
    address and the source of a page that uses it, each with the address of its events."""

    title: str
    url: str
    says: str
    needs: str = ""
    recognize: str = ""
    marks: tuple[Rewrite, ...] = ()
    address: Address = Address()
    feed: dict[str, Any]
    versions: tuple[Version, ...] = ()


@cache
def read_presets() -> Mapping[str, Preset]:
    """Return all presets by name."""
    return {
        path.stem: msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Preset)
        for path in sorted(Path(__file__).parent.glob("*.toml"))
    }


def recognize_preset(url: str) -> str | None:
    """Return the name of the preset that recognizes an address, or None."""
    names = (name for name, preset in read_presets().items() if preset.recognize and _has(preset.recognize, url))
    return next(names, None)


def find_marks(url: str, source: str) -> Iterator[tuple[str, str]]:
    """Yield the preset and the address of the events for each mark of a known system in a page.

    >>> list(find_marks("https://a.example/", '<div data-tockify-calendar="zoo">'))
    [('tockify', 'https://tockify.com/api/feeds/ics/zoo')]
    """
    text = _read_encoded_ids(f"{url}\n{source}")
    for name, preset in read_presets().items():
        for mark in preset.marks:
            for found in re.finditer(mark.pattern, text, flags=re.IGNORECASE):
                yield name, urljoin(url, found.expand(mark.to))


def _read_encoded_ids(text: str) -> str:
    """Replace the ids of calendars that Google's dialog writes in base64.

    >>> _read_encoded_ids("https://calendar.google.com/calendar/embed?src=em9vQGEuZXhhbXBsZQ")
    'https://calendar.google.com/calendar/embed?src=zoo%40a.example'
    """

    def decode(found: re.Match[str]) -> str:
        try:
            own = base64.b64decode(found[2] + "=" * (-len(found[2]) % 4), validate=True).decode()
        except ValueError:
            return found[0]
        return found[1] + quote(own) if "@" in own else found[0]

    return re.sub(r"([?&]src=)([A-Za-z0-9+/]{12,})={0,2}", decode, text)


def apply_presets(document: Mapping[str, Any], environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Fill in the feeds of a parsed document, in place. Yield each wrong key and its problem."""
    feeds = document.get("feeds")
    for number, feed in enumerate(feeds if isinstance(feeds, list) else ()):
        if not isinstance(feed, dict) or not isinstance(name := feed.get("preset"), str) or not name:
            continue
        key = f"feeds.{feed['name']}" if isinstance(feed.get("name"), str) else f"feeds[{number}]"
        preset = read_presets().get(name)
        if preset is None:
            yield f"{key}.preset", f'is "{name}"{suggest(name, read_presets())}; allowed: {", ".join(read_presets())}'
            continue
        yield from ((f"{key}.{place}", wrong) for place, wrong in fill_feed(feed, preset, environ))


def fill_feed(feed: dict[str, Any], preset: Preset, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Fill in one feed by its preset, in place. Yield each wrong key and its problem."""
    url, missing = expand_references(str(feed.get("url", "")), environ)
    is_remote = url.startswith(_REMOTE) and not missing
    settings = dict(preset.feed)
    if is_remote:
        url = _read_encoded_ids(url)
        for rewrite in preset.address.rewrites:
            url = re.sub(rewrite.pattern, rewrite.to, url, flags=re.IGNORECASE)
        version = next((version for version in preset.versions if _has(version.pattern, url)), None)
        query = preset.address.query
        if version is not None:
            settings |= version.feed
            query = query if version.query is None else version.query
        feed["url"] = _complete(url, preset.address, query)
        if preset.address.pattern and not _has(preset.address.pattern, feed["url"]):
            yield "url", f"is not the address of a {feed['preset']} feed; allowed: {preset.address.allowed}"
    else:
        # A local copy needs no settings for a server.
        settings = {name: value for name, value in settings.items() if name not in ("pages", "headers")}
    for name, value in settings.items():
        _fill_setting(feed, name, value)


def _complete(url: str, address: Address, query: Mapping[str, str]) -> str:
    """Append the address's path, and add missing parameters of `query`."""
    if address.path and not _has(address.unless, url):
        parts = urlsplit(url)
        url = urlunsplit(parts._replace(path=parts.path.rstrip("/") + address.path))
    for name, value in query.items():
        if not has_parameter(url, name):
            url = set_parameter(url, name, value)
    return re.sub(r"\$%7B(\w+)%7D", r"${\1}", url)  # a variable of the environment, which is filled in later


def _has(pattern: str, url: str) -> bool:
    return re.search(pattern, url, flags=re.IGNORECASE) is not None


def _fill_setting(feed: dict[str, Any], name: str, value: Any) -> None:
    stated = feed.get(name)
    if name == "map":
        if "select" not in feed:
            feed[name] = _merge_map(value, stated if isinstance(stated, dict) else {})
    elif stated is None:
        feed[name] = value
    elif isinstance(value, dict) and isinstance(stated, dict) and stated.get("by", value.get("by")) == value.get("by"):
        feed[name] = {**value, **stated}


def _merge_map(rules: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the preset's mapping rules, overridden by the feed's own. A feed removes a member by ""."""
    stated = set(_list_members(own))
    kept = {member: rule for member, rule in rules.items() if member not in stated}
    return kept | {member: rule for member, rule in own.items() if rule != ""}


def _list_members(raw: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the dotted path of each key in nested tables: members, and harmlessly also settings of rules."""
    for name, value in raw.items():
        member = f"{path}.{name}" if path else name
        yield member
        if isinstance(value, dict):
            yield from _list_members(value, member)
