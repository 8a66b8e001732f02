"""The related block of `include=related`: what else there is for who looks at one listing."""

from typing import Annotated

from outings.contract.resources.shared import CompactCard, Member
from outings.contract.resources.words import means


class Related(Member, frozen=True, kw_only=True):
    """Events, classes and camps, up to six each, that the lists would show too; never the listing itself."""

    similar: Annotated[tuple[CompactCard, ...], means("What is similar.")]
    from_organization: Annotated[tuple[CompactCard, ...], means("What else the organization offers.")]
    at_place: Annotated[tuple[CompactCard, ...], means("What else takes place there.")]
