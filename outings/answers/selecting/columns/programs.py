"""Programs that came as several listings: which of those that match is the card."""

from datetime import date

import numpy as np

from outings.answers.selecting.columns.bitsets import Rows, list_set, pack_rows
from outings.answers.selecting.columns.candidates import Candidates
from outings.answers.selecting.columns.columns import Columns, find_happenings
from outings.answers.snapshot.next_starts import find_meetings
from outings.contract.instants import number_day


def choose_cards(candidates: Candidates, columns: Columns, *, start: date) -> Candidates:
    """Of a program's listings that match, the one with the earliest start is left; ties by id."""
    own = columns.types["class"]
    shared = own.read_set("is", "shared", 1)
    rows = candidates.keep_rows(list_set(candidates.words & shared))
    if not rows.size:
        return Candidates(candidates.words & ~shared, candidates.tests)
    whole = rows + own.first
    programs = columns.rows["program"][whole]
    starts = find_starts(columns, whole, start=number_day(start))
    order = np.lexsort((columns.rows["id_rank"][whole], starts, programs))
    firsts = np.ones(order.size, dtype=np.bool_)
    firsts[1:] = programs[order][1:] != programs[order][:-1]
    return Candidates((candidates.words & ~shared) | pack_rows(rows[order[firsts]], own.size), candidates.tests)


def find_starts(columns: Columns, rows: Rows, *, start: int) -> Rows:
    """Of each class (numbered in the whole table): its next meeting from a day on, where days are stated, else its
    term's first day; NEVER where that lies before, or after the term's end."""
    numbers, firsts = find_happenings(columns, rows)
    table = columns.happenings["sections"]
    begins, ends, days = (table[name][numbers].astype(np.int64) for name in ("starts_on", "ends_on", "days"))
    meetings = find_meetings(begins, ends, days, start=start)
    starts: Rows = np.minimum.reduceat(meetings, firsts)
    return starts
