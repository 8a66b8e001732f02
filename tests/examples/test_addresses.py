"""Addresses that people enter: houses, parks and corners of the two cities, found by what the build knows. The expected
points are written by hand: from maps, and for houses in Seattle's centers from the city's table."""

from math import asin, cos, radians, sin, sqrt

import pytest

from tests.examples.cities import Ask

# On one worker, which has built the cities once.
pytestmark = pytest.mark.xdist_group("cities")

# What is found lies at most this far from there, and what is not found is said to be.
MOST_METRES = 250

# Metro, address, where it is (None: the release does not know, and says so).
ADDRESSES = [
    # Houses: the community centers'.
    ("seattle", "5817 SW Stevens St, Seattle, WA 98116", (47.5776, -122.4070)),
    ("seattle", "6020 28th Avenue Northwest", (47.6728, -122.3924)),
    ("seattle", "2323 East Cherry Street, Seattle", (47.6077, -122.3024)),
    ("seattle", "1901 1st Ave W Apt 3, Seattle WA", (47.6361, -122.3592)),
    ("new-york", "93-29 Queens Boulevard, Queens", (40.7323, -73.8648)),
    # Places by name.
    ("seattle", "Green Lake Community Center", (47.6804, -122.3287)),
    ("seattle", "Langston Hughes Cultural Arts Center", (47.6014, -122.3101)),
    ("seattle", "magnuson community center, seattle", (47.6805, -122.2616)),
    ("new-york", "Bryant Park", (40.7536, -73.9832)),
    ("new-york", "Wave Hill, Bronx", (40.8977, -73.9120)),
    ("new-york", "Tompkins Square Park", (40.7265, -73.9817)),
    ("new-york", "Union Square Park, New York, NY", (40.7359, -73.9906)),
    ("new-york", "Washington Square Park", (40.7308, -73.9973)),
    ("new-york", "Hamilton Fish Park", (40.7200, -73.9815)),
    ("new-york", "Carl Schurz Park", (40.7752, -73.9436)),
    # Areas, by their middle.
    ("new-york", "Prospect Park, Brooklyn", (40.6602, -73.9690)),
    ("new-york", "Central Park", (40.7826, -73.9656)),
    # Corners on which something is listed.
    ("new-york", "67th Street & Fifth Avenue", (40.7689, -73.9688)),
    ("new-york", "Steinway St and 23rd Ave, Queens", (40.7717, -73.9064)),
    ("new-york", "Morningside Ave & W 117th St", (40.8066, -73.9573)),
    # Not listed, or more than one.
    ("seattle", "400 Broad St", None),  # the Space Needle
    ("seattle", "Discovery Park", None),
    ("seattle", "1901 1st Ave", None),  # downtown, where 1901 1st Ave W is not
    ("seattle", "Lake City Community Center", None),  # its row has no coordinates
    ("new-york", "350 5th Ave", None),
    ("new-york", "2323 E Cherry St, Seattle", None),
    ("new-york", "School playground", None),
]


def measure_metres(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The haversine formula."""
    (lat, lng), (lat2, lng2) = (tuple(map(radians, point)) for point in (one, other))
    half = sin((lat2 - lat) / 2) ** 2 + cos(lat) * cos(lat2) * sin((lng2 - lng) / 2) ** 2
    return 2 * 6_371_008.8 * asin(sqrt(half))


@pytest.mark.long
@pytest.mark.parametrize(("metro", "address", "expected"), ADDRESSES)
def test_an_address_is_found_where_it_is_or_honestly_not(
    fetch: Ask, metro: str, address: str, expected: tuple[float, float] | None
) -> None:
    target = f"/v1/{metro}/around?address={address.replace(' ', '+').replace('&', '%26')}&radius_m=500"
    if expected is None:
        with pytest.raises(LookupError, match=r"^400 .*invalid_value"):
            fetch(target)
        return
    location = fetch(target)["data"]["location"]
    assert location["source"] == "address"
    assert measure_metres((location["lat"], location["lng"]), expected) <= MOST_METRES
