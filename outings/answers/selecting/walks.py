"""Where a walk stands and what it is pinned to: the cursor of a list, made and read."""

from datetime import date

from outings.contract.cursor import Cursor, encode_cursor
from outings.contract.errors import ApiError, bad_request
from outings.contract.instants import format_instant
from outings.contract.query import Query
from outings.contract.values import EARLIEST, LATEST, parse_date
from outings.release.snapshot import Snapshot

# The order's key and the id of a walk's last row: an event's start in seconds, a camp's first session as a date, the
# first characters of a folded name, or, in sync mode, the time of the update in seconds.
Position = tuple[str | int | None, str]

# A cursor has room for 2,000 characters; a name may be longer.
KEY_CHARACTERS = 200
_SECONDS = 1 << 62
_KEYS: dict[str, type] = {"event": int, "class": str, "camp": str, "place": str}


def name_walk(snapshot: Snapshot) -> str:
    """What a walk is pinned to: the metro's stamp, which tells its snapshots apart.

    Not the release: a page written ahead holds a cursor, and the release's id is made from its pages.
    """
    return format_instant(snapshot.stamp)


def make_cursor(query: Query, position: Position, *, snapshot: Snapshot, today: date) -> str:
    key, row_id = position
    if isinstance(key, str):
        key = key[:KEY_CHARACTERS]
    cursor = Cursor(route=query.route, release=name_walk(snapshot), date=today, position=(key, row_id))
    return encode_cursor(cursor, query.walk)


def read_position(query: Query) -> Position:
    """Of a query with a cursor. Raises `cursor_malformed` for a position or date that its list can't have given: the
    check sum is no signature."""
    cursor, listing_type = query.cursor, query.resource
    assert cursor is not None
    assert listing_type is not None
    if len(cursor.position) != 2 or not EARLIEST <= cursor.date <= LATEST:
        raise malformed_cursor()
    key, row_id = cursor.position
    is_key = _is_instant(key) if "changed_since" in query.values else _is_key(key, listing_type)
    if not isinstance(row_id, str) or not is_key:
        raise malformed_cursor()
    return key, row_id


def _is_key(key: str | int | None, listing_type: str) -> bool:
    if listing_type == "camp" and isinstance(key, str):
        return parse_date(key) is not None
    if isinstance(key, int):
        return listing_type == "event" and _is_instant(key)
    return listing_type == "camp" if key is None else _KEYS[listing_type] is str


def _is_instant(key: str | int | None) -> bool:
    return isinstance(key, int) and abs(key) < _SECONDS


def malformed_cursor() -> ApiError:
    return bad_request(
        param="cursor",
        reason="cursor_malformed",
        message="This is no cursor of this list; send meta.next_cursor as it was given, or none to start anew.",
    )
