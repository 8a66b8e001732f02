"""First pages of `nearby` that stay as they are until something on them begins: later minutes put in their own minute
and cursor.

Of a day what is shown only grows less: a row stands until it begins, and a next one comes no nearer. So the same page
is shown until the first of its rows, of the one after them or of what is hidden begins.
"""

from collections.abc import Iterable

from msgspec import Struct

from outings.answers.cache import LruCache
from outings.answers.context import AnswerContext
from outings.answers.near.starts import Now
from outings.answers.selecting.cursors import make_cursor
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.instants import format_instant
from outings.contract.query import Query
from outings.release.mapped_table import NEVER
from outings.release.snapshot import Snapshot

# Bytes of one snapshot's pages: some 300 of 50 items.
_MEMORY = 8_000_000
# Names that are remembered, each in the place of its hash: what is requested once is not worth its memory.
_REQUESTED = 4_096
MINUTE = 60

# Of a row: when it begins by the local clock, NEVER where it does not, and of an event in seconds since 1970.
Begin = tuple[int, int | None]
PageName = tuple[object, ...]


class Position(Struct, frozen=True):
    """The last item of a page: the bits of the square of its distance, its type and its id."""

    bits: int
    type: str
    id: str


class Page(Struct, frozen=True, kw_only=True):
    """A body around its cursor and its minute. It is shown from `since` to `until`, in seconds since 1970; `last` is
    None where no page follows."""

    since: int
    until: int
    texts: tuple[bytes, bytes, bytes]
    last: Position | None

    def render(self, query: Query, *, snapshot: Snapshot, now: Now) -> list[bytes]:
        """As parts to be joined."""
        begin, middle, end = self.texts
        cursor = encode_position(query, self.last, snapshot=snapshot, now=now)
        return [begin, (cursor or "").encode(), middle, format_instant(now.instant).encode(), end]


def split_page(body: bytes, *, last: Position | None, cursor: str | None, now: Now, until: int) -> Page:
    """`cursor` and the minute as they stand in it: what follows either of them in `meta` can't have it again."""
    rest, _, end = body.rpartition(format_instant(now.instant).encode())
    begin, _, middle = rest.rpartition(cursor.encode()) if cursor else (rest, b"", b"")
    return Page(since=now.instant, until=until, texts=(begin, middle, end), last=last)


def encode_position(query: Query, last: Position | None, *, snapshot: Snapshot, now: Now) -> str | None:
    """The cursor to what follows. A walk goes on in the minute that it began in."""
    if last is None:
        return None
    position = (now.instant // MINUTE, last.bits, last.type, last.id)
    return make_cursor(query, position, snapshot=snapshot, today=now.date)


def find_end(begins: Iterable[Begin], now: Now) -> int:
    """The last second since 1970 at which each of these still begins as it does now. What began before it states no
    time, and is shown all day."""
    offset = now.local - now.instant
    ends = (local - offset if instant is None else instant for local, instant in begins)
    return min((each for each in ends if each >= now.instant), default=NEVER)


class Pages:
    """Of one snapshot."""

    def __init__(self) -> None:
        self._pages: LruCache[PageName, Page] = LruCache(size=_MEMORY, weigh=_weigh)
        self._requested = [0] * _REQUESTED

    def find(self, name: PageName, now: Now) -> Page | None:
        page = self._pages.find(name) if name in self._pages else None
        return page if page is not None and page.since <= now.instant <= page.until else None

    def note(self, name: PageName) -> bool:
        """Once for each plan: whether there was one before, so that the page is worth to be kept."""
        number = hash(name)
        place = number % _REQUESTED
        is_known = self._requested[place] == number
        self._requested[place] = number
        return is_known

    def keep(self, name: PageName, page: Page) -> None:
        """In place of an earlier one."""
        self._pages.put(name, page)


def name_page(query: Query, about: AnswerContext, now: Now) -> PageName:
    """What a page depends on beside the minute. While a clock goes on evenly, nothing that began by it begins again."""
    return query.text, about.entitlement.digest, about.dates[str(query.metro)], now.date, now.local - now.instant


def _weigh(page: Page) -> int:
    return sum(map(len, page.texts))


def open_pages(_: SnapshotReader) -> Pages:
    return Pages()
