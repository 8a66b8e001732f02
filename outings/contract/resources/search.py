"""One result of a search."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from outings.contract.resources.words import Id, ListingType, Local

LEVELS = ("all_terms", "related", "partial")
# Ids of a result's repeats, and what a list's `ids` takes at once.
MOST_REPEATS = 100
Match = Annotated[str, Meta(extra_json_schema={"enum": list(LEVELS)})]


class SearchResult(Struct, frozen=True, kw_only=True):
    """`match`: how the words fit; `score` 0 to 1 is of this listing and the words alone. `starts_local`: the next date
    in the window; null for what has none, places among it. With `match=auto` alone: how many more listings the result
    stands for, and their ids."""

    type: ListingType
    id: Id
    slug: str
    name: str
    snippet: str
    match: Match
    score: float
    starts_local: Local | None
    repeats: int | UnsetType = UNSET
    repeat_ids: Annotated[tuple[Id, ...], Meta(max_length=MOST_REPEATS)] | UnsetType = UNSET


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "SearchResult.match": "How the words fit.",
    "SearchResult.repeat_ids": "With `match=auto` their ids, at most 100, the next first: a list takes them as `ids`.",
    "SearchResult.repeats": "With `match=auto` how many more listings have this name, organization, place and ages.",
    "SearchResult.score": "How well it fits the words, from 0 to 1, whatever else there is.",
    "SearchResult.snippet": "At most 180 characters of the description around the words.",
    "SearchResult.starts_local": "The next date in the window; null for what has none.",
}
