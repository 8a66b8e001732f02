"""Servers that answer as the documents of event calendars say: their limits, their orders, their errors."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.pipeline.fetch.pages.paged_rows import make_json, read_query
from tests.pipeline.fetch.web import Page

Answer = Callable[[str], Page]


def make_tribe_event(number: int, **members: Any) -> dict[str, Any]:
    event: dict[str, Any] = {
        "id": number, "status": "publish", "title": f"Tot &#038; Play {number}", "url": f"https://p.example/e/{number}",
        "description": "<p>Songs.</p>", "image": {"url": "https://p.example/a.jpg", "id": 7}, "all_day": False,
        "start_date": f"2026-12-0{number} 10:00:00", "end_date": f"2026-12-0{number} 11:30:00",
        "timezone": "America/Los_Angeles", "cost": "$5 – $12",
        "cost_details": {"currency_symbol": "$", "values": ["5", "12"]}, "website": "https://p.example/join",
        "categories": [{"id": 1, "name": "Toddlers"}], "tags": [{"id": 2, "name": "Music"}],
        "venue": {
            "id": 9, "venue": "Green Lake", "address": "7201 E Green Lake Dr N", "city": "Seattle",
            "stateprovince": "WA", "zip": "98115", "geo_lat": 47.68, "geo_lng": -122.33,
        },
        "organizer": [{"id": 4, "organizer": "Parks Department"}],
    }  # fmt: skip
    return event | members


# As PHP writes what is not there.
BARE = {"image": False, "venue": [], "organizer": [], "categories": [], "tags": [], "cost": "", "website": ""}


def make_tribe(events: Sequence[dict[str, Any]], *, is_old: bool = False) -> Answer:
    """Serve at most two events a page, as a plugin may set it. The page after the last is 404, and in old versions so
    is an empty result."""

    def answer(target: str) -> Page:
        params = read_query(target)
        number, size = int(params.get("page", 1)), min(int(params.get("per_page", 10)), 2)
        page = list(events[(number - 1) * size : number * size])
        if not page and (is_old or number > 1):
            members = {"code": "event-archive-page-not-found", "message": "The requested page was not found."}
            return make_json({**members, "data": {"status": 404}}, status=404)
        pages = -(-len(events) // size)
        base = target.partition("?")[0]
        body: dict[str, Any] = {"events": page, "rest_url": base, "total": len(events), "total_pages": pages}
        if number < pages:
            body["next_rest_url"] = f"{base}?page={number + 1}&per_page=50"
        return make_json(body)

    return answer


def make_libcal_event(number: int, **members: Any) -> dict[str, Any]:
    event: dict[str, Any] = {
        "id": number, "title": f"Storytime {number}", "allday": False, "start": "2026-12-05T18:30:00-08:00",
        "end": "2026-12-05T19:00:00-08:00", "description": "<p>Rhymes.</p>",
        "url": {"public": f"https://l.example/event/{number}", "admin": "https://l.example/admin"},
        "location": {"id": 1, "type": 1, "name": "Children's Room"}, "campus": {"id": 3, "name": "Main"},
        "category": [{"id": 1, "name": "Storytime"}], "audience": [{"id": 2, "name": "Babies"}],
        "seats": "", "registration": True, "registration_cost": "$5.00", "featured_image": "https://l.example/a.png",
        "geolocation": {"place-id": "x", "latitude": 47.6, "longitude": -122.3},
    }  # fmt: skip
    return event | members


def make_libcal(count: int) -> Answer:
    """Serve 20 events of the next 30 days unless more are requested: at most 500 of 365 days. There are no pages."""

    def answer(target: str) -> Page:
        params = read_query(target)
        if "cal_id" not in params:
            return make_json({"error": "cal_id is required"}, status=400)
        limit = min(int(params.get("limit", 20)), 500) if int(params.get("days", 30)) == 365 else 1
        bare = {"campus": "", "location": "", "registration_cost": "", "featured_image": "", "geolocation": []}
        gone = dict.fromkeys(bare)
        members: dict[int, dict[str, Any]] = {2: bare, 3: gone}
        events = [make_libcal_event(number, **members.get(number, {})) for number in range(1, count + 1)]
        return make_json({"events": events[:limit]})

    return answer


def make_localist_event(number: int, instance: int, day: int, **members: Any) -> dict[str, Any]:
    event: dict[str, Any] = {
        "id": number, "title": f"Kite day {number}", "description": "<p>Kites.</p>", "description_text": "Kites.",
        "localist_url": f"https://c.example/event/{number}", "status": "live", "location_name": "Gas Works Park",
        "room_number": "", "address": "2101 N Northlake Way", "free": True, "ticket_cost": "", "ticket_url": None,
        "photo_url": "https://c.example/a.jpg", "keywords": ["wind"], "tags": [],
        "filters": {"event_types": [{"name": "Outdoors", "id": 3}]},
        "geo": {"latitude": "47.6456", "longitude": "-122.3344", "city": "Seattle", "state": "WA", "zip": "98103"},
        "event_instances": [
            {"event_instance": {
                "id": instance, "event_id": number, "start": f"2026-12-{day:02}T10:00:00-08:00", "end": None,
                "all_day": False,
            }},
        ],
    }  # fmt: skip
    return {"event": event | members}


def make_localist(events: Sequence[dict[str, Any]]) -> Answer:
    """Serve today's events unless days are requested, ten a page unless more are: at most 100."""

    def answer(target: str) -> Page:
        params = read_query(target)
        known = list(events) if int(params.get("days", 1)) <= 370 and "days" in params else list(events[:1])
        size, number = min(int(params.get("pp", 10)), 100), int(params.get("page", 1))
        pages = -(-len(known) // size)
        page = known[(number - 1) * size : number * size]
        return make_json({"events": page, "page": {"current": number, "size": size, "total": pages}})

    return answer
