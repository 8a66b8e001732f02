"""When listings that match next begin: by those of their dates, sections or sessions that meet all conditions."""

from functools import reduce

import numpy as np

from outings.answers.selecting.columns.bitsets import Mask, Rows, test_set
from outings.answers.selecting.columns.columns import Columns, find_happenings
from outings.answers.selecting.columns.conditions import make_test
from outings.answers.selecting.columns.dates import list_occurrences, read_dates
from outings.answers.selecting.predicate import Shares
from outings.answers.selecting.selection import Selection
from outings.answers.snapshot.next_starts import find_meetings
from outings.contract.instants import DAY
from outings.release.mapped_table import NEVER, NOT_STATED
from outings.release.tables import HAPPENINGS


def find_starts(selection: Selection, columns: Columns, rows: Rows, *, low: int) -> Rows:
    """Seconds of the local clock, midnight where no time is stated; NEVER where nothing that matches begins from a day
    on. `rows`: of the selection's type."""
    starts, span = np.full(rows.size, NEVER, dtype=np.int64), columns.rows
    some = np.flatnonzero(span["end"][rows] > span["first"][rows])
    if some.size:
        days, times, firsts = _list_days(selection, columns, rows[some], low=low)
        seconds = np.where(days == NEVER, NEVER, days * DAY + np.maximum(times, 0))
        starts[some] = np.minimum.reduceat(seconds, firsts)
    return starts


def _list_days(selection: Selection, columns: Columns, rows: Rows, *, low: int) -> tuple[Rows, Rows, Rows]:
    """Return each happening's next day, NEVER if it does not match, and its time, and where each row's happenings
    begin."""
    conditions, table = selection.conditions.happening, columns.happenings[HAPPENINGS[selection.type]]
    if selection.type == "event":
        numbers, firsts = list_occurrences(columns, rows)
        days = table["day"][numbers].astype(np.int64)
        # A single event of the window has its date, were it past: only a series has a next one.
        recurring = columns.types["event"].read_set("is", "is_recurring", 1)
        is_match = read_dates(conditions).hold(columns, numbers)
        is_match &= (days >= low) | ~test_set(recurring, table["row"][numbers].astype(np.int64))
    else:
        numbers, firsts = find_happenings(columns, rows)
        every: Mask = np.ones(numbers.size, dtype=np.bool_)
        is_match = reduce(np.logical_and, (make_test(each, table)(numbers) for each in conditions), every)
        begins, ends = (table[name][numbers].astype(np.int64) for name in ("starts_on", "ends_on"))
        if selection.type == "class":
            stated = table["days"][numbers].astype(np.int64)
            bits = (each.bits for each in conditions if isinstance(each, Shares) and each.column == "days")
            meant = reduce(np.bitwise_and, bits, stated)
            days = find_meetings(begins, ends, np.where(meant, meant, stated), start=low)
        else:
            is_over = np.where(ends == NOT_STATED, begins, ends) < low
            days = np.where(is_over | (begins == NOT_STATED), NEVER, begins)
    return np.where(is_match, days, NEVER), table["time"][numbers].astype(np.int64), firsts
