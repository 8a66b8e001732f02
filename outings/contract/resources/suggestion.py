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


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Suggestion.id": "The id of the listing or organization; null of a category and a neighborhood.",
    "Suggestion.kind": "What it is. `listing` is an event, a class or a camp.",
    "Suggestion.links": "Paths to it and to the lists of what belongs to it.",
    "Suggestion.slug": "Of a category and a neighborhood what the parameter of that name takes.",
    "Suggestion.text": "What to show.",
    "Suggestion.type": "What `id` is of; null of a category and a neighborhood.",
    "SuggestionLinks.camps": "The list of its camps; null where there is none.",
    "SuggestionLinks.classes": "The list of its classes; null where there is none.",
    "SuggestionLinks.events": "The list of its events; null where there is none.",
    "SuggestionLinks.places": "The list of its places; null where there is none.",
    "SuggestionLinks.self": "The listing or organization; null of a category and a neighborhood.",
}
