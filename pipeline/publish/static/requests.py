"""List the requests that a static tree answers."""

from collections.abc import Iterator
from datetime import timedelta

from outings.contract.resources.sync import EXPORTS
from outings.contract.routes import LISTS
from outings.contract.vocabulary import COLLECTIONS
from pipeline.publish.objects.precomputed_pages import list_months
from pipeline.publish.static.tree import StaticMetro

_SATURDAY = 5
_ALL = tuple(COLLECTIONS.values())


def list_overviews(metro: StaticMetro) -> Iterator[str]:
    for listing_type, collection in COLLECTIONS.items():
        facets = LISTS[listing_type].parameters["facets"].allowed or ()
        values = [f"{facet}&limit=0" for facet in (",".join(facets), *facets)]
        yield from metro.list_lists("?facets=", values, of=[collection])
    yield from metro.list_lists("", of=[*list_months(metro.today)])
    yield from metro.list_lists("", of=("organizations", "neighborhoods", "neighborhoods?sort=count"))


def list_details(metro: StaticMetro) -> Iterator[str]:
    listed = [(collection, row_id) for collection, ids in metro.listings.items() for row_id in ids]
    listed += [(COLLECTIONS[item.type], item.id) for item in metro.named if item.type in COLLECTIONS]
    return (f"/v1/{collection}/{row_id}" for collection, row_id in dict.fromkeys(listed))


def list_organizations(metro: StaticMetro) -> Iterator[str]:
    ids = [item.id for item in metro.read_items("organizations")]
    for rows in metro.shown.values():
        ids += rows["organization_id"].drop_nulls().to_list()
    ids += [item.organization.id for item in metro.named if item.organization is not None]
    return (f"/v1/organizations/{row_id}" for row_id in filter(None, dict.fromkeys(ids)))


def list_days(metro: StaticMetro) -> Iterator[str]:
    base, today = f"/v1/{metro.slug}/events", metro.today
    for day in (today + timedelta(days=number) for number in range(metro.days)):
        yield f"{base}?from={day}&to={day}"
    weekday = today.weekday()
    if weekday <= _SATURDAY:  # on a Sunday, what is left of the weekend is the day itself
        saturday = today + timedelta(days=_SATURDAY - weekday)
        yield f"{base}?from={saturday}&to={saturday + timedelta(days=1)}"


def list_exports(metro: StaticMetro) -> Iterator[str]:
    base = f"/v1/{metro.slug}/export"
    yield base
    for collection, kind in EXPORTS.items():
        yield from (f"{base}/{collection}.{file_format}" for file_format in kind.formats)


def list_calendars(metro: StaticMetro) -> Iterator[str]:
    categories = [f"?category={word}" for word in metro.vocabulary.categories]
    return iter(metro.list_lists("", ("", "?free=true", *categories), of=["events.ics"]))


def list_neighborhoods(metro: StaticMetro) -> list[str]:
    return metro.list_lists("?neighborhood=", [item.slug for item in metro.read_items("neighborhoods")], of=_ALL)


def list_relations(metro: StaticMetro) -> Iterator[str]:
    for kind, column in (("places", "place_id"), ("organizations", "organization_id")):
        for collection, rows in metro.shown.items():
            ids = rows[column].drop_nulls().unique(maintain_order=True)
            yield from (f"/v1/{kind}/{row_id}/{collection}" for row_id in ids)
