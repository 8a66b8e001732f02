"""What a listing's document says of where it is: names, an address, corners."""

from collections.abc import Iterator

from msgspec import Struct

from outings.answers.gazetteer.streets import Streets, Words


class DocumentLocation(Struct, frozen=True, kw_only=True):
    """Of a document's `location`, what is read here."""

    address: str | None = None
    street_address: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    neighborhood: str | None = None


class PlaceReference(Struct, frozen=True):
    """The place that a listing refers to."""

    name: str


class PlacedDocument(Struct, frozen=True, kw_only=True):
    """Of a document, what is read here."""

    type: str
    name: str
    location: DocumentLocation
    place: PlaceReference | None = None

    @property
    def site(self) -> str | None:
        """The name of the place that it is, or that it refers to."""
        if self.type == "place":
            return self.name
        return None if self.place is None else self.place.name


def list_names(document: PlacedDocument, streets: Streets) -> Iterator[Words]:
    """Yield the names by which an address finds a listing: that of its place, the part of it before a colon ("Forest
    Park: tennis court"), and the names that its address begins with."""
    site = document.site
    if site is not None:
        yield streets.fold_words(site)
        area, colon, _ = site.partition(":")
        if colon:
            yield streets.fold_words(area)
    first, *others = _split_pieces(document.location.address, streets)
    # A place's address of one piece is its city.
    if first and (others or site is None) and not _is_of_street(first, streets):
        named, around = streets.split_inside(first)
        if around is not None:
            yield streets.fold_words(around)
        yield streets.fold_words(named)


def list_addresses(document: PlacedDocument, streets: Streets) -> Iterator[Words]:
    """House number and street; without its kind too, where that says enough."""
    own = streets.join_number(document.location.street_address or "")
    for text in (own, _split_pieces(document.location.address, streets)[0]):
        if text and streets.is_address(text) and not streets.list_corners(text):
            words = streets.fold_words(text)
            yield words
            if short := streets.leave_kind(words):
                yield short


def list_crossings(document: PlacedDocument, streets: Streets) -> Iterator[tuple[Words, Words]]:
    """Each corner in one order of its streets."""
    address = document.location.address or ""
    # The city stands last, and no street is named as one.
    head, comma, last = address.rpartition(",")
    for one, other in streets.list_corners(head if comma and not streets.is_street(last) else address):
        yield (one, other) if one <= other else (other, one)


def list_cities(document: PlacedDocument, streets: Streets) -> Iterator[Words]:
    """What may stand behind it in an address: its city, and what its own address ends with."""
    for text in (document.location.city, *_split_ends(document, streets)):
        if text:
            yield streets.fold_words(text)


def is_placed(document: PlacedDocument, streets: Streets) -> bool:
    """Whether its address says more than a name or a street: else nothing speaks against a city of the metro's."""
    return bool(_split_ends(document, streets))


def _split_ends(document: PlacedDocument, streets: Streets) -> list[str]:
    """Behind the first piece of its address; of a place also the only one, where that is its city."""
    first, *others = _split_pieces(document.location.address, streets)
    is_city = document.site is not None and not _is_of_street(first, streets)
    return others or ([first] if first and is_city else [])


def _is_of_street(text: str, streets: Streets) -> bool:
    return streets.is_address(text) or streets.is_street(text)


def _split_pieces(address: str | None, streets: Streets) -> list[str]:
    return [piece.strip() for piece in streets.join_number(address or "").split(",")]
