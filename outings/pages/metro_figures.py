"""What the home page says of a metro."""

from datetime import date

from msgspec import Struct

from outings.contract.resources.listings import Counts


class MetroFigures(Struct, frozen=True, kw_only=True):
    """A metro as the home page shows it: what its lists hold, and the local date and time of its last change."""

    slug: str
    name: str
    counts: Counts
    changed_on: date

    @property
    def total(self) -> int:
        return self.counts.events + self.counts.classes + self.counts.camps + self.counts.places
