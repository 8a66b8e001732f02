"""Names that other APIs use for our parameters, so that an error can suggest ours."""

import re
from collections.abc import Collection, Mapping

from outings.contract.suggestions import find_nearest

# Ours → theirs, in lower case and without anything between the words. The first of ours that a route has is meant.
_OTHERS: Mapping[str, str] = {
    "from": "startdate datefrom fromdate begin begindate since start date day startson after",
    "to": "enddate dateto todate until end endson before",
    "limit": "perpage pagesize count size rows maxresults",
    "page": "offset pagenumber skip",
    "cursor": "pagetoken nextpagetoken continuation nextcursor",
    "q": "search query text keyword keywords term s",
    "lat": "latitude y",
    "lng": "lon long longitude x",
    "radius_m": "radius distance within",
    "near_zip": "zipcode postalcode postcode",
    "place_id": "venue venueid place location locationid",
    "organization_id": "organizer organizerid organisation organisationid organization host provider",
    "category": "genre tag tags topic",
    "age": "agemin minage childage",
    "max_price": "pricemax maxcost budget",
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


def suggest_parameter(name: str, known: Collection[str]) -> str | None:
    """Our parameter that has this name in other APIs, or that this name is a typo of."""
    plain = re.sub(r"[^a-z]", "", name[:64].lower())
    return next((ours for ours in _MEANT.get(plain, ()) if ours in known), None) or find_nearest(name, known)
