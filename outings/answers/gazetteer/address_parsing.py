"""Split addresses into names, streets, corners, cities and states, by the words of a language."""

import re
import threading
from collections.abc import Iterable, Iterator

import usaddress
from msgspec import Struct

from outings.contract.languages.language import NO_MATCH, Language
from outings.contract.languages.word_lists import StreetWords
from outings.contract.text import split_words

Words = tuple[str, ...]


class Streets:
    """A parser of streets and addresses in one language."""

    def __init__(self, words: StreetWords) -> None:
        self._words = words
        self._short = {long: short for short, longs in words.kinds.items() for long in longs.split()}
        self._usual = {**self._short, **words.directions, **words.ordinals}
        self._dropped = frozenset(words.dropped.split())
        self._directions = frozenset(words.directions.values())
        self._ordinal = re.compile(words.ordinal or NO_MATCH)
        self._beside, self._between, self._ends, self._corner = (
            re.compile(pattern or NO_MATCH, re.IGNORECASE)
            for pattern in (words.beside, words.between, words.ends, words.corner)
        )
        # "Upper Terrace (in Bryant Park)" names two places.
        self._inside = re.compile(rf"\s*\((?:{words.inside or NO_MATCH})\s+(.+)\)\s*")
        self._number = re.compile(rf"^([^\d,;]*?[^\W\d])(?:{words.number or NO_MATCH})(\d+ ?[a-z]?)\b", re.IGNORECASE)
        self.countries = tuple(self.fold_words(country) for country in words.countries)
        self.labels = words.labels

    def fold_words(self, text: str) -> Words:
        """Fold a text to words, with directions, kinds of streets and ordinals in short form and no leading article."""
        words = [self._fold_word(word) for word in split_words(text)]
        if words[:1] == [self._words.leading] and len(words) > 1:
            words = words[1:]
        kept = [word for word in words if word not in self._dropped]
        return tuple(kept or words)

    def _fold_word(self, word: str) -> str:
        if ordinal := self._ordinal.fullmatch(word):
            return ordinal[1]
        return self._usual.get(word) or word

    def join_number(self, text: str) -> str:
        """Move a house number next to its street: "Calle Mayor, nº 3, Centro" becomes "Calle Mayor 3, Centro"."""
        return self._number.sub(r"\1 \2", text, count=1) if self._words.kind_first else text

    def is_address(self, text: str) -> bool:
        """Return True if a text begins with a house's address."""
        if not self._words.kind_first:
            return re.match(r"\s*\d", text) is not None
        return self._number.match(text) is not None and self.is_street(text)

    def leave_kind(self, words: Words) -> Words | None:
        """Drop the kind of street from an address ("2323 E Cherry", "Mayor 9"). Return None if only a number would be
        left as the street's name, because 28th Ave and 28th St differ."""
        kept = tuple(word for word in words if word not in self._words.kinds)
        rest = kept if self._words.kind_first else kept[1:]
        names = [word for word in rest if not word.isdigit() and word not in self._directions]
        return kept if names and len(kept) == len(words) - 1 else None

    def is_street(self, text: str) -> bool:
        """Return True if a text ends with a kind of street or, depending on the language, begins with one."""
        words = self.fold_words(text)
        if self._words.kind_first:
            return len(words) > 1 and words[0] in self._words.kinds
        while words and words[-1] in self._directions:
            words = words[:-1]
        return len(words) > 1 and words[-1] in self._words.kinds

    def split_inside(self, text: str) -> tuple[str, str | None]:
        """Split "Upper Terrace (in Bryant Park)" into the name and the place around it, or None if there is none."""
        match = self._inside.search(text)
        return self._inside.sub("", text), None if match is None else match[1]

    def split_corner(self, text: str) -> tuple[Words, Words] | None:
        """Split "Broadway & W 72nd St" into two streets; None if there are not two."""
        sides = [self.fold_words(side) for side in self._beside.split(self._corner.sub("", text))]
        return (sides[0], sides[1]) if len(sides) == 2 and all(sides) else None

    def list_corners(self, text: str) -> list[tuple[Words, Words]]:
        """Return the corners in an address: "Pacific St. bet. Rochester Ave. and Buffalo Ave." has two. A longer list
        of streets bounds an area and has none."""
        sides = self._between.split(text)
        if len(sides) == 1 and not self._beside.search(text):
            return []  # nearly all of them
        if len(sides) == 1:
            corner = self.split_corner(text)
            return [corner] if corner is not None and all(map(self.is_street, self._beside.split(text))) else []
        ends = [self.fold_words(end) for end in self._ends.split(sides[1])]
        along = self.fold_words(sides[0])
        if len(sides) > 2 or "," in sides[0] or self._beside.search(sides[0]) or len(ends) != 2:
            return []
        return [(along, self._borrow_kind(end, ends[1])) for end in ends] if all((along, *ends)) else []

    def _borrow_kind(self, words: Words, of: Words) -> Words:
        """Add the second street's kind to a bare number: "between 33 and 34 Streets" names 33 Street."""
        kinds = self._words.kinds
        return (*words, of[-1]) if words[-1] not in kinds and words[-1].isdigit() and of[-1] in kinds else words


def open_streets(language: Language) -> Streets:
    """Return the parser of a language's addresses. It knows no streets if the language has no words for them."""
    return Streets(language.streets or StreetWords())


_STATES = """
AL Alabama/AK Alaska/AZ Arizona/AR Arkansas/CA California/CO Colorado/CT Connecticut/DE Delaware
DC District of Columbia/FL Florida/GA Georgia/HI Hawaii/ID Idaho/IL Illinois/IN Indiana/IA Iowa/KS Kansas
KY Kentucky/LA Louisiana/ME Maine/MD Maryland/MA Massachusetts/MI Michigan/MN Minnesota/MS Mississippi/MO Missouri
MT Montana/NE Nebraska/NV Nevada/NH New Hampshire/NJ New Jersey/NM New Mexico/NY New York/NC North Carolina
ND North Dakota/OH Ohio/OK Oklahoma/OR Oregon/PA Pennsylvania/PR Puerto Rico/RI Rhode Island/SC South Carolina
SD South Dakota/TN Tennessee/TX Texas/UT Utah/VT Vermont/VA Virginia/WA Washington/WV West Virginia/WI Wisconsin
WY Wyoming
""".strip().replace("\n", "/")
_NAMED = tuple((pair[:2], pair[3:]) for pair in _STATES.split("/"))


def list_state_words(stated: Iterable[str], streets: Streets) -> set[Words]:
    """Return code and name of each state that is in `stated` by either; of all states if `stated` is empty."""
    named = {streets.fold_words(name) for name in stated}
    pairs = [tuple(map(streets.fold_words, pair)) for pair in _NAMED]
    return {words for pair in pairs if not named or named & {*pair} for words in pair}


_ZIP = re.compile(r"(\d{5})(?:-\d{4})?")
# Up to the number behind a street's name.
_HOUSE = re.compile(r"[^\d,]+\d+[a-z]?\b", re.IGNORECASE)
_BEHIND = frozenset({"PlaceName", "StateName", "ZipCode", "CountryName"})
_INSIDE = frozenset({"OccupancyType", "OccupancyIdentifier", "SubaddressType", "SubaddressIdentifier"})
# The library's tagger is one for the process.
_tagging = threading.Lock()


class Reading(Struct, frozen=True, kw_only=True):
    """A way to read an address. `head`: the name or address to look for; `tail`: the words after it (city, state);
    `zip`: five digits."""

    head: str
    tail: Words
    streets: Streets
    zip: str | None = None

    @property
    def words(self) -> Words:
        return self.streets.fold_words(self.head)

    @property
    def corner(self) -> tuple[Words, Words] | None:
        names = self.streets.split_corner(self.head)
        return names if names is None or names[0] <= names[1] else (names[1], names[0])


def list_readings(address: str, streets: Streets) -> Iterator[Reading]:
    """Yield ways to read an address, the likeliest first: as one name; split by the labels of `usaddress`, or after the
    house number; split at each comma."""
    address = streets.join_number(address)
    yield Reading(head=address, tail=(), streets=streets)
    if streets.labels == "usaddress":
        yield _label(address, streets)
    elif house := _HOUSE.match(address):
        yield _make_reading(house[0], address[house.end() :], streets)
    pieces = address.split(",")
    for count in range(len(pieces) - 1, 0, -1):
        yield _make_reading(",".join(pieces[:count]), " ".join(pieces[count:]), streets)


def read_zip(address: str) -> str | None:
    """Return the zip if the address is only a zip, else None."""
    match = _ZIP.fullmatch(address.strip())
    return match[1] if match else None


def _label(address: str, streets: Streets) -> Reading:
    """Split an address before its city, state and zip, by `usaddress`, and drop the unit within the house."""
    with _tagging:
        labelled = usaddress.parse(address)
    end = len(labelled)
    while end and labelled[end - 1][1] in _BEHIND:
        end -= 1
    head = " ".join(token for token, label in labelled[:end] if label not in _INSIDE)
    return _make_reading(head, " ".join(token for token, _ in labelled[end:]), streets)


def _make_reading(head: str, tail: str, streets: Streets) -> Reading:
    zips = _ZIP.findall(tail)
    behind = streets.fold_words(_ZIP.sub(" ", tail))
    return Reading(head=head.strip(" ,"), tail=behind, streets=streets, zip=zips[0] if zips else None)
