"""Parts of every kind of answer: context, plan with the ETag, cursor, and errors for what a key may not read.

All ETags are weak and follow one rule, whether a body is stored or computed. A list's ETag depends on the metro's
snapshot, the request with its cursor, the date and what the key may read, and on other metros or a forecast if the list
shows them. A detail's ETag depends on the row alone, so that an unchanged document keeps it across releases. With
objects or blocks attached, it depends on the same as a list's.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time

import msgspec
from msgspec import Struct

from outings.answers.renderer_version import RENDERER_VERSION
from outings.answers.weather import Weather
from outings.configuration.zones import read_zone
from outings.contract.cursor import Cursor, encode_cursor, is_sealed, malformed_cursor
from outings.contract.errors import ApiError, bad_request, forbidden
from outings.contract.parameters import MOMENTS
from outings.contract.query import Entitlement, Query
from outings.contract.resources.directories import Center
from outings.contract.resources.sync import EXPORTS
from outings.contract.values import Value, format_instant, parse_date, parse_uuid
from outings.contract.vocabulary import COLLECTIONS
from outings.release.manifest import Export, MetroSettings
from outings.release.snapshot import Release, Snapshot
from outings.release.store import Bytes


class AnswerContext(Struct, frozen=True, kw_only=True):
    """Values beside the query on which an answer may depend.

    Attributes:
        dates: the local date of every metro in the release.
        minute: the current time, rounded down; None where no answer depends on it.
        address_center: the location of the request's `address`, if it has one.
        weather: the current forecasts, by metro.
    """

    release: Release
    dates: Mapping[str, date]
    entitlement: Entitlement
    minute: datetime | None = None
    address_center: Center | None = None
    weather: Mapping[str, Weather] = {}

    def read_local(self, metro: MetroSettings) -> datetime:
        """Return the current minute by the metro's clock. Without a minute, the day's first."""
        if self.minute is None:
            return datetime.combine(self.dates[metro.slug], time())
        return self.minute.astimezone(read_zone(metro.timezone)).replace(tzinfo=None)


def settle_now(values: Mapping[str, Value], context: AnswerContext, metro: MetroSettings) -> Mapping[str, Value]:
    """Return the values of a request's parameters with the metro's local time in the place of `now`."""
    if not asks_now(values):
        return values
    local = context.read_local(metro).isoformat(timespec="minutes")
    return {**values, **{name: local for name in MOMENTS if values.get(name) == NOW}}


NOW = "now"


def asks_now(values: Mapping[str, Value]) -> bool:
    """Return True if a parameter of the request says `now`."""
    return any(values.get(name) == NOW for name in MOMENTS)


_DIGITS = 32
JSON = "application/json"


class PlannedFile(Struct, frozen=True):
    """A file of an export, and the function that opens its object."""

    export: Export
    open: Callable[[], Bytes]


class AnswerPlan(Struct, frozen=True):
    """The plan of an answer.

    Attributes:
        render: returns the body in chunks.
        is_quick: whether `render` takes less than a millisecond in a metro of 25,000 listings.
        reads_store: whether `render` may wait for objects of the store, and raise NotFound, Corrupt or StoreError.
        is_now: whether the answer is valid only in the context's minute.
        file: a stored file whose bytes may be sent instead.
    """

    etag: str
    render: Callable[[], list[bytes]]
    is_quick: bool = False
    reads_store: bool = False
    is_now: bool = False
    media: str = JSON
    file: PlannedFile | None = None


def make_tag(*parts: object) -> str:
    """Return the ETag of a body that depends on these parts and on this program's renderer."""
    digest = hashlib.sha256(msgspec.json.encode((RENDERER_VERSION, parts))).hexdigest()
    return f'W/"{digest[:_DIGITS]}"'


def forbidden_metro(entitlement: Entitlement, slug: str | None = None) -> ApiError:
    """Return the error `forbidden`. `slug`: the requested metro; None if a row is only in metros outside the key's."""
    metros = sorted(entitlement.metros or ())
    what = "This is in a metro that this key may not read" if slug is None else f"This key may not read {slug}"
    return forbidden(metros=metros, message=f"{what}; it may read {_list(metros)}.")


def forbidden_types(context: AnswerContext, types: Iterable[str]) -> ApiError:
    """Return the error `forbidden` for these requested types (in singular), which the key may not read."""
    entitlement, readable = context.entitlement, context.entitlement.types or ()
    own = sorted(COLLECTIONS[listing_type] for listing_type in readable)
    requested = sorted(COLLECTIONS[listing_type] for listing_type in types)
    return forbidden(
        metros=context.release.metros if entitlement.metros is None else entitlement.metros,
        types=own,
        message=f"This key may not read {_list(requested)}; it may read {_list(own)}.",
    )


def check_types(query: Query, context: AnswerContext) -> None:
    """Raise `forbidden` if the request names collections that its key may not read."""
    scopes = [EXPORTS[word].scope for word in query.get_words("types")]
    outside = [scope for scope in scopes if scope is not None and not context.entitlement.allows_type(scope)]
    if outside:
        raise forbidden_types(context, outside)


def metro_required(what: str, slugs: Iterable[str]) -> ApiError:
    """Return the error `metro_required`. `what`: the message's first words, such as "The slug x is"."""
    allowed = sorted(set(slugs))
    return bad_request(
        param="metro",
        reason="metro_required",
        message=f"{what} in several metros: say which with metro={allowed[0]}.",
        allowed=allowed,
        metros=allowed,
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


def read_limit(query: Query) -> int:
    """Return the most items of an answer: `limit`, or the most `ids` of a request, which are answered at once."""
    if "ids" in query.values:
        most = query.match.route.parameters["ids"].most
        assert most is not None
        return most
    limit = query.get_as("limit", int)
    assert limit is not None
    return limit


def read_page(query: Query) -> int:
    return query.get_as("page", int) or 1


# The sort key and the id of a page's last item. The key is an event's start in seconds, a camp's first session as a
# date, the first characters of a folded name; with `changed_since` the time of the update in seconds, and with
# `sort=soonest` the next date in seconds of the local clock.
Position = tuple[str | int | None, str]

# The characters of a name in a cursor, which has at most 2,000 in all.
KEY_CHARACTERS = 200
_SECONDS = 1 << 62


def format_stamp(snapshot: Snapshot) -> str:
    """Return the name of a snapshot in cursors, which is the metro's stamp. The release's id can't be used: it is
    computed from stored pages, and these have cursors."""
    return format_instant(snapshot.stamp)


def make_cursor(query: Query, position: tuple[str | int | None, ...], *, snapshot: Snapshot, today: date) -> str:
    """Return the cursor to the items after a position, whose form depends on the query's route."""
    cursor = Cursor(route=query.route, release=format_stamp(snapshot), date=today, position=position)
    return encode_cursor(cursor, query.unpaged_text, snapshot=snapshot.hash)


def check_cursor(query: Query, *snapshots: Snapshot) -> None:
    """Raise `cursor_malformed` if the cursor names the stamp of one of these snapshots, but was made from none of them.
    The cursor of a snapshot that is no longer open can't be checked."""
    cursor = query.cursor
    if cursor is None:
        return
    named = [snapshot.hash for snapshot in snapshots if format_stamp(snapshot) == cursor.release]
    if named and not any(is_sealed(cursor, query.seal, query.unpaged_text, snapshot=snapshot) for snapshot in named):
        raise malformed_cursor()


def read_position(query: Query) -> Position:
    """Return the position in a query's cursor. Raises `cursor_malformed` for one that its list can't have given."""
    assert query.cursor is not None
    if len(query.cursor.position) != 2:
        raise malformed_cursor()
    key, row_id = query.cursor.position
    if "sort" in query.values and query.get("occurrences") != "expand":
        is_key = key is None or (isinstance(key, int) and abs(key) < _SECONDS)
    elif query.resource == "event" or "changed_since" in query.values:
        is_key = isinstance(key, int) and abs(key) < _SECONDS
    elif query.resource == "camp":
        is_key = key is None or (isinstance(key, str) and parse_date(key) is not None)
    else:
        is_key = isinstance(key, str)
    if not is_key or not is_id(row_id):
        raise malformed_cursor()
    return key, str(row_id)


def is_id(value: str | int | None) -> bool:
    """Return True for a UUID in lower case, the form that rows' ids have."""
    return isinstance(value, str) and parse_uuid(value) == value
