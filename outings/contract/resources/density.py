"""A cell of the map, and how much of a list lies in it."""

from typing import Annotated

from msgspec import Struct

from outings.contract.resources.words import means


class DensityCell(Struct, frozen=True, kw_only=True):
    """`south` and `west`: its corner. It reaches `meta.degrees` to the north and to the east. Cells without anything
    are left out."""

    south: Annotated[float, means("The latitude of its southern edge, which is in it.")]
    west: Annotated[float, means("The longitude of its western edge, which is in it.")]
    count: Annotated[int, means("How many listings of the list lie in it.")]
