"""Try a draft on rows of its file: a guess at what a column means is kept only if what comes out looks right.

Names of columns mislead: `publico` is an audience in one file and an attendance in the next. The rows tell them apart.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime

import duckdb
import msgspec
from duckdb import DuckDBPyConnection
from msgspec import Struct
from msgspec.structs import replace

from outings.failures import WrongSetting
from pipeline.clean.cleaning import Origin, clean_record
from pipeline.drafts.columns import Column, find_meanings
from pipeline.drafts.roles import MakeRole, Role, Roles, fits, is_dated, is_other_date
from pipeline.fetch.table.reading import refuse_errors
from pipeline.fetch.table.select_runner import ROW, select_records
from pipeline.records.record import ClassRecord, DatedRecord, EventRecord, ListingRecord, PlaceRecord, Record

SAMPLE = 500
_MOST_CHANGES = 4
# A fault of more rows is told.
_MOST_DOUBTFUL = 0.1
# A change has to mend this share of the rows, or a reader would rather see the plain guess.
_LEAST_GAIN = 0.05
# So many listings with one name have that of something else.
_SEVERAL = 5
# An event of more days with hours may be a course.
_WEEKS = 13
# A column of types has few words.
_MOST_TYPES = 12
# Somebody of these years is no child, and one number alone is seldom an age that a file states.
_GROWN_UP, _OLDEST = 22, 110

# What is wrong with a row, and how bad that is beside what a row states.
FAULTS: Mapping[str, tuple[float, str]] = {
    "lost": (6, "would be quarantined"),
    "left_out": (1, "would lose a value that can't be read"),
    "undated": (6, "would have no date"),
    "guessed_year": (3, "would have a day whose year is a guess"),
    "without_clock": (2, "would have weekdays and no time"),
    "grown_up": (4, "would be for one age alone, which no child has"),
    "dearest_alone": (1, "would have a highest price and no lowest"),
    "namesake": (3, "would have the name of another place"),
    "one_name": (3, "would have one and the same name"),
    "for_weeks": (3, "would be events of several weeks, on each day of them"),
    "without_days": (4, "would be classes without weekdays"),
}
# The account of rows has these too.
_COUNTED_ELSEWHERE = ("left_out", "undated")


class Outcome(Struct, frozen=True, kw_only=True):
    """The rows of a sample, as they would be published. `faults`: how many rows have each of `FAULTS`; `stated`: how
    many members they state; `read`: the record of each row, by the row's number."""

    rows: int
    faults: Mapping[str, int]
    stated: int
    read: Mapping[int, Record] = {}


def weigh(outcome: Outcome) -> float:
    """Return how bad a draft is, for each row: the faults of the rows, less what they state."""
    return weigh_faults(outcome) - outcome.stated / max(1, outcome.rows)


def weigh_faults(outcome: Outcome) -> float:
    return sum(FAULTS[name][0] * count for name, count in outcome.faults.items()) / max(1, outcome.rows)


class Trial:
    """Tries drafts on the rows of the table `feed`. `origin`: the feed and the metro of the records."""

    def __init__(
        self, connection: DuckDBPyConnection, origin: Origin, compile_rules: Callable[[Roles], str], *, seconds: float
    ) -> None:
        connection.execute("DELETE FROM feed WHERE rowid >= ?", [SAMPLE])
        connection.execute("CREATE TABLE sample AS SELECT * FROM feed ORDER BY rowid")
        self._connection, self._origin, self._compile, self._seconds = connection, origin, compile_rules, seconds

    def try_run(self, roles: Roles) -> Outcome | None:
        """Return what would become of the rows, or None if these roles make no mapping that runs."""
        try:
            return self.run(roles)
        except (ValueError, WrongSetting, duckdb.Error):
            return None

    def run(self, roles: Roles) -> Outcome:
        """Return what would become of the rows. Raises what compiling and running a mapping raise."""
        selection = select_records(
            self._connection, self._compile(roles), self._origin.vocabulary, seconds=self._seconds
        )  # fmt: skip
        rows, records, faults = len(selection.faults), dict[str, Record](), Counter(lost=len(selection.faults))
        read: dict[int, Record] = {}
        for line, text in enumerate(selection.records, start=1):
            raw = msgspec.json.decode(text)
            row = raw.pop(ROW, line - 1)
            cleaned = clean_record(refuse_errors(raw), line=line, origin=self._origin, unknown=Counter())
            rows += 1
            faults["lost"] += cleaned.record is None
            faults["left_out"] += cleaned.record is not None and bool(cleaned.problems)
            if cleaned.record is not None:
                records[cleaned.record.source_id] = cleaned.record
                read[row] = cleaned.record
        self._connection.execute("DROP TABLE records")
        if selection.faults:  # their rows are gone from the table: the next draft is tried on all again
            self._connection.execute("CREATE OR REPLACE TABLE feed AS SELECT * FROM sample ORDER BY rowid")
        listings = [record for record in records.values() if isinstance(record, ListingRecord)]
        faults.update(name for record in listings for name in _find_faults(record))
        places = [record.name for record in listings if isinstance(record, PlaceRecord)]
        faults["namesake"] = len(places) - len(set(places))
        dated = [record.name for record in listings if isinstance(record, DatedRecord)]
        if len(set(dated)) == 1 and len(dated) >= _SEVERAL:
            faults["one_name"] = len(dated)
        formats = roles["start_date"].writing.formats if "start_date" in roles else ()
        if formats and not any(re.search("%[yY]", own) for own in formats):
            faults["guessed_year"] = len(dated)
        stated = sum(map(_count_stated, listings))
        return Outcome(rows=rows, faults=faults, stated=stated, read=read)


def _find_faults(record: ListingRecord) -> Iterator[str]:
    ages = record.ages
    if ages.min is not None and ((ages.min == ages.max and ages.min >= _GROWN_UP) or ages.min > _OLDEST):
        yield "grown_up"
    price = getattr(record, "price", None)
    if price is not None and price.min is None and price.max is not None:
        yield "dearest_alone"
    if isinstance(record, EventRecord):
        yield from _find_event_faults(record)
    elif isinstance(record, ClassRecord):
        yield from _find_course_faults(record)


def _find_event_faults(record: EventRecord) -> Iterator[str]:
    if record.starts_local is None and record.date_on is None:
        yield "undated"
    elif record.starts_local is not None and isinstance(record.ends_local, datetime):
        lasts = record.ends_local - record.starts_local
        # What ends on the weekday on which it began, some weeks later and at another hour, is a course.
        if lasts.days >= _WEEKS and lasts.days % 7 == 0 and lasts.seconds and not record.rrule:
            yield "for_weeks"


def _find_course_faults(record: ClassRecord) -> Iterator[str]:
    term, schedule = record.term, record.schedule
    first, last = (date.fromisoformat(str(day)) if day else None for day in (term.starts_on, term.ends_on))
    if not schedule.days and first is None:
        yield "undated"
    elif not schedule.days and first and last and (last - first).days % 7:
        yield "without_days"
    elif schedule.start_time is None:
        yield "without_clock"


def _count_stated(record: ListingRecord) -> int:
    """Return how many members a listing states, of those that a change of roles may bring or take away."""
    session = next(iter(getattr(record, "sessions", ())), None)
    term, schedule = getattr(record, "term", session), getattr(record, "schedule", session)
    price, starts, ends = (getattr(record, name, None) for name in ("price", "starts_local", "ends_local"))
    stated = (
        record.ages.min is not None or record.ages.max is not None,
        price and (price.min is not None or price.type is not None),
        record.location and (record.location.address or record.location.street_address),
        (starts and starts.hour) or (schedule and schedule.start_time),  # midnight is how a file writes a day
        ends or (term and term.ends_on),
        schedule and schedule.days,
        record.keywords,
    )
    return sum(map(bool, stated))


class Change(Struct, frozen=True, kw_only=True):
    """A change that the rows asked for. `column` is taken for `role`, or left out of it if `is_dropped`. `why`: what is
    better now; `score`: how bad the draft is with it."""

    role: str
    column: str
    is_dropped: bool = False
    why: str = ""
    score: float = 0


class Improved(Struct, frozen=True, kw_only=True):
    """The roles that lose least. `changes`: how they differ from the first guess; `doubts`: what is still doubtful;
    `candidates`: the changes that the rows spoke against; `outcome`: the rows under these roles."""

    roles: Roles
    changes: Sequence[Change]
    doubts: Sequence[str]
    candidates: Sequence[Change]
    outcome: Outcome


def improve(
    roles: Roles, columns: Sequence[Column], trial: Trial, make_role: MakeRole, *, stated: Collection[str]
) -> Improved:
    """Return the roles that lose least, beginning with the given ones. Roles that are `stated` stay."""
    changes: list[Change] = []
    candidates: list[Change] = []
    outcome = trial.run(roles)
    while len(changes) < _MOST_CHANGES and weigh_faults(outcome) >= _LEAST_GAIN:
        tried = [
            (changed, after, change)
            for change, changed in list_changes(roles, columns, make_role, stated=stated)
            if (after := trial.try_run(changed)) is not None
        ]
        candidates = [replace(change, score=round(weigh(after), 3)) for _, after, change in tried]
        best = min(tried, key=lambda option: weigh(option[1]), default=None)
        if best is None or weigh(outcome) - weigh(best[1]) < _LEAST_GAIN:
            break
        changes.append(replace(best[2], why=_explain(outcome, best[1]), score=round(weigh(best[1]), 3)))
        roles, outcome, _ = best
    return Improved(roles=roles, changes=changes, doubts=list_doubts(outcome), candidates=candidates, outcome=outcome)


def list_doubts(outcome: Outcome) -> list[str]:
    """Return what is still wrong with many rows, in words. What is left out is counted elsewhere."""
    told = {name: count for name, count in outcome.faults.items() if name not in _COUNTED_ELSEWHERE}
    return [
        f"{count:,} of the first {outcome.rows:,} rows {FAULTS[name][1]}"
        for name, count in told.items()
        if count > _MOST_DOUBTFUL * outcome.rows
    ]


def _explain(before: Outcome, after: Outcome) -> str:
    mended = {name: count - after.faults.get(name, 0) for name, count in before.faults.items()}
    worst = max(mended, key=lambda name: FAULTS[name][0] * mended[name], default="")
    if not worst or mended[worst] <= 0:
        return "more is stated"
    return f"{before.faults[worst]:,} of {before.rows:,} rows {FAULTS[worst][1]}"


# Roles that may be given up, and roles for which another column may stand in.
_GIVEN_UP = ("weekdays", "age_text", "age_min", "age_max", "audience", "end_date", "end_time", "start_time", "price")
_REPLACED = ("name", "start_date", "end_date")


def list_changes(
    roles: Roles, columns: Sequence[Column], make_role: MakeRole, *, stated: Collection[str]
) -> Iterator[tuple[Change, Roles]]:
    """Yield each change that may help, with the roles that result."""
    if {"start_date", "end_date"} <= roles.keys() and "weekdays" not in {*roles, *stated}:
        start = roles["start_date"]
        yield Change(role="weekdays", column=start.path), {**roles, "weekdays": start}
    for column in columns if "type" not in {*roles, *stated} else ():
        words = column.distinct if len(column.distinct) <= _MOST_TYPES and not column.many else []
        if any({"camp", "class"} & {*find_meanings("types", word)} for word in words):
            yield Change(role="type", column=column.path), {**roles, "type": Role(column=column)}
    for name in _GIVEN_UP:
        if name in roles and name not in stated:
            dropped = Change(role=name, column=roles[name].path, is_dropped=True)
            yield dropped, {other: role for other, role in roles.items() if other != name}
    used = {role.path for name, role in roles.items() if name not in ("venue", "category")}
    free = [column for column in columns if column.path not in used and column.filled and not column.many]
    for name in _REPLACED:
        for column in free if name not in stated and (name == "name" or "start_date" in roles) else ():
            role = make_role(name, column.path)
            is_date = not is_other_date(column.path) and is_dated(role, is_course=False)
            if is_date if name != "name" else fits(name, column, role.writing):
                others = {other: own for other, own in roles.items() if own.path != column.path}
                yield Change(role=name, column=column.path), {**others, name: role}
    if {"price_min", "price_max"} <= roles.keys() and not {"price_min", "price_max"} & set(stated):
        low, high = roles["price_min"], roles["price_max"]
        yield Change(role="price_min", column=high.path), {**roles, "price_min": high, "price_max": low}
