"""The related block of `include=related`: what else there is for who looks at one listing."""

from outings.contract.resources.shared import CompactCard, Member


class Related(Member, frozen=True, kw_only=True):
    """Events, classes and camps, up to six each, that the lists would show too; never the listing itself."""

    similar: tuple[CompactCard, ...]
    from_organization: tuple[CompactCard, ...]
    at_place: tuple[CompactCard, ...]


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Related.at_place": "What else takes place there.",
    "Related.from_organization": "What else the organization offers.",
    "Related.similar": "What is similar.",
}
