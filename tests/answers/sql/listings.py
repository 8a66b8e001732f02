"""Conditions → DuckDB SQL with bound parameters. Knows kinds of condition and orders, and nothing of filters."""

from collections.abc import Sequence

from outings.answers.plan import KEY_CHARACTERS, Position
from outings.answers.rows.filters import (
    AnyOf,
    Between,
    Condition,
    Either,
    Is,
    NotBefore,
    Overlaps,
    Selection,
    Shares,
    Span,
)
from outings.contract.vocabulary import TYPES
from outings.release.tables import OCCURRENCE_TABLES, PUBLISHED
from tests.answers.sql.engine import Statement

# A fragment and the values that its question marks take, in their order.
Fragment = tuple[str, tuple[object, ...]]


def compile_list(selection: Selection, span: Span, *, schema: str) -> Statement:
    """Gives (row, key, id) in the list's order; the key is what a cursor's position keeps of it."""
    text, values = compile_set(selection, schema=schema)
    where, bound = _compile_after(selection, span.after, schema=schema)
    order = "key, id" if selection.by_update else _ORDERS[selection.type]
    return Statement(
        f"SELECT row, key, id FROM ({text}) WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
        (*values, *bound, span.limit, span.offset),
    )


def compile_count(selection: Selection, *, schema: str) -> Statement:
    """Gives the size of the whole list: cards, where a program came as several listings."""
    text, values = compile_set(selection, schema=schema)
    return Statement(f"SELECT count(*) FROM ({text})", values)


def compile_organizations(selection: Selection, *, schema: str) -> Statement:
    """Gives (organization's id, size of the list that it would be if its listings alone were asked for)."""
    text, values = _compile_matching(selection, "l.organization_id, l.program_key", schema=schema)
    return Statement(
        f"""SELECT organization_id, count(*) FILTER (program_key IS NULL) + count(DISTINCT program_key)
        FROM ({text}) WHERE organization_id IS NOT NULL GROUP BY organization_id""",
        values,
    )


# `row` numbers the natural order of all types but camps, whose order depends on the window.
_ORDERS = {"event": "row", "class": "row", "place": "row", "camp": "coalesce(key, DATE 'infinity'), id"}


def _compile_after(selection: Selection, after: Position | None, *, schema: str) -> Fragment:
    if after is None:
        return "true", ()
    key, row_id = after
    if selection.type == "camp" and not selection.by_update:
        column, bound = "coalesce(key, DATE 'infinity')", "coalesce(CAST(? AS DATE), DATE 'infinity')"
        return f"({column} > {bound} OR ({column} = {bound} AND id > ?))", (key, key, row_id)
    if isinstance(key, str) and len(key) == KEY_CHARACTERS:
        # Cut short in the cursor: the row itself says the rest, as long as it is there under that name.
        whole = f"coalesce((SELECT name_key FROM {schema}.listings WHERE id = ? AND starts_with(name_key, ?)), ?)"
        values = (row_id, key, key)
        return f"(key > {whole} OR (key = {whole} AND id > ?))", (*values, *values, row_id)
    return "(key > ? OR (key = ? AND id > ?))", (key, key, row_id)


def compile_set(selection: Selection, *, schema: str) -> Fragment:
    """The whole list as (row, key, id), in no order: cards, where a program came as several listings."""
    if selection.by_update:
        return _compile_matching(selection, "l.row, l.updated_at AS key, l.id", schema=schema)
    if selection.type == "event":
        return _compile_matching(selection, "l.row, l.starts_at AS key, l.id", schema=schema)
    if selection.type == "place" or (selection.type == "class" and not selection.folds_programs):
        return _compile_matching(selection, "l.row, l.name_key AS key, l.id", schema=schema)
    if selection.type == "camp":
        return _compile_camps(selection, schema=schema)
    return _compile_cards(selection, schema=schema)


def _compile_camps(selection: Selection, *, schema: str) -> Fragment:
    """The key is the start of the first session that has not ended by the window's first date."""
    matching, values = _compile_matching(selection, "l.row, l.id", schema=schema)
    firsts = f"SELECT row, min(starts_on) AS key FROM {schema}.sessions WHERE ends_on >= ? GROUP BY row"
    return f"SELECT row, key, id FROM ({matching}) LEFT JOIN ({firsts}) USING (row)", (*values, selection.start)


# The first meeting at or after a date where days are stated, else the term's first day; null when it lies before.
# `days` twice beside itself, shifted to the weekday of the first possible date: the lowest bit is the wait in days.
_NEXT_START = """CASE
    WHEN coalesce(days, 0) = 0 THEN CASE WHEN starts_on >= ? THEN starts_on END
    ELSE first + CAST(bit_count((turned & -turned) - 1) AS INTEGER) END"""
_TURNED = """SELECT row, days, starts_on, ends_on, first,
    ((CAST(days AS INTEGER) | (CAST(days AS INTEGER) << 7)) >> (isodow(first) - 1)) & 127 AS turned
    FROM (SELECT row, days, starts_on, ends_on, greatest(starts_on, CAST(? AS DATE)) AS first FROM {sections})"""


def _compile_cards(selection: Selection, *, schema: str) -> Fragment:
    """Select one listing of each program: of those that match, the one with the earliest start, then by id."""
    matching, values = _compile_matching(selection, "l.row, l.name_key AS key, l.id, l.program_key", schema=schema)
    turned = _TURNED.format(sections=f"{schema}.sections")
    text = f"""WITH matching AS MATERIALIZED ({matching}),
    grouped AS (SELECT row FROM matching WHERE program_key IS NOT NULL),
    starts AS (
        SELECT row, min(start) AS start FROM (
            SELECT row, ends_on, {_NEXT_START} AS start FROM ({turned}) WHERE row IN (FROM grouped)
        ) WHERE start <= coalesce(ends_on, DATE 'infinity') GROUP BY row
    ),
    cards AS (
        SELECT arg_min(
            {{'row': row, 'key': key, 'id': id}}, {{'start': coalesce(start, DATE 'infinity'), 'id': id}}
        ) AS card
        FROM matching LEFT JOIN starts USING (row) WHERE program_key IS NOT NULL GROUP BY program_key
    )
    SELECT row, key, id FROM matching WHERE program_key IS NULL
    UNION ALL SELECT card.row, card.key, card.id FROM cards"""
    return text, (*values, selection.start, selection.start)


def _compile_matching(selection: Selection, columns: str, *, schema: str) -> Fragment:
    """Select the published rows that match: one and the same occurrence must meet all conditions on occurrences."""
    pieces = [compile_listing(selection)]
    if selection.conditions.occurrence:
        condition, values = compile_occurrence(selection)
        table = f"{schema}.{OCCURRENCE_TABLES[selection.type]}"
        pieces.append((f"l.row IN (SELECT h.row FROM {table} h WHERE {condition})", values))
    where, values = _join(" AND ", pieces)
    return f"SELECT {columns} FROM {schema}.listings l WHERE {where}", values


def compile_listing(selection: Selection) -> Fragment:
    """Return the conditions on a listing `l`: that it is published, of the type, and meets all conditions on
    listings."""
    published: Fragment = ("l.type = ? AND l.status = ?", (TYPES.index(selection.type), PUBLISHED))
    pieces = [published, *(_compile(condition, "l") for condition in selection.conditions.listing)]
    if selection.conditions.by_row:
        pieces.append(("l.row IN (SELECT row FROM chosen)", ()))
    return _join(" AND ", pieces)


def compile_occurrence(selection: Selection) -> Fragment:
    """Return the conditions on one occurrence `h`."""
    return _join(" AND ", [_compile(condition, "h") for condition in selection.conditions.occurrence] or [("true", ())])


def _join(word: str, pieces: Sequence[Fragment]) -> Fragment:
    return word.join(text for text, _ in pieces), tuple(value for _, values in pieces for value in values)


def _compile(condition: Condition, table: str) -> Fragment:
    match condition:
        case AnyOf(column, values):
            marks = ", ".join("?" * len(values))
            return (f"{table}.{column} IN ({marks})" if values else "false"), values
        case Shares(column, bits):
            return f"({table}.{column} & CAST(? AS {_WIDTHS.get(column, 'UBIGINT')})) <> 0", (bits,)
        case Is(column, value):
            return f"{table}.{column} = ?", (value,)
        case Between(column, low, high):
            pairs = ((f"{table}.{column} >= ?", low), (f"{table}.{column} <= ?", high))
            return _join_bounds(pairs)
        case Overlaps(first, last, low, high):
            first, last = f"{table}.{first}", f"{table}.{last}"
            pairs = ((f"({last} IS NULL OR {last} >= ?)", low), (f"({first} IS NULL OR {first} <= ?)", high))
            return _join_bounds(pairs)
        case NotBefore(instant, day):
            text = (
                f"({table}.starts_at >= ? AND {table}.time IS NOT NULL OR {table}.date >= ? AND {table}.time IS NULL)"
            )
            return text, (instant, day)
        case Either(alternatives):
            sides = [_join(" AND ", [_compile(value, table) for value in side]) for side in alternatives]
            text, bound = _join(" OR ", [(f"({text})", values) for text, values in sides])
            return f"({text})", bound


def _join_bounds(pairs: Sequence[tuple[str, object]]) -> Fragment:
    """Both bounds, of which one may be none."""
    return _join(" AND ", [(text, (value,)) for text, value in pairs if value is not None] or [("true", ())])


# Bit sets in their own widths, so that DuckDB compares without widening a column.
_WIDTHS = {"days": "UTINYINT"}
