"""The SELECT that counts what a list shows, as docs/query.md tells it."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from outings.contract.vocabulary import COLLECTIONS


def quote(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def quote_words(text: str) -> str:
    return "[" + ", ".join(map(quote, text.split(","))) + "]"


# Each filter of a list, as its condition on a listing `l`; where the second is given, on one of its dates, sections or
# sessions `h` instead.
ON_LISTINGS: Mapping[str, Callable[[str], str]] = {
    "min_confidence": lambda value: f"l.confidence >= {value}",
    "audience": lambda value: {"all": "true", "not_adults": "l.audience <> 'adults'"}.get(
        value, f"list_contains({quote_words(value)}, l.audience)"
    ),
    "category": lambda value: f"list_has_any(l.categories, {quote_words(value)})",
    "neighborhood": lambda value: f"l.location.neighborhood_slug = {quote(value)}",
    "season": lambda value: f"list_has_any(l.traits.seasons, {quote_words(value)})",
    "occasion": lambda value: f"list_has_any(l.occasions, {quote_words(value)})",
    "indoor": lambda value: f"l.is_indoor = {value}",
    "outdoor": lambda value: f"l.is_outdoor = {value}",
    "recurring": lambda value: f"l.is_recurring = {value}",
    "has_time": lambda value: f"l.has_time = {value}",
    "type_hint": lambda value: f"list_contains({quote_words(value)}, l.type_hint)",
    "enrollment_type": lambda value: f"list_contains({quote_words(value)}, l.program.enrollment_type)",
    "organization_id": lambda value: f"l.organization.id = {quote(value)}",
}
ON_EITHER: Mapping[str, Callable[[str], str]] = {
    "age": lambda value: f"coalesce(x.ages.min, 0) <= {value} AND coalesce(x.ages.max, 999) >= {value}",
    "free": lambda value: f"x.price.is_free = {value}",
    "max_price": lambda value: f"(x.price.min <= {value} OR x.price.is_free)",
}
ON_OCCURRENCES: Mapping[str, Callable[[str], str]] = {
    "start_after": lambda value: f"{{time}} >= TIME '{value}:00'",
    "start_before": lambda value: f"{{time}} < TIME '{value}:00'",
    "openings": lambda value: f"h.registration.has_spots_available = {value}",
    "overnight": lambda value: f"h.is_overnight = {value}",
}
TABLES = {"event": "occurrences", "class": "sections", "camp": "sessions"}
# The local time at which one of a type begins. Only an event that has a time says so by its dates.
TIMES = {
    "event": "if((SELECT has_time FROM events WHERE id = h.event_id), CAST(h.starts_local AS TIME), NULL)",
    "class": "h.schedule.start_time",
    "camp": "h.start_time",
}


def match_window(kind: str, first: str, last: str | None) -> str:
    if kind == "event":
        end = last or (date.fromisoformat(first) + timedelta(30)).isoformat()
        return f"CAST(h.starts_local AS DATE) BETWEEN DATE '{first}' AND DATE '{end}'"
    end = last or "9999-12-31"
    if kind == "class":
        return (
            f"coalesce(h.term.ends_on, DATE '9999-12-31') >= DATE '{first}' "
            f"AND coalesce(h.term.starts_on, DATE '0001-01-01') <= DATE '{end}'"
        )
    undated = "NOT EXISTS (FROM sessions s WHERE s.camp_id = h.camp_id AND s.starts_on IS NOT NULL)"
    return f"(h.ends_on >= DATE '{first}' AND h.starts_on <= DATE '{end}' OR {undated})"


def match_weekday(kind: str, value: str) -> str:
    days = quote_words(value)
    if kind == "event":
        return f"list_contains({days}, lower(dayname(h.starts_local)))"
    return f"list_has_any({'h.schedule.days' if kind == 'class' else 'h.days'}, {days})"


def write_select(metro: str, kind: str, params: Mapping[str, str], *, today: date) -> str:
    """Write a query as docs/query.md says: it counts cards of listings with one date, section or session that meets all
    conditions."""
    given = {"audience": "not_adults", "min_confidence": "0.5" if kind == "place" else "0.7", **params}
    listed, happens = [f"l.metro = {quote(metro)}"], []
    own = "h" if kind in ("class", "camp") else "l"
    for name, value in given.items():
        if name in ON_EITHER:
            (happens if own == "h" else listed).append(ON_EITHER[name](value).replace("x.", f"{own}."))
        elif name in ON_LISTINGS:
            listed.append(ON_LISTINGS[name](value))
        elif name in ON_OCCURRENCES:
            happens.append(ON_OCCURRENCES[name](value).replace("{time}", TIMES[kind]))
        elif name == "weekday":
            happens.append(match_weekday(kind, value))
    if kind != "place":
        happens.append(match_window(kind, given.get("from", today.isoformat()), given.get("to")))
        listed.append(f"l.id IN (SELECT h.{kind}_id FROM {TABLES[kind]} h WHERE {' AND '.join(happens)})")
    return f"SELECT count(DISTINCT l.card) AS total FROM {COLLECTIONS[kind]} l WHERE {' AND '.join(listed)}"
