"""One result of a search."""

from typing import Annotated

from msgspec import Meta, Struct

from outings.contract.resources.words import Id, ListingType, Local

LEVELS = ("all_terms", "related", "partial")
Match = Annotated[str, Meta(extra_json_schema={"enum": list(LEVELS)})]


class SearchResult(Struct, frozen=True, kw_only=True):
    """`match`: how the words fit; `score` 0 to 1 is of this listing and the words alone. `starts_local`: the next date
    in the window; null for what has none, places among it."""

    type: ListingType
    id: Id
    slug: str
    name: str
    snippet: str
    match: Match
    score: float
    starts_local: Local | None
