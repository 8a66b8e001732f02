"""The related block of `include=related`: what else there is for who looks at one listing."""

from outings.contract.resources.shared import CompactCard, Member


class Related(Member, frozen=True, kw_only=True):
    """Events, classes and camps, up to six each, that the lists would show too; never the listing itself."""

    similar: tuple[CompactCard, ...]
    from_organization: tuple[CompactCard, ...]
    at_place: tuple[CompactCard, ...]
