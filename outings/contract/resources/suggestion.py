"""One suggestion: what a half-typed word may become."""

from typing import Annotated, Literal

from outings.contract.resources.shared import Member
from outings.contract.resources.words import means

# The order in which kinds are suggested.
SuggestionKind = Literal["category", "neighborhood", "place", "organization", "listing"]


class SuggestionLinks(Member, frozen=True, kw_only=True):
    """`self`: the listing or organization itself, null of a category and a neighborhood. The others: the lists of what
    belongs to it, null where there is no such list."""

    self: Annotated[str | None, means("The listing or organization; null of a category and a neighborhood.")] = None
    events: Annotated[str | None, means("The list of its events; null where there is none.")] = None
    classes: Annotated[str | None, means("The list of its classes; null where there is none.")] = None
    camps: Annotated[str | None, means("The list of its camps; null where there is none.")] = None
    places: Annotated[str | None, means("The list of its places; null where there is none.")] = None


class Suggestion(Member, frozen=True, kw_only=True):
    """`text` is what to show, and `type` what `id` is of. The `slug` of a category or a neighborhood is what the
    parameter of that name takes."""

    text: Annotated[str, means("What to show.")]
    kind: Annotated[SuggestionKind, means("What it is. `listing` is an event, a class or a camp.")]
    type: Annotated[str | None, means("What `id` is of; null of a category and a neighborhood.")] = None
    id: Annotated[
        str | None, means("The id of the listing or organization; null of a category and a neighborhood.")
    ] = None
    slug: Annotated[str, means("Of a category and a neighborhood what the parameter of that name takes.")]
    links: Annotated[SuggestionLinks, means("Paths to it and to the lists of what belongs to it.")]
