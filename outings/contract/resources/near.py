"""What is near a point."""

from outings.contract.resources.shared import Ages, Location, Member, PlaceReference, Price
from outings.contract.resources.words import Category, Id, Instant, ListingType, Local


class ItemLinks(Member, frozen=True, kw_only=True):
    self: str


class NearbyItem(Member, frozen=True, kw_only=True):
    """One of `nearby`. `starts_at` and `starts_local`: the first start in the window that is not before now; null for
    what has none, places among it."""

    type: ListingType
    id: Id
    slug: str
    name: str
    distance_m: int
    starts_at: Instant | None
    starts_local: Local | None
    timezone: str | None
    place: PlaceReference | None
    location: Location
    price: Price
    ages: Ages
    categories: tuple[Category, ...]
    image_url: str | None
    links: ItemLinks
