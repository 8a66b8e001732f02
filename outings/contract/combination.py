"""Rules on combinations: parameters that exclude each other, and parameters that require each other."""

from collections.abc import Callable, Mapping
from datetime import date

from outings.contract.errors import bad_request
from outings.contract.route import Route
from outings.contract.text import parse_text
from outings.contract.values import Value
from outings.contract.window import EXPANSION_DAYS_AFTER, check_window

Values = Mapping[str, Value]

# What may be sent beside `ids`.
_BESIDE_IDS = frozenset({"ids", "audience", "min_confidence", "fields", "expand", "include", "include_mode", "metro"})
_EXCLUSIVE = (
    ("page", "cursor"), ("page", "changed_since"), ("occurrences", "changed_since"), ("type_hint", "place_type"),
)  # fmt: skip


# A value of an array that says all by itself.
_ALONE = {"match": "auto"}


def check_combination(route: Route, values: Values) -> None:
    """Raises ApiError for the first rule that the parsed values break."""
    _check_required(route, values)
    for names, check in _RULES:
        if not names.isdisjoint(values):
            check(route, values)
    if route.needs_centre or not _OF_CENTRE.isdisjoint(values):
        _check_centre(route, values)
    if not _OF_DATES.isdisjoint(values):
        _check_dates(route, values)


def find_longest_window(route: Route, values: Values) -> int:
    """Return the most days that `to` may lie after `from`."""
    return EXPANSION_DAYS_AFTER if values.get("occurrences") == "expand" else route.most_days


def _check_required(route: Route, values: Values) -> None:
    for name in route.required:
        if name not in values:
            raise _missing(name, f"{name} is required here.")


def _check_exclusive(_: Route, values: Values) -> None:
    for first, second in _EXCLUSIVE:
        if first in values and second in values:
            raise _contradictory(first, f"{first} and {second} exclude each other; send one of them.")


def _check_alone(_: Route, values: Values) -> None:
    for name, word in _ALONE.items():
        given = values.get(name)
        if isinstance(given, tuple) and word in given and len(given) > 1:
            raise _contradictory(name, f"{name}={word} stands alone; send it without other values of {name}.")


def _check_ids(_: Route, values: Values) -> None:
    for name in values:
        if name not in _BESIDE_IDS:
            raise _contradictory(name, f"{name} can't be sent with ids.")


def _check_limit(_: Route, values: Values) -> None:
    if values.get("limit") == 0 and "facets" not in values:
        raise bad_request(
            param="limit", reason="out_of_range", min=1, max=200,
            message="limit=0 gives counts alone: send facets with it, or a limit of 1 to 200.",
        )  # fmt: skip


def _check_text(route: Route, values: Values) -> None:
    """Of lists. What search makes of its words depends on the metro, and a directory answers a hint."""
    text = values.get("q")
    if route.type is not None and isinstance(text, str) and parse_text(text) is None:
        raise bad_request(
            param="q", reason="nothing_searchable", message="q has no word to look for: send letters or digits."
        )


def _check_centre(route: Route, values: Values) -> None:
    for given, absent in (("lat", "lng"), ("lng", "lat")):
        if given in values and absent not in values:
            raise _missing(absent, f"{given} was sent without {absent}.")
    centres = [name for name in ("lat", "near_zip", "address") if name in values]
    if len(centres) > 1:
        raise _contradictory(centres[1], f"There is one centre: {centres[0]} and {centres[1]} exclude each other.")
    if centres:
        return
    if "radius_m" in values:
        raise _missing("lat", "radius_m was sent without a centre: send lat and lng.")
    if route.needs_centre or values.get("sort") == "nearest":
        other = ", or address" if "address" in route.parameters else ""
        raise _missing("lat", f"This needs a centre: send lat and lng{other}.")


def _check_dates(route: Route, values: Values) -> None:
    start, end = values.get("from"), values.get("to")
    if isinstance(start, date) and isinstance(end, date):
        check_window(start, end, most_days_after=find_longest_window(route, values))
    first, last = values.get("starts_from"), values.get("starts_to")
    if isinstance(first, date) and isinstance(last, date) and last < first:
        raise _contradictory("starts_to", f"starts_to ({last}) is before starts_from ({first}).")


# With the names without which a rule has nothing to check: most requests send none of them.
_RULES: tuple[tuple[frozenset[str], Callable[[Route, Values], None]], ...] = (
    (frozenset(first for first, _ in _EXCLUSIVE), _check_exclusive),
    (frozenset(_ALONE), _check_alone),
    (frozenset({"ids"}), _check_ids),
    (frozenset({"limit"}), _check_limit),
    (frozenset({"q"}), _check_text),
)
_OF_CENTRE = frozenset({"lat", "lng", "near_zip", "address", "radius_m", "sort"})
_OF_DATES = frozenset({"from", "starts_from"})


def _missing(name: str, message: str) -> Exception:
    return bad_request(param=name, reason="missing_parameter", message=message)


def _contradictory(name: str, message: str) -> Exception:
    return bad_request(param=name, reason="contradictory", message=message)
