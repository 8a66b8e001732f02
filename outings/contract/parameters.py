"""The table of query parameters, a row for each name. `routes` says which route takes which, and with what bounds."""

from collections.abc import Collection, Iterable, Mapping
from functools import partial

from outings.contract.languages.language import SHIPPED
from outings.contract.values import DateDefault, Parameter
from outings.contract.vocabulary import (
    AGE_BANDS,
    AUDIENCES,
    CHANGE_KINDS,
    COLLECTIONS,
    ENROLLMENT_TYPES,
    FACETS,
    INCLUDES,
    TYPES,
    WEEKDAYS,
)

# Parameters that are `501` unless the deployment has centers of postal codes.
ZIPS = ("zip", "near_zip", "include_approximate")

_any_of = partial(Parameter, kind="word", array=True)
_flag = partial(Parameter, kind="boolean", example="true")
_control = partial(Parameter, is_filter=False)

_WHEN = (
    Parameter(
        name="from", kind="date", example="2026-08-10", default=DateDefault.LOCAL_DATE,
        meaning="First local date of the window, in the metro's timezone.",
    ),
    Parameter(
        name="to", kind="date", example="2026-08-31", is_tryable=False,
        meaning="Last local date of the window, inclusive; at most 366 days after `from`.",
    ),
    _any_of(
        name="weekday", allowed=WEEKDAYS, example="saturday,sunday",
        meaning="Any of these local days of the week.",
    ),
    Parameter(
        name="meets", kind="word", allowed=("true",), example="true", stability="experimental",
        meaning="Classes known to meet on a date of the window and camps known to be held on one, in place of "
        "those whose term or year may include it.",
    ),
    Parameter(
        name="start_after", column="time", compares="least", kind="clock", example="09:00",
        meaning="Local start at or after this time.",
    ),
    Parameter(
        name="start_before", kind="minute", example="12:00",
        meaning="Local start strictly before this time: 12:00 belongs to the afternoon.",
    ),
    Parameter(
        name="ends_after", kind="moment", example="now", stability="experimental",
        meaning="Events not over then: `now`, or a local time such as `2026-08-15T14:00`. What states no end is over "
        "when it has begun, what states no clock time when its last day is.",
    ),
    _flag(
        name="has_time", column="has_time", member="has_time",
        meaning="Keep events that state a clock time (true) or do not (false).",
    ),
    _flag(name="recurring", column="is_recurring", member="is_recurring", meaning="Keep events by `is_recurring`."),
    _any_of(
        name="season", column="seasons", member="traits.seasons", vocabulary="seasons", example="fall",
        meaning="Any of `traits.seasons`.",
    ),
    Parameter(
        name="schedule_day", kind="word", allowed=WEEKDAYS, example="tuesday",
        meaning="A class that meets on this day of the week.",
    ),
    Parameter(
        name="starts_from", column="starts_on", compares="least", kind="date", example="2026-09-01",
        meaning="Classes whose term, or that of a section, starts on this date or later.",
    ),
    Parameter(
        name="starts_to", column="starts_on", compares="most", kind="date", example="2026-09-30",
        meaning="Classes whose term, or that of a section, starts on this date or earlier.",
    ),
    Parameter(
        name="year", column="year", member="year", kind="integer", minimum=2020, maximum=2100, example="2026",
        meaning="Camps of this year.",
    ),
    _flag(
        name="overnight", column="is_overnight", member="is_overnight",
        meaning="Keep camps by `is_overnight`; not stated matches neither.",
    ),
)  # fmt: skip

_WHO = (
    Parameter(
        name="min_confidence", column="confidence", member="confidence", compares="least",
        kind="number", minimum=0, maximum=1, default=0.7, example="0.5",
        meaning="Drop rows whose `confidence` is below it; 0 disables.",
    ),
    _any_of(
        name="category", column="categories",
        member="categories", vocabulary="categories", example="swim_water,nature_outdoors",
        meaning="Any of `categories`.",
    ),
    _any_of(
        name="audience", allowed=(*AUDIENCES, "not_adults", "all"), default=("not_adults",), example="kids,families",
        meaning="Any of these audiences; `not_adults` is all but adults, `all` is everything.",
    ),
    _any_of(
        name="occasion", column="occasions", member="occasions", vocabulary="occasions", example="halloween",
        meaning="Any of `occasions`.",
    ),
    _any_of(
        name="team", column="teams", member="teams", vocabulary="teams", example="kraken",
        meaning="Events with any of these local teams.",
    ),
    Parameter(
        name="age", kind="integer", minimum=0, maximum=120, example="4",
        meaning="A child's age in years; keeps listings that do not state ages.",
    ),
    Parameter(
        name="age_min", kind="integer", minimum=0, maximum=120, example="3", stability="experimental", is_tryable=False,
        meaning="For a child of this age or an older one; with `age_max`, for any age between. Keeps what states none.",
    ),
    Parameter(
        name="age_max", kind="integer", minimum=0, maximum=120, example="8", stability="experimental", is_tryable=False,
        meaning="For a child of this age or a younger one. Keeps listings that do not state ages.",
    ),
    _flag(
        name="free", column="is_free", member="price.is_free",
        meaning="Keep listings by `price.is_free`; not stated matches neither.",
    ),
    Parameter(
        name="max_price", kind="number", minimum=0, maximum=1_000_000, example="25",
        meaning="Budget: keep what is free or whose `price.min` is at most this; no stated price is dropped.",
    ),
    _any_of(
        name="enrollment_type", column="enrollment_type",
        member="program.enrollment_type", allowed=ENROLLMENT_TYPES, example="drop_in",
        meaning="Classes with any of these `program.enrollment_type`.",
    ),
    _flag(
        name="openings", column="openings",
        meaning="Keep classes known to have open seats (true) or none (false); unknown matches neither.",
    ),
    _flag(
        name="indoor", column="is_indoor", member="is_indoor",
        meaning="Keep by `is_indoor`; unknown matches neither.",
    ),
    _flag(
        name="outdoor", column="is_outdoor", member="is_outdoor",
        meaning="Keep by `is_outdoor`; unknown matches neither.",
    ),
    _flag(
        name="good_for_rainy", column="good_for_rainy", member="good_for_rainy", stability="experimental",
        meaning="Keep by `good_for_rainy`; unknown matches neither.",
    ),
    _flag(
        name="sensory", column="is_sensory_friendly", member="is_sensory_friendly",
        meaning="Keep by `is_sensory_friendly`; unknown matches neither.",
    ),
    Parameter(
        name="open_at", kind="moment", example="now", stability="experimental",
        meaning="Places whose stated hours are open then: `now`, or a local time such as `2026-08-15T14:00`. What "
        "states no hours never matches, and exceptions are not read.",
    ),
    _any_of(
        name="type_hint", column="type_hint", member="type_hint", vocabulary="type_hints", example="library,park",
        meaning="Places of any of these kinds.",
    ),
    _any_of(
        name="place_type", vocabulary="type_hints", example="library", replaced_by="type_hint", is_tryable=False,
        meaning="The deprecated spelling of `type_hint`.",
    ),
    _flag(
        name="has_birthday_parties", column="has_birthday_parties", member="birthday_parties.available",
        meaning="Keep places by `birthday_parties.available`.",
    ),
    _flag(
        name="has_classes", column="has_classes", member="classes.available",
        meaning="Keep places by `classes.available`.",
    ),
    Parameter(
        name="ids", kind="uuid", array=True, ordered=True, most=100,
        example="3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f", is_tryable=False,
        meaning="These listings in this order, without window or paging; those not found are in `meta.missing_ids`.",
    ),
    Parameter(
        name="q", kind="text", minimum=1, maximum=200, example="story time",
        meaning="Every word is in the name, the description, a category, or the name of the organization or place: "
        '`"a phrase"`, `-without`, `either or`, small typos forgiven.',
    ),
    Parameter(
        name="where", kind="expression", minimum=1, maximum=500, example="ages.min <= 3",
        stability="experimental", grant="where", is_tryable=False, prepares="thread",
        meaning="One SQL expression over the members of a listing and of one `occurrence`, `section` or `session`, "
        "that has to be true: `price.max < 15 AND list_contains(categories, 'swim_water')`.",
    ),
    Parameter(
        name="changed_since", kind="date-time", example="2026-08-10T16:00:00Z", is_tryable=False,
        meaning="What changed after this instant, in the order of `updated_at`, then `id`; paged by `cursor`.",
    ),
)  # fmt: skip

_zip = partial(Parameter, stability="beta", is_optional=True, is_tryable=False)

_WHERE = (
    Parameter(
        name="neighborhood", kind="text", minimum=1, maximum=200, example="ballard",
        meaning="A neighborhood's slug, or its name without case, accents and punctuation.",
    ),
    Parameter(
        name="lat", kind="number", minimum=-90, maximum=90, example="47.61", is_tryable=False,
        meaning="Latitude of the centre of a radius search, with `lng`.",
    ),
    Parameter(
        name="lng", kind="number", minimum=-180, maximum=180, example="-122.33", is_tryable=False,
        meaning="Longitude of the centre of a radius search, with `lat`.",
    ),
    Parameter(
        name="radius_m", kind="integer", minimum=100, maximum=50_000, default=5000, example="2000", is_tryable=False,
        meaning="Metres around the centre, inclusive; a row without coordinates never matches.",
    ),
    _zip(
        name="zip", kind="text", array=True, minimum=1, maximum=10, most=50, example="98101,98102",
        meaning="Any of these postal codes.",
    ),
    _zip(name="near_zip", kind="text", minimum=1, maximum=10, example="98101", meaning="The centre is this zip's."),
    _zip(
        name="include_approximate", kind="boolean", example="true",
        meaning="Keep rows whose position is known only by their zip.",
    ),
    Parameter(
        name="place_id", column="place_id", member="place.id", kind="uuid",
        example="7c9e6679-7425-40de-944b-e07fc1f90ae7", meaning="Held at this place.",
    ),
    Parameter(
        name="organization_id", column="organization_id",
        member="organization.id", kind="uuid", example="7c9e6679-7425-40de-944b-e07fc1f90ae7",
        meaning="Published by this organization.",
    ),
    _control(
        name="metro", kind="text", minimum=1, maximum=100, example="seattle",
        meaning="A metro's slug, where the path names none and the id or slug is in several.",
    ),
    Parameter(
        name="address", kind="text", minimum=1, maximum=300, example="400 Broad St", is_tryable=False,
        prepares="center",
        meaning="A house, a corner or the name of a place, which the server resolves to the centre, where it resolves "
        "any.",
    ),
)  # fmt: skip

_HOW = (
    # A route may narrow these bounds or set another default: see `_limit` in routes.py.
    _control(
        name="limit", kind="integer", minimum=0, maximum=200, default=50, example="20",
        meaning="Items in one answer; 0 with `facets` gives counts alone.",
    ),
    _control(
        name="page", kind="integer", minimum=1, maximum=10_000, default=1, example="2",
        meaning="The page, from 1; not with `cursor`.",
    ),
    _control(
        name="cursor", kind="cursor", example="AZSrZXZlbnRzLmxpc3Q", minimum=1, maximum=2000, is_tryable=False,
        meaning="The `meta.next_cursor` of the answer before, sent with otherwise the same request.",
    ),
    _control(
        name="fields", kind="path", array=True, example="name,links.self",
        meaning="Keep these members alone, as dotted paths; `id` and `type` are always kept. Others are absent then, "
        "also where the schema requires them.",
    ),
    _control(
        name="expand", kind="word", array=True, allowed=("place", "organization"), example="place",
        meaning="Attach the full objects under `expanded`; `sessions` makes every class an item of its own.",
    ),
    _control(
        name="include", kind="word", array=True, allowed=INCLUDES, example="source", is_tryable=False,
        meaning="Paid add-ons.",
    ),
    _control(
        name="include_mode", kind="word", allowed=("lenient",), example="lenient",
        meaning="Leave out an add-on that the key may not have, with a notice, where it would be refused.",
    ),
    _control(
        name="facets", kind="word", array=True, allowed=FACETS, example="category,age_band",
        meaning="Count the whole filtered set by these.",
    ),
    Parameter(
        name="occurrences", kind="word", allowed=("expand",), example="expand",
        meaning="One item for each occurrence in a window of at most 31 dates.",
    ),
    _control(
        name="include_archived", kind="boolean", default=False, example="true",
        meaning="Answer an archived listing too.",
    ),
)  # fmt: skip

_ELSEWHERE = (
    Parameter(
        name="types", kind="word", array=True, allowed=tuple(COLLECTIONS.values()), example="events,classes",
        meaning="These collections alone.",
    ),
    Parameter(
        name="sort", kind="word", allowed=("relevance", "soonest", "nearest", "newest"), default="relevance",
        is_filter=False, example="soonest", meaning="The order of results.",
    ),
    _control(
        name="match", kind="word", array=True, allowed=("all_terms", "related", "partial", "auto"),
        default=("all_terms", "related"), example="auto",
        meaning="How well a result must match. `auto` stands alone: `all_terms` and `related`, and `partial` "
        "behind them where those are fewer than five in all.",
    ),
    Parameter(
        name="ages", kind="word", array=True, allowed=tuple(AGE_BANDS), is_filter=False, example="toddler",
        meaning="Age bands to favour; they do not filter.",
    ),
    Parameter(
        name="min_count", kind="integer", minimum=0, maximum=1_000_000, default=1, example="1",
        meaning="At least this many live listings.",
    ),
    Parameter(
        name="type", kind="word", array=True, allowed=(*TYPES, "organization"), example="event",
        meaning="Any of these types.",
    ),
    Parameter(
        name="kind", kind="word", array=True, allowed=CHANGE_KINDS, example="created,removed",
        meaning="Any of these kinds of change.",
    ),
    _control(
        name="order", kind="word", allowed=("desc", "asc"), default="desc", example="asc",
        meaning="Newest or oldest first.",
    ),
    Parameter(
        name="language", kind="word", allowed=SHIPPED, default="en", is_filter=False, example="es",
        stability="experimental", meaning="The language of the labels.",
    ),
    Parameter(
        name="format", kind="word", allowed=("jsonl", "parquet", "ics"), is_filter=False, example="parquet",
        stability="experimental", meaning="The file's format.",
    ),
)  # fmt: skip

PARAMETERS: Mapping[str, Parameter] = {
    row.name: row for group in (_WHEN, _WHO, _WHERE, _HOW, _ELSEWHERE) for row in group
}

# Parameters that may be `now`: an answer to it is valid for a minute.
MOMENTS = tuple(name for name, row in PARAMETERS.items() if row.kind == "moment")


def list_refused(tables: Iterable[Collection[str]]) -> tuple[str, ...]:
    """Return the optional parameters that a deployment lacks, of the names of each metro's tables."""
    return () if any("zips" in names for names in tables) else ZIPS
