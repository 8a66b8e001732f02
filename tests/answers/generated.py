"""Made-up worlds and requests in small domains, so that filters keep some rows and drop others."""

from datetime import UTC, datetime, time, timedelta
from random import Random
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from tests.answers import documents
from tests.answers.worlds import AUDIENCES, DAYS, ENROLLMENTS, TODAY, WORDS, World, find_instant, list_dates

CENTER = (40.0, -74.0)
PARTS = [None, "Old Town", "São João", "St. Mark's"]
NAMES = ["Swim", "swim", "SWIM TIME", "Straße", "strasse", "Éveil", "eveil", "Zoo Day", "Ωmega", "art"]
CATEGORIES = list(WORDS.categories[:5])
STAMPS = [f"2026-07-{day:02}T08:00:00Z" for day in (1, 2, 3, 20)]
# Words that stand in the world as they are, so that typos and word forms, which others judge, change nothing.
TEXTS = [
    "swim", "Zoo", "org", "place -zoo", "-swim", '"swim time"', 'day "zoo day"', "éveil",
    "strasse lunch", "lunch play",
]  # fmt: skip
TIMES = [None, "09:00:00", "10:30:00", "12:00:00", "17:15:00"]

seeds = st.integers(min_value=0, max_value=2**32)


def make_id(random: Random) -> str:
    return str(UUID(int=random.getrandbits(128), version=4))


def make_world(random: Random, *, size: int, slug: str = "harbor") -> World:
    world = World(slug=slug)
    organizations = [make_id(random) for _ in range(3)]
    places = [make_id(random) for _ in range(3)]
    world.organizations = [documents.make_organization(item) for item in organizations]
    for number in range(size):
        kind = random.choice(["event", "event", "class", "class", "camp", "place"])
        row_id = places[number] if kind == "place" and number < len(places) else make_id(random)
        make = {"event": _make_event, "class": _make_class, "camp": _make_camp, "place": _make_place}[kind]
        document = make(world, row_id, random)
        document["metro"] = slug
        organization = random.choice([None, *organizations])
        if organization is not None:
            document["organization"] = {"id": organization, "name": "Org", "slug": "org"}
        if kind != "place" and random.random() < 0.5:
            document["place"] = {"id": random.choice(places), "slug": "place", "name": "Place"}
        world.listings.append(document)
    return world


def _maybe(random: Random, value: Any, *, share: float = 0.6) -> Any:
    return value if random.random() < share else None


def _make_members(random: Random) -> dict[str, Any]:
    part = random.choice(PARTS)
    located = random.random() < 0.7
    return {
        "name": random.choice(NAMES),
        "audience": random.choice(AUDIENCES),
        "confidence": random.choice([0.2, 0.5, 0.6, 0.7, 0.85, 1.0]),
        "status": random.choice(["published"] * 8 + ["archived", "draft"]),
        "description": random.choice([None, "Swim with us, all day.", "Zoo: bring your own lunch", "art & play"]),
        "updated_at": random.choice(STAMPS),
        "categories": sorted(random.sample(CATEGORIES, random.randint(0, 3))),
        "ages": documents.make_ages(**_make_range(random)),
        "location": documents.make_location(
            neighborhood=part,
            neighborhood_slug=None if part is None else part.lower().replace(" ", "-").replace("ã", "a"),
            lat=CENTER[0] + random.uniform(-0.1, 0.1) if located else None,
            lng=CENTER[1] + random.uniform(-0.1, 0.1) if located else None,
        ),
    }


def _make_range(random: Random) -> dict[str, int | None]:
    low = _maybe(random, random.randint(0, 10))
    high = _maybe(random, (low or 0) + random.randint(0, 6))
    return {"min": low, "max": high}


def _make_price(random: Random) -> dict[str, Any]:
    least = _maybe(random, random.choice([0.0, 5.0, 12.5, 40.0]))
    free = None if least is None else least == 0
    return documents.make_price(min=least, is_free=random.choice([free, free, True, None]))


_FACTS = ("is_indoor", "is_outdoor", "good_for_rainy", "is_sensory_friendly")


def _make_facts(random: Random) -> dict[str, Any]:
    seasons = sorted(random.sample(["spring", "summer", "fall"], random.randint(0, 2)))
    return {
        **{name: random.choice([True, False, None]) for name in _FACTS},
        "traits": {"seasons": seasons},
        "price": _make_price(random),
    }


def _make_occasions(random: Random) -> list[str]:
    return sorted(random.sample(["halloween", "easter"], random.randint(0, 2)))


def _make_event(world: World, row_id: str, random: Random) -> dict[str, Any]:
    clock = random.choice(TIMES)
    members = {
        **_make_members(random), **_make_facts(random), "occasions": _make_occasions(random),
        "teams": sorted(random.sample(["kraken", "storm"], random.randint(0, 1))),
        "has_time": clock is not None, "start_time": clock,
    }  # fmt: skip
    if random.random() < 0.1:
        return documents.make_event(row_id, **members)
    first = datetime.combine(TODAY + timedelta(days=random.randint(-40, 40)), time.fromisoformat(clock or "00:00:00"))
    recurring = random.random() < 0.4
    dates = list_dates(first, days=random.choice([1, 3, 7]), count=random.randint(2, 30)) if recurring else [first]
    # Of some series the first date does not take place: they show its times, and are found by the others.
    world.dates[row_id] = dates[1:] if recurring and random.random() < 0.2 else dates
    if recurring and random.random() < 0.3:
        world.unending.add(row_id)
    instant = find_instant(first, documents.ZONE)
    lasts = _maybe(random, timedelta(minutes=random.choice([0, 45, 600, 3000])))
    if lasts is not None:
        world.lasts[row_id] = lasts
    starts_at = (datetime(1970, 1, 1) + timedelta(seconds=instant)).isoformat() + "Z"
    return documents.make_event(
        row_id, **members, has_date=True, starts_local=first.isoformat(), starts_at=starts_at,
        **_show_ends(first, lasts),
        is_recurring=recurring, rrule="FREQ=DAILY" if recurring else None,
    )  # fmt: skip


def _show_ends(first: datetime, lasts: timedelta | None) -> dict[str, str]:
    if lasts is None:
        return {}
    instant = datetime.fromtimestamp(find_instant(first + lasts, documents.ZONE), UTC)
    return {"ends_local": (first + lasts).isoformat(), "ends_at": instant.strftime("%Y-%m-%dT%H:%M:%SZ")}


def _make_span(random: Random) -> dict[str, str | None]:
    first = TODAY + timedelta(days=random.randint(-60, 40))
    last = first + timedelta(days=random.randint(0, 60))
    return {"starts_on": _maybe(random, first.isoformat()), "ends_on": _maybe(random, last.isoformat())}


def _make_days(random: Random) -> list[str]:
    return [day for day in DAYS if random.random() < 0.25]


def _make_class(world: World, row_id: str, random: Random) -> dict[str, Any]:
    def seats() -> dict[str, Any]:
        stated = random.choice([True, False, None])
        return {"has_spots_available": stated, "spots_remaining": random.choice([0, 3, None])}

    sections = []
    for number in range(random.choice([0, 0, 1, 2, 3])):
        span = _make_span(random) if random.random() < 0.7 else {}
        section = documents.make_section(f"{row_id}-{number}", term=documents.make_term(**span))
        section["schedule"] |= {"days": _make_days(random), "start_time": random.choice(TIMES)}
        section["ages"] |= _make_range(random)
        section["tuition"]["amount"] = random.choice([None, 0.0, 20.0])
        section["registration"] |= seats()
        sections.append(section)
    document = documents.make_class(
        row_id, **_make_members(random), **_make_facts(random), occasions=_make_occasions(random), sections=sections,
        term=documents.make_term(**_make_span(random)),
        schedule=documents.make_schedule(days=_make_days(random), start_time=random.choice(TIMES)),
    )  # fmt: skip
    document["program"]["enrollment_type"] = random.choice([None, *ENROLLMENTS])
    document["registration"] |= seats()
    if random.random() < 0.6:
        world.programs[row_id] = f"program-{random.randint(0, 4)}"
    return document


def _make_camp(world: World, row_id: str, random: Random) -> dict[str, Any]:
    sessions = []
    for number in range(random.choice([0, 1, 2, 3])):
        span = _make_span(random)
        if span["starts_on"] is None or span["ends_on"] is None:
            span = dict.fromkeys(span, span["starts_on"] or span["ends_on"])
        session = documents.make_session(f"{row_id}-{number}", **span, days=_make_days(random))
        session |= {"start_time": random.choice(TIMES), "is_overnight": random.choice([True, False, None])}
        session["ages"] |= _make_range(random)
        if random.random() < 0.5:
            session["price"] = {**_make_price(random), "currency": "USD"}
        sessions.append(session)
    return documents.make_camp(
        row_id, **_make_members(random), sessions=sessions, price=_make_price(random),
        traits={"seasons": sorted(random.sample(["summer", "winter"], random.randint(0, 2)))},
        year=random.choice([None, 2026, 2027]), is_overnight=random.choice([True, False, None]),
    )  # fmt: skip


def _make_place(world: World, row_id: str, random: Random) -> dict[str, Any]:
    document = documents.make_place(
        row_id, **_make_members(random), type_hint=random.choice([None, "museum", "park", "pool"]),
        **{name: random.choice([True, False, None]) for name in _FACTS},
    )  # fmt: skip
    for day in document["hours"]:
        if day.endswith("day"):
            document["hours"][day] = random.choice([None, "09:00-17:00", "20:00-02:00", "08:00-11:30, 14:00-18:00"])
    document["birthday_parties"]["available"] = random.choice([True, False, None])
    document["classes"]["available"] = random.choice([True, False, None])
    return document


def _choose_neighborhood(world: World, random: Random) -> str:
    """A slug or a name, spelled as people do; or one that is not there."""
    stated = [item["location"] for item in world.listings if item["location"]["neighborhood"]]
    if not stated or random.random() < 0.1:
        return "nowhere"
    location = random.choice(stated)
    name = str(location["neighborhood"])
    spellings = [name.upper(), name.replace(".", "").replace(" ", "  "), name.replace("ã", "a"), f"({name})"]
    return random.choice([str(location["neighborhood_slug"]), *spellings])


def _choose_point(world: World, random: Random) -> dict[str, str]:
    stated = [item["location"] for item in world.listings if item["location"]["lat"] is not None]
    lat, lng = (stated[0]["lat"], stated[0]["lng"]) if stated else CENTER
    return {"lat": f"{lat + random.uniform(-0.02, 0.02):.4f}", "lng": f"{lng + random.uniform(-0.02, 0.02):.4f}"}


def _choose_moment(world: World, random: Random) -> str:
    """A date's start, its end or the midnight behind it, or a minute before."""
    row_id = random.choice([*world.dates, ""])
    local = random.choice(world.dates.get(row_id, [datetime.combine(TODAY, time())]))
    ends = local + random.choice([timedelta(), world.lasts.get(row_id, timedelta())])
    midnight = datetime.combine(ends.date() + timedelta(1), time())
    chosen = random.choice([ends, midnight]) - timedelta(minutes=random.randint(0, 1))
    return chosen.isoformat(timespec="minutes")


def make_any_request(world: World, kind: str, random: Random) -> dict[str, str]:
    """Make a random request like `make_request`, in one of three modes: a list or text search, sync, or ids."""
    mode = random.choice(["browse", "browse", "text", "sync", "ids"])
    if mode == "ids":
        return _choose_ids(world, kind, random)
    request = make_request(world, kind, random)
    if mode == "sync":
        since = random.choice(["2026-07-01T08:00:00Z", "2026-07-02T08:00:00.5+00:00", "2020-01-01T00:00:00-05:00"])
        request["changed_since"] = since
    if mode == "text" or random.random() < 0.2:
        request["q"] = random.choice(TEXTS)
    if kind == "class" and random.random() < 0.2:
        request["expand"] = "sessions"
    return request


def _choose_ids(world: World, kind: str, random: Random) -> dict[str, str]:
    """Choose ids, mostly of the type; some come twice, some name nothing, and some name unpublished listings."""
    known = [item["id"] for item in world.listings if item["type"] == kind]
    others = [item["id"] for item in world.listings] + [make_id(random)]
    ids = random.sample(known, min(len(known), 9)) + random.sample(others, min(len(others), 2))
    ids = [*random.sample(ids, len(ids)), ids[0]]
    limits = [{}, {}, {"audience": "kids,families"}, {"min_confidence": "0.7"}]
    return {"ids": ",".join(ids), **random.choice(limits)}


def make_request(world: World, kind: str, random: Random) -> dict[str, str]:
    """Some of the parameters that the type's list takes, with values that the world has."""
    dated, sensed = kind != "place", kind in ("event", "class")
    start = TODAY + timedelta(days=random.randint(-20, 30))
    flag = random.choice(["true", "false"])
    wishes: list[dict[str, str]] = [
        {"min_confidence": random.choice(["0", "0.5", "0.7", "0.85"])},
        {"audience": random.choice(["all", "kids", "not_adults", "adults,teens", "adults,not_adults"])},
        {"category": ",".join(random.sample(CATEGORIES, 2))}, {"age": str(random.randint(0, 14))},
        {"neighborhood": _choose_neighborhood(world, random)},
        _choose_point(world, random),
        {**_choose_point(world, random), "radius_m": random.choice(["900", "9000"])},
        {"organization_id": random.choice(world.organizations)["id"]},
    ]  # fmt: skip
    if dated:
        wishes += [
            {"from": start.isoformat()}, {"from": start.isoformat(), "to": (start + timedelta(days=9)).isoformat()},
            {"to": (TODAY + timedelta(days=random.randint(0, 20))).isoformat()},
            {"season": random.choice(["summer", "fall,spring"])}, {"free": flag},
            {"max_price": random.choice(["0", "12.5", "30"])}, {"weekday": ",".join(random.sample(DAYS, 2))},
            {"start_after": random.choice(["09:00", "10:30:00"])}, {"start_before": random.choice(["12:00", "10:30"])},
            {"place_id": next((item["place"]["id"] for item in world.listings if item.get("place")), make_id(random))},
        ]  # fmt: skip
    if sensed:
        wishes += [{"indoor": flag}, {"outdoor": flag}, {"sensory": flag}, {"occasion": "halloween"}]
    wishes += {
        "event": [
            {"team": "kraken,storm"}, {"has_time": flag}, {"recurring": flag},
            {"ends_after": _choose_moment(world, random)},
        ],
        "class": [
            {"schedule_day": random.choice(DAYS)}, {"enrollment_type": "drop_in,unknown"}, {"openings": flag},
            {"starts_from": start.isoformat()}, {"starts_to": start.isoformat()},
            {"from": start.isoformat(), "to": (start + timedelta(days=random.choice([0, 1, 12]))).isoformat()}
            | {"meets": "true"},
        ],
        "camp": [{"meets": "true"}, {"year": "2026"}, {"overnight": flag}],
        "place": [
            {"sensory": flag}, {"indoor": flag}, {"good_for_rainy": flag},
            {"open_at": f"2026-08-{random.randint(10, 17)}T{random.randint(0, 23):02}:00"},
            {"type_hint": "museum,pool"}, {"place_type": "park"}, {"has_birthday_parties": flag},
            {"has_classes": flag},
        ],
    }[kind]  # fmt: skip
    request: dict[str, str] = {"audience": "all", "min_confidence": "0"} if random.random() < 0.5 else {}
    for wish in random.sample(wishes, random.choice([0, 1, 1, 2, 3])):
        request |= wish
    if "type_hint" in request:
        request.pop("place_type", None)
    if request.get("to", "9999") < request.get("from", ""):
        del request["to"]
    return request
