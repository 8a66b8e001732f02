"""Say in words when a listing is, what it costs, for whom it is and whether there are places left."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from outings.contract.vocabulary import WEEKDAYS
from outings.pages.settings import Words, format_date
from outings.texts.opening import list_open_minutes

Document = Mapping[str, Any]
# States of registration in which nobody can sign up.
_FULL = ("full", "closed", "waitlist")


class Offer(Struct, frozen=True, kw_only=True):
    """A section of a class or a session of a camp, in words. What it does not state is its listing's.

    Attributes:
        starts: its first day, empty if it is not stated; `ends`: its last.
        facts: price, ages and places left, as far as they are known.
        is_full: nobody can sign up.
    """

    name: str
    starts: str
    ends: str
    when: str
    price: str
    is_free: bool
    ages: str
    spots: str
    facts: tuple[str, ...]
    is_full: bool


def list_times(item: Document, words: Words) -> Iterator[str]:
    """Yield when the listing is, a line for each statement."""
    occurrence = item.get("occurrence") if item.get("is_recurring") else None
    match item["type"]:
        case "event":
            start = (occurrence or {}).get("next_starts_local") or item["starts_local"]
            if start:
                yield format_span(start, None if occurrence else item["ends_local"], words, has_time=item["has_time"])
            if item["recurrence_description"]:
                yield item["recurrence_description"]
            if occurrence and occurrence["remaining"]:
                yield words["more_dates"].format(count=occurrence["remaining"])
        case "class":
            schedule, term = item["schedule"], item["term"]
            yield from filter(None, [_tell_meeting(schedule, words)])
            yield from _format_term(term["starts_on"], term["ends_on"], words)
        case "camp":
            yield from _format_term(item["starts_on"], item["ends_on"], words)
            if _has_one_session(item):
                yield from filter(None, [_format_clocks(item["sessions"][0], words)])


def _has_one_session(camp: Document) -> bool:
    """Return True if the camp's only session says nothing that the camp doesn't say but its hours."""
    sessions = camp["sessions"]
    return len(sessions) == 1 and not (sessions[0]["name"] or sessions[0]["theme"])


def list_offers(item: Document, words: Words) -> list[Offer]:
    """Return the sections of a class or the sessions of a camp, also an only one."""
    if item["type"] == "class":
        return [
            _make_offer(
                item, part, words, name=part["name"], when=[_tell_meeting(part["schedule"], words)],
                term=part["term"] if any(part["term"].values()) else item["term"],
                price=_read_tuition(part["tuition"]),
            )
            for part in item["sections"]
        ]  # fmt: skip
    sessions = item["sessions"] if item["type"] == "camp" else ()
    return [
        _make_offer(
            item, part, words, name=part["name"] or part["theme"], when=[_format_clocks(part, words)], term=part,
            price=part["price"],
        )
        for part in sessions
    ]  # fmt: skip


def list_other_offers(item: Document, words: Words) -> list[Offer]:
    """Return the offers that say more than the listing itself."""
    return [] if item["type"] == "camp" and _has_one_session(item) else list_offers(item, words)


def _make_offer(
    item: Document, part: Document, words: Words, *, name: str | None, when: Sequence[str], term: Document,
    price: Document,
) -> Offer:  # fmt: skip
    is_priced = price.get("min") is not None or bool(price.get("is_free") or price.get("note"))
    price = price if is_priced else item.get("price") or {}
    ages = part["ages"] if part["ages"]["min"] is not None or part["ages"]["max"] is not None else item["ages"]
    registration = part["registration"]
    told = tell_price(price, words, has_note=is_priced), tell_for_ages(ages, words), tell_spots(registration, words)
    times = [*_format_term(term["starts_on"], term["ends_on"], words), *when]
    return Offer(
        name=name or "", starts=term["starts_on"] or "", ends=term["ends_on"] or "",
        when=" · ".join(filter(None, times)), price=tell_price(price, words, has_note=False),
        is_free=bool(price.get("is_free")), ages=told[1], spots=told[2],
        facts=tuple(filter(None, told)), is_full=is_full(registration),
    )  # fmt: skip


def choose_offer(offers: Sequence[Offer], today: date) -> Offer:
    """Return the offer that a row shows: one that is not over and has places left, the soonest."""
    day = today.isoformat()
    return min(
        offers,
        key=lambda offer: (bool(offer.ends) and offer.ends < day, offer.is_full, offer.starts < day, offer.starts),
    )


def _read_tuition(tuition: Document) -> Document:
    """Return the price of a section as a price of a listing."""
    amount = tuition["amount"]
    note = None if amount is not None else tuition["text"]
    return {"min": amount, "max": None, "is_free": amount == 0, "currency": tuition["currency"], "note": note}


def is_full(registration: Document) -> bool:
    """Return True if nobody can sign up."""
    if registration.get("status") in _FULL or registration.get("has_spots_available") is False:
        return True
    spots = registration.get("spots_remaining")
    return spots is not None and spots <= 0


def tell_price(price: Document | None, words: Words, *, has_note: bool = True) -> str:
    """Return the price in words, empty if it is not stated. `has_note`: with the note on a known price."""
    if not price:
        return ""
    note = f" ({price['note']})" if has_note and price.get("note") else ""
    if price["is_free"]:
        return words["free"] + note
    if price["min"] is None:
        return price.get("note") or ""
    bounds = [f"{bound:.2f}".removesuffix(".00") for bound in (price["min"], price["max"]) if bound is not None]
    form = "${}" if price.get("currency") in (None, "USD") else f"{{}} {price['currency']}"
    return " – ".join(dict.fromkeys(map(form.format, bounds))) + note


def tell_ages(ages: Document, words: Words) -> str:
    """Return the ages in words, empty if they are not stated."""
    low, high = ages["min"], ages["max"]
    if low is None and high is None:
        return ages.get("text") or ""
    form = "ages_from" if high is None else "ages_to" if low is None else "ages_one" if low == high else "ages"
    return words[form].format(min=low, max=high)


def tell_for_ages(ages: Document, words: Words) -> str:
    """Return the ages as they stand among other facts, empty if they are not stated."""
    text = tell_ages(ages, words)
    return words["for_ages"].format(ages=text) if text and text != ages.get("text") else text


def tell_spots(registration: Document, words: Words) -> str:
    """Say whether there are places left, empty if nobody knows."""
    remaining, status = registration.get("spots_remaining"), registration.get("status")
    if status in (*_FULL, "upcoming"):
        return words[f"status_{status}"]
    if remaining is not None:
        name = "spots_none" if remaining <= 0 else "spots_one" if remaining == 1 else "spots"
        return words[name].format(count=remaining)
    has_spots = registration.get("has_spots_available")
    return "" if has_spots is None else words["spots_some" if has_spots else "spots_none"]


def list_lines(item: Document) -> Iterator[str]:
    """Yield the place, the address and the neighborhood, each once."""
    place, location = item.get("place") or {}, item["location"] or {}
    lines = (place.get("name"), location.get("address"), location.get("neighborhood"))
    yield from dict.fromkeys(filter(None, lines))


def _tell_meeting(schedule: Document, words: Words) -> str:
    days = schedule["days"]
    names = words["every_day"] if len(days) == len(WEEKDAYS) else ", ".join(words[day] for day in days)
    return " · ".join(filter(None, (names, _format_clocks(schedule, words))))


def format_span(start: str, end: str | None, words: Words, *, has_time: bool) -> str:
    """Format a local date and time, with its end if there is one."""
    first = datetime.fromisoformat(start)
    text = format_day(first.date(), words)
    if not has_time:
        return text
    return f"{text}, {format_hours(start, end, words)}"


def format_hours(start: str, end: str | None, words: Words) -> str:
    """Format the time of day of a local date and time, and its end, with the date if that is another one."""
    text = _format_clock(start[11:], words)
    if not end or end <= start:
        return text
    day = f"{format_day(date.fromisoformat(end[:10]), words)}, " if end[:10] != start[:10] else ""
    return f"{text} – {day}{_format_clock(end[11:], words)}"


def format_day(day: date, words: Words) -> str:
    """Format a date with its day of the week."""
    return words["day"].format(weekday=words[WEEKDAYS[day.weekday()]], date=format_date(day, words))


def _format_term(start: str | None, end: str | None, words: Words) -> list[str]:
    if end and not start:
        return [words["until"].format(day=format_day(date.fromisoformat(end), words))]
    # The year that both days have is said once.
    forms = {start: words.replace({"year": end[:4]}) if start and end and start != end else words, end: words}
    days = [format_day(date.fromisoformat(day), form) for day, form in forms.items() if day]
    return [" – ".join(days)] if days else []


def _format_clocks(schedule: Document, words: Words) -> str:
    clocks = [_format_clock(schedule[name], words) for name in ("start_time", "end_time") if schedule.get(name)]
    return " – ".join(clocks)


def tell_hours(text: str, words: Words) -> str:
    """Return a day's opening hours in the page's style of clocks; as they are written if they state none, or say more
    than hours."""
    spans = list(list_open_minutes(text))
    if not spans or not re.fullmatch(r"[\d\s:.,;/&–-]*|(?:[\d\s:.,–-]|[ap]\.?m\.?)*", text, flags=re.IGNORECASE):
        return text
    clocks = [[f"{minute // 60 % 24:02}:{minute % 60:02}" for minute in span] for span in spans]
    return ", ".join(" – ".join(_format_clock(clock, words) for clock in span) for span in clocks)


def _format_clock(text: str, words: Words) -> str:
    hour, minute = int(text[:2]), text[3:5]
    if words["clock_hours"] == "24":
        return f"{hour}:{minute}"
    return f"{(hour + 11) % 12 + 1}:{minute}\N{NO-BREAK SPACE}{words['am' if hour < 12 else 'pm']}"
