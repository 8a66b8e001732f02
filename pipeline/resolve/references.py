"""Resolve a record's references to organizations and places of the same build."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct

from outings.contract.text import fold_text
from pipeline.clean.feed_read import SpooledRecord
from pipeline.records.ids import make_organization_id
from pipeline.records.record import Reference

# Most places of the same name in a problem.
_SHOWN_CANDIDATES = 5
# Longer ones are mostly postal codes.
_HOUSE = re.compile(r"\b\d{1,4}[a-z]?\b", re.IGNORECASE)


class ForeignReference(Struct, frozen=True, array_like=True, order=True):
    """A reference to an organization of another metro: by id, else by the `source_id` of one feed."""

    id: str = ""
    feed: str = ""
    source_id: str = ""


class ForeignOrganization(Struct, frozen=True, kw_only=True):
    """The record of an organization in another metro."""

    metro: str
    id: str
    entry: SpooledRecord


# Reference → organization; None if no other metro has it.
ForeignResolution = Mapping[ForeignReference, ForeignOrganization | None]


class ReferenceTarget(Struct, frozen=True, kw_only=True):
    """An organization or a place that may be referred to; `slug` as it is published. `addresses`: of a place, as its
    location has them, the whole and the street's. `is_shown`: it is published."""

    id: str
    type: str
    metro: str
    feed: str
    source_id: str
    slug: str
    name: str
    addresses: tuple[str, ...] = ()
    is_shown: bool = True


class Resolution(Struct, frozen=True, kw_only=True):
    """The result of a reference: an `id`, an organization to be made, or a problem. All None without a reference.

    `made_name`: no record states this organization; its `id` is computed from this name, and its row is to be made.
    `problem`: why the reference leads to nothing; `value`: the text of the reference.
    """

    id: str | None = None
    made_name: str | None = None
    problem: str | None = None
    value: str | None = None


class Targets:
    """The rows to which a metro's records may refer, indexed by each way to refer to them. Keys begin with the type,
    here called `kind`. Slugs, names and addresses mean the rows of the record's own feed if it has any of them."""

    def __init__(self, targets: Iterable[ReferenceTarget], *, metro: str, first_slug: str = "") -> None:
        """Index the rows. `targets`: the metro's own, and organizations of other metros, found by id and source_id
        alone. If several organizations of other feeds have a slug or a folded name, it means the first of them.
        `first_slug`: the metro's first slug, of which ids are made, if it has another one now."""
        self._metro, self._first_slug = metro, first_slug or metro
        self._sources: dict[tuple[str, str, str], str] = {}
        self._ids: dict[tuple[str, str], str] = {}
        self._slugs: defaultdict[tuple[str, str], list[ReferenceTarget]] = defaultdict(list)
        self._names: defaultdict[tuple[str, str], list[ReferenceTarget]] = defaultdict(list)
        self._addresses: defaultdict[str, list[ReferenceTarget]] = defaultdict(list)  # of places, by house and street
        for target in targets:
            self._add(target)
        # Many listings have the same LOCATION, and a name may have a thousand candidates.
        self.find_located = cache(self._find_located)

    def _add(self, target: ReferenceTarget) -> None:
        is_own = target.metro == self._metro
        if not is_own and target.type != "organization":
            return
        self._ids[target.type, target.id] = target.id
        self._sources.setdefault((target.type, target.feed, target.source_id), target.id)
        if not is_own:
            return
        self._slugs[target.type, target.slug].append(target)
        self._names[target.type, fold_text(target.name)].append(target)
        for street in {fold_text(address.split(",")[0]) for address in target.addresses}:
            if _HOUSE.search(street):
                self._addresses[street].append(target)

    def _find_located(self, text: str, *, feed: str) -> str | None:
        """Return the id of the one place that a LOCATION of a calendar, the `feed`, means: by its name, unless another
        address follows, or by its address alone."""
        pieces = text.split(",")
        for count in range(len(pieces), 0, -1):
            named = self._names.get(("place", fold_text(",".join(pieces[:count]))), ())
            rest = ",".join(pieces[count:])
            places = _prefer_own([p for p in named if p.is_shown and _may_be_at(rest, p.addresses)], feed)
            if places:
                return places[0].id if len(places) == 1 else None
        places = _prefer_own([p for p in self._addresses.get(fold_text(pieces[0]), ()) if p.is_shown], feed)
        return places[0].id if len(places) == 1 else None

    def resolve(self, reference: Reference | None, *, kind: str, feed: str) -> Resolution:
        """Resolve a reference by the first of these that finds a row: `id`, `source_id` (in the feed that the reference
        names, else in `feed`), `slug`, `name`. A place's name must be unambiguous."""
        if reference is None or reference == Reference():
            return Resolution()
        target = self._find(reference, kind=kind, feed=feed)
        if target is not None:
            return Resolution(id=target)
        if reference.name is not None and (folded := fold_text(reference.name)):
            if kind == "organization":
                return Resolution(id=make_organization_id(self._first_slug, reference.name), made_name=reference.name)
            if candidates := self._names.get((kind, folded)):
                return _choose_place(_prefer_own(candidates, feed), reference)
        return Resolution(problem="unknown_reference", value=_describe_reference(reference))

    def list_foreign(self, references: Iterable[tuple[str, Reference]]) -> Iterator[ForeignReference]:
        """Yield references to organizations that this metro does not have, neither by `id` nor by `source_id`."""
        for feed, reference in references:
            row_id = (reference.id or "").lower()
            if ("organization", row_id) in self._ids:
                continue
            giver, source_id = reference.feed or feed, reference.source_id or ""
            if not source_id or ("organization", giver, source_id) in self._sources:
                giver, source_id = "", ""
            if row_id or source_id:
                yield ForeignReference(row_id, giver, source_id)

    def _find(self, reference: Reference, *, kind: str, feed: str) -> str | None:
        target = None
        if reference.id is not None:
            target = self._ids.get((kind, reference.id.lower()))
        if target is None and reference.source_id is not None:
            target = self._sources.get((kind, reference.feed or feed, reference.source_id))
        if target is None and reference.slug is not None:
            target = _find_first(self._slugs.get((kind, reference.slug)), feed)
        if target is None and reference.name is not None and kind == "organization":
            target = _find_first(self._names.get((kind, fold_text(reference.name))), feed)
        return target


def _prefer_own(candidates: Sequence[ReferenceTarget], feed: str) -> Sequence[ReferenceTarget]:
    """Return the feed's own candidates, else all."""
    return [candidate for candidate in candidates if candidate.feed == feed] or candidates


def _find_first(candidates: Sequence[ReferenceTarget] | None, feed: str) -> str | None:
    return _prefer_own(candidates, feed)[0].id if candidates else None


def _choose_place(candidates: Sequence[ReferenceTarget], reference: Reference) -> Resolution:
    """Choose a place among those with the same name: a published one, then one at the stated address."""
    meant = [candidate for candidate in candidates if candidate.is_shown] or candidates
    if len(meant) > 1 and reference.address is not None:
        address = fold_text(reference.address)
        meant = [
            candidate
            for candidate in meant
            if any(_is_same_address(address, fold_text(own)) for own in candidate.addresses)
        ]
    if len(meant) == 1:
        return Resolution(id=meant[0].id)
    several = sorted(meant or candidates, key=lambda candidate: (candidate.feed, candidate.source_id))
    named = "; ".join(
        f"feed {place.feed}, source_id {place.source_id}{f' at {place.addresses[0]}' if place.addresses else ''}"
        for place in several[:_SHOWN_CANDIDATES]
    )
    more = f"; and {len(several) - _SHOWN_CANDIDATES:,} more" if len(several) > _SHOWN_CANDIDATES else ""
    where = "" if meant or reference.address is None else ", none of them at this address"
    return Resolution(
        problem=f"ambiguous_reference: {len(several):,} places have this name{where}: {named}{more}; "
        "state the address, or the feed and source_id, of the one that is meant",
        value=_describe_reference(reference),
    )


def _may_be_at(text: str, addresses: Sequence[str]) -> bool:
    """Return False if the text has a house number that none of the addresses has."""
    own = {number for address in addresses for number in _HOUSE.findall(address)}
    stated = {*_HOUSE.findall(text)}
    return not own or not stated or bool(own & stated)


def _is_same_address(one: str, other: str) -> bool:
    """Return True if one address begins with all words of the other: "400 broad st" is "400 broad st seattle"."""
    return bool(one and other) and (f"{one} ".startswith(f"{other} ") or f"{other} ".startswith(f"{one} "))


def _describe_reference(reference: Reference) -> str:
    names = ("id", "feed", "source_id", "slug", "name", "address")
    return ", ".join(f"{name} {value}" for name in names if (value := getattr(reference, name)) is not None)
