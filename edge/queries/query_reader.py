"""Reads the query of a request, in the order of the checks: metro, scope, parameters."""

from edge.releases import ServedRelease
from outings.answers.listings.relations import find_metros_of_row, settle_metro
from outings.answers.plan import AnswerContext, forbidden_metro, forbidden_types
from outings.contract.errors import not_found
from outings.contract.pricing_plans import Offer, settle_includes
from outings.contract.query import Entitlement, Query, parse_query
from outings.contract.routes import Match
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

# What `types` names → the type that a key must be scoped to.
_TYPES = {collection: listing_type for listing_type, collection in COLLECTIONS.items()}


def read_query(
    match: Match, query_string: bytes, *, served: ServedRelease, about: AnswerContext, offer: Offer
) -> Query:
    """Parse the query and check that the key may send it. The row in the path of a relationship list gives the metro.

    Raises ApiError: 404 for a metro or such a row that does not exist, 403, 400, and 501."""
    entitlement = about.entitlement
    named = match.values.get("metro")
    metro = None if named is None else read_metro(named, served=served, entitlement=entitlement)
    homes = () if match.route.sets is None else find_metros_of_row(match, about=about)
    listing_type = match.route.type
    if listing_type is not None and not entitlement.allows_type(listing_type):
        raise forbidden_types(about, [listing_type])
    query = parse_query(
        match,
        query_string,
        vocabulary=served.vocabulary if metro is None else metro.vocabulary,
        aliases=served.aliases,
        enabled=served.enabled,
    )
    if metro is None and query.metro is not None:
        read_metro(query.metro, served=served, entitlement=entitlement)
    if "types" in query.values:
        outside = [_TYPES[each] for each in query.get_words("types") if not entitlement.allows_type(_TYPES[each])]
        if outside:
            raise forbidden_types(about, outside)
    if "include" in query.values:
        query = settle_includes(query, entitlement=entitlement, offer=offer)
    return settle_metro(query, homes, about=about) if homes else query


def read_metro(name: str, *, served: ServedRelease, entitlement: Entitlement) -> Snapshot:
    """The metro with this slug or alias. Raises 404 if there is none, and 403 if the key may not read it."""
    metro = served.find_metro(name)
    if metro is None:
        meant = served.find_metro(name.lower())
        raise not_found(f"There is no metro {name[:100]!r}.", did_you_mean=None if meant is None else meant.metro.slug)
    if not entitlement.allows_metro(metro.metro.slug):
        raise forbidden_metro(entitlement, metro.metro.slug)
    return metro
