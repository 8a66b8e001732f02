"""`expanded`: full objects in place of references, for who asked for them."""

from msgspec import UNSET, UnsetType

from outings.contract.resources.organization import Organization
from outings.contract.resources.place import Place
from outings.contract.resources.shared import Member


class Expanded(Member, frozen=True, kw_only=True):
    """Of `expand`, each member that was asked for: as its own detail shows it, null where there is none to show."""

    place: Place | UnsetType | None = UNSET
    organization: Organization | UnsetType | None = UNSET


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Expanded.organization": "The organization as its own page shows it; null where none is published.",
    "Expanded.place": "The place as its own page shows it; null where none is published.",
}
