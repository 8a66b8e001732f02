"""The table `pages` of a feed: how its server gives it page after page."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=1, description="a whole number from 1")]
First = Annotated[int, Meta(ge=0, description="a whole number from 0")]
# The parameters that most servers know, where a feed names none.
PARAMETERS = {"page": "page", "offset": "offset"}


class PagesTable(Struct, frozen=True, kw_only=True):
    """`by`: what tells the next page. `parameter` takes its number or offset, and `size_parameter` takes `size`.

    The others are paths into a page, with points between their steps: `path` to the next address, `total` to the number
    of all rows, `last` to the number of the last page, `more` to whether another page follows. `empty`: a text in what
    the server says, with a status of 400 to 499, where it has no such page. `most`: how many rows it gives at most,
    however many there are."""

    by: Literal["page", "offset", "next", "link"]
    parameter: str = ""
    size_parameter: str = ""
    size: Count | None = None
    first: First = 1
    path: str = ""
    total: str = ""
    last: str = ""
    more: str = ""
    empty: str = ""
    most: Count | None = None

    @property
    def is_counted(self) -> bool:
        """Whether the address of each page follows from its number and the rows before it."""
        return self.by in PARAMETERS
