"""Choose the metro that answers a list of a place's or organization's listings, by the id in the path."""

from collections.abc import Sequence

from outings.answers.live_counts import NOTHING, count_organization
from outings.answers.organizations import choose_record, find_copies
from outings.answers.plan import AnswerContext, forbidden_metro, metro_required
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.errors import not_found
from outings.contract.query import Query
from outings.contract.routes import Match
from outings.contract.vocabulary import TYPES

_PLACE = TYPES.index("place")


def find_metros_of_row(match: Match, *, context: AnswerContext) -> Sequence[str]:
    """Return the readable metros that have the path's place or organization, the one with its record first. Raises
    `not_found` if no metro has it, and `forbidden` if only unreadable ones have."""
    row_id = match.values["id"]
    if match.route.sets == "organization_id":
        copies = find_copies(row_id, context=context)
        record = choose_record(copies).snapshot.metro.slug
        return [record, *(slug for copy in copies if (slug := copy.snapshot.metro.slug) != record)]
    homes = [
        slug
        for slug, snapshot in sorted(context.release.metros.items())
        if open_snapshot(snapshot).listings.find_visible(row_id, type_code=_PLACE) is not None
    ]
    readable = [slug for slug in homes if context.entitlement.allows_metro(slug)]
    if not homes:
        raise not_found("There is no place with this id.")
    if not readable:
        raise forbidden_metro(context.entitlement)
    return readable


def resolve_metro(query: Query, homes: Sequence[str], *, context: AnswerContext) -> Query:
    """Return the query for the metro that it names, or else for the one with live listings of the place or
    organization. Raises `metro_required` if several of the key's metros have any."""
    if query.metro is not None:
        if not context.entitlement.allows_metro(query.metro):
            raise forbidden_metro(context.entitlement, query.metro)
        return query
    if len(homes) == 1:
        return query.with_metro(homes[0])
    assert query.id is not None
    metros, dates, entitlement = context.release.metros, context.dates, context.entitlement
    counts = {
        slug: count_organization(query.id, metros[slug], today=dates[slug], entitlement=entitlement) for slug in homes
    }
    live = [slug for slug, counted in counts.items() if counted != NOTHING]
    if len(live) > 1:
        raise metro_required("This organization has live listings", live)
    return query.with_metro((*live, *homes)[0])
