"""Descriptions of members that mean the same in every resource, and the dotted paths that `fields` may name."""

from collections.abc import Mapping
from functools import cache
from itertools import chain

from msgspec import Struct
from msgspec.structs import fields

from outings.contract.resources.listings import find_structs
from outings.contract.routes import ROUTES

EVERYWHERE: Mapping[str, str] = {
    "address": "The whole address, on one line.",
    "age_range": "The ages, in the source's words.",
    "ages": "Who it is for, in years.",
    "applied_filters": "Every filter in effect. Sent back as parameters, they give the same data on any day.",
    "audience": "Who it is for. `adults` is left out of lists unless asked for.",
    "available": "Whether there are any.",
    "bounds": "The box around it, in degrees.",
    "camps": "Camps.",
    "categories": "What it is about, in the deployment's words.",
    "center": "Its middle.",
    "changed_at": "When the change was published.",
    "classes": "Classes.",
    "confidence": "How complete, fresh and verified it is, from 0 to 1. `min_confidence` compares it.",
    "counts": "How many live listings it has, by collection, under the defaults of the lists.",
    "crawled_at": "When the source was read.",
    "created_at": "When it was first published.",
    "currency": "The currency of the amounts, by ISO 4217.",
    "date_on": "The local date.",
    "days": "The days of the week on which it meets.",
    "defaults_applied": "Names in `applied_filters` whose value is a default.",
    "description": "What it is, in the source's words.",
    "distance_m": "Metres from the middle of the circle.",
    "domain": "The host of `website_url`, without `www.`.",
    "duration_minutes": "How long a meeting lasts.",
    "east": "Degrees of longitude.",
    "end_time": "The local time at which a meeting ends.",
    "ends_at": "When it ends, in UTC.",
    "ends_local": "When it ends, by the clock of `timezone`.",
    "ends_on": "The last date.",
    "enrollment_type": "How to take part.",
    "events": "Events.",
    "expanded": "With `expand`: the full objects in place of references.",
    "expires_at": "When the forecast is too old to be shown.",
    "forecast": "With `include=forecast`: the weather. Left out where none is known.",
    "generated_at": "When the data last changed. It is no clock: an unchanged metro keeps it.",
    "good_for_rainy": "Whether it is a good choice in the rain. Null is unknown.",
    "has_more": "Whether there is more after this page.",
    "has_spots_available": "Whether there are open seats. Null is unknown.",
    "id": "Its id, the same in every release.",
    "image_url": "The address of a picture.",
    "is_indoor": "Whether it is indoors, as far as its place says. Null is unknown.",
    "is_outdoor": "Whether it is outdoors, as far as its place says. Null is unknown.",
    "is_overnight": "Whether children stay overnight.",
    "is_recurring": "Whether it takes place more than once, by a rule.",
    "is_sensory_friendly": "Whether it suits children who are sensitive to noise and light. Null is unknown.",
    "issued_at": "When the forecast was made.",
    "lat": "Degrees of latitude.",
    "limit": "The most items in this answer.",
    "links": "Paths to what belongs to it.",
    "lng": "Degrees of longitude.",
    "location": "Where it is.",
    "metro": "The slug of the metro.",
    "min_confidence": "The least `confidence` in effect.",
    "missing_ids": "Those of `ids` that are unknown, of another type or metro, or not active.",
    "name": "Its name.",
    "neighborhood": "The name of the neighborhood.",
    "next_cursor": "Sent as `cursor` with the same request, it gives the next page; null on the last one.",
    "north": "Degrees of latitude.",
    "notes": "What else the source says.",
    "occasions": "Holidays and occasions that it is for.",
    "organization": "Who publishes it.",
    "page": "The number of the page; null in a walk by cursor.",
    "place": "Where it is held; null where none is known.",
    "places": "Places.",
    "precipitation_chance_max": "The greatest chance of rain or snow in an hour of it, in percent.",
    "price": "What it costs.",
    "radius_m": "The radius of the circle, in metres.",
    "registration": "Whether and how to sign up.",
    "registration_url": "The address at which to sign up.",
    "related": "With `include=related`: cards of what else there is.",
    "rrule": "The rule by which it repeats, by RFC 5545; null where there is none.",
    "schedule": "When it meets.",
    "score": "How well it fits, from 0 to 1.",
    "slug": "Its name as a part of an address.",
    "source": "With `include=source`: where it came from and how it was checked.",
    "south": "Degrees of latitude.",
    "spots_remaining": "How many seats are left.",
    "start_time": "The local time at which it starts.",
    "starts_at": "When it starts, in UTC.",
    "starts_local": "When it starts, by the clock of `timezone`.",
    "starts_on": "The first date.",
    "status": "`published`, or `archived` if it is shown on request only.",
    "summary": "It in a few words.",
    "temperature_f": "The temperature, in degrees Fahrenheit.",
    "term": "The period in which it meets.",
    "text": "It in the source's words.",
    "timezone": "The time zone of every `*_local` value beside it, by its IANA name.",
    "traits": "Further facts.",
    "tuition": "What taking part costs.",
    "type": "What kind of listing it is.",
    "types": "The collections that were looked at.",
    "updated_at": "When what is published of it last changed.",
    "verified_at": "When somebody last verified it; null until then.",
    "waitlist_available": "Whether there is a waiting list.",
    "website_url": "The address of its site.",
    "west": "Degrees of longitude.",
    "wet_hours": "Pairs of hours: from the first to before the second, rain or snow is more likely than not.",
    "window": "The local dates in effect.",
}


@cache
def walk_members(resource: type[Struct]) -> frozenset[str]:
    """Return the dotted paths of all members of a resource: `location`, `location.lat`, `sections.schedule.days`."""
    paths = set()
    for field in fields(resource):
        paths.add(field.encode_name)
        inner = chain.from_iterable(map(walk_members, find_structs(field.type)))
        # An expanded object has no `expanded` of its own.
        paths.update(f"{field.encode_name}.{path}" for path in inner if path.partition(".")[0] != "expanded")
    return frozenset(paths)


# The resources, and the paths of their members, that `fields` may name: by `Route.shown`.
RESOURCES: Mapping[str, type[Struct]] = {route.shown: route.item for route in ROUTES if route.shown is not None}
MEMBERS: Mapping[str, frozenset[str]] = {name: walk_members(struct) for name, struct in RESOURCES.items()}
