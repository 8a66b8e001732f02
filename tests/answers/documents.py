"""Public documents as plain dicts, every member present, nothing stated: what a case does not name stays null."""

from datetime import datetime
from typing import Any

from tests.answers.worlds import fold

Document = dict[str, Any]

ZONE = "America/New_York"
_STAMP = "2026-01-01T00:00:00Z"


def _make_common(listing_type: str, row_id: str) -> Document:
    return {
        "id": row_id, "type": listing_type, "slug": f"{listing_type}-{row_id[:8]}", "name": f"Name {row_id[:8]}",
        "description": None, "audience": "families", "categories": [], "image_url": None,
        "organization": {"id": None, "name": None, "slug": None}, "confidence": 0.9, "verified_at": None,
        "metro": "harbor", "status": "published", "created_at": None, "updated_at": _STAMP,
    }  # fmt: skip


def make_location(**members: Any) -> Document:
    names = ("address", "street_address", "city", "state", "zip", "lat", "lng", "neighborhood", "neighborhood_slug")
    return {**dict.fromkeys(names), **members}


def make_price(**members: Any) -> Document:
    return {**dict.fromkeys(("type", "min", "max", "scope", "note", "unit", "is_free", "currency")), **members}


def make_ages(**members: Any) -> Document:
    return {"min": None, "max": None, "text": None, "audience": None, "bands": [], **members}


def _make_dated() -> Document:
    return {
        "place": None, "location": make_location(), "is_indoor": None, "is_outdoor": None, "good_for_rainy": None,
        "is_sensory_friendly": None,
    }  # fmt: skip


def _make_links(collection: str, row_id: str) -> Document:
    return {"self": f"/v1/{collection}/{row_id}", "place": None, "organization": None, "page": None}


def make_event(row_id: str, **members: Any) -> Document:
    document = _make_common("event", row_id) | _make_dated()
    document |= {
        "starts_local": None, "ends_local": None, "start_time": None, "has_time": False, "has_date": False,
        "all_day": False, "timezone": ZONE, "starts_at": None, "ends_at": None, "is_recurring": False, "rrule": None,
        "exdates": [], "rdates": [], "recurrence_description": None, "price": make_price(), "ages": make_ages(),
        "traits": {"seasons": []}, "occasions": [], "teams": [], "registration_url": None, "ticket_url": None,
        "registration_required": None,
        "is_sold_out": None, "links": _make_links("events", row_id),
    }  # fmt: skip
    return document | members


def make_term(**members: Any) -> Document:
    return {"name": None, "starts_on": None, "ends_on": None, "total_classes": None, **members}


def make_schedule(**members: Any) -> Document:
    return {
        "type": None, "days": [], "start_time": None, "end_time": None, "duration_minutes": None,
        "is_recurring": None, "rrule": None, "notes": None, "timezone": ZONE, **members,
    }  # fmt: skip


def make_registration(**members: Any) -> Document:
    names = ("url", "status", "opens_at", "spots_remaining", "has_spots_available", "waitlist_available")
    return {**dict.fromkeys(names), **members}


def make_section(section_id: str, **members: Any) -> Document:
    schedule = make_schedule()
    del schedule["type"], schedule["is_recurring"]
    registration = make_registration()
    del registration["opens_at"]
    return {
        "id": section_id, "name": None, "schedule": schedule, "term": make_term(),
        "ages": {"min": None, "max": None, "text": None},
        "tuition": {"amount": None, "text": None, "drop_in_price": None, "currency": None},
        "registration": registration, "updated_at": None, **members,
    }  # fmt: skip


def make_class(row_id: str, **members: Any) -> Document:
    program = ("enrollment_type", "skill_level_notes", "adult_participation", "what_youll_learn", "prerequisites")
    tuition = ("amount", "from", "text", "drop_in_price", "trial_price", "trial_notes", "currency")
    document = _make_common("class", row_id) | _make_dated()
    document |= {
        "program": dict.fromkeys(program), "term": make_term(), "schedule": make_schedule(),
        "tuition": dict.fromkeys(tuition), "price": make_price(),
        "registration": {**make_registration(), "sections_with_spots": None},
        "sections_total": len(members.get("sections", ())), "sections": [], "ages": make_ages(),
        "traits": {"seasons": []}, "occasions": [], "links": _make_links("classes", row_id),
    }  # fmt: skip
    return {**document, **members, "sessions": []}


def make_session(session_id: str, **members: Any) -> Document:
    return {
        "id": session_id, "name": None, "theme": None, "starts_on": None, "ends_on": None, "days": [],
        "start_time": None, "end_time": None, "is_overnight": None, "timezone": ZONE,
        "ages": {"min": None, "max": None, "text": None}, "price": make_price(),
        "registration": make_registration(), "updated_at": None, **members,
    }  # fmt: skip


def make_camp(row_id: str, **members: Any) -> Document:
    sessions = members.get("sessions", [])
    starts = [session["starts_on"] for session in sessions if session["starts_on"]]
    ends = [session["ends_on"] for session in sessions if session["ends_on"]]
    care = dict.fromkeys(("before_available", "after_available", "price", "notes"))
    document = _make_common("camp", row_id) | _make_dated()
    document |= {
        "camp_type": "unknown", "is_overnight": None, "year": None, "starts_on": min(starts, default=None),
        "ends_on": max(ends, default=None), "timezone": ZONE, "sessions_total": len(sessions), "sessions": [],
        "extended_care": care, "meals_included": None, "what_to_bring": None, "price": make_price(),
        "registration": make_registration(), "ages": make_ages(), "traits": {"seasons": []},
        "links": _make_links("camps", row_id),
    }  # fmt: skip
    return document | members


def make_place(row_id: str, **members: Any) -> Document:
    days = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "notes", "exceptions")
    parties = ("available", "min_guests", "max_guests", "age_range", "booking_url", "notes")
    amenities = (
        "has_outdoor_space", "has_parking", "parking_notes", "has_wifi", "socks_required", "outside_food_allowed",
        "stroller_policy",
    )  # fmt: skip
    admission = ("type", "child_price", "adult_price", "infant_age_cutoff", "notes", "currency")
    membership = ("available", "price_monthly", "price_annual", "notes", "currency")
    document = _make_common("place", row_id) | {
        "type_hint": None, "type_hint_notes": None, "location": make_location(), "hours": dict.fromkeys(days),
        "admission": dict.fromkeys(admission), "membership": dict.fromkeys(membership),
        "birthday_parties": dict.fromkeys(parties),
        "classes": {"available": None, "types": [], "age_range": None, "schedule_notes": None,
                    "registration_url": None},
        "amenities": dict.fromkeys(amenities), "ages": make_ages(), "images": [], "website_url": None,
        "is_indoor": None, "is_outdoor": None, "good_for_rainy": None, "is_sensory_friendly": None,
        "links": {**dict.fromkeys(("self", "events", "classes", "camps"), f"/v1/places/{row_id}"), "page": None},
    }  # fmt: skip
    return document | members


def make_organization(row_id: str, **members: Any) -> Document:
    """Make an organization as it is stored: without `categories`, `metros` and `counts`."""
    links = ("self", "events", "classes", "camps", "places")
    return {
        "id": row_id, "type": "organization", "slug": f"organization-{row_id[:8]}", "name": f"Org {row_id[:8]}",
        "description": None, "website_url": None, "domain": None, "image_url": None, "verified_at": None,
        "status": "published", "created_at": None, "updated_at": _STAMP,
        "links": {name: f"/v1/organizations/{row_id}/{name}" for name in links}, **members,
    }  # fmt: skip


def read_dates(*texts: str) -> list[datetime]:
    return [datetime.fromisoformat(text) for text in texts]


def make_uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def make_neighborhood(slug: str, name: str, *, at: float = 40.0) -> dict[str, Any]:
    return {
        "slug": slug, "name": name, "key": fold(name), "lat": at, "lng": -74.0, "south": at - 0.01, "west": -74.01,
        "north": at + 0.01, "east": -73.99,
    }  # fmt: skip
