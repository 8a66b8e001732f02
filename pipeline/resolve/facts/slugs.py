"""Assign slugs: readable names in paths, unique within a metro and type, that don't change once published."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain, count

from anyascii import anyascii
from msgspec import Struct

# A longer slug is cut at a hyphen before this: addresses are read aloud and printed on flyers.
MAX_LENGTH = 80

_APOSTROPHES = re.compile(r"['’‘ʼ`´]")
_OTHER_SIGNS = re.compile(r"[^a-z0-9]+")


class SlugRequest(Struct, frozen=True, kw_only=True):
    """A row that needs a slug. `slug`: as its record states it, or None. `is_draft`: readers don't see the row."""

    id: str
    type: str
    name: str
    slug: str | None = None
    is_draft: bool = False


def slugify(text: str) -> str:
    """Return lower-case ASCII words joined by hyphens, "" if none is left. Other scripts are transliterated."""
    plain = _APOSTROPHES.sub("", text)
    if not plain.isascii():
        plain = _APOSTROPHES.sub("", anyascii(plain))
    slug = _OTHER_SIGNS.sub("-", plain.lower()).strip("-")
    if len(slug) <= MAX_LENGTH:
        return slug
    return slug[: MAX_LENGTH + 1].rpartition("-")[0] or slug[:MAX_LENGTH]


def assign_slugs(requests: Iterable[SlugRequest], *, previous: Mapping[str, str]) -> dict[str, str]:
    """Return a slug for each id. `requests`, and the published slugs `previous`, are of one metro and type.

    A published slug changes only when the record states another one. Rows that are gone or archived keep theirs. Among
    new rows with the same slug, later ones get `-2`, `-3` … appended: rows whose record states a slug come first,
    drafts last, then by id.
    """
    published = frozenset(previous.values())
    slugs: dict[str, str] = {}
    new: list[SlugRequest] = []
    for request in requests:
        slug = previous.get(request.id)
        if slug is not None and _stays(request, slug, published=published):
            slugs[request.id] = slug
        else:
            new.append(request)
    moved = {request.id for request in new}
    taken = {slug for row_id, slug in previous.items() if row_id not in moved} if new else set[str]()
    # One counter for each word: a thousand swimming lessons must not each count from 2.
    counters: dict[str, Iterator[str]] = {}
    for request in sorted(new, key=lambda request: (request.is_draft, _own_slug(request) is None, request.id)):
        word = _own_slug(request) or slugify(request.name) or f"{request.type}-{request.id[:8]}"
        candidates = counters.setdefault(word, chain([word], map(f"{word}-{{}}".format, count(2))))
        slugs[request.id] = next(slug for slug in candidates if slug not in taken)
        taken.add(slugs[request.id])
    return slugs


def _own_slug(request: SlugRequest) -> str | None:
    return slugify(request.slug) or None if request.slug else None


def _stays(request: SlugRequest, slug: str, *, published: Container[str]) -> bool:
    """Return True if the row keeps its published `slug`: it is the one that the record states, or that one with a
    number because another row has it."""
    own = _own_slug(request)
    if own is None or slug == own:
        return True
    return own in published and re.fullmatch(re.escape(own) + r"-[1-9]\d*", slug) is not None
