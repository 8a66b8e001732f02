"""Streets and names as they are compared: "East 72nd Street" is "E. 72 St"."""

import re
from functools import lru_cache

from outings.contract.words import split_words

Words = tuple[str, ...]

_DIRECTIONS = {
    "north": "n", "south": "s", "east": "e", "west": "w",
    "northeast": "ne", "northwest": "nw", "southeast": "se", "southwest": "sw",
}  # fmt: skip
# Long form, and what else stands for it, as the Postal Service lists them (Publication 28, C1): the commonest.
_KINDS = {
    "st": "street streets str", "ave": "avenue avenues av", "blvd": "boulevard", "rd": "road", "dr": "drive",
    "pl": "place", "ln": "lane", "ct": "court", "pkwy": "parkway pky", "sq": "square", "ter": "terrace",
    "hwy": "highway", "tpke": "turnpike tpk", "expy": "expressway exwy", "cir": "circle", "plz": "plaza",
    "brg": "bridge", "way": "", "aly": "alley", "loop": "", "walk": "", "row": "", "path": "", "slip": "",
    "oval": "", "concourse": "",
}  # fmt: skip
_SHORT = {long: short for short, longs in _KINDS.items() for long in longs.split()}
_ORDINALS = {
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7",
    "eighth": "8", "ninth": "9", "tenth": "10", "eleventh": "11", "twelfth": "12",
}  # fmt: skip
# Cities and streets are named again and again.
_REMEMBERED = 4_096
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_BESIDE = re.compile(r"\s*(?:&|@|\band\b|\bat\b)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*,?\s*\b(?:bet\.|bet\b|btwn?\b\.?|between\b)\s*", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:&|,|\band\b)\s*", re.IGNORECASE)


@lru_cache(maxsize=_REMEMBERED)
def fold_words(text: str) -> Words:
    """Words without a leading "the", directions, kinds of streets and ordinals in their short form."""
    words = [_fold_word(word) for word in split_words(text)]
    return tuple(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


def _fold_word(word: str) -> str:
    if ordinal := _ORDINAL.fullmatch(word):
        return ordinal[1]
    return _ORDINALS.get(word) or _DIRECTIONS.get(word) or _SHORT.get(word) or word


def leave_kind(words: Words) -> Words | None:
    """An address without its street's kind ("2323 E Cherry"); None where a number would be all that is left of the
    street: 28th Ave and 28th St are two."""
    kept = tuple(word for word in words if word not in _KINDS)
    names = [word for word in kept[1:] if not word.isdigit() and word not in _DIRECTIONS.values()]
    return kept if names and len(kept) == len(words) - 1 else None


def is_street(text: str) -> bool:
    """Whether it ends as a street's name does."""
    words = fold_words(text)
    while words and words[-1] in _DIRECTIONS.values():
        words = words[:-1]
    return len(words) > 1 and words[-1] in _KINDS


def split_corner(text: str) -> tuple[Words, Words] | None:
    """Two streets that meet: "Broadway & W 72nd St"."""
    sides = [fold_words(side) for side in _BESIDE.split(re.sub(r"(?i)^\s*corner of\s+", "", text))]
    return (sides[0], sides[1]) if len(sides) == 2 and all(sides) else None


def list_corners(text: str) -> list[tuple[Words, Words]]:
    """The corners by which a listing says where it is: "Pacific St. bet. Rochester Ave. and Buffalo Ave." has two. A
    longer list of streets bounds an area, and names none."""
    sides = _BETWEEN.split(text)
    if len(sides) == 1 and not _BESIDE.search(text):
        return []  # nearly all of them
    if len(sides) == 1:
        corner = split_corner(text)
        return [corner] if corner is not None and all(map(is_street, _BESIDE.split(text))) else []
    ends = [fold_words(end) for end in _ENDS.split(sides[1])]
    along = fold_words(sides[0])
    if len(sides) > 2 or "," in sides[0] or _BESIDE.search(sides[0]) or len(ends) != 2 or not all((along, *ends)):
        return []
    return [(along, _borrow_kind(end, ends[1])) for end in ends]


def _borrow_kind(words: Words, of: Words) -> Words:
    """ "between 33 and 34 Streets" names 33 Street."""
    return (*words, of[-1]) if words[-1] not in _KINDS and words[-1].isdigit() and of[-1] in _KINDS else words
