"""Made-up classes with terms and sections, and camps with sessions."""

from datetime import date, timedelta
from random import Random
from typing import Any

from command.sample_cities.subjects import CAMPS, CLASSES, NOTES, Subject
from outings.contract.vocabulary import WEEKDAYS

Record = dict[str, Any]


def make_class(number: int, *, today: date, random: Random) -> Record:
    """One in three has sections; one in four shares its `program_key` with the next ones."""
    subject = CLASSES[number % len(CLASSES)]
    starts_on = today + timedelta(days=random.randrange(-40, 50))
    ends_on = starts_on + timedelta(weeks=random.randrange(4, 12))
    record = _describe(subject, f"{subject.name} Level {number % 4 + 1}", number, random) | {
        "program": {"enrollment_type": random.choice(("registration", "drop_in", "unknown"))},
        "term": {"name": "Term", "starts_on": starts_on.isoformat(), "ends_on": ends_on.isoformat()},
        "schedule": _make_schedule(random),
        "price": _make_price(random),
        "registration": _make_registration(random),
        "seasons": [random.choice(("spring", "summer", "fall", "winter"))],
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


def _describe(subject: Subject, name: str, number: int, random: Random) -> Record:
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


def _make_price(random: Random) -> Record:
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
    """One in nine states no session yet."""
    subject = CAMPS[number % len(CAMPS)]
    overnight = number % 12 == 5
    record = _describe(subject, f"{subject.name} {number // len(CAMPS) + 1}", number, random) | {
        "camp_type": "overnight" if overnight else random.choice(("day", "half_day")),
        "price": _make_price(random),
        "registration": _make_registration(random),
        "extended_care": {"before_available": random.choice((True, False, None))},
        "meals_included": overnight or None,
    }
    if number % 9 != 8:
        first = today + timedelta(days=random.randrange(-30, 90))
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
        "price": _make_price(random) if part % 2 else {},
        "registration": _make_registration(random),
    }
