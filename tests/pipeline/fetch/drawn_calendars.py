"""Calendars drawn by chance, as programs might write them: series with moved and cancelled dates, exceptions in every
notation, changes for all that follow, over the changes of clocks."""

import random
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from tests.pipeline.fetch.calendars import OUTLOOK_ZONE, wrap

WINDOWS = OUTLOOK_ZONE.format(name="Pacific Standard Time", more="", summer="-0700", winter="-0800")
METRO = "America/Los_Angeles"
ZONES = ("America/Los_Angeles", "America/New_York", "Europe/Madrid", "Asia/Kolkata", "Australia/Sydney", METRO)
RULES = (
    "FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY", "FREQ=WEEKLY;BYDAY=MO,WE,SA", "FREQ=WEEKLY;INTERVAL=2",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=SU", "FREQ=MONTHLY", "FREQ=MONTHLY;BYDAY=2TU", "FREQ=MONTHLY;BYDAY=-1FR",
    "FREQ=MONTHLY;BYMONTHDAY=1,15", "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=YEARLY", "FREQ=YEARLY;BYMONTH=9,11;BYDAY=1SU", "FREQ=YEARLY;BYYEARDAY=250,300", "FREQ=WEEKLY;BYDAY=FR",
)  # fmt: skip
END = datetime(2027, 12, 31)


class Draw:
    """One series, by a zone's clock or of whole days. None is in UTC: that it goes on by the metro's clock is our own
    ruling, which no library shares."""

    def __init__(self, chance: random.Random, uid: str) -> None:
        self.chance, self.uid = chance, uid
        self.kind = chance.choice(("zone", "zone", "windows", "floating", "days", "zone"))
        self.zone = {"zone": chance.choice(ZONES)}.get(self.kind, METRO)
        seed = datetime(2026, 5, 1) + timedelta(days=chance.randrange(200))
        clock = time() if self.kind == "days" else time(chance.randrange(24), chance.choice((0, 15, 30)))
        self.rule = chance.choice(RULES)
        # The first date is one of its rule's: where it is not, readers differ.
        begins = datetime.combine(seed, clock)
        self.dates = rrulestr(self.rule, dtstart=begins).between(begins, END, inc=True)
        self.starts = self.dates[0]
        self.end = self._draw_end()
        self.changed: set[datetime] = set()

    def write(self) -> str:
        lines = [f"DTSTART{self.show(self.starts)}", "DTSTAMP:20260501T000000Z", f"RRULE:{self.rule}{self.end}"]
        every = self.dates
        others = []
        if self.chance.random() < 0.1:
            lines.append(f"RRULE:{self.chance.choice(RULES)};COUNT={self.chance.randint(2, 9)}")
        for value in self.chance.sample(every[1:], min(len(every) - 1, self.chance.randrange(4))):
            lines.append(f"EXDATE{self.show_exception(value)}")
            self.changed.add(value)
        if len(every) > 9 and self.chance.random() < 0.2:
            self.changed |= {*every[6:9]}
            lines.append(f"EXDATE{self.show(every[6])}" + "".join(f",{self.show_value(value)}" for value in every[7:9]))
        if self.chance.random() < 0.2:
            lines.append(f"EXDATE{self.show_exception(every[0])}")
            self.changed.add(every[0])
        if self.chance.random() < 0.3:
            # Not by whole hours: of an EXDATE that reads as an RDATE does in UTC, the library leaves out both.
            added = every[0] + timedelta(days=self.chance.randrange(1, 90), minutes=0 if self.kind == "days" else 70)
            lines.append(f"RDATE{self.show(added)}")
        splits = self.chance.random() < 0.15 and len(every) > 3
        at = self.chance.choice(every[1:-1]) if splits else None
        for value in self.chance.sample(every, min(len(every), self.chance.randrange(3))):
            if value not in self.changed and (at is None or value < at):
                self.changed.add(value)
                others.append(self.change(value))
        if at is not None and at not in self.changed:
            moved = at + timedelta(days=self.chance.choice((0, 0, 1, 2)), hours=self.draw_hours())
            others.append(self.write_event(moved, f"RECURRENCE-ID;RANGE=THISANDFUTURE{self.show(at)}"))
        events = [self.wrap_event(lines), *others]
        if self.chance.random() < 0.3:
            events.reverse()
        return "\n".join(events)

    def change(self, start: datetime) -> str:
        named = f"RECURRENCE-ID{self.show_exact(start)}"
        if self.chance.random() < 0.4:
            return self.write_event(start, named, "STATUS:CANCELLED")
        return self.write_event(start + timedelta(days=self.chance.randrange(-3, 4), hours=self.draw_hours()), named)

    def draw_hours(self) -> int:
        return 0 if self.kind == "days" else self.chance.randrange(5)

    def write_event(self, starts: datetime, *lines: str) -> str:
        return self.wrap_event([f"DTSTART{self.show(starts)}", "DTSTAMP:20260501T000000Z", *lines])

    def wrap_event(self, lines: list[str]) -> str:
        return "\n".join(["BEGIN:VEVENT", f"UID:{self.uid}", f"SUMMARY:Series {self.uid}", *lines, "END:VEVENT"])

    def show(self, local: datetime) -> str:
        """Write a local time in the notation of calendars, with the parameters."""
        match self.kind:
            case "days":
                return f";VALUE=DATE:{local:%Y%m%d}"
            case "windows":
                return f';TZID="Pacific Standard Time":{local:%Y%m%dT%H%M%S}'
            case "zone":
                return f";TZID={self.zone}:{local:%Y%m%dT%H%M%S}"
        return f":{local:%Y%m%dT%H%M%S}"

    def show_value(self, local: datetime) -> str:
        return self.show(local).rpartition(":")[2]

    def show_exact(self, local: datetime) -> str:
        """The time as it is drawn, or in UTC."""
        if self.kind in ("days", "floating") or self.chance.random() < 0.5:
            return self.show(local)
        if self.chance.random() < 0.3:
            there = local.replace(tzinfo=ZoneInfo(self.zone)).astimezone(ZoneInfo("Asia/Tokyo"))
            return f";TZID=Asia/Tokyo:{there:%Y%m%dT%H%M%S}"
        return f":{local.replace(tzinfo=ZoneInfo(self.zone)).astimezone(UTC):%Y%m%dT%H%M%S}Z"

    def show_exception(self, local: datetime) -> str:
        """The time as it is drawn, or the day alone; of a midnight in UTC the library leaves out another one."""
        if local.replace(tzinfo=ZoneInfo(self.zone)).astimezone(UTC).time() == time():
            return self.show_exact(local)
        return f";VALUE=DATE:{local:%Y%m%d}" if self.chance.random() < 0.15 else self.show_exact(local)

    def _draw_end(self) -> str:
        kind = self.chance.choice(("count", "until", "none"))
        last = self.chance.randrange(min(len(self.dates), 60))
        if kind == "none":
            return ""
        self.dates = self.dates[: last + 1]
        if kind == "count":
            return f";COUNT={last + 1}"
        return f";UNTIL={self._write_until(self.dates[-1])}"

    def _write_until(self, last: datetime) -> str:
        if self.kind == "days":
            return f"{last:%Y%m%d}"
        if self.kind == "floating":
            return f"{last:%Y%m%dT%H%M%S}"
        instant = last.replace(tzinfo=ZoneInfo(self.zone)).astimezone(UTC)
        return f"{instant:%Y%m%dT%H%M%S}Z"


def draw_calendar(chance: random.Random, number: int) -> bytes:
    events = [Draw(chance, f"{number}-{value}").write() for value in range(chance.randint(1, 3))]
    return wrap(WINDOWS + "\n".join(events)).encode()
