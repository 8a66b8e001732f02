"""The objects of a record that are the contract's own: a row for each of their members."""

from typing import Any

from outings.contract import vocabulary as words
from outings.contract.resources.camp import ExtendedCare
from outings.contract.resources.class_ import Program, Registration, Schedule, Tuition
from outings.contract.resources.place import (
    Admission,
    Amenities,
    BirthdayParties,
    Hours,
    Membership,
    PlaceClasses,
)
from outings.contract.resources.shared import AgeRange, Location, Price, Term
from pipeline.records import consistency, values
from pipeline.records.kinds import (
    AGE,
    AMOUNT,
    CLOCK,
    COST,
    COUNT,
    CURRENCY,
    DATE,
    DAYS,
    FACT,
    FLAG,
    LINE,
    LINES,
    PROSE,
    URL,
    a_word,
    filtered,
    group,
    shown,
)
from pipeline.records.values import parse_word_of

AGES = group(AgeRange, {"min": AGE, "max": AGE, "text": LINE}, check=consistency.check_range)
PRICE = group(
    Price,
    {
        "type": filtered(parse_word_of(words.PRICE_TYPES)), "min": COST, "max": COST,
        "scope": a_word(words.PRICE_SCOPES), "note": PROSE, "unit": a_word(words.PRICE_UNITS), "currency": CURRENCY,
    },
    check=consistency.check_range,
)  # fmt: skip
TERM = group(
    Term,
    {"name": LINE, "starts_on": DATE, "ends_on": DATE, "total_classes": COUNT},
    check=consistency.check_dates,
)
SCHEDULE = group(
    Schedule,
    {
        "type": a_word(words.SCHEDULE_TYPES), "days": DAYS, "start_time": CLOCK, "end_time": CLOCK,
        "duration_minutes": COUNT, "is_recurring": FLAG, "rrule": LINE, "notes": PROSE,
        "timezone": shown(values.parse_timezone),
    },
)  # fmt: skip


def make_tuition(**members: Any) -> Tuition:
    """`from` is no name that Python allows."""
    return Tuition(from_=members.pop("from", None), **members)


TUITION = group(
    make_tuition,
    {
        "amount": COST, "from": COST, "text": LINE, "drop_in_price": AMOUNT, "trial_price": AMOUNT,
        "trial_notes": PROSE, "currency": CURRENCY,
    },
)  # fmt: skip
REGISTRATION = group(
    Registration,
    {
        "url": URL, "status": a_word(words.REGISTRATION_STATUSES), "opens_at": shown(values.parse_instant_text),
        "spots_remaining": filtered(values.parse_whole), "has_spots_available": FACT, "waitlist_available": FLAG,
    },
)  # fmt: skip
LOCATION = group(
    Location,
    {
        "address": LINE, "street_address": LINE, "city": LINE, "state": LINE, "zip": filtered(values.parse_line),
        "lat": filtered(values.parse_latitude), "lng": filtered(values.parse_longitude),
        "neighborhood": filtered(values.parse_line), "neighborhood_slug": filtered(values.parse_slug),
    },
    check=consistency.check_point,
)  # fmt: skip
ADMISSION = group(
    Admission,
    {
        "type": LINE, "child_price": AMOUNT, "adult_price": AMOUNT, "infant_age_cutoff": COUNT, "notes": PROSE,
        "currency": CURRENCY,
    },
)  # fmt: skip
AMENITIES = group(
    Amenities,
    {
        "has_outdoor_space": FLAG, "has_parking": FLAG, "parking_notes": PROSE, "has_wifi": FLAG,
        "socks_required": FLAG, "outside_food_allowed": FLAG, "stroller_policy": LINE,
    },
)  # fmt: skip
BIRTHDAY_PARTIES = group(
    BirthdayParties,
    {
        "available": FLAG, "min_guests": COUNT, "max_guests": COUNT, "age_range": LINE, "booking_url": URL,
        "notes": PROSE,
    },
)  # fmt: skip
PLACE_CLASSES = group(
    PlaceClasses,
    {
        "available": FLAG, "types": LINES, "age_range": LINE, "schedule_notes": PROSE, "registration_url": URL,
    },
)  # fmt: skip
HOURS = group(Hours, {**dict.fromkeys(words.WEEKDAYS, LINE), "notes": PROSE, "exceptions": PROSE})
PROGRAM = group(
    Program,
    {
        "enrollment_type": a_word(words.ENROLLMENT_TYPES), "skill_level_notes": PROSE,
        "adult_participation": LINE, "what_youll_learn": PROSE, "prerequisites": PROSE,
    },
)  # fmt: skip
MEMBERSHIP = group(
    Membership,
    {"available": FLAG, "price_monthly": AMOUNT, "price_annual": AMOUNT, "notes": PROSE, "currency": CURRENCY},
)
EXTENDED_CARE = group(
    ExtendedCare, {"before_available": FLAG, "after_available": FLAG, "price": AMOUNT, "notes": PROSE}
)
