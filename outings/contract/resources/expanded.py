"""`expanded`: full objects in place of references, for who asked for them."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from outings.contract.resources.organization import Organization
from outings.contract.resources.place import Place
from outings.contract.resources.shared import Member
from outings.contract.resources.words import means


class Expanded(Member, frozen=True, kw_only=True):
    """Of `expand`, each member that was asked for: as its own detail shows it, null where there is none to show."""

    place: Annotated[
        Place | UnsetType | None, means("The place as its own page shows it; null where none is published.")
    ] = UNSET
    organization: Annotated[
        Organization | UnsetType | None,
        means("The organization as its own page shows it; null where none is published."),
    ] = UNSET
