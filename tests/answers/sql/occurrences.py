"""SQL over occurrences, sections and sessions: those that match, and the weekdays and time blocks of a listing."""

from outings.answers.rows.filters import Selection, Span
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, WEEKDAYS
from outings.release.tables import OCCURRENCE_TABLES
from tests.answers.sql.engine import Statement
from tests.answers.sql.listings import Fragment, compile_listing, compile_occurrence, compile_set

# Bit sets over WEEKDAYS and TIME_BLOCKS; the bit after the last stands for "not stated".
_NO_DAY, _NO_BLOCK = 1 << len(WEEKDAYS), 1 << len(TIME_BLOCKS)

_BLOCK = " ".join(
    f"WHEN h.time >= {hour * 3600} THEN {1 << number}" for number, hour in reversed([*enumerate(TIME_BLOCKS.values())])
)
_BLOCKS = f"CAST(CASE WHEN h.time IS NULL THEN {_NO_BLOCK} {_BLOCK} END AS UTINYINT)"
_STATED_DAYS = f"CAST(CASE WHEN coalesce(h.days, 0) = 0 THEN {_NO_DAY} ELSE h.days END AS UTINYINT)"
_DAYS = {"event": "CAST(1 << h.weekday AS UTINYINT)", "class": _STATED_DAYS, "camp": _STATED_DAYS}

# What sections and sessions alone have.
_NO_PRICE, _NO_AGE = 1 << len(PRICE_BANDS), 1 << len(AGE_BANDS)
_LEAST = [(number, least) for number, least in enumerate(PRICE_BANDS.values()) if least is not None]
_PRICE = " ".join(f"WHEN h.price_min >= {least} THEN {1 << number}" for number, least in reversed(_LEAST))
_PRICES = f"CAST(CASE WHEN h.is_free THEN 1 {_PRICE} ELSE {_NO_PRICE} END AS UTINYINT)"
_AGE = " + ".join(
    f"if(coalesce(h.age_min <= {last}, true) AND coalesce(h.age_max >= {first}, true), {1 << number}, 0)"
    for number, (first, last) in enumerate(AGE_BANDS.values())
)
_AGES = f"CAST(CASE WHEN coalesce(h.age_min, h.age_max) IS NULL THEN {_NO_AGE} ELSE {_AGE} END AS UTINYINT)"


def compile_rows(selection: Selection, *, schema: str) -> Statement:
    """Gives `row` of each listing of the list."""
    text, values = compile_set(selection, schema=schema)
    return Statement(f"SELECT row FROM ({text})", values)


def compile_buckets(selection: Selection, *, schema: str) -> Statement:
    """Select `row`, `days` and `blocks` of each listing in the list, united over its matching occurrences; for classes
    and camps also `prices` and `ages`."""
    none = {"days": _NO_DAY, "blocks": _NO_BLOCK}
    bits = {"days": _DAYS[selection.type], "blocks": _BLOCKS}
    if selection.type != "event":
        none |= {"prices": _NO_PRICE, "ages": _NO_AGE}
        bits |= {"prices": _PRICES, "ages": _AGES}
    columns = ", ".join(["h.row", *(f"{_unite(bits[name], none[name])} AS {name}" for name in bits)])
    if selection.conditions.occurrence and selection.type != "class":
        # A listing with a matching occurrence is in the list: one pass finds both.
        text, values = _compile_occurrences(selection, columns, schema=schema)
        return Statement(f"{text} GROUP BY h.row", values)
    listed, values = compile_set(selection, schema=schema)
    condition, bound = compile_occurrence(selection)
    buckets = f"SELECT {columns} FROM {schema}.{OCCURRENCE_TABLES[selection.type]} h WHERE {condition} GROUP BY h.row"
    return Statement(
        f"""SELECT row, {", ".join(f"coalesce({name}, {bit}::UTINYINT) AS {name}" for name, bit in none.items())}
        FROM ({listed}) LEFT JOIN ({buckets}) USING (row)""",
        (*values, *bound),
    )


def _unite(bits: str, none: int) -> str:
    """Return the bits of all occurrences; the last, "not stated", where all have it."""
    return f"(bit_or({bits}) & {none - 1}::UTINYINT) | (bit_and({bits}) & {none}::UTINYINT)"


def compile_occurrence_buckets(selection: Selection, *, schema: str) -> Statement:
    """Gives `row`, `days`, `blocks` of each occurrence that matches."""
    text, values = _compile_occurrences(
        selection, f"h.row, {_DAYS['event']} AS days, {_BLOCKS} AS blocks", schema=schema
    )
    return Statement(text, values)


def compile_days(selection: Selection, *, schema: str) -> Statement:
    """Gives `row`, `day` of each occurrence that matches; the day in days after the window's first."""
    text, values = _compile_occurrences(selection, "h.row, h.date - CAST(? AS DATE) AS day", schema=schema)
    return Statement(text, (selection.start, *values))


def compile_expansion(selection: Selection, span: Span, *, schema: str) -> Statement:
    """Gives (number, row, id) of occurrences by `starts_at`, then id: their order in the table."""
    text, values = _compile_occurrences(selection, "h.number, h.row, l.id", schema=schema)
    after: Fragment = ("true", ())
    if span.after is not None:
        starts_at, row_id = span.after
        after = ("(h.starts_at > ? OR (h.starts_at = ? AND l.id > ?))", (starts_at, starts_at, row_id))
    return Statement(
        f"{text} AND {after[0]} ORDER BY h.number LIMIT ? OFFSET ?",
        (*values, *after[1], span.limit, span.offset),
    )


def _compile_occurrences(selection: Selection, columns: str, *, schema: str) -> Fragment:
    """Select the matching occurrences of matching listings."""
    listed, values = compile_listing(selection)
    condition, bound = compile_occurrence(selection)
    return (
        f"""SELECT {columns} FROM {schema}.{OCCURRENCE_TABLES[selection.type]} h
        JOIN {schema}.listings l ON l.row = h.row WHERE {listed} AND {condition}""",
        (*values, *bound),
    )
