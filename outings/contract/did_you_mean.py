"""Find suggestions for a mistyped name or word, and for a parameter that other APIs or routes call by another name."""

import re
from collections.abc import Collection, Iterable, Mapping

_COMPARED_CHARACTERS = 64

# Names that other APIs use for each parameter, in lower-case letters. The first parameter that a route has counts.
_OTHERS: Mapping[str, str] = {
    "from": "startdate datefrom fromdate begin begindate since start date day startson after month",
    "to": "enddate dateto todate until end endson before",
    "limit": "perpage pagesize count size rows maxresults",
    "page": "offset pagenumber skip",
    "cursor": "page pagetoken nextpagetoken continuation nextcursor offset since after",
    "q": "search query text keyword keywords term s",
    "lat": "latitude y near latlng latlon coordinates point",
    "lng": "lon long longitude x",
    "radius_m": "radius distance within",
    "near_zip": "zipcode postalcode postcode",
    "place_id": "venue venueid place location locationid",
    "organization_id": "organizer organizerid organisation organisationid organization host provider",
    "category": "genre tag tags topic",
    "age": "ages childage",
    "age_min": "agemin minage",
    "age_max": "agemax maxage",
    "max_price": "pricemax maxcost budget price",
    "free": "isfree",
    "recurring": "isrecurring",
    "weekday": "dayofweek days weekdays",
    "changed_since": "updatedsince modifiedsince updatedafter updatedmin",
    "fields": "select only",
    "expand": "embed",
    "sort": "order orderby sortby",
    "metro": "city region market",
    "type_hint": "kind",
    "types": "type",
}
_MEANT: Mapping[str, tuple[str, ...]] = {
    other: tuple(ours for ours, others in _OTHERS.items() if other in others.split())
    for names in _OTHERS.values()
    for other in names.split()
}


def list_nearest(name: str, candidates: Iterable[str], *, most: int = 3) -> list[str]:
    """Return up to `most` of `candidates` that are spelled like `name`, the most similar first."""
    # Only here, because most builds need no suggestion.
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    by_folded = {candidate.casefold(): candidate for candidate in sorted(candidates)}
    matches = process.extract(
        name[:_COMPARED_CHARACTERS].casefold(),
        list(by_folded),
        scorer=OSA.normalized_similarity,
        score_cutoff=0.6,
        limit=most,
    )
    return [by_folded[near] for near, _, _ in matches]


def find_nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that is most similar in spelling, or None if none is similar."""
    return next(iter(list_nearest(name, candidates, most=1)), None)


def suggest(name: str, candidates: Iterable[str]) -> str:
    """Return "; did you mean …?" to append to a message, or "" if no candidate is similar."""
    nearest = list_nearest(name, candidates)
    return f"; did you mean {' or '.join(nearest)}?" if nearest else ""


def suggest_parameter(name: str, candidates: Collection[str]) -> str | None:
    """Return the parameter that other APIs or routes call `name`, or else that is spelled similarly, or None."""
    return suggest_other(name, candidates) or find_nearest(name, candidates)


def suggest_other(name: str, candidates: Collection[str]) -> str | None:
    """Return the parameter in `candidates` that other APIs or other routes call `name`, or None."""
    plain = re.sub(r"[^a-z]", "", name[:64].lower())
    return next((ours for ours in _MEANT.get(plain, ()) if ours in candidates), None)
