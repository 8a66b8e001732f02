"""Read the names, the address and the corners by which a listing can be named, and make the gazetteer's tables."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from outings.answers.gazetteer.address_parsing import Streets, Words, open_streets
from outings.answers.snapshot.reader import DerivedTables, TableContext
from outings.answers.snapshot.texts import make_texts
from outings.contract.vocabulary import TYPES
from outings.lazy_polars import pl
from outings.release.tables import PUBLISHED


class ListingAddress(Struct, frozen=True, kw_only=True):
    """The parts of a listing that the gazetteer reads. `place_name`: that of the place that it refers to."""

    type: str
    name: str
    place_name: str | None = None
    address: str | None = None
    street_address: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    neighborhood: str | None = None

    @property
    def site(self) -> str | None:
        """Return the name of the place that the listing is or refers to."""
        return self.name if self.type == "place" else self.place_name


def list_names(listing: ListingAddress, streets: Streets) -> Iterator[Words]:
    """Yield the names under which an address finds a listing: its place's, the part of that before a colon ("Forest
    Park: tennis court"), and those at the beginning of its own address."""
    site = listing.site
    if site is not None:
        yield streets.fold_words(site)
        area, colon, _ = site.partition(":")
        if colon:
            yield streets.fold_words(area)
    first, *others = _split_pieces(listing.address, streets)
    # A place's address of one piece is its city.
    if first and (others or site is None) and not _is_of_street(first, streets):
        named, around = streets.split_inside(first)
        if around is not None:
            yield streets.fold_words(around)
        yield streets.fold_words(named)


def list_addresses(listing: ListingAddress, streets: Streets) -> Iterator[Words]:
    """Yield house number and street, and also without `St` or `Ave` if that still names the street."""
    own = streets.join_number(listing.street_address or "")
    for text in dict.fromkeys((own, _split_pieces(listing.address, streets)[0])):
        if text and streets.is_address(text) and not streets.list_corners(text):
            words = streets.fold_words(text)
            yield words
            if short := streets.leave_kind(words):
                yield short


def list_crossings(listing: ListingAddress, streets: Streets) -> Iterator[tuple[Words, Words]]:
    """Yield the corners in a listing's address, each as two streets in alphabetical order."""
    address = listing.address or ""
    # The city comes last, and no street has a city's name.
    head, comma, last = address.rpartition(",")
    for one, other in streets.list_corners(head if comma and not streets.is_street(last) else address):
        yield (one, other) if one <= other else (other, one)


def list_cities(listing: ListingAddress, streets: Streets) -> Iterator[Words]:
    """Yield what may follow a listing's name in an address: its city, and the end of its own address."""
    for text in (listing.city, *_split_ends(listing, streets)):
        if text:
            yield streets.fold_words(text)


def is_placed(listing: ListingAddress, streets: Streets) -> bool:
    """Return True if the address names a city, a state or a postal code. If not, it may be in any city of the metro."""
    return bool(_split_ends(listing, streets))


def _split_ends(listing: ListingAddress, streets: Streets) -> list[str]:
    """Return the parts of the address after the first comma. A place's only part, if no street, is its city."""
    first, *others = _split_pieces(listing.address, streets)
    is_city = listing.site is not None and not _is_of_street(first, streets)
    return others or ([first] if first and is_city else [])


def _is_of_street(text: str, streets: Streets) -> bool:
    return streets.is_address(text) or streets.is_street(text)


def _split_pieces(address: str | None, streets: Streets) -> list[str]:
    return [piece.strip() for piece in streets.join_number(address or "").split(",")]


# The names of the mapped files.
POINTS, POINT_NAMES, POINT_AREAS = "spots", "spot_names", "spot_areas"
# A point's kind is the number of its listing's type, plus this if the listing refers to a place.
AT_PLACE = len(TYPES)
# The first rows of POINT_AREAS: all cities by kind, then all states by kind.
CITIES, STATES = 0, 2 * len(TYPES)
_KINDS = range(2 * len(TYPES))

# A name or an address is its words; other names of a point begin, or are joined, with a sign that no word has.
_ZIP, _CORNER = "#", " & "
_ZIP_DIGITS = 5


def name_words(words: Words) -> str:
    """Return the text under which a point with these words as its name is stored."""
    return " ".join(words)


def name_corner(corner: tuple[Words, Words]) -> str:
    return _CORNER.join(map(name_words, corner))


def name_zip(code: str) -> str:
    return _ZIP + code[:_ZIP_DIGITS]


def list_kinds(types: Iterable[str]) -> list[int]:
    """Return the kinds of points that an API key with these types may find.

    A key without places finds a place only as the listings that it may read describe it.
    """
    own = list(map(TYPES.index, types))
    return own if TYPES.index("place") in own else own + [AT_PLACE + kind for kind in own]


def make_points(frames: "Mapping[str, pl.DataFrame]", context: TableContext) -> "dict[str, pl.DataFrame]":
    """Return the gazetteer's tables by name.

    POINTS: `lat`, `lng`; `kind`; `area`, a row of POINT_AREAS; `is_placed`, 0 if any city of the metro may follow the
    name; `zip`, five digits, empty if unknown. POINT_NAMES: each name once, with its points. POINT_AREAS: the phrases
    that may follow a point's name, one a line.
    """
    chosen = _choose_placed(frames["listings"])
    members = chosen.select(*_MEMBERS).iter_rows()
    points = zip(members, chosen["type"], chosen["kind"], chosen["lat"], chosen["lng"], strict=True)
    placed = (
        (ListingAddress(type=TYPES[code], **dict(zip(_MEMBERS, texts, strict=True))), kind, lat, lng)
        for texts, code, kind, lat, lng in points
    )
    return tabulate_points(placed, open_streets(context.language))


_MEMBERS = tuple(name for name in ListingAddress.__struct_fields__ if name != "type")
ADDRESSES = DerivedTables(
    names=(POINTS, POINT_NAMES, POINT_AREAS),
    columns={"listings": ("id", "type", "status", "lat", "lng", "place_id", *_MEMBERS)},
    make=make_points,
)


def tabulate_points(
    placed: Iterable[tuple[ListingAddress, int, float, float]], streets: Streets
) -> "dict[str, pl.DataFrame]":
    """Return the tables of `make_points` for listings, each with its point's kind, latitude and longitude."""
    builder = _PointBuilder(streets)
    for listing, kind, lat, lng in placed:
        builder.add_listing(listing, kind, lat=lat, lng=lng)
    return builder.make_frames()


def _choose_placed(listings: "pl.DataFrame") -> "pl.DataFrame":
    """Return published listings with coordinates and the `kind` of their point: every place, and one listing of each
    other type for each point and place."""
    published = listings.filter(pl.col("status") == PUBLISHED, pl.col("lat").is_not_null(), pl.col("lng").is_not_null())
    is_place = pl.col("type") == TYPES.index("place")
    is_at_place = ~is_place & pl.col("place_id").is_not_null()
    own_id = pl.when(is_place).then(pl.col("id")).alias("own_id")
    return published.with_columns(kind=pl.col("type") + AT_PLACE * is_at_place.cast(pl.UInt8())).unique(
        ["type", "lat", "lng", "place_id", own_id], keep="first", maintain_order=True
    )


class _PointBuilder:
    def __init__(self, streets: Streets) -> None:
        self._streets = streets
        self._points: list[tuple[float, float, int, int, int, str]] = []
        self._names: list[tuple[str, int]] = []
        self._areas: dict[frozenset[Words], int] = {}
        self._cities: list[set[Words]] = [set() for _ in _KINDS]
        self._states: list[set[str]] = [set() for _ in _KINDS]

    def add_listing(self, listing: ListingAddress, kind: int, *, lat: float, lng: float) -> None:
        streets = self._streets
        cities = {*list_cities(listing, streets)}
        phrases = frozenset(cities | {streets.fold_words(listing.neighborhood or "")})
        area = self._areas.setdefault(phrases, len(self._areas) + 2 * len(_KINDS))
        self._cities[kind] |= cities
        self._states[kind].update(filter(None, [listing.state]))
        names = {
            *map(name_words, list_names(listing, streets)), *map(name_words, list_addresses(listing, streets)),
            *map(name_corner, list_crossings(listing, streets)),
        }  # fmt: skip
        if listing.zip:
            names.add(name_zip(listing.zip))
        code = (listing.zip or "")[:_ZIP_DIGITS]
        self._names += ((name, len(self._points)) for name in names if name)
        self._points.append((lat, lng, kind, area, int(is_placed(listing, streets)), code))

    def make_frames(self) -> "dict[str, pl.DataFrame]":
        pairs = pl.DataFrame(self._names, schema={"name": pl.String(), "spots": pl.UInt32()}, orient="row")
        names = pairs.group_by("name").agg(pl.col("spots").sort()).sort("name")
        cities, areas = (
            ["\n".join(sorted(filter(None, map(name_words, phrases)))) for phrases in names]
            for names in (self._cities, self._areas)
        )
        lines = [*cities, *("\n".join(sorted(states)) for states in self._states), *areas]
        kinds = {
            "lat": pl.Float64(), "lng": pl.Float64(), "kind": pl.UInt8(), "area": pl.UInt32(), "is_placed": pl.UInt8(),
        }  # fmt: skip
        return {
            POINTS: pl.DataFrame(self._points, schema={**kinds, "zip": pl.String()}, orient="row"),
            POINT_NAMES: pl.DataFrame([*make_texts(names["name"]), names["spots"]]),
            POINT_AREAS: pl.DataFrame({"phrases": lines}),
        }
