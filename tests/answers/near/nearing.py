"""Made-up requests near points of made-up worlds."""

from datetime import UTC, datetime, timedelta
from random import Random

from tests.answers.generated import CATEGORIES, CENTER
from tests.answers.worlds import REGISTRATIONS, TODAY, World

TYPES = ["events", "classes", "camps", "places"]


def place_neighborhoods(world: World, random: Random) -> None:
    """A map of those that the world's listings name, but for one."""
    named = {
        listing["location"]["neighborhood_slug"]: listing["location"]["neighborhood"] for listing in world.listings
    }
    for slug, name in sorted((slug, name) for slug, name in named.items() if slug and slug != "old-town"):
        lat, lng = (middle + random.uniform(-0.08, 0.08) for middle in CENTER)
        world.neighborhoods.append(
            {"slug": slug, "name": name, "key": name.casefold(), "lat": lat, "lng": lng, "south": lat - 0.01,
             "north": lat + 0.01, "west": lng - 0.01, "east": lng + 0.01}
        )  # fmt: skip


def make_minute(random: Random) -> datetime:
    """Return a minute of the world's date, from midnight to the last minute of the day in New York."""
    midnight = datetime(TODAY.year, TODAY.month, TODAY.day, 4, tzinfo=UTC)
    return midnight + timedelta(minutes=random.choice([0, 540, 541, 630, 719, 1035, random.randrange(1440), 1439]))


def make_request(random: Random) -> dict[str, str]:
    lat, lng = (middle + random.uniform(-0.1, 0.1) for middle in CENTER)
    request = {"lat": f"{lat:.4f}", "lng": f"{lng:.4f}"}
    flag = random.choice(["true", "false"])
    start = TODAY + timedelta(days=random.randint(-5, 10))
    wishes: list[dict[str, str]] = [
        {"radius_m": random.choice(["100", "3000", "12000", "50000"])},
        {"types": ",".join(random.sample(TYPES, random.randint(1, 3)))},
        {"from": start.isoformat()}, {"from": start.isoformat(), "to": (start + timedelta(days=7)).isoformat()},
        {"to": TODAY.isoformat()}, {"min_confidence": random.choice(["0", "0.85"])},
        {"category": ",".join(random.sample(CATEGORIES, 2))},
        {"audience": random.choice(["all", "kids", "adults,teens"])}, {"age": str(random.randint(0, 14))},
        {"free": flag}, {"max_price": "12.5"}, {"indoor": flag}, {"outdoor": flag}, {"sensory": flag},
        {"season": "summer"},
    ]  # fmt: skip
    if random.random() < 0.6:
        request |= {"radius_m": "50000", "audience": "all", "min_confidence": "0"}
    for wish in random.sample(wishes, random.choice([0, 1, 1, 2, 3])):
        request |= wish
    if request.get("to", "9999") < request.get("from", ""):
        del request["to"]
    return request


def is_from_tomorrow(request: dict[str, str]) -> bool:
    return request.get("from", "") > TODAY.isoformat()


def set_registrations(world: World, random: Random) -> None:
    for listing in world.listings:
        if listing["type"] == "class":
            listing["registration"]["status"] = random.choice([None, *REGISTRATIONS])


def make_around_request(random: Random) -> dict[str, str]:
    """Make a random request for `around`, sometimes with age bands to favor."""
    taken = {"lat", "lng", "radius_m", "from", "to", "free", "types", "min_confidence"}
    request = {name: value for name, value in make_request(random).items() if name in taken}
    if random.random() < 0.4:
        request["ages"] = random.choice(["toddler", "bigger_kids,teens", "baby"])
    return request
