"""`streets.toml`: the words of addresses."""

from collections.abc import Iterator

from msgspec import Struct


class StreetWords(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`kinds`: a street's kind in its short form, and what else stands for it. `leading` is left out in front of a
    name, `dropped` wherever it stands. `kind_first`: "Calle Mayor 9", and not "9 Main Street". The others are regular
    expressions: `ordinal` has the number as its group, `number` stands between a street and its number.
    `labels`: the library that labels the parts of an address, for those of the United States."""

    kinds: dict[str, str] = {}
    directions: dict[str, str] = {}
    ordinals: dict[str, str] = {}
    ordinal: str = ""
    leading: str = ""
    dropped: str = ""
    kind_first: bool = False
    number: str = ""
    beside: str = "&"
    between: str = ""
    ends: str = "&"
    corner: str = ""
    inside: str = ""
    countries: tuple[str, ...] = ()
    labels: str = ""

    def list_patterns(self) -> Iterator[str]:
        yield from (self.ordinal, self.number, self.beside, self.between, self.ends, self.corner, self.inside)
