"""Make compact cards of listings from their documents, for `related` and for `sessions` of a class's card."""

import weakref
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

import msgspec
from msgspec import Struct

from outings.answers.documents.fields import Schedule, ShownDocument
from outings.answers.documents.occurrences import open_series, show_local
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.resources.shared import Term
from outings.contract.vocabulary import COLLECTIONS

# Cached cards of classes, of all metros together: 900 bytes each.
_CARDS = 16_384
_START_OF_DAY = "00:00:00"


class _Section(Struct, frozen=True):
    term: Term
    schedule: Schedule


class _Session(Struct, frozen=True):
    starts_on: date | None
    ends_on: date | None
    start_time: str | None


class _Document(ShownDocument, frozen=True):
    """The members that a card takes from an event, class or camp."""

    starts_local: str | None = None
    term: Term = Term()
    sections: tuple[_Section, ...] = ()
    sessions: tuple[_Session, ...] = ()


_decoder = msgspec.json.Decoder(_Document)
_encoder = msgspec.json.Encoder()


@lru_cache(maxsize=_CARDS)
def read_card(reference: "weakref.ref[SnapshotReader]", row: int) -> bytes:
    """Return the card of a class, which is the same on any date. `reference`: that of the class's reader."""
    reader = reference()
    assert reader is not None, "callers hold the reader"
    return encode_card(reader.read_document(row))


def make_card(reader: SnapshotReader, row: int, today: date) -> bytes:
    """Return the card of an event, class or camp as of a date. A series' card shows its next occurrence."""
    starts = open_series(reader).find_next(row, today).starts_local if open_series(reader).is_series(row) else None
    next_local = None if starts is None else show_local(starts)
    return encode_card(reader.read_document(row), today=today, next_local=next_local)


def encode_card(document: bytes, *, today: date | None = None, next_local: str | None = None) -> bytes:
    """Encode the card of a stored event, class or camp. It starts as the class's own page states, with the camp's first
    session that is not over by `today`, or, for a series of events, at `next_local`."""
    listing = _decoder.decode(document)
    match listing.type:
        case "event":
            starts = next_local or listing.starts_local
        case "class":
            starts = _find_start(listing)
        case _:
            starts = _find_session(listing.sessions, today)
    card = {
        "id": listing.id,
        "type": listing.type,
        "slug": listing.slug,
        "name": listing.name,
        "starts_local": starts,
        "timezone": listing.zone,
        "place": listing.place,
        "price": listing.price,
        "ages": listing.ages,
        "categories": listing.categories,
        "image_url": listing.image_url,
        "links": {"self": f"/v1/{COLLECTIONS[listing.type]}/{listing.id}"},
    }
    return _encoder.encode(card)


def _find_start(listing: _Document) -> str | None:
    """Return when a class starts, as its own page says: on the term's first day, else the earliest section's, at the
    stated time or at midnight."""
    parts = [(listing.term, listing.schedule), *((section.term, section.schedule) for section in listing.sections)]
    starts = [
        f"{term.starts_on}T{(schedule and schedule.start_time) or _START_OF_DAY}"
        for term, schedule in (parts[:1] if listing.term.starts_on else parts)
        if term.starts_on is not None
    ]
    return min(starts, default=None)


def _find_session(sessions: Sequence[_Session], today: date | None) -> str | None:
    """Return when the first session that is not over by `today` starts: at its stated time, else at midnight."""
    starts = (
        f"{session.starts_on}T{session.start_time or _START_OF_DAY}"
        for session in sessions
        if session.starts_on is not None and (today is None or (session.ends_on or session.starts_on) >= today)
    )
    return min(starts, default=None)
