"""Retry policy for other people's servers: time-outs, attempts, and the meaning of `Retry-After`."""

from datetime import UTC
from email.utils import parsedate_to_datetime

from msgspec import Struct

# Statuses after which a retry may succeed. 520 to 524 are Cloudflare's: it got no answer from the server behind it.
TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, *range(520, 525)})
# In seconds, 31 years: longer waits are cut to this.
_LONGEST = 1e9


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """Limits of calls, in seconds: to connect, between two bytes (`silence`), for a `whole` attempt, and for all
    requests of a `feed`. `attempts` counts the first one too; the `pause` before the second doubles from then on.
    `rest`: the longest `Retry-After` to obey."""

    connect: float
    silence: float
    whole: float
    attempts: int
    pause: float
    rest: float
    feed: float = 21_600.0


def read_retry_after(stated: str | None, now: float) -> float | None:
    """Parse `Retry-After`, seconds or a date (RFC 9110, 10.2.3), into seconds from `now`, at least 0. Return None if it
    is neither. `now`: seconds since 1970."""
    text = (stated or "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _LONGEST)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    # The form of asctime names no zone.
    until = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max(0.0, until.timestamp() - now), _LONGEST)
