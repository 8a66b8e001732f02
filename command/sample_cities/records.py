"""Generate the records of sample listings. A metro and a date always give the same records."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from command.sample_cities.geography import SUBJECTS, WORDS, DemoMetro, Subject
from outings.contract.vocabulary import WEEKDAYS

Record = dict[str, Any]


EVENTS, GROWN_UP_EVENTS, CLASSES, CAMPS, PLACES = (
    SUBJECTS[name] for name in ("events", "grown_up_events", "classes", "camps", "places")
)
TYPE_HINTS, ORGANIZATIONS, STREETS, NOTES = (
    WORDS[name] for name in ("type_hints", "organizations", "streets", "notes")
)


def make_class(number: int, *, today: date, random: Random) -> Record:
    """Make a class. One in three has sections; one in four shares its `program_key` with the next ones."""
    subject = CLASSES[number % len(CLASSES)]
    starts_on = today + timedelta(days=random.randrange(-40, 50))
    ends_on = starts_on + timedelta(weeks=random.randrange(4, 12))
    record = _describe_program(subject, f"{subject.name} Level {number % 4 + 1}", number, random) | {
        "program": {"enrollment_type": random.choice(("registration", "drop_in", "unknown"))},
        "term": {"name": "Term", "starts_on": starts_on.isoformat(), "ends_on": ends_on.isoformat()},
        "schedule": _make_schedule(random),
        "price": _make_program_price(random),
        "registration": _make_registration(random),
        "seasons": [_find_season(starts_on)],
    }
    if number % 10 == 9:
        record["term"] = {}
    if number % 4 == 3:
        record["program_key"] = f"program-{number // 12}"
        record["name"] = f"{subject.name} Program {number // 12 + 1}"
    if number % 3 == 0:
        record["sections"] = [
            _make_section(part, starts_on=starts_on, random=random) for part in range(random.randrange(1, 4))
        ]
    return record


def _describe_program(subject: Subject, name: str, number: int, random: Random) -> Record:
    record: Record = {
        "name": name,
        "description": f"{subject.sentence} {random.choice(NOTES)}".strip(),
        "categories": list(subject.categories),
    }
    if number % 6:
        record["ages"] = {"min": subject.ages[0], "max": subject.ages[1]}
    return record


def _make_schedule(random: Random) -> Record:
    hour = random.randrange(9, 19)
    return {
        "type": "weekly",
        "days": sorted(random.sample(WEEKDAYS, random.randrange(1, 3)), key=WEEKDAYS.index),
        "start_time": f"{hour:02d}:00:00",
        "end_time": f"{hour + 1:02d}:00:00",
        "duration_minutes": 60,
        "is_recurring": True,
    }


def _make_section(part: int, *, starts_on: date, random: Random) -> Record:
    starts = starts_on + timedelta(weeks=part)
    least = random.randrange(3, 10)
    amount = float(random.choice((60, 90, 140)))
    return {
        "name": f"Section {part + 1}",
        "schedule": _make_schedule(random),
        "term": {"starts_on": starts.isoformat(), "ends_on": (starts + timedelta(weeks=6)).isoformat()},
        "ages": {"min": least, "max": least + 3} if part % 2 == 0 else {},
        "tuition": {"amount": amount, "currency": "USD"} if part else {},
        "registration": _make_registration(random),
    }


def _make_program_price(random: Random) -> Record:
    amount = float(random.choice((0, 60, 90, 120, 180)))
    if amount == 0:
        return {"type": "free"}
    return {"type": "fixed", "min": amount, "max": amount, "scope": "program", "unit": "per_term", "currency": "USD"}


def _make_registration(random: Random) -> Record:
    spots = random.choice((None, 0, 1, 6, 12))
    return {
        "url": "https://register.example/",
        "status": random.choice(("open", "upcoming", "waitlist", "closed")),
        "spots_remaining": spots,
        "has_spots_available": None if spots is None else random.choice((spots > 0, None)),
    }


def make_camp(number: int, *, today: date, random: Random) -> Record:
    """Make a camp. One in nine has no session yet."""
    subject = CAMPS[number % len(CAMPS)]
    overnight = number % 12 == 5
    record = _describe_program(subject, f"{subject.name} {number // len(CAMPS) + 1}", number, random) | {
        "camp_type": "overnight" if overnight else random.choice(("day", "half_day")),
        "price": _make_program_price(random),
        "registration": _make_registration(random),
        "extended_care": {"before_available": random.choice((True, False, None))},
        "meals_included": overnight or None,
    }
    if number % 9 != 8:
        day = today + timedelta(days=random.randrange(-30, 90))
        first = day - timedelta(days=day.weekday())
        record["sessions"] = [
            _make_session(part, first=first, overnight=overnight, random=random)
            for part in range(random.randrange(1, 5))
        ]
    return record


def _make_session(part: int, *, first: date, overnight: bool, random: Random) -> Record:
    starts_on = first + timedelta(weeks=part)
    return {
        "name": f"Week {part + 1}",
        "starts_on": starts_on.isoformat(),
        "ends_on": (starts_on + timedelta(days=4)).isoformat(),
        "days": list(WEEKDAYS[:5]),
        "start_time": "09:00:00",
        "end_time": "15:00:00",
        "is_overnight": overnight,
        "price": _make_program_price(random) if part % 2 else {},
        "registration": _make_registration(random),
    }


# Of 20 listings: 11 events, 4 classes, 2 camps, 3 places.
_SHARES = ("event",) * 11 + ("class",) * 4 + ("camp",) * 2 + ("place",) * 3
_RULES = (
    ("FREQ=WEEKLY;BYDAY={day}", "Every week"),
    ("FREQ=WEEKLY;BYDAY={day};COUNT=10", "Ten weeks"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY={day}", "Every other week"),
    ("FREQ=MONTHLY;BYDAY=1{day}", "Once a month"),
    ("FREQ=DAILY;COUNT=5", "Five days in a row"),
)
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def generate_records(metro: DemoMetro, *, size: int, today: date) -> Iterator[Record]:
    """Yield `size` listings of the four types, places first, and the organizations that publish them."""
    random = Random(f"{metro.slug}/1")  # noqa: S311 made up, not secret
    yield from _make_organizations(metro)
    kinds = [_SHARES[number % len(_SHARES)] for number in range(size)]
    places = max(1, kinds.count("place")) if size else 0
    for number in range(places):
        yield _make_place(metro, number, random)
    make = {"event": _make_event, "class": make_class, "camp": make_camp}
    numbers = dict.fromkeys(make, 0)
    for kind in kinds:
        if kind != "place":
            number = numbers[kind]
            common = _make_common(metro, kind, number, places=places, today=today, random=random)
            yield common | make[kind](number, today=today, random=random)
            numbers[kind] += 1


def _make_organizations(metro: DemoMetro) -> Iterator[Record]:
    """Yield the organizations' records. The first two differ by metro, the others have the same id in all. The last
    name has no record."""
    for number, name in enumerate(ORGANIZATIONS[:-1]):
        word = "".join(sign for sign in name.lower() if sign.isalnum())
        local = number < 2
        yield {
            "type": "organization",
            "source_id": f"organization-{number}",
            **({} if local else {"id": f"0d5c0000-0000-4000-8000-{number:012d}"}),
            "name": f"{metro.name} {name}" if local else name,
            "description": f"{name}: activities for families.",
            "website_url": f"https://{word}.example" if number % 3 else None,
        }


def _make_common(metro: DemoMetro, kind: str, number: int, *, places: int, today: date, random: Random) -> Record:
    """Make the members that all types have, with references. One in forty is archived, one in sixty a draft."""
    record: Record = {"type": kind, "source_id": f"{kind}-{number}"}
    if number % 40 == 39:
        record |= {"status": "archived", "reason": "cancelled"}
    elif number % 60 == 58:
        record["status"] = "draft"
    organization = random.randrange(len(ORGANIZATIONS))
    named = organization == len(ORGANIZATIONS) - 1
    if number % 9:
        record["organization"] = (
            {"name": ORGANIZATIONS[organization]} if named else {"source_id": f"organization-{organization}"}
        )
    if number % 7 != 6:
        record["place"] = {"source_id": f"place-{random.randrange(places)}"}
    elif number % 2:
        record["location"] = _make_location(metro, random)
    record["image_url"] = f"https://images.example/{kind}/{number}.jpg" if number % 4 else None
    record["source"] = {
        "url": f"https://feeds.example/{metro.slug}/{kind}/{number}",
        "crawled_at": f"{today - timedelta(days=random.randrange(20))}T06:00:00Z",
        "verification": {"status": random.choice(("clear", "clear", "changed", "unverifiable"))},
    }
    if number % 11 == 0:
        record["confidence"] = round(random.uniform(0.3, 0.95), 2)
    return record


def _describe(subject: Subject, number: int, random: Random) -> Record:
    record: Record = {
        "name": f"{subject.name} {number // len(EVENTS) + 1}",
        "description": f"{subject.sentence} {random.choice(NOTES)}".strip(),
        "categories": list(subject.categories),
    }
    if number % 5:
        least, most = subject.ages
        record["ages"] = {"min": least, "max": most, "text": f"Ages {least}-{most}"}
    return record


def _make_event(number: int, *, today: date, random: Random) -> Record:
    grown_up = number % 17 == 16
    subject = random.choice(GROWN_UP_EVENTS) if grown_up else EVENTS[number % len(EVENTS)]
    record = _describe(subject, number, random) | {
        "price": _make_price(number, random),
        "registration_required": random.choice((True, False, None)),
    }
    if number % 13 == 12:
        record["occasions"] = [random.choice(("halloween", "new_year", "birthday", "easter"))]
    if number % 29 == 28:
        record["teams"] = ["storm"]
    return record | _make_time(subject, number, today=today, random=random)


def _make_time(subject: Subject, number: int, *, today: date, random: Random) -> Record:
    """Make an event's times. One in thirty has no date, one in eight no time, one in four is a series."""
    if number % 30 == 29:
        return {}
    day = today + timedelta(days=random.randrange(-10, 60))
    times: Record = {"seasons": [_find_season(day)]}
    if number % 8 == 7:
        return times | {"date_on": day.isoformat()}
    first, last = subject.begins
    starts = datetime.combine(day, time(random.randint(first, last), random.choice((0, 15, 30))))
    times["starts_local"] = starts.isoformat()
    if number % 6:
        times["ends_local"] = (starts + timedelta(minutes=random.choice((45, 60, 90, 120)))).isoformat()
    if number % 4 == 1:
        rule, text = _RULES[number // 4 % len(_RULES)]
        times |= {"rrule": rule.format(day=_DAYS[starts.weekday()]), "recurrence_description": text}
    return times


def _find_season(day: date) -> str:
    return ("winter", "spring", "summer", "fall")[day.month % 12 // 3]


def _make_price(number: int, random: Random) -> Record:
    kind = number % 5
    if kind < 2:
        return {"type": "free", "scope": "admission"}
    if kind == 4:
        return {}
    amount = float(random.choice((5, 8, 12, 15, 18, 25, 40, 60, 120)))
    return {
        "type": "fixed", "min": amount, "max": amount, "scope": "admission",
        "unit": "per_person", "currency": "USD",
    }  # fmt: skip


def _make_place(metro: DemoMetro, number: int, random: Random) -> Record:
    """Make a place. One in fifteen has an address and no coordinates."""
    subject = PLACES[number % len(PLACES)]
    location = _make_location(metro, random)
    if number % 15 == 14:
        location |= {"lat": None, "lng": None}
    indoor = random.choice((subject.is_indoor, subject.is_indoor, None))
    weekdays = subject.weekdays if number % 3 < 2 else None
    return _describe(subject, number, random) | {
        "type": "place",
        "source_id": f"place-{number}",
        "name": f"{location['street_address'].split(' ', 1)[1]} {subject.name} {number + 1}",
        "type_hint": TYPE_HINTS[number % len(TYPE_HINTS)],
        "location": location,
        "hours": dict.fromkeys(WEEKDAYS[1:5], weekdays)
        | {"saturday": "10:00-17:00", "sunday": "10:00-17:00" if number % 2 else None},
        "admission": {"type": "fixed", "child_price": 12.0, "currency": "USD"} if number % 3 == 0 else {},
        "birthday_parties": {"available": random.choice((True, False, None))},
        "classes": {"available": random.choice((True, None))},
        "is_indoor": indoor,
        "is_outdoor": None if indoor is None else not indoor,
        "good_for_rainy": indoor,
        "is_sensory_friendly": random.choice((True, False, None)),
        "organization": {"source_id": f"organization-{number % (len(ORGANIZATIONS) - 1)}"},
        "website_url": f"https://places.example/{metro.slug}/{number}",
    }


def _make_location(metro: DemoMetro, random: Random) -> Record:
    around = random.choice(metro.neighborhoods)
    street = f"{random.randrange(100, 9900)} {random.choice(STREETS)}"
    return {
        "address": f"{street}, {metro.name}, {metro.state}",
        "street_address": street,
        "city": metro.name,
        "state": metro.state,
        "lat": round(around.lat + random.uniform(-0.012, 0.012), 6),
        "lng": round(around.lng + random.uniform(-0.016, 0.016), 6),
    }
