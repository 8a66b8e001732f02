"""The table of texts: what people write, and what a person reads."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

from outings.texts.age_phrases import AgeSpan
from outings.texts.ages import read_ages
from outings.texts.amounts import Amount, read_amount
from outings.texts.days import Days, read_days
from outings.texts.hours import Hours, read_hours

TODAY = date(2026, 11, 28)


class Text(NamedTuple):
    kind: str
    language: str
    text: str
    answer: str


def list_unseen(*kinds: str) -> Iterator[Text]:
    """Yield texts that somebody collected who did not know the readers. No reader is tuned to them."""
    return list_texts(*kinds, file="unseen.tsv")


def list_texts(*kinds: str, file: str = "texts.tsv") -> Iterator[Text]:
    for line in Path(__file__).with_name(file).read_text().splitlines():
        if not line.startswith("#") and (text := Text(*line.split("\t"))).kind in (kinds or (text.kind,)):
            yield text


def write_ages(ages: AgeSpan | None) -> str:
    if ages is None or ages[:2] == (None, None):
        return "?" if ages is None else "all"
    return f"{ages.min}+" if ages.max is None else f"{ages.min}-{ages.max}"


def write_amount(amount: Amount | None) -> str:
    if amount is None or amount.kind in ("paid", "donation"):
        return "?" if amount is None else amount.kind
    return write_bounds(amount.min, amount.max)


def write_bounds(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "?"
    if high == 0:
        return "free"
    if low is None or high is None:
        return f"-{high:g}" if low is None else f"{low:g}+"
    return f"{low:g}" if low == high else f"{low:g}-{high:g}"


def write_hours(hours: Hours | None) -> str:
    if hours is None:
        return "?"
    ends = "" if hours.ends is None else f"-{hours.ends:%H:%M}"
    return " ".join([*hours.weekdays, f"{hours.begins:%H:%M}{ends}"])


def write_days(days: Days | None) -> str:
    if days is None or days.first is None:
        return "?" if days is None else " ".join(days.weekdays)
    span = days.first.isoformat() + ("" if days.last is None else f"..{days.last}")
    return " ".join([*days.weekdays, span])


def read(kind: str, text: str, language: str | None) -> str:
    if kind == "ages":
        return write_ages(read_ages(text, language))
    if kind == "amounts":
        return write_amount(read_amount(text, language))
    if kind == "hours":
        return write_hours(read_hours(text, language))
    return write_days(read_days(text, language, today=TODAY))
