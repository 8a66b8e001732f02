"""Add-ons of a listing: what `include` attaches to it, for whoever has them. Nothing of them is in a document."""

from functools import cached_property

import msgspec

from outings.answers.addons.sources import Day
from outings.answers.context import Circumstances
from outings.answers.coverage.answer import find_start
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.notices import Notice, unavailable_source
from outings.contract.query import Query
from outings.contract.resources.source import SourceBlock
from outings.release.snapshot import Snapshot

_encode = msgspec.json.Encoder().encode


def list_addons(query: Query, about: Circumstances) -> tuple[str, ...]:
    """Those that were asked for and that the key has; of the others the edge gives notice."""
    return tuple(each for each in query.get_words("include") if about.entitlement.allows_addon(each))


def attach_member(document: bytes, name: str, block: bytes) -> bytes:
    """The document with one more member, its last."""
    return b'%b,"%b":%b}' % (document[:-1], name.encode(), block)


class SourceBlocks:
    """Of one answer."""

    def __init__(self, query: Query, *, snapshot: Snapshot, about: Circumstances) -> None:
        self._is_asked = "source" in list_addons(query, about)
        self._snapshot = snapshot
        self._date = about.dates[snapshot.metro.slug]
        self._items = self._missing = 0

    def make(self, row: int) -> SourceBlock | None:
        """A listing's block; None where it was not asked for, or its feed states none."""
        if not self._is_asked:
            return None
        self._items += 1
        block = open_snapshot(self._snapshot).sources.make_block(row, self._today)
        self._missing += block is None
        return block

    def attach(self, document: bytes, row: int) -> bytes:
        block = self.make(row)
        return document if block is None else attach_member(document, "source", _encode(block))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Of the items until now."""
        return (unavailable_source(self._missing, of=self._items),) if self._missing else ()

    @cached_property
    def _today(self) -> Day:
        return Day(date=self._date, start=find_start(self._date, self._snapshot.metro.timezone))
