"""One result of a search."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from outings.contract.resources.words import Id, ListingType, Local, means, one_of

LEVELS = ("all_terms", "related", "partial")
# Ids of a result's repeats, and what a list's `ids` takes at once.
MOST_REPEATS = 100
Match = Annotated[str, one_of(*LEVELS)]


class SearchResult(Struct, frozen=True, kw_only=True):
    """`match`: how the words fit; `score` 0 to 1 is of this listing and the words alone. `starts_local`: the next date
    in the window; null for what has none, places among it. With `match=auto` alone: how many more listings the result
    stands for, and their ids. All of a listing is at `/v1/events/{id}`, `/v1/classes/{id}` and so on, by its type."""

    type: ListingType
    id: Id
    slug: str
    name: str
    snippet: Annotated[str, means("At most 180 characters of the description around the words.")]
    match: Annotated[Match, means("How the words fit.")]
    score: Annotated[float, means("How well it fits the words, from 0 to 1, whatever else there is.")]
    starts_local: Annotated[Local | None, means("The next date in the window; null for what has none.")]
    repeats: Annotated[
        int | UnsetType, means("With `match=auto` how many more listings have this name, organization, place and ages.")
    ] = UNSET
    repeat_ids: Annotated[
        Annotated[tuple[Id, ...], Meta(max_length=MOST_REPEATS)] | UnsetType,
        means("With `match=auto` their ids, at most 100, the next first: a list takes them as `ids`."),
    ] = UNSET
