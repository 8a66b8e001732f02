"""Parse an iCalendar file to its events and time zones as content lines, despite errors of programs that write them.

Not by `icalendar`: it takes 2 ms an event, and one wrong line costs it the whole file; here it costs an event.
"""

import quopri
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from pipeline.fetch.text_files import encode_utf8

# No text of a record is as long; and adding line to line is no work without end.
_MAX_CONTINUED = 1 << 16
# Before the first line, by a web page's template.
_PRINTED = b" \t" + BOM_UTF8
_ONE_LINED = frozenset(
    {"UID", "DTSTART", "DTEND", "DURATION", "DTSTAMP", "RRULE", "EXRULE", "RDATE", "EXDATE", "RECURRENCE-ID"}
)
_NAME = re.compile(r"([A-Za-z0-9-]+)(?=[;:])")
_PARAMETER = re.compile(r';([A-Za-z0-9-]+)=((?:"[^"]*"|[^";:])*)')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_COMMA = re.compile(r"(?<!\\)((?:\\\\)*),")


class Line(NamedTuple):
    """A content line. Names are in capitals, parameter values unquoted; `value` is as written."""

    name: str
    parameters: dict[str, str]
    value: str


class Component(Struct, frozen=True, kw_only=True):
    """A VEVENT or VTIMEZONE. `line`: its first, from 1. `lines`: without those of nested components; `text`: with them.

    `is_closed` false: the file goes on with something else before its END.
    """

    line: int
    lines: tuple[Line, ...]
    text: str
    is_closed: bool = True

    def get(self, name: str) -> Line | None:
        """Return the first line of this name that is not blank."""
        return next(iter(self.get_all(name)), None)

    def get_value(self, name: str) -> str:
        """Return the stripped value of the first line of this name that is not blank; "" if there is none."""
        line = self.get(name)
        return line.value.strip() if line else ""

    def get_all(self, name: str) -> list[Line]:
        return [line for line in self.lines if line.name == name and line.value.strip()]


def unescape(value: str) -> str:
    r"""Unescape a TEXT value: \n is a line end, any other escaped character itself."""
    return _ESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)


def split_texts(value: str) -> list[str]:
    """Split a list of TEXT values at its commas, and unescape each."""
    marked = _COMMA.sub("\\1\x00", value)
    return [text for part in marked.split("\x00") if (text := unescape(part).strip())]


def parse_line(text: str) -> Line | None:
    """Parse a content line; None for anything else. A colon in an unquoted parameter ends the parameters.

    >>> parse_line("DTSTART;TZID=Europe/Paris:20260811T090000")[:3]
    ('DTSTART', {'TZID': 'Europe/Paris'}, '20260811T090000')
    """
    match = _NAME.match(text)
    if match is None:
        return None
    parameters = {}
    end = match.end()
    while parameter := _PARAMETER.match(text, end):
        parameters[parameter[1].upper()] = parameter[2].replace('"', "")
        end = parameter.end()
    _, colon, value = text[end:].partition(":")
    return Line(match[1].upper(), parameters, value) if colon else None


class Calendar:
    """The events and time zones of an iCalendar file, and its METHOD and X-WR-TIMEZONE."""

    def __init__(self, content: bytes) -> None:
        """Parse a file. Raises ValueError for one that is no calendar, or that ends before a calendar does."""
        self.is_cancelled = False
        self.zone_name: str | None = None
        self.events: list[Component] = []
        self.zones: list[Component] = []
        self._has_calendar = self._is_open = False
        self._kind: str | None = None
        self._begun = 0
        self._nested: list[str] = []
        self._lines: list[Line] = []
        self._texts: list[str] = []
        for number, text in _unfold(encode_utf8(content)):
            self._take(number, text)
        if not self._has_calendar:
            raise ValueError("is not an iCalendar file: it has no BEGIN:VCALENDAR")
        if self._is_open:
            raise ValueError("is cut short: it ends before END:VCALENDAR")

    def _take(self, number: int, text: str) -> None:
        if self._lines and _is_quoted(self._lines[-1]) and self._lines[-1].value.endswith("="):
            self._lines[-1] = self._lines[-1]._replace(value=self._lines[-1].value[:-1] + text)
            return
        line = parse_line(text)
        if line is None:
            self._continue(text)
        elif line.name == "BEGIN":
            self._begin(number, line.value.strip().upper(), text)
        elif line.name == "END":
            self._end(line.value.strip().upper(), text)
        elif self._kind is not None:
            self._texts.append(text)
            if not self._nested:
                self._lines.append(line)
        elif line.name == "METHOD":
            self.is_cancelled = line.value.strip().upper() == "CANCEL"
        elif line.name == "X-WR-TIMEZONE" and self.zone_name is None:
            self.zone_name = line.value.strip()

    def _begin(self, number: int, kind: str, text: str) -> None:
        if kind in ("VCALENDAR", "VEVENT", "VTIMEZONE"):
            self._close(is_closed=False)
        if kind == "VCALENDAR":
            self._has_calendar = self._is_open = True
        elif kind in ("VEVENT", "VTIMEZONE"):
            self._kind, self._begun, self._texts = kind, number, [text]
        elif self._kind is not None:
            self._nested.append(kind)
            self._texts.append(text)

    def _end(self, kind: str, text: str) -> None:
        if kind == self._kind:
            self._texts.append(text)
            self._close(is_closed=True)
        elif kind == "VCALENDAR":
            self._close(is_closed=False)
            self._is_open = False
        elif self._kind is not None:
            self._texts.append(text)
            if kind in self._nested:
                del self._nested[self._nested.index(kind) :]

    def _close(self, *, is_closed: bool) -> None:
        if self._kind is not None:
            kept = self.events if self._kind == "VEVENT" else self.zones
            text = "\r\n".join(self._texts) + "\r\n"
            lines = tuple(_decode_quoted(line) if _is_quoted(line) else line for line in self._lines)
            kept.append(Component(line=self._begun, lines=lines, text=text, is_closed=is_closed))
        self._kind, self._nested, self._lines, self._texts = None, [], [], []

    def _continue(self, text: str) -> None:
        """Append a line to the preceding value, which had an unescaped line end. After times and rules, ignore it."""
        ends = self._lines and self._lines[-1].name in _ONE_LINED
        if self._lines and not ends and not self._nested and len(self._lines[-1].value) < _MAX_CONTINUED:
            last = self._lines[-1]
            self._lines[-1] = last._replace(value=f"{last.value}\\n{text}")


def _is_quoted(line: Line) -> bool:
    return line.parameters.get("ENCODING", "").upper() == "QUOTED-PRINTABLE"


def _decode_quoted(line: Line) -> Line:
    return line._replace(value=_decode(quopri.decodestring(line.value.encode())))


def _unfold(content: bytes) -> Iterator[tuple[int, str]]:
    """Join folded lines, and yield each logical line with the number of its first one. Joins bytes, because a fold may
    split a character."""
    begun, parts = 0, list[bytes]()
    physical = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    for number, line in enumerate(physical, start=1):
        if not parts:
            line = line.lstrip(_PRINTED)  # nothing has begun that they could continue
        if line.startswith((b" ", b"\t")):
            parts.append(line[1:])
        elif line:
            if parts:
                yield begun, _decode(b"".join(parts))
            begun, parts = number, [line]
    if parts:
        yield begun, _decode(b"".join(parts))


def _decode(line: bytes) -> str:
    """Decode a line as UTF-8, otherwise as Windows-1252, which old software writes."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace")
