"""Patience with somebody else's server: how long it is waited for, and what it says itself of when to ask again."""

from datetime import UTC
from email.utils import parsedate_to_datetime

from msgspec import Struct

# What may be another answer a moment later. 520 to 524: what stands before the server, Cloudflare's, got none from it.
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, *range(520, 525)})
# In seconds, 31 years: what says more says no more than that.
_LONGEST = 1e9


class Patience(Struct, frozen=True, kw_only=True):
    """In seconds: of a connection, of a silence, of one try whole. `attempts` in all, the second after `pause`, which
    doubles. `rest`: the longest `Retry-After` that is heeded."""

    connect: float
    silence: float
    whole: float
    attempts: int
    pause: float
    rest: float


def read_rest(stated: str | None, now: float) -> float | None:
    """A `Retry-After`, seconds or a date (RFC 9110, 10.2.3) → seconds from `now`, which are those since 1970, from
    0 up; None where it says neither."""
    text = (stated or "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _LONGEST)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    # The form of asctime names no zone.
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max(0.0, known.timestamp() - now), _LONGEST)
