"""Calendars as software writes them, each with the instants (UTC) that a reader of it should find, worked out by hand.

Seattle is 7 hours behind UTC from 8 March to 1 November 2026, 8 hours else.
"""

from typing import NamedTuple

from outings.configuration import FeedTable
from outings.contract.vocabulary import Vocabulary
from pipeline.fetch.formats import FeedSetting, RawRecord
from pipeline.fetch.ics import read_calendar


class Odd(NamedTuple):
    """`body`: what stands between BEGIN and END of the calendar. `starts`: by source_id, its starts ("MM-DD HH:MM" of
    2026, or with the year), with "/HH:MM" where the first one ends. `refused`: source_ids of the quarantine.
    """

    title: str
    body: str
    starts: dict[str, list[str]]
    refused: tuple[str | None, ...] = ()


def event(*lines: str, uid: str = "u") -> str:
    return "\n".join(["BEGIN:VEVENT", f"UID:{uid}", "SUMMARY:Story time", *lines, "END:VEVENT"])


def wrap(body: str) -> str:
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{body}\nEND:VCALENDAR\n".replace("\n", "\r\n")


def read_raw(content: bytes, timezone: str) -> list[RawRecord]:
    feed = FeedTable(name="calendar", format="ics", url="calendar.ics")
    return read_calendar(content, FeedSetting(feed=feed, timezone=timezone, vocabulary=Vocabulary()))


OUTLOOK_ZONE = """BEGIN:VTIMEZONE
TZID:{name}
{more}BEGIN:STANDARD
DTSTART:16010101T020000
TZOFFSETFROM:{summer}
TZOFFSETTO:{winter}
RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:{winter}
TZOFFSETTO:{summer}
RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
"""
CUSTOM = OUTLOOK_ZONE.format(name="Customized Time Zone", more="", summer="-0700", winter="-0800")
EACH_SECOND = """BEGIN:VTIMEZONE
TZID:X
BEGIN:STANDARD
DTSTART:16010101T020000
TZOFFSETFROM:-0515
TZOFFSETTO:-0615
RRULE:FREQ={rule}
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020001
TZOFFSETFROM:-0615
TZOFFSETTO:-0515
RRULE:FREQ={rule}
END:DAYLIGHT
END:VTIMEZONE
"""

ODD_OFFSET = OUTLOOK_ZONE.format(name="Island", more="", summer="-0615", winter="-0715")
LIC = OUTLOOK_ZONE.format(name="tz-7", more="X-LIC-LOCATION:America/New_York\n", summer="-0400", winter="-0500")
MENU = r"""BEGIN:VTIMEZONE
TZID:(UTC+01:00) Amsterdam\, Berlin\, Bern
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
"""
ATHENS = (
    MENU.replace("+0200", "+0300")
    .replace("+0100", "+0200")
    .replace(r"(UTC+01:00) Amsterdam\, Berlin\, Bern", r"(UTC+02:00) Athens\, Bucharest\, Istanbul")
)
LOTUS = """BEGIN:VTIMEZONE
TZID:X
BEGIN:STANDARD
DTSTART:19501029T020000
TZOFFSETFROM:-0515
TZOFFSETTO:-0615
RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19500402T020000
TZOFFSETFROM:-0615
TZOFFSETTO:-0515
RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=1SU;BYMONTH=4
END:DAYLIGHT
END:VTIMEZONE
"""
FIXED = """BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T000000
TZOFFSETFROM:{offset}
TZOFFSETTO:{offset}
END:STANDARD
END:VTIMEZONE
"""
TIMES = [
    Odd("plain", event("DTSTART;TZID=America/Los_Angeles:20260811T090000"), {"u": ["08-11 16:00"]}),
    Odd("floating", event("DTSTART:20260811T090000", "DTEND:20260811T103000"), {"u": ["08-11 16:00/17:30"]}),
    Odd("Google: single events in UTC", event("DTSTART:20260811T160000Z", "DTEND:20260811T170000Z"),
        {"u": ["08-11 16:00/17:00"]}),
    Odd("UTC in the hour that clocks show twice", event("DTSTART:20261101T093000Z"), {"u": ["11-01 09:30"]}),
    Odd("UTC in the hour before it", event("DTSTART:20261101T083000Z"), {"u": ["11-01 08:30"]}),
    Odd("TZID=UTC", event("DTSTART;TZID=UTC:20260811T160000"), {"u": ["08-11 16:00"]}),
    Odd("Outlook: a Windows name", event("DTSTART;TZID=Eastern Standard Time:20260811T120000"), {"u": ["08-11 16:00"]}),
    Odd("Outlook: a Windows name in quotes", event('DTSTART;TZID="Pacific Standard Time":20260111T090000'),
        {"u": ["01-11 17:00"]}),
    Odd("Exchange: a menu's name with a colon",
        event("DTSTART;TZID=(UTC-08:00) Pacific Time (US & Canada):20260811T090000"), {"u": ["08-11 16:00"]}),
    Odd("Exchange: the same in quotes",
        event('DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20260811T120000'), {"u": ["08-11 16:00"]}),
    Odd("a zone of 1993", event("DTSTART;TZID=US/Pacific:20260811T090000"), {"u": ["08-11 16:00"]}),
    Odd("Mozilla: a zone behind a path", event("DTSTART;TZID=/mozilla.org/20070129_1/America/New_York:20260811T120000"),
        {"u": ["08-11 16:00"]}),
    Odd("Exchange: a custom zone as the metro's", CUSTOM + event("DTSTART;TZID=Customized Time Zone:20260811T090000"),
        {"u": ["08-11 16:00"]}),
    Odd("a custom zone as no other", ODD_OFFSET + event("DTSTART;TZID=Island:20260811T090000"), {"u": ["08-11 15:15"]}),
    *(
        Odd(f"a VTIMEZONE without bounds: {rule}", EACH_SECOND.format(rule=rule)
            + event("DTSTART;TZID=X:20260811T090000") + "\n" + event("DTSTART:20260811T090000", uid="v"),
            {"v": ["08-11 16:00"]}, ("u",))
        for rule in ("SECONDLY", "DAILY", "YEARLY;BYHOUR=1,2", "YEARLY;FREQ=SECONDLY", "YEARLY\nRRULE:FREQ=DAILY")
    ),
    Odd("a VTIMEZONE of too many lines", EACH_SECOND.format(rule="YEARLY" + "\nRDATE:20260101T000000" * 3_000)
        + event("DTSTART;TZID=X:20260811T090000"), {}, ("u",)),
    Odd("X-LIC-LOCATION names the zone", LIC + event("DTSTART;TZID=tz-7:20260811T120000"), {"u": ["08-11 16:00"]}),
    Odd("zones after the events", event("DTSTART;TZID=tz-7:20260811T120000") + "\n" + LIC, {"u": ["08-11 16:00"]}),
    Odd("an offset as a zone", event("DTSTART;TZID=GMT-0500:20260811T110000"), {"u": ["08-11 16:00"]}),
    Odd("a zone in lower case", event("DTSTART;TZID=America/los_angeles:20260811T090000"), {"u": ["08-11 16:00"]}),
    Odd("a zone with a space", event("DTSTART;TZID=America/New York:20260811T120000"), {"u": ["08-11 16:00"]}),
    Odd("Exchange: a menu's name with and for &",
        event('DTSTART;TZID="(UTC-05:00) Eastern Time (US and Canada)":20260811T120000'), {"u": ["08-11 16:00"]}),
    Odd("Exchange 2007: two names of a menu, in quotes",
        event('DTSTART;TZID="(GMT-08:00) Pacific Time (US & Canada); Tijuana":20260811T090000'),
        {"u": ["08-11 16:00"]}),
    Odd("Exchange 2007: two names of a menu, without quotes",
        event("DTSTART;TZID=(GMT-08:00) Pacific Time (US & Canada); Tijuana:20260811T090000"), {"u": ["08-11 16:00"]}),
    Odd("Lotus: a dot in the offset", event('DTSTART;TZID="(GMT-05.00) Eastern Time (US & Canada)":20260811T120000'),
        {"u": ["08-11 16:00"]}),
    Odd("a menu's cities", event('DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna":'
        "20260811T180000"), {"u": ["08-11 16:00"]}),
    Odd("a menu's cities, of which the first has another offset",
        event('DTSTART;TZID="(UTC-07:00) Chihuahua, La Paz, Mazatlan":20260811T090000'), {"u": ["08-11 16:00"]}),
    Odd("Exchange: commas escaped, as its VTIMEZONE has them", MENU + event(
        r"DTSTART;TZID=(UTC+01:00) Amsterdam\, Berlin\, Bern:20260811T180000"), {"u": ["08-11 16:00"]}),
    Odd("Exchange: commas in quotes, escaped in its VTIMEZONE", MENU + event(
        'DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin, Bern":20260811T180000'), {"u": ["08-11 16:00"]}),
    Odd("what the metro's clock is called", event("DTSTART;TZID=PST:20260811T090000"), {"u": ["08-11 16:00"]}),
    Odd("a zone as it is spoken of", event("DTSTART;TZID=Eastern Daylight Time:20260811T120000"),
        {"u": ["08-11 16:00"]}),
    Odd("Microsoft's UTC", event("DTSTART;TZID=tzone://Microsoft/Utc:20260811T160000"), {"u": ["08-11 16:00"]}),
    Odd("UTC as menus call it", event('DTSTART;TZID="(UTC) Coordinated Universal Time":20260811T160000'),
        {"u": ["08-11 16:00"]}),
    Odd("an offset alone", event('DTSTART;TZID="-05:00":20260811T110000'), {"u": ["08-11 16:00"]}),
    Odd("a zone that is none", event("DTSTART;TZID=Seattle Time:20260811T090000"), {}, ("u",)),
    Odd("its VTIMEZONE broken", "BEGIN:VTIMEZONE\nTZID:X\nBEGIN:STANDARD\nTZOFFSETTO:x\nEND:STANDARD\nEND:VTIMEZONE\n"
        + event("DTSTART;TZID=X:20260811T090000"), {}, ("u",)),
    Odd("an end in another zone", event("DTSTART;TZID=America/Los_Angeles:20260811T090000",
        "DTEND;TZID=America/New_York:20260811T130000"), {"u": ["08-11 16:00/17:00"]}),
    Odd("DURATION", event("DTSTART:20260811T090000", "DURATION:PT1H30M"), {"u": ["08-11 16:00/17:30"]}),
    Odd("DURATION over the change of clocks", event("DTSTART:20261031T230000", "DURATION:PT4H30M"),
        {"u": ["11-01 06:00/10:30"]}),
    *(
        Odd(f"a wrong end: {line}", event("DTSTART:20260811T090000", line), {"u": ["08-11 16:00"]})
        for line in ("DURATION:1 hour", "DURATION:P", "DURATION:P1H", "DURATION:P999999W", "DTEND:20260811T2000000Z",
            "DTEND;TZID=Nowhere:20260811T100000", "DTEND:soon")
    ),
    Odd("a day with a wrong end", event("DTSTART;VALUE=DATE:20260811", "DTEND;VALUE=DATE:20260230"),
        {"u": ["08-11 07:00/08-12 07:00"]}),
    Odd("an end without a zone", event("DTSTART;TZID=America/New_York:20260811T120000", "DTEND:20260811T130000"),
        {"u": ["08-11 16:00/17:00"]}),
    Odd("an end without a zone, of a start in UTC", event("DTSTART:20260811T160000Z", "DTEND:20260811T170000"),
        {"u": ["08-11 16:00/17:00"]}),
    Odd("no DTSTART", event(), {}, ("u",)),
    Odd("an empty DTSTART", event("DTSTART:"), {}, ("u",)),
    Odd("DTSTART of year 1", event("DTSTART:00010101T000000Z"), {}, ("u",)),
    Odd("30 February", event("DTSTART;VALUE=DATE:20260230"), {}, ("u",)),
    Odd("a time with dashes", event("DTSTART:2026-08-11T09:00:00"), {"u": ["08-11 16:00"]}),
    Odd("Google: the TZID beside a Z wins", event("DTSTART;TZID=America/New_York:20260811T170000Z",
        "DTEND;TZID=America/New_York:20260811T180000Z"), {"u": ["08-11 21:00/22:00"]}),
    Odd("an unknown TZID beside a Z", event("DTSTART;TZID=Nowhere:20260811T160000Z"), {"u": ["08-11 16:00"]}),
    Odd("US-Eastern", event("DTSTART;TZID=US-Eastern:20260811T120000"), {"u": ["08-11 16:00"]}),
    Odd("Lotus Notes: BYHOUR repeats the start of a VTIMEZONE's rules", LOTUS
        + event("DTSTART;TZID=X:20260811T090000") + "\n" + event("DTSTART;TZID=X:20261211T090000", uid="v"),
        {"u": ["08-11 14:15"], "v": ["12-11 15:15"]}),
    Odd("an end without a zone is by the start's", event("DTSTART;TZID=America/New_York:20260811T120000",
        "DTEND:20260811T130000"), {"u": ["08-11 16:00/17:00"]}),
    Odd("in the gap of the clocks", event("DTSTART;TZID=America/Los_Angeles:20260308T023000"), {"u": ["03-08 10:30"]}),
    Odd("twice on the clock: the first", event("DTSTART;TZID=America/Los_Angeles:20261101T013000"),
        {"u": ["11-01 08:30"]}),
]  # fmt: skip

DAYS = [
    Odd("a day", event("DTSTART;VALUE=DATE:20260811"), {"u": ["08-11 07:00/08-12 07:00"]}),
    Odd("two days, the end not one of them", event("DTSTART;VALUE=DATE:20260811", "DTEND;VALUE=DATE:20260813"),
        {"u": ["08-11 07:00/08-13 07:00"]}),
    Odd("a day that ends before it begins to", event("DTSTART;VALUE=DATE:20260811", "DTEND;VALUE=DATE:20260811"),
        {"u": ["08-11 07:00"]}),
    Odd("a day without VALUE", event("DTSTART:20260811", "DURATION:P2D"), {"u": ["08-11 07:00/08-13 07:00"]}),
    Odd("Outlook: a whole day by midnights", event("DTSTART:20260811T000000", "DTEND:20260812T000000",
        "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE"), {"u": ["08-11 07:00/08-12 07:00"]}),
    Odd("days that recur", event("DTSTART;VALUE=DATE:20260811", "RRULE:FREQ=WEEKLY;COUNT=3",
        "EXDATE;VALUE=DATE:20260818"), {"u": ["08-11 07:00/08-12 07:00", "08-25 07:00"]}),
]  # fmt: skip

LA = ";TZID=America/Los_Angeles:"
SERIES = [
    Odd("Outlook: a zone by the first city of a menu's entry, whatever its VTIMEZONE", ATHENS + event(
        'DTSTART;TZID="(UTC+02:00) Athens, Bucharest, Istanbul":20140121T120000',
        "RRULE:FREQ=WEEKLY;INTERVAL=4;UNTIL=20260218T000000Z"), {"u": ["01-06 10:00", "02-03 10:00"]}),
    *(
        Odd(f"an offset for ever, {offset} in {year}", FIXED.format(offset=offset)
            + event(f"DTSTART;TZID=Customized Time Zone:{year}0121T120000",
                "RRULE:FREQ=YEARLY;BYMONTH=1,7;UNTIL=20261231T000000Z"),
            {"u": [f"01-21 {hour}:00", f"07-21 {hour}:00"]})
        for year, offset, hour in (
            (2008, "+0300", "09"), (2012, "+0200", "10"), (2005, "-0400", "16"), (2016, "+0800", "04"),
        )
    ),
    Odd("over the change of clocks", event(f"DTSTART{LA}20261027T090000", "RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=TU"),
        {"u": ["10-27 16:00", "11-03 17:00", "11-10 17:00"]}),
    Odd("Google: UNTIL in UTC", event(f"DTSTART{LA}20260811T190000",
        "RRULE:FREQ=WEEKLY;UNTIL=20260819T065959Z;BYDAY=TU"),
        {"u": ["08-12 02:00", "08-19 02:00"]}),
    Odd("EXDATE lists and lines", event(f"DTSTART{LA}20260801T090000", "RRULE:FREQ=DAILY;COUNT=6",
        f"EXDATE{LA}20260802T090000,20260803T090000", "EXDATE:20260804T160000Z", "EXDATE;VALUE=DATE:20260805"),
        {"u": ["08-01 16:00", "08-06 16:00"]}),
    Odd("RDATE of periods and of UTC", event(f"DTSTART{LA}20260801T090000", "DURATION:PT1H",
        "RDATE;VALUE=PERIOD:20260803T160000Z/20260803T170000Z", f"RDATE{LA}20260805T100000"),
        {"u": ["08-01 16:00/17:00", "08-03 16:00", "08-05 17:00"]}),
    Odd("a period of another length", event(f"DTSTART{LA}20260801T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2",
        f"RDATE;VALUE=PERIOD{LA}20260803T090000/PT3H,20260804T090000/20260804T113000,20260805T090000/PT1H"),
        {"u": ["08-01 16:00/17:00", "08-02 16:00", "08-05 16:00"], "u/20260803T090000": ["08-03 16:00/19:00"],
         "u/20260804T090000": ["08-04 16:00/18:30"]}),
    Odd("a period of another length, of a date that moved", event(f"DTSTART{LA}20260801T090000", "DURATION:PT1H",
        "RDATE;VALUE=PERIOD:20260803T160000Z/PT3H") + "\n"
        + event(f"DTSTART{LA}20260803T120000", f"RECURRENCE-ID{LA}20260803T090000"),
        {"u": ["08-01 16:00"], "u/20260803T090000": ["08-03 19:00"]}),
    Odd("a period that is none", event(f"DTSTART{LA}20260801T090000", "DURATION:PT1H",
        f"RDATE;VALUE=PERIOD{LA}20260803T090000/long,20260804T090000/20260804T080000"),
        {"u": ["08-01 16:00", "08-03 16:00", "08-04 16:00"]}),
    Odd("a rule of its own, but no series beside it", event("RECURRENCE-ID:19700102T010000Z",
        f"DTSTART{LA}20260802T090000", "RRULE:FREQ=WEEKLY;COUNT=3") + "\n"
        + event(f"DTSTART{LA}20260809T110000", f"RECURRENCE-ID{LA}20260809T090000"),
        {"u/19700101T170000": ["08-02 16:00", "08-16 16:00"], "u/20260809T090000": ["08-09 18:00"]}),
    Odd("the same part of a rule twice", event(f"DTSTART{LA}20260801T090000", "RRULE:FREQ=DAILY;COUNT=2;FREQ=DAILY"),
        {"u": ["08-01 16:00", "08-02 16:00"]}),
    Odd("a date moved", event(f"DTSTART{LA}20260801T090000", "RRULE:FREQ=DAILY;COUNT=3") + "\n"
        + event(f"DTSTART{LA}20260802T140000", f"RECURRENCE-ID{LA}20260802T090000"),
        {"u": ["08-01 16:00", "08-03 16:00"], "u/20260802T090000": ["08-02 21:00"]}),
    Odd("Google: a date named in UTC, before its series",
        event("DTSTART:20260802T210000Z", "RECURRENCE-ID:20260802T160000Z") + "\n"
        + event(f"DTSTART{LA}20260801T090000", "RRULE:FREQ=DAILY;COUNT=3"),
        {"u": ["08-01 16:00", "08-03 16:00"], "u/20260802T090000": ["08-02 21:00"]}),
    Odd("a date without its series", event(f"DTSTART{LA}20260802T140000", f"RECURRENCE-ID{LA}20260802T090000"),
        {"u/20260802T090000": ["08-02 21:00"]}),
    Odd("a date moved to a time that can't be read", event(f"DTSTART{LA}20260801T090000", "RRULE:FREQ=DAILY;COUNT=3")
        + "\n" + event("DTSTART:soon", "RECURRENCE-ID:20260802T160000Z"),
        {"u": ["08-01 16:00", "08-03 16:00"]}, ("u/20260802T090000",)),
    Odd("a day moved", event("DTSTART;VALUE=DATE:20260801", "RRULE:FREQ=DAILY;COUNT=3") + "\n"
        + event("DTSTART;VALUE=DATE:20260809", "RECURRENCE-ID;VALUE=DATE:20260802"),
        {"u": ["08-01 07:00", "08-03 07:00"], "u/20260802": ["08-09 07:00"]}),
    Odd("in UTC, with an end: by the metro's clock", event(
        "DTSTART:20261028T020000Z", "RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=WE",
        "EXDATE:20261104T020000Z"), {"u": ["10-28 02:00", "11-11 03:00"]}),
    Odd("in UTC, its first date left out", event("DTSTART:20260805T020000Z", "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE:20260805T020000Z"), {"u": ["08-06 02:00", "08-07 02:00"]}),
    Odd("a rule that can't be read: its first date", event("DTSTART:20260801T090000", "RRULE:FREQ=NEVER"),
        {"u": ["08-01 16:00"]}),
    Odd("a date added in the first hour of 1900, which is of 1899 here", event("DTSTART:20260801T090000",
        "RDATE:19000101T000000Z,20260802T160000Z"), {"u": ["08-01 16:00", "08-02 16:00"]}),
    Odd("in UTC, for six centuries", event("DTSTART:20260801T160000Z", "RRULE:FREQ=YEARLY;COUNT=600"),
        {"u": ["08-01 16:00", "08-01 16:00"]}),
    Odd("a rule with its marks escaped", event("DTSTART:20260801T090000", r"RRULE:FREQ=WEEKLY\;COUNT=2\;BYDAY=SA\,SU"),
        {"u": ["08-01 16:00", "08-02 16:00"]}),
    Odd("a rule in lower case with spaces", event("DTSTART:20260801T090000", "RRULE:freq=daily; count=2"),
        {"u": ["08-01 16:00", "08-02 16:00"]}),
]  # fmt: skip

FILES = [
    Odd("an alarm's own lines", event("DTSTART:20260811T090000", "BEGIN:VALARM", "SUMMARY:No", "DURATION:PT15M",
        "END:VALARM"), {"u": ["08-11 16:00"]}),
    Odd("an event not closed", event("DTSTART:20260811T090000", uid="a").removesuffix("END:VEVENT")
        + event("DTSTART:20260811T090000", uid="b").removesuffix("END:VEVENT"),
        {"a": ["08-11 16:00"], "b": ["08-11 16:00"]}),
    Odd("one event twice", event("DTSTART:20260811T090000") + "\n" + event("DTSTART:20260811T090000"),
        {"u": ["08-11 16:00"]}),
    Odd("the version that was last modified", event("DTSTART:20260811T100000", "LAST-MODIFIED:20260702T000000Z") + "\n"
        + event("DTSTART:20260811T090000", "LAST-MODIFIED:20260701T000000Z"), {"u": ["08-11 17:00"]}),
    Odd("names in lower case", "begin:vevent\nuid:u\nsummary:x\ndtstart;value=date-time:20260811t090000\nend:vevent",
        {"u": ["08-11 16:00"]}),
    Odd("tasks and journals", "BEGIN:VTODO\nUID:t\nDTSTART:20260811T090000\nEND:VTODO", {}),
    Odd("a line that is none, after a time", event("DTSTART:20260811T090000", "SUMMARY=Story time"),
        {"u": ["08-11 16:00"]}),
    Odd("a line end not escaped", event("DESCRIPTION:One", "two", "DTSTART:20260811T090000"), {"u": ["08-11 16:00"]}),
    Odd("the version with the highest SEQUENCE", event("SEQUENCE:2", "DTSTART:20260811T100000") + "\n"
        + event("SEQUENCE:1", "DTSTART:20260811T090000"), {"u": ["08-11 17:00"]}),
    Odd("no name", "BEGIN:VEVENT\nUID:u\nDTSTART:20260811T090000\nEND:VEVENT", {}, ("u",)),
    Odd("two calendars in one file", event("DTSTART:20260811T090000") + "\nEND:VCALENDAR\nBEGIN:VCALENDAR\n"
        + event("DTSTART:20260811T090000", uid="v"), {"u": ["08-11 16:00"], "v": ["08-11 16:00"]}),
]  # fmt: skip

DAILY = event(f"DTSTART{LA}20260801T090000", "RRULE:FREQ=DAILY;COUNT=4")
AFTER = f"RECURRENCE-ID;RANGE=THISANDFUTURE{LA}"
SPLIT_AND_MOVED = (event(f"DTSTART{LA}20260802T140000", f"{AFTER}20260802T090000"),
    event(f"DTSTART{LA}20260802T200000", f"RECURRENCE-ID{LA}20260802T090000"))  # fmt: skip
SPLITS = [
    Odd("this and all that follow, at another time",
        DAILY + "\n" + event(f"DTSTART{LA}20260803T140000", f"{AFTER}20260803T090000"),
        {"u": ["08-01 16:00", "08-02 16:00"], "u/20260803T090000": ["08-03 21:00", "08-04 21:00"]}),
    Odd("all of it, at another time", DAILY + "\n" + event(f"DTSTART{LA}20260801T140000", f"{AFTER}20260801T090000"),
        {"u": [], "u/20260801T090000": ["08-01 21:00", "08-02 21:00", "08-03 21:00", "08-04 21:00"]}),
    Odd("twice", event(f"DTSTART{LA}20260804T080000", f"{AFTER}20260804T090000") + "\n" + DAILY + "\n"
        + event(f"DTSTART{LA}20260802T140000", f"{AFTER}20260802T090000"),
        {"u": ["08-01 16:00"], "u/20260802T090000": ["08-02 21:00", "08-03 21:00"],
         "u/20260804T090000": ["08-04 15:00"]}),
    Odd("and one date after it moved, named by when it was to be",
        DAILY + "\n" + event(f"DTSTART{LA}20260802T140000", f"{AFTER}20260802T090000") + "\n"
        + event(f"DTSTART{LA}20260803T200000", f"RECURRENCE-ID{LA}20260803T090000"),
        {"u": ["08-01 16:00"], "u/20260802T090000": ["08-02 21:00", "08-04 21:00"],
         "u/20260803T090000": ["08-04 03:00"]}),
    Odd("and one date after it moved, named by when it is now",
        DAILY + "\n" + event(f"DTSTART{LA}20260802T140000", f"{AFTER}20260802T090000") + "\n"
        + event(f"DTSTART{LA}20260803T200000", f"RECURRENCE-ID{LA}20260803T140000"),
        {"u": ["08-01 16:00"], "u/20260802T090000": ["08-02 21:00", "08-04 21:00"],
         "u/20260803T140000": ["08-04 03:00"]}),
    Odd("on another day of the week", event(f"DTSTART{LA}20260804T090000", "RRULE:FREQ=WEEKLY;BYDAY=TU,SU;COUNT=6",
        f"EXDATE{LA}20260816T090000") + "\n" + event(f"DTSTART{LA}20260812T090000", f"{AFTER}20260811T090000"),
        {"u": ["08-04 16:00", "08-09 16:00"], "u/20260811T090000": ["08-12 16:00", "08-19 16:00", "08-24 16:00"]}),
    Odd("days after the second Tuesday", event(f"DTSTART{LA}20260811T090000", "RRULE:FREQ=MONTHLY;BYDAY=2TU;COUNT=4")
        + "\n" + event(f"DTSTART{LA}20260910T090000", f"{AFTER}20260908T090000"),
        {"u": ["08-11 16:00"], "u/20260908T090000": ["09-10 16:00", "10-15 16:00", "11-12 17:00"]}),
    Odd("by a rule of its own", DAILY + "\n"
        + event(f"DTSTART{LA}20260803T140000", f"{AFTER}20260803T090000", "RRULE:FREQ=WEEKLY;COUNT=2"),
        {"u": ["08-01 16:00", "08-02 16:00"], "u/20260803T090000": ["08-03 21:00", "08-10 21:00"]}),
    Odd("of days", event("DTSTART;VALUE=DATE:20260801", "RRULE:FREQ=DAILY;COUNT=3") + "\n"
        + event("DTSTART;VALUE=DATE:20260812", "RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260802"),
        {"u": ["08-01 07:00"], "u/20260802": ["08-12 07:00", "08-13 07:00"]}),
    Odd("in UTC", event("DTSTART:20260801T160000Z", "RRULE:FREQ=DAILY;COUNT=4") + "\n"
        + event("DTSTART:20260803T210000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260803T160000Z"),
        {"u": ["08-01 16:00", "08-02 16:00"], "u/20260803T160000": ["08-03 21:00", "08-04 21:00"]}),
    Odd("in UTC, over the change of clocks", event("DTSTART:20261030T160000Z", "RRULE:FREQ=DAILY;COUNT=4") + "\n"
        + event("DTSTART:20261031T210000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261031T160000Z"),
        {"u": ["10-30 16:00"], "u/20261031T160000": ["10-31 21:00", "11-01 22:00", "11-02 22:00"]}),
    *(
        Odd(f"and that date moved by itself, {order}", "\n".join((DAILY, *entries)),
            {"u": ["08-01 16:00"], "u/20260802T090000": ["08-03 03:00"],
             "u/20260802T090000/later": ["08-03 21:00", "08-04 21:00"]})
        for order, entries in (("after it", SPLIT_AND_MOVED), ("before it", SPLIT_AND_MOVED[::-1]))
    ),
    Odd("without its series", event(f"DTSTART{LA}20260803T140000", f"{AFTER}20260803T090000"),
        {"u/20260803T090000": ["08-03 21:00"]}),
]  # fmt: skip

WRITTEN = [
    Odd("a day left out in UTC", event("DTSTART;VALUE=DATE:20260811", "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE:20260812T000000Z"), {"u": ["08-11 07:00", "08-13 07:00"]}),
    Odd("a day left out by its midnight in UTC", event("DTSTART;VALUE=DATE:20260811", "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE:20260812T070000Z"), {"u": ["08-11 07:00", "08-13 07:00"]}),
    Odd("a day left out in another zone", event("DTSTART;VALUE=DATE:20260811", "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE;TZID=Europe/Madrid:20260812T000000"), {"u": ["08-11 07:00", "08-13 07:00"]}),
    Odd("days that end in UTC", event("DTSTART;VALUE=DATE:20260811", "RRULE:FREQ=DAILY;UNTIL=20260813T000000Z"),
        {"u": ["08-11 07:00", "08-12 07:00", "08-13 07:00"]}),
    Odd("a day moved, named in UTC", event("DTSTART;VALUE=DATE:20260811", "RRULE:FREQ=DAILY;COUNT=3") + "\n"
        + event("DTSTART;VALUE=DATE:20260820", "RECURRENCE-ID:20260812T000000Z"),
        {"u": ["08-11 07:00", "08-13 07:00"], "u/20260812": ["08-20 07:00"]}),
    Odd("in UTC, a date added and left out", event("DTSTART:20260801T160000Z", "RRULE:FREQ=DAILY;COUNT=2",
        "RDATE:20260805T160000Z,20260806T160000Z", "EXDATE:20260805T160000Z"),
        {"u": ["08-01 16:00", "08-02 16:00", "08-06 16:00"]}),
    Odd("in UTC, a date added and moved", event("DTSTART:20260801T160000Z", "RRULE:FREQ=DAILY;COUNT=2",
        "RDATE:20260805T160000Z") + "\n" + event("DTSTART:20260805T200000Z", "RECURRENCE-ID:20260805T160000Z"),
        {"u": ["08-01 16:00", "08-02 16:00"], "u/20260805T160000": ["08-05 20:00"]}),
    Odd("in UTC, all of it left out", event("DTSTART:20260801T160000Z", "RRULE:FREQ=DAILY;COUNT=2",
        "EXDATE:20260801T160000Z,20260802T160000Z"), {"u": []}),
    Odd("a single date moved", event("DTSTART:20260801T090000") + "\n"
        + event("DTSTART:20260802T090000", "RECURRENCE-ID:20260801T090000"),
        {"u": [], "u/20260801T090000": ["08-02 16:00"]}),
    Odd("two rules: the dates of both", event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY;COUNT=2",
        "RRULE:FREQ=WEEKLY;COUNT=2", "EXDATE:20260802T090000"), {"u": ["08-01 16:00", "08-08 16:00"]}),
    Odd("two rules, of which the second does not fall on the first date", event("DTSTART:20260803T090000",
        "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2", "RRULE:FREQ=MONTHLY;BYDAY=2FR;COUNT=2"),
        {"u": ["08-03 16:00", "08-10 16:00", "08-14 16:00", "09-11 16:00"]}),
    Odd("two rules, of which one can't be read", event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY;COUNT=2",
        "RRULE:FREQ=NEVER"), {"u": ["08-01 16:00", "08-02 16:00"]}),
    Odd("EXRULE", event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY;COUNT=4", "EXRULE:FREQ=DAILY;INTERVAL=2;COUNT=9"),
        {"u": ["08-02 16:00", "08-04 16:00"]}),
    Odd("dates without a zone are of the series' own clock", event("DTSTART;TZID=America/New_York:20260801T120000",
        "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20260802T120000", "RDATE:20260805T120000"),
        {"u": ["08-01 16:00", "08-03 16:00", "08-05 16:00"]}),
    Odd("one EXDATE of two can't be read", event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE:soon,20260802T090000"), {"u": ["08-01 16:00", "08-03 16:00"]}),
    Odd("one RDATE of two can't be read", event("DTSTART:20260801T090000", "RDATE:20260230T090000,20260803T090000",
        "RDATE;TZID=Nowhere:20260804T090000"), {"u": ["08-01 16:00", "08-03 16:00"]}),
    Odd("a newer series leaves out a date that was moved", event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE:20260802T090000", "SEQUENCE:2") + "\n"
        + event("DTSTART:20260802T140000", "RECURRENCE-ID:20260802T090000", "SEQUENCE:1"),
        {"u": ["08-01 16:00", "08-03 16:00"]}),
    Odd("a later edition of a series ends before a date that was moved", event("DTSTART:20260801T090000",
        "RRULE:FREQ=DAILY;COUNT=2", "SEQUENCE:2") + "\n"
        + event("DTSTART:20260803T140000", "RECURRENCE-ID:20260803T090000", "SEQUENCE:1"),
        {"u": ["08-01 16:00", "08-02 16:00"]}),
    Odd("a series as old leaves out a date that was moved", event("DTSTART:20260801T090000",
        "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20260802T090000", "DTSTAMP:20260701T000000Z") + "\n"
        + event("DTSTART:20260802T140000", "RECURRENCE-ID:20260802T090000", "DTSTAMP:20260701T000000Z"),
        {"u": ["08-01 16:00", "08-03 16:00"], "u/20260802T090000": ["08-02 21:00"]}),
    Odd("BYHOUR by the series' own clock, UTC", event("DTSTART:20260801T160000Z",
        "RRULE:FREQ=DAILY;COUNT=2;BYHOUR=16;BYMINUTE=0"), {"u": ["08-01 16:00", "08-02 16:00"]}),
    Odd("an UNTIL in UTC beside a start without a zone", event("DTSTART:20260510T090000",
        "RRULE:FREQ=DAILY;UNTIL=20260512T090000Z"), {"u": ["05-10 16:00", "05-11 16:00", "05-12 16:00"]}),
    Odd("in UTC, with weekdays of the local clock", event("DTSTART:20261203T020000Z",
        "RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=3", "EXDATE:20261210T020000Z"), {"u": ["12-03 02:00", "12-17 02:00"]}),
    Odd("in UTC, on the second Thursday of the local clock", event("DTSTART:20261009T020000Z",
        "RRULE:FREQ=MONTHLY;BYDAY=2TH;UNTIL=20261212T000000Z") + "\n"
        + event("DTSTART:20261114T030000Z", "RECURRENCE-ID:20261113T030000Z"),
        {"u": ["10-09 02:00", "12-11 03:00"], "u/20261113T030000": ["11-14 03:00"]}),
    Odd("Exchange: an end at a local midnight", event(f"DTSTART{LA}20260804T190000",
        "RRULE:FREQ=WEEKLY;UNTIL=20260811T070000Z"), {"u": ["08-05 02:00", "08-12 02:00"]}),
]  # fmt: skip

ODD_CALENDARS = [*TIMES, *DAYS, *SERIES, *SPLITS, *WRITTEN, *FILES]
