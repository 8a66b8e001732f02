"""`related`: what is like a listing, what else its organization has, and what else is at its place.

All of it stands in the default lists of the key's types on the answer's date, as these show it: a program is one card.
"""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from msgspec import Raw, Struct

from outings.answers.addons.expanded import read_references
from outings.answers.context import AnswerContext
from outings.answers.counts import select_default
from outings.answers.details.similar import open_similar
from outings.answers.documents.cards import make_card
from outings.answers.near.index import open_near
from outings.answers.near.shown import choose_program_cards
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.selection import Span
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.instants import number_day
from outings.contract.query import Query
from outings.contract.resources.shared import PlaceReference
from outings.release.snapshot import Snapshot

# Cards in a group.
MOST = 6
# What is done on a day: a place is no card.
TYPES = ("event", "class", "camp")


class RelatedListings(Struct, frozen=True, kw_only=True):
    """`contract.resources.related.Related` with its cards as they are written."""

    similar: tuple[Raw, ...]
    from_organization: tuple[Raw, ...]
    at_place: tuple[Raw, ...]

    def list_empty(self) -> list[str]:
        """The names of the lists without a card."""
        return [name for name in self.__struct_fields__ if not getattr(self, name)]


class _ListingName(Struct, frozen=True):
    """By what two dates of one thing are known."""

    type: str
    name: str
    place: PlaceReference | None


_decode_name = msgspec.json.Decoder(_ListingName).decode


def make_related(query: Query, row: int, *, snapshot: Snapshot, about: AnswerContext) -> RelatedListings:
    """Of a listing of the query's type, by its row."""
    own = query.resource
    # Its own type stands first.
    types = sorted((each for each in TYPES if about.entitlement.allows_type(each)), key=lambda each: each != own)
    related = _RelatedRows(row, types, snapshot=snapshot, about=about)
    references = read_references(open_snapshot(snapshot).read_document(row))
    place = None if references.place is None else references.place.id
    return RelatedListings(
        similar=related.find_similar(),
        from_organization=related.find_listed(organization_id=references.organization.id),
        at_place=related.find_listed(place_id=place),
    )


class _RelatedRows:
    def __init__(self, row: int, types: Sequence[str], *, snapshot: Snapshot, about: AnswerContext) -> None:
        self._row, self._types, self._snapshot = row, types, snapshot
        self._today = about.dates[snapshot.metro.slug]
        self._opened = open_snapshot(snapshot)
        self._evaluator = open_evaluator(self._opened)
        self._program = self._find_programs([row])[0]

    def find_similar(self) -> tuple[Raw, ...]:
        """Of what has one name at one place the first alone, and nothing that has the listing's own."""
        cards = self._choose_cards(self._opened.open_index(open_similar).list_rows(self._row))
        shown: dict[_ListingName, int] = {}
        for row in (self._row, *cards):
            shown.setdefault(_decode_name(self._opened.read_document(row)), row)
        return self._encode(shown.values())

    def find_listed(self, **filters: str | None) -> tuple[Raw, ...]:
        """The first that the lists with this filter show, type after type."""
        given = {name: value for name, value in filters.items() if value is not None}
        if not given:
            return ()
        rows: list[int] = []
        for listing_type in self._types:
            selection = select_default(listing_type, self._snapshot, self._today, **given)
            # One more, for the listing itself or its program's card.
            rows += self._evaluator.list_rows(selection, Span(limit=MOST + 1)).rows
        return self._encode(rows)

    def _choose_cards(self, ordered: Sequence[int]) -> list[int]:
        """Those that the lists show, in their order; in place of a program's listing the one that is its card."""
        if not ordered:
            return []
        programs = self._find_programs(ordered)
        shared = np.array(sorted({each for each in programs if each >= 0}), dtype=np.int64)
        rows = np.union1d(np.array(ordered, dtype=np.int64), self._opened.programs.list_members(shared))
        kept = [
            self._evaluator.keep_rows(select_default(each, self._snapshot, self._today), rows) for each in self._types
        ]
        live = np.sort(np.concatenate(kept)) if kept else rows[:0]
        start = number_day(self._today)
        chosen = choose_program_cards(live, self._opened.open_index(open_near), start=start).tolist()
        cards = {_name_card(row, program): row for row, program in self._pair(chosen)}
        names = dict.fromkeys(_name_card(row, program) for row, program in zip(ordered, programs, strict=True))
        return [cards[each] for each in names if each in cards]

    def _pair(self, rows: Sequence[int]) -> Iterable[tuple[int, int]]:
        return zip(rows, self._find_programs(rows), strict=True)

    def _find_programs(self, rows: Sequence[int]) -> list[int]:
        """-1 of a listing that is its own."""
        programs: list[int] = self._opened.programs.find_programs(np.array(rows, dtype=np.int64)).tolist()
        return programs

    def _encode(self, rows: Iterable[int]) -> tuple[Raw, ...]:
        """Without the listing itself and what is a card with it."""
        others = [
            row
            for row, program in self._pair([*rows])
            if row != self._row and (program < 0 or program != self._program)
        ]
        return tuple(Raw(make_card(self._opened, row, self._today)) for row in others[:MOST])


def _name_card(row: int, program: int) -> tuple[int, int]:
    """A name for the card; the listings of a program share one."""
    return (-1, row) if program < 0 else (program, -1)
