"""A request of every route that needs a key, as a client writes it, with what a key needs for it."""

from outings.contract.routes import ROUTES
from tests.edge.publishing import make_id

EVENT, CLASS, CAMP, PLACE, ORGANIZATION = (
    make_id(f"harbor-{name}") for name in ("event-1", "class", "camp", "place", "org")
)

# By route: target, its metro, the type that a key needs for it. By hand: the program does not judge itself.
READS: dict[str, tuple[str, str | None, str | None]] = {
    "metros": ("/v1/metros", None, None),
    "metros.detail": ("/v1/harbor", "harbor", None),
    "events.list": ("/v1/harbor/events", "harbor", "events"),
    "classes.list": ("/v1/harbor/classes", "harbor", "classes"),
    "camps.list": ("/v1/harbor/camps", "harbor", "camps"),
    "places.list": ("/v1/harbor/places", "harbor", "places"),
    "events.detail": (f"/v1/events/{EVENT}", "harbor", "events"),
    "classes.detail": (f"/v1/classes/{CLASS}", "harbor", "classes"),
    "camps.detail": (f"/v1/camps/{CAMP}", "harbor", "camps"),
    "places.detail": (f"/v1/places/{PLACE}", "harbor", "places"),
    "organizations.detail": (f"/v1/organizations/{ORGANIZATION}", "harbor", None),
    "events.slug": ("/v1/events/slug/story-1?metro=harbor", "harbor", "events"),
    "classes.slug": ("/v1/classes/slug/clay?metro=harbor", "harbor", "classes"),
    "camps.slug": ("/v1/camps/slug/woods?metro=harbor", "harbor", "camps"),
    "places.slug": ("/v1/places/slug/library?metro=harbor", "harbor", "places"),
    "events.of_organization": (f"/v1/organizations/{ORGANIZATION}/events", "harbor", "events"),
    "classes.of_organization": (f"/v1/organizations/{ORGANIZATION}/classes", "harbor", "classes"),
    "camps.of_organization": (f"/v1/organizations/{ORGANIZATION}/camps", "harbor", "camps"),
    "places.of_organization": (f"/v1/organizations/{ORGANIZATION}/places", "harbor", "places"),
    "events.at_place": (f"/v1/places/{PLACE}/events", "harbor", "events"),
    "classes.at_place": (f"/v1/places/{PLACE}/classes", "harbor", "classes"),
    "camps.at_place": (f"/v1/places/{PLACE}/camps", "harbor", "camps"),
    "events.density": ("/v1/harbor/events/density", "harbor", "events"),
    "classes.density": ("/v1/harbor/classes/density", "harbor", "classes"),
    "camps.density": ("/v1/harbor/camps/density", "harbor", "camps"),
    "places.density": ("/v1/harbor/places/density", "harbor", "places"),
    "organizations.list": ("/v1/harbor/organizations", "harbor", None),
    "events.calendar": ("/v1/harbor/events/calendar?from=2026-08-10&to=2026-08-11", "harbor", "events"),
    "classes.calendar": ("/v1/harbor/classes/calendar?from=2026-08-10&to=2026-08-11", "harbor", "classes"),
    "camps.calendar": ("/v1/harbor/camps/calendar?from=2026-08-10&to=2026-08-11", "harbor", "camps"),
    "events.ics": ("/v1/harbor/events.ics", "harbor", "events"),
    "events.ics.address": ("/v1/harbor/events.ics/address", "harbor", "events"),
    "search": ("/v1/harbor/search?q=story", "harbor", None),
    "suggest": ("/v1/harbor/suggest?q=sto", "harbor", None),
    "around": ("/v1/harbor/around?lat=40&lng=-74", "harbor", None),
    "nearby": ("/v1/harbor/nearby?lat=40&lng=-74", "harbor", None),
    "activity": ("/v1/harbor/activity?lat=40&lng=-74", "harbor", None),
    "neighborhoods": ("/v1/harbor/neighborhoods", "harbor", None),
    "coverage": ("/v1/harbor/coverage", "harbor", None),
    "export": ("/v1/harbor/export", "harbor", None),
    "export.file": ("/v1/harbor/export/events.jsonl", "harbor", "events"),
    "versions": (f"/v1/listings/{EVENT}/versions", "harbor", "events"),
    "changes": ("/v1/changes", None, None),
}


# What this version answers; the rest is 501 to whoever may ask.
ANSWERED = {route.name for route in ROUTES if route.needs_key}
