"""Checks the length of a window of local dates."""

from datetime import date

from outings.contract.errors import bad_request

# `to` may be this many days after `from`.
LIST_DAYS_AFTER = 366
CALENDAR_DAYS_AFTER = 61
EXPANSION_DAYS_AFTER = 30


def check_window(start: date, end: date, *, most_days_after: int = LIST_DAYS_AFTER) -> None:
    """Raises `contradictory` if the window ends before it starts, and `window_too_long` if `end` is too far after
    `start`."""
    if end < start:
        raise bad_request(
            param="to", reason="contradictory", message=f"to ({end}) is before from ({start}).", min=start.isoformat()
        )
    if (end - start).days > most_days_after:
        raise bad_request(
            param="to",
            reason="window_too_long",
            message=f"to ({end}) is {(end - start).days} days after from ({start}); at most {most_days_after}.",
            max=most_days_after,
        )
