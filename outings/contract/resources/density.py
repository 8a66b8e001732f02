"""A cell of the map, and how much of a list lies in it."""

from msgspec import Struct


class DensityCell(Struct, frozen=True, kw_only=True):
    """`south` and `west`: its corner. It reaches `meta.degrees` to the north and to the east. Cells without anything
    are left out."""

    south: float
    west: float
    count: int


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "DensityCell.count": "How many listings of the list lie in it.",
    "DensityCell.south": "The latitude of its southern edge, which is in it.",
    "DensityCell.west": "The longitude of its western edge, which is in it.",
}
