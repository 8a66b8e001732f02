"""Pages of a list: how many items they have, and the cursor by which a walk goes on."""

from datetime import date
from functools import lru_cache

from outings.contract.cursor import Cursor, encode_cursor, is_sealed, malformed_cursor
from outings.contract.instants import format_instant
from outings.contract.query import Query
from outings.contract.values import parse_date, parse_uuid
from outings.release.snapshot import Snapshot


def read_limit(query: Query) -> int:
    """Items in one answer at most: `ids` are answered all at once."""
    if "ids" in query.values:
        most = query.match.route.parameters["ids"].most
        assert most is not None
        return most
    limit = query.get_as("limit", int)
    assert limit is not None
    return limit


def read_page(query: Query) -> int:
    return query.get_as("page", int) or 1


def count_items(query: Query) -> int:
    """At most, of `ids` as many as are named."""
    return len(query.get_words("ids")) if "ids" in query.values else read_limit(query)


# The order's key and the id of a walk's last row: an event's start in seconds, a camp's first session as a date, the
# first characters of a folded name, or, in sync mode, the time of the update in seconds.
Position = tuple[str | int | None, str]

# A cursor has room for 2,000 characters; a name may be longer.
KEY_CHARACTERS = 200
_SECONDS = 1 << 62


def name_walk(snapshot: Snapshot) -> str:
    """Return the name of the snapshot in which a walk began: the metro's stamp.

    The release would not do: a page written ahead holds a cursor, and the release's id is made from its pages.
    """
    return _format_stamp(snapshot.stamp)


# The same in each answer of a snapshot.
_format_stamp = lru_cache(maxsize=64)(format_instant)


def make_cursor(query: Query, position: tuple[str | int | None, ...], *, snapshot: Snapshot, today: date) -> str:
    """To what comes after the position, which is one of the query's route."""
    cursor = Cursor(route=query.route, release=name_walk(snapshot), date=today, position=position)
    return encode_cursor(cursor, query.walk, snapshot=snapshot.hash)


def check_cursor(query: Query, *snapshots: Snapshot) -> None:
    """Raises `cursor_malformed` for one that names any of these and was made in none. Of one that names another, which
    is gone, nobody can tell."""
    cursor = query.cursor
    if cursor is None:
        return
    named = [each.hash for each in snapshots if name_walk(each) == cursor.release]
    if named and not any(is_sealed(cursor, query.seal, query.walk, snapshot=each) for each in named):
        raise malformed_cursor()


def cut_position(position: Position) -> Position:
    key, row_id = position
    return (key[:KEY_CHARACTERS] if isinstance(key, str) else key), row_id


def read_position(query: Query) -> Position:
    """Read the position of a query's cursor. Raises `cursor_malformed` for one that its list can't have given."""
    assert query.cursor is not None
    if len(query.cursor.position) != 2:
        raise malformed_cursor()
    key, row_id = query.cursor.position
    if query.resource == "event" or "changed_since" in query.values:
        is_key = isinstance(key, int) and abs(key) < _SECONDS
    elif query.resource == "camp":
        is_key = key is None or (isinstance(key, str) and parse_date(key) is not None)
    else:
        is_key = isinstance(key, str)
    if not is_key or not is_id(row_id):
        raise malformed_cursor()
    return key, str(row_id)


def is_id(value: str | int | None) -> bool:
    """As rows have it: a uuid in lower case."""
    return isinstance(value, str) and parse_uuid(value) == value
