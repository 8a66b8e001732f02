"""RRULE texts: without their ends, on other days of the week, two in one."""

from collections.abc import Sequence
from datetime import datetime

from pipeline.dates.rules import WEEKDAY_CODES

Parts = dict[str, str]

_ENDS = ("UNTIL", "COUNT")
_TIMES = ("BYHOUR", "BYMINUTE", "BYSECOND")
# Days by their numbers: on other days of the week they are others.
_NUMBERED = ("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH")


def list_endless(texts: Sequence[str], *, days: int) -> list[str]:
    """Candidate rules: each rule, and all of them joined if one rule can say them, moved by `days` weekdays. `UNTIL`,
    `COUNT` and times of the day are dropped. The texts must be readable."""
    every = [_split(text) for text in texts]
    joined = [_join(every)] if len(every) > 1 else []
    shifted = [_shift(parts, days) for parts in (*joined, *every) if parts is not None]
    return list(dict.fromkeys(_write(parts) for parts in shifted if parts is not None))


def end_rule(text: str, last: datetime, *, is_days: bool) -> str:
    return f"{text};UNTIL={last:%Y%m%d}" if is_days else f"{text};UNTIL={last:%Y%m%dT%H%M%S}"


def _split(text: str) -> Parts:
    """Of a readable text."""
    body = text.upper().removeprefix("RRULE:").strip(" ;")
    pairs = (part.partition("=") for part in body.split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip() not in (*_ENDS, *_TIMES)}


def _write(parts: Parts) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _join(every: Sequence[Parts]) -> Parts | None:
    """Rules that differ in one list are one rule of both lists: BYDAY=MO and BYDAY=WE. None where they differ more."""
    first = every[0]
    differing = {name for parts in every for name in {*first, *parts} if parts.get(name) != first.get(name)}
    name = next(iter(differing), "")
    if len(differing) != 1 or not name.startswith("BY") or not all(name in parts for parts in every):
        return None
    words = dict.fromkeys(word for parts in every for word in parts[name].split(","))
    return first | {name: ",".join(words)}


def _shift(parts: Parts, days: int) -> Parts | None:
    """None where no rule says it: the day after the second Tuesday is not the second Wednesday."""
    frequency = parts["FREQ"]
    if days == 0 or (frequency == "DAILY" and parts.keys() <= {"FREQ", "INTERVAL", "WKST"}):
        return parts
    if frequency not in ("DAILY", "WEEKLY") or any(name in parts for name in _NUMBERED):
        return None
    # Where a week begins says nothing of a rule that takes every week whole.
    counts = frequency == "WEEKLY" and parts.keys() & {"INTERVAL", "BYSETPOS", "WKST"}
    shifted = parts | ({"WKST": parts.get("WKST", "MO")} if counts else {})
    for name in ("BYDAY", "WKST"):
        if name in shifted:
            shifted[name] = ",".join(_shift_weekday(code.strip(), days) for code in shifted[name].split(","))
    return shifted


def _shift_weekday(code: str, days: int) -> str:
    return WEEKDAY_CODES[(WEEKDAY_CODES.index(code) + days) % 7]
