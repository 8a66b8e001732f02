"""The peer's SQL: one statement a request, its text made of the parts that the request's parameters need.

What varies is bound, so that a connection has a few dozen prepared statements and plans each of them once.
"""

import math
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

EARTH_RADIUS_M = 6_371_008.8
_ZONE = ZoneInfo("America/Los_Angeles")
_BITS = {
    "weekday": "day", "time_block": "block", "category": "categories", "price_band": "price_bit",
}  # fmt: skip


class Filters(BaseModel):
    """The parameters of the contract that the peer knows: those that the bench sends."""

    from_: date | None = Field(None, alias="from")
    to: date | None = None
    category: str | None = None
    age: int | None = Field(None, ge=0, le=120)
    free: bool | None = None
    lat: float | None = Field(None, ge=-90, le=90)
    lng: float | None = Field(None, ge=-180, le=180)
    radius_m: int = Field(5000, ge=100, le=50_000)


class Listing(Filters):
    q: str | None = Field(None, min_length=1, max_length=200)
    changed_since: datetime | None = None
    after: str | None = None
    limit: int = Field(50, ge=0, le=200)
    page: int = Field(1, ge=1)
    facets: str | None = None
    fields_: str | None = Field(None, alias="fields")
    expand: str | None = None

    def settle_window(self) -> tuple[date, date]:
        start = self.from_ or datetime.now(_ZONE).date()
        return start, self.to or start + timedelta(days=30)


class Statement:
    """Text and the values that it binds."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def bind(self, value: Any) -> str:
        self.values.append(value)
        return f"${len(self.values)}"


def compile_filters(made: Statement, filters: Filters, *, categories: dict[str, int], has_category: bool = True) -> str:
    """Conditions over the columns that `listings`, `categorized` and `occurrences` share; each begins with AND."""
    parts = []
    if filters.category is not None and has_category:
        parts.append(f"categories & {made.bind(pack_words(filters.category, categories))}::bigint <> 0")
    if filters.age is not None:
        age = made.bind(filters.age)
        parts.append(f"age_low <= {age}::smallint AND age_high >= {age}::smallint")
    if filters.free is not None:
        parts.append("is_free" if filters.free else "NOT is_free")
    if filters.lat is not None and filters.lng is not None:
        parts.append(_compile_circle(made, filters.lat, filters.lng, filters.radius_m))
    return "".join(f" AND {part}" for part in parts)


def _compile_circle(made: Statement, lat: float, lng: float, radius_m: float) -> str:
    """Compile a circle as the square of the chord between unit vectors, without trigonometry for each row."""
    theta, phi = math.radians(lat), math.radians(lng)
    here = (math.cos(theta) * math.cos(phi), math.cos(theta) * math.sin(phi), math.sin(theta))
    sides = [f"({axis} - {mark}) * ({axis} - {mark})" for axis, mark in zip("xyz", map(made.bind, here), strict=True)]
    return f"{' + '.join(sides)} <= {made.bind((2 * math.sin(radius_m / 2 / EARTH_RADIUS_M)) ** 2)}"


def pack_words(words: str, categories: dict[str, int]) -> int:
    return sum(categories[word] for word in set(words.split(",")))


def _find_instant(day: date) -> int:
    return int(datetime.combine(day, time(), _ZONE).timestamp())


def compile_page(listing: Listing, *, categories: dict[str, int]) -> tuple[str, list[Any]]:
    """Gives (body, starts_at, id) of one more than the page holds."""
    made = Statement()
    source, condition = _choose_source(made, listing, categories=categories)
    condition += compile_filters(made, listing, categories=categories, has_category=source == "listings")
    start, end = listing.settle_window()
    low, high = made.bind(start), made.bind(end)
    least, most = made.bind(_find_instant(start)), made.bind(_find_instant(end + timedelta(days=1)))
    size, skipped = made.bind(listing.limit + 1), made.bind((listing.page - 1) * listing.limit)
    reach = f"ORDER BY starts_at, id LIMIT {size}::bigint + {skipped}::bigint"
    text = f"""(
        (SELECT row, starts_at, id FROM {source} l WHERE {condition} AND NOT is_recurring
            AND starts_at >= {least} AND starts_at < {most} AND first_on BETWEEN {low} AND {high} {reach})
        UNION ALL
        (SELECT row, starts_at, id FROM {source} l WHERE {condition} AND is_recurring
            AND starts_at < {most} AND last_on >= {low}
            AND EXISTS (SELECT FROM occurrences o WHERE o.row = l.row AND o.date BETWEEN {low} AND {high}) {reach})
        ORDER BY starts_at, id LIMIT {size} OFFSET {skipped}) p"""
    return _attach_documents(listing, text), made.values


def _choose_source(made: Statement, listing: Listing, *, categories: dict[str, int]) -> tuple[str, str]:
    """A single category is read in its own order where nothing is asked that its table does not have."""
    if listing.q is not None:
        text = f"words @@ websearch_to_tsquery('english', {made.bind(listing.q)})"
        return "listings", f"type = 0 AND is_listed AND {text}"
    if listing.category is not None and "," not in listing.category:
        return "categorized", f"category = {made.bind(categories[listing.category])}"
    return "listings", "type = 0 AND is_listed"


def _attach_documents(listing: Listing, page: str) -> str:
    order = "ORDER BY p.starts_at, p.id"
    if listing.fields_ is not None:
        body = f"convert_to({_compile_fields(listing.fields_)}::text, 'UTF8')"
        return f"SELECT {body}, p.starts_at, p.id FROM {page} JOIN members m USING (row) {order}"
    if listing.expand == "organization":
        return f"""SELECT d.body, p.starts_at, p.id, g.body FROM {page} JOIN documents d USING (row)
            JOIN listings l USING (row) LEFT JOIN organizations g ON g.number = l.organization {order}"""
    return f"SELECT d.body, p.starts_at, p.id FROM {page} JOIN documents d USING (row) {order}"


def _compile_fields(paths: str) -> str:
    """`name,place.name` → jsonb_build_object(…) over the document, its id and type always."""
    tree: dict[str, Any] = {"id": {}, "type": {}}
    for path in paths.split(","):
        branch = tree
        for word in path.split("."):
            if not word.replace("_", "").isalnum():
                raise ValueError(path)
            branch = branch.setdefault(word, {})
    return _compile_branch(tree, "m.document")


def _compile_branch(tree: dict[str, Any], condition: str) -> str:
    members = []
    for word, inner in tree.items():
        member = f"{condition}->'{word}'"
        if inner:
            made = _compile_branch(inner, f"({member})")
            member = f"CASE WHEN jsonb_typeof({member}) = 'object' THEN {made} ELSE {member} END"
        members.append(f"'{word}', {member}")
    return f"jsonb_build_object({', '.join(members)})"


def compile_sync(listing: Listing, *, kind: int) -> tuple[str, list[Any]]:
    """Gives (body, updated_at, id) of one more than the page holds; `after` is `<updated_at>_<id>` of the last row."""
    made = Statement()
    assert listing.changed_since is not None
    since = int(listing.changed_since.timestamp())
    condition = f"type = {kind} AND is_listed AND updated_at > {made.bind(since)}"
    if listing.after is not None:
        stamp, _, row_id = listing.after.partition("_")
        condition += f" AND (updated_at, l.id) > ({made.bind(int(stamp))}::bigint, {made.bind(row_id)}::uuid)"
    text = f"""SELECT d.body, p.updated_at, p.id FROM (
        SELECT row, updated_at, id FROM listings l WHERE {condition}
        ORDER BY updated_at, id LIMIT {made.bind(listing.limit + 1)}
        ) p JOIN documents d USING (row) ORDER BY p.updated_at, p.id"""
    return text, made.values


def compile_occurrences(made: Statement, wanted: Filters, start: date, end: date, *, categories: dict[str, int]) -> str:
    """Compile FROM and WHERE of the occurrences in the window."""
    window = f"date BETWEEN {made.bind(start)} AND {made.bind(end)}"
    filters = compile_filters(made, wanted, categories=categories)
    return f"occurrences WHERE is_listed AND {window}{filters}"


def compile_calendar(filters: Filters, *, categories: dict[str, int]) -> tuple[str, list[Any]]:
    """Gives the days as one JSON text."""
    made = Statement()
    assert filters.from_ is not None
    assert filters.to is not None
    source = compile_occurrences(made, filters, filters.from_, filters.to, categories=categories)
    return (
        f"""WITH counted AS MATERIALIZED (
        SELECT date, categories, count(*) AS n, count(*) FILTER (WHERE is_free) AS free FROM {source}
        GROUP BY date, categories
    ), words AS (
        SELECT date, json_object_agg(value, n) AS counts FROM (
            SELECT date, value, sum(n) AS n FROM counted
            JOIN buckets ON dimension = 'category' AND categories & bit <> 0
            WHERE value <> 'unspecified' GROUP BY date, value
        ) summed GROUP BY date
    ), days AS (
        SELECT date, sum(n) AS n, sum(free) AS free FROM counted GROUP BY date
    )
    SELECT convert_to(json_agg(json_build_object(
        'date', to_char(d.date, 'YYYY-MM-DD'), 'count', coalesce(days.n, 0), 'free_count', coalesce(days.free, 0),
        'categories', coalesce(words.counts, '{{}}')
    ) ORDER BY d.date)::text, 'UTF8')
    FROM (SELECT $1::date + number AS date FROM generate_series(0, $2::date - $1::date) AS number) d
    LEFT JOIN days USING (date) LEFT JOIN words USING (date)""",
        made.values,
    )


def compile_facets(listing: Listing, *, categories: dict[str, int]) -> tuple[str, list[Any]]:
    """Gives the facets as one JSON text: one pass over what happens, one over what matched, for all dimensions."""
    made = Statement()
    source = compile_occurrences(made, listing, *listing.settle_window(), categories=categories)
    dimensions = (listing.facets or "").split(",")
    columns = [_BITS[name] for name in dimensions]
    kept = [name for name in columns if name not in ("day", "block")]
    sums = [f"bit_or({name}) AS {name}" for name in columns if name in ("day", "block")]
    sets = ", ".join(f"({name})" for name in columns)
    grouped = f"grouping({', '.join(columns)})"
    members = ", ".join(f"'{name}', {_compile_dimension(name, at, columns)}" for at, name in enumerate(dimensions))
    return (
        f"""WITH matching AS (
        SELECT {", ".join(["row", *kept, *sums])} FROM {source} GROUP BY {", ".join(["row", *kept])}
    ), counted AS MATERIALIZED (
        SELECT {", ".join(columns)}, count(*) AS n, {grouped} AS part FROM matching GROUP BY GROUPING SETS ((), {sets})
    )
    SELECT convert_to(json_build_object(
        'total', (SELECT n FROM counted WHERE part = {(1 << len(columns)) - 1}), 'is_complete', true, {members}
    )::text, 'UTF8')""",
        made.values,
    )


def _compile_dimension(name: str, at: int, columns: list[str]) -> str:
    # The value of `grouping` for the set of this one column.
    part = (1 << len(columns)) - 1 - (1 << (len(columns) - 1 - at))
    return f"""(SELECT json_agg(json_build_object('value', value, 'count', (
        SELECT coalesce(sum(n), 0) FROM counted WHERE part = {part} AND {columns[at]} & bit <> 0
    )) ORDER BY position) FROM buckets WHERE dimension = '{name}')"""
