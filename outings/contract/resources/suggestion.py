"""One suggestion: what a half-typed word may become."""

from typing import Literal

from outings.contract.resources.shared import Member

# The order in which kinds are suggested.
SuggestionKind = Literal["category", "neighborhood", "place", "organization", "listing"]


class SuggestionLinks(Member, frozen=True, kw_only=True):
    """`self`: the listing or organization itself, null of a category and a neighborhood. The others: the lists of what
    belongs to it, null where there is no such list."""

    self: str | None = None
    events: str | None = None
    classes: str | None = None
    camps: str | None = None
    places: str | None = None


class Suggestion(Member, frozen=True, kw_only=True):
    """`text` is what to show, and `type` what `id` is of. The `slug` of a category or a neighborhood is what the
    parameter of that name takes."""

    text: str
    kind: SuggestionKind
    type: str | None = None
    id: str | None = None
    slug: str
    links: SuggestionLinks
