"""`include=source`: what a listing's feed says of where it came from."""

from functools import cached_property

import msgspec

from outings.answers.addons.includes import list_addons
from outings.answers.addons.sources import Day, open_sources
from outings.answers.context import AnswerContext
from outings.answers.dates import find_start
from outings.answers.documents.splicing import add_member
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.notices import Notice, unavailable_source
from outings.contract.query import Query
from outings.contract.resources.source import SourceBlock
from outings.release.snapshot import Snapshot

_encode = msgspec.json.Encoder().encode


class SourceBlocks:
    """Of one answer."""

    def __init__(self, query: Query, *, snapshot: Snapshot, about: AnswerContext) -> None:
        self.is_requested = "source" in list_addons(query, about)
        self._snapshot = snapshot
        self._date = about.dates[snapshot.metro.slug]
        self._items = self._missing = 0

    def make(self, row: int) -> SourceBlock | None:
        """A listing's block; None where it was not asked for, or its feed states none."""
        if not self.is_requested:
            return None
        self._items += 1
        block = open_snapshot(self._snapshot).open_index(open_sources).make_block(row, self._today)
        self._missing += block is None
        return block

    def attach(self, document: bytes, row: int) -> bytes:
        block = self.make(row)
        return document if block is None else add_member(document, "source", _encode(block))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Of the items until now."""
        return (unavailable_source(self._missing, of=self._items),) if self._missing else ()

    @cached_property
    def _today(self) -> Day:
        return Day(date=self._date, start=find_start(self._date, self._snapshot.metro.timezone))
