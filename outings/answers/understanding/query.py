"""A search query, read: the words that decide, the kinds they lift, an age, and what was ignored."""

from msgspec import Struct, field

from outings.contract.errors import bad_request
from outings.contract.words import split_words

Words = tuple[str, ...]


class Age(Struct, frozen=True):
    """Whole years, both ends inclusive; `max` None is open. `text`: the words as written."""

    min: int
    max: int | None
    text: str = field(name="from")


class Locations(Struct, frozen=True, kw_only=True):
    """Names that say where, as folded words: the metro's own (name, slug, aliases) and its neighborhoods'."""

    metro: tuple[Words, ...] = ()
    neighborhoods: frozenset[Words] = frozenset()


class Understood(Struct, frozen=True, kw_only=True):
    """`words`: distinct folded words, which decide; `kinds`: folded words that lift; `ignored`: as written, in order."""

    words: Words = ()
    kinds: Words = ()
    age: Age | None = None
    ignored: Words = ()


def understand_query(text: str, *, places: Locations) -> Understood:
    """ApiError (400 nothing_searchable) where no word and no age is left."""
    words = tuple(dict.fromkeys(split_words(text)))
    if not words or words in places.metro:
        raise bad_request(param="q", reason="nothing_searchable", message="q has no word to search for.")
    return Understood(words=words)
