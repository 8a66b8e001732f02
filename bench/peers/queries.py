"""The peer's SQL for Datasette: canned queries with named parameters, over the tables of `sqlite.sql`."""

from collections.abc import Mapping

# Local midnights lie within a day of those in UTC; the dates themselves are compared too.
_SINGLE = """NOT is_recurring AND starts_at >= unixepoch(:from) - 86400 AND starts_at <= unixepoch(:to) + 172800
        AND first_on BETWEEN :from AND :to"""
_SERIES = """is_recurring AND starts_at <= unixepoch(:to) + 172800 AND last_on >= :from
        AND EXISTS (SELECT 1 FROM occurrences o WHERE o.row = l.row AND o.date BETWEEN :from AND :to)"""


def _format_page(source: str, condition: str, *, shown: str = "body", joined: str = "", skipped: str = "0") -> str:
    reach = f"ORDER BY starts_at, id LIMIT 51 + {skipped}"
    return f"""SELECT {shown} FROM (
        SELECT * FROM (SELECT l.row, starts_at, id FROM {source} l WHERE {condition} AND {_SINGLE} {reach})
        UNION ALL
        SELECT * FROM (SELECT l.row, starts_at, id FROM {source} l WHERE {condition} AND {_SERIES} {reach})
        ORDER BY 2, 3 LIMIT 51 OFFSET {skipped}
    ) p JOIN documents d ON d.row = p.row {joined} ORDER BY p.starts_at, p.id"""


_LISTED = "type = 0 AND is_listed"
_FILTERED = """category = :bit AND is_free = 1 AND age_low <= :age AND age_high >= :age
    AND (x - :x) * (x - :x) + (y - :y) * (y - :y) + (z - :z) * (z - :z) <= CAST(:chord AS REAL)"""
_OCCURRENCES = """FROM occurrences WHERE is_listed AND date BETWEEN :from AND :to
    AND (CAST(:bit AS INTEGER) = 0 OR categories & :bit)
    AND (CAST(:age AS INTEGER) < 0 OR (age_low <= :age AND age_high >= :age))"""

_CALENDAR = f"""WITH RECURSIVE counted AS MATERIALIZED (
        SELECT date, categories, count(*) AS n, sum(is_free IS 1) AS free {_OCCURRENCES} GROUP BY date, categories
    ), days(date) AS (SELECT :from UNION ALL SELECT date(date, '+1 day') FROM days WHERE date < :to),
    words AS (
        SELECT date, json_group_object(value, n) AS counts FROM (
            SELECT date, value, sum(n) AS n FROM counted
            JOIN buckets ON dimension = 'category' AND value <> 'unspecified' AND categories & bit
            GROUP BY date, value
        ) GROUP BY date
    ), totals AS (SELECT date, sum(n) AS n, sum(free) AS free FROM counted GROUP BY date)
    SELECT days.date, coalesce(n, 0) AS count, coalesce(free, 0) AS free_count, coalesce(counts, '{{}}') AS categories
    FROM days LEFT JOIN totals USING (date) LEFT JOIN words USING (date) ORDER BY days.date"""

_DIMENSIONS = {
    "category": "categories", "weekday": "days", "time_block": "blocks", "price_band": "price_bit",
    "age_band": "age_bits",
}  # fmt: skip
_MATCHING = f"""WITH matching AS MATERIALIZED (
        SELECT categories, price_bit, age_bits, organization, max(day & 1) + max(day & 2) + max(day & 4)
            + max(day & 8) + max(day & 16) + max(day & 32) + max(day & 64) AS days,
            max(block & 1) + max(block & 2) + max(block & 4) + max(block & 8) + max(block & 16) AS blocks
        {_OCCURRENCES} GROUP BY row
    )"""


def _count_dimension(name: str, column: str) -> str:
    """Gives (dimension, value, count): counted by bit set first, which are few."""
    return f"""SELECT dimension, value, count, NULL AS id FROM (
        SELECT '{name}' AS dimension, value, position, coalesce(sum(n), 0) AS count FROM buckets
        LEFT JOIN (SELECT {column} AS bits, count(*) AS n FROM matching GROUP BY 1) ON bits & bit
        WHERE dimension = '{name}' GROUP BY value ORDER BY position)"""


_TOTAL = "SELECT 'total' AS dimension, NULL AS value, count(*) AS count, NULL AS id FROM matching"
_ORGANIZATIONS = """SELECT * FROM (SELECT 'organization', name, n, g.id FROM (
        SELECT organization, count(*) AS n FROM matching GROUP BY 1
    ) LEFT JOIN organizations g ON number = organization ORDER BY n DESC, number)"""


def _count_facets(*names: str) -> str:
    parts = [_TOTAL, *(_count_dimension(name, _DIMENSIONS[name]) for name in names if name in _DIMENSIONS)]
    if "organization" in names:
        parts.append(_ORGANIZATIONS)
    return f"{_MATCHING} {' UNION ALL '.join(parts)}"


QUERIES: Mapping[str, str] = {
    "detail": "SELECT body FROM documents WHERE id = :id AND status = 0",
    "list": _format_page("listings", _LISTED),
    "walk": _format_page("listings", _LISTED, skipped="CAST(:skipped AS INTEGER)"),
    "filtered": _format_page("categorized", _FILTERED),
    "search": _format_page("listings", f"{_LISTED} AND l.row IN (SELECT rowid FROM words WHERE words MATCH :match)"),
    "sync": """SELECT body FROM (
        SELECT row, updated_at, id FROM listings WHERE type = :type AND is_listed AND updated_at > :since
        AND (updated_at, id) > (:stamp, :after) ORDER BY updated_at, id LIMIT :limit + 1
    ) p JOIN documents d ON d.row = p.row ORDER BY p.updated_at, p.id""",
    "calendar": _CALENDAR,
    "facets4": _count_facets("category", "weekday", "time_block", "price_band"),
    "facets6": _count_facets(*_DIMENSIONS, "organization"),
    "fields": _format_page(
        "listings",
        _LISTED,
        shown="""json_object('id', p.id, 'type', 'event', 'name', body ->> 'name', 'starts_at', body ->> 'starts_at',
            'place', CASE WHEN json_type(body, '$.place') = 'object'
                THEN json_object('name', body ->> '$.place.name') END) AS body""",
    ),
    "expand": _format_page(
        "listings",
        _LISTED,
        shown="""substr(d.body, 1, length(d.body) - 1) || ',"expanded":{"organization":'
            || coalesce(g.body, 'null') || '}}' AS body""",
        joined="JOIN listings e ON e.row = p.row LEFT JOIN organizations g ON g.number = e.organization",
    ),
}
