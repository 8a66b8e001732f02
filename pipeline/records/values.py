"""Parse and tidy single values of a record: one `parse_` function for each kind of value.

A value that can't be read raises `InvalidValue`; one that was kept in part raises `RepairedValue` with the rest. Their
messages begin with a code (`wrong_type`, `unknown_word`, `out_of_range`, `too_long`), by which reports group.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from html import unescape
from typing import Any
from uuid import UUID

from outings.configuration import is_zone

# C0 and C1 controls, the byte order mark, lone surrogates, and Unicode's own line and paragraph separators.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]+")
_CONTROLS_IN_LINE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff\ud800-\udfff]+")
_SPACES = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")
_BREAKS = re.compile(r" ?\n ?")
_MANY_BREAKS = re.compile(r"\n{3,}")
# None of these goes back over what it has passed, so a hostile text costs no more than its length.
_TAG = re.compile(r"</?[a-zA-Z]")
_MARKUP = re.compile(r"<(?:!--|!\[|[!?]|(/?)([a-zA-Z][^\s/>]*+)|/)")
# The rest of a start tag: only behind `=` do quotes hide its end.
_REST = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+>""")
_ENDS = {"<!--": "-->", "<![": "]>"}
_ENTITY = re.compile(r"&(#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);")

# Tags that end a line on a page. Other tags are within a line.
_BLOCKS = frozenset(
    {
        "address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6",
        "hr", "li", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul",
    }
)  # fmt: skip
_UNSEEN = frozenset({"script", "style", "template"})
# Nothing within these is markup.
_RAW = frozenset({"script", "style"})


def tidy_line(text: str) -> str:
    """Return the text in one line: each run of white space and control characters becomes one space."""
    if text.isprintable() and "  " not in text:  # most are: a tenth of the time of what follows
        return text.strip(" ")
    return " ".join(_CONTROLS.sub(" ", text).split())


def tidy_prose(text: str) -> str:
    """Tidy a text, but keep its lines and paragraphs, with at most one empty line between them."""
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n\n")
    text = _SPACES.sub(" ", _CONTROLS_IN_LINE.sub(" ", text))
    return _MANY_BREAKS.sub("\n\n", _BREAKS.sub("\n", text)).strip()


def strip_markup(text: str) -> str:
    """Return the text without HTML tags and with entities as characters. A text with neither is unchanged (`a < b`)."""
    if not (_TAG.search(text, 0, max(0, text.rfind(">"))) or "<!--" in text[: max(0, text.rfind("-->"))]):
        return _ENTITY.sub(lambda match: unescape(match[0]), text) if "&" in text else text
    return "".join(_list_shown(text))


def _list_shown(text: str) -> Iterator[str]:
    """Yield what a page would show of `text`, with a line end for each tag that ends a line."""
    at = unseen = 0
    lasts = {begin: text.rfind(end) for begin, end in _ENDS.items()}
    last = text.rfind(">")
    searched = 0
    while (match := _MARKUP.search(text, searched)) is not None and match.end() <= last:
        begin, name = match[0], (match[2] or "").lower()
        if match.end() > lasts.get(begin, last):
            searched = match.end()
            continue
        if not unseen:
            yield unescape(text[at : match.start()])
        if name and not match[1]:
            rest = _REST.match(text, match.end())
            assert rest is not None, "the last > is not behind the tag"
            at, closes = rest.end(), rest[0].endswith("/>")
            unseen += name in _UNSEEN and not closes
            if name in _BLOCKS:
                yield "\n" * (1 + (closes and name != "br"))
            if name in _RAW and not closes:
                end = re.compile(rf"</{name}\s*+>", re.IGNORECASE).search(text, at)
                at = len(text) if end is None else end.start()
        else:
            end_mark = _ENDS.get(begin, ">")
            at = text.index(end_mark, match.end()) + len(end_mark)
            unseen = max(0, unseen - (name in _UNSEEN))
            if name in _BLOCKS and name != "br":
                yield "\n"
        searched = at
    if not unseen:
        yield unescape(text[at:])


Parse = Callable[[Any], Any]

MAX_LINE = 1_000
MAX_PROSE = 20_000
MAX_URL = 2_000
MAX_ITEMS = 1_000
# A time outside is a slip (0206, 20026), and would stretch every calendar made from it.
YEARS = range(1900, 2201)

_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
_LOCAL = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?\Z", re.ASCII)
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d(:?\d\d)?)\Z", re.ASCII)
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?\Z", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_HOST = r"(\[[0-9a-f:.]+\]|[^\s/?#:@\[\]\\]+)"
# Browsers read a backslash before the query as a slash.
_URL = re.compile(rf"https?://{_HOST}(:\d{{1,5}})?(/[^\s?#\\]*)?([?#]\S*)?\Z", re.IGNORECASE)
_CURRENCY = re.compile(r"[A-Z]{3}\Z")


class InvalidValue(ValueError):  # noqa: N818 it is a finding of the record, not an error of the program
    """The value is not valid for its member; the message says what is allowed."""


class RepairedValue(Exception):  # noqa: N818
    """The value was repaired: `value` is what could be kept, the message says what was not, and `lost` shows it."""

    def __init__(self, value: Any, reason: str, *, lost: Any) -> None:
        super().__init__(reason)
        self.value = value
        self.lost = lost


class UnknownWord(InvalidValue):
    """The text is none of the vocabulary's words."""


def _check_text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidValue("wrong_type: expected a text")
    return value


def _check_number(value: Any) -> float:
    if type(value) is not float and type(value) is not int:  # a boolean is an int to isinstance
        raise InvalidValue("wrong_type: expected a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidValue("out_of_range: expected a finite number")
    return number


def _check_range(number: float, low: float, high: float, allowed: str) -> float:
    if not low <= number <= high:
        raise InvalidValue(f"out_of_range: expected {allowed}")
    return number


def _text_parser(tidy: Callable[[str], str], most: int) -> Parse:
    """Return a parser that tidies a text, and cuts it to `most` characters. It returns None if nothing is left."""

    def parse_text(value: Any) -> str | None:
        text = tidy(_check_text(value))
        if len(text) > most:
            raise RepairedValue(
                text[:most].rstrip(), f"too_long: cut to {most} characters", lost=f"{len(text)} characters"
            )
        return text or None

    return parse_text


parse_line = _text_parser(tidy_line, MAX_LINE)
parse_prose = _text_parser(tidy_prose, MAX_PROSE)
parse_name = _text_parser(lambda text: tidy_line(strip_markup(text)), MAX_LINE)
parse_description = _text_parser(lambda text: tidy_prose(strip_markup(text)), MAX_PROSE)


def parse_key(value: Any) -> str | None:
    """Parse a text that identifies something (`source_id`, `program_key`). It is refused if too long: shortened, it
    could equal another.

    >>> parse_key("  a  1 ")
    'a 1'
    """
    text = tidy_line(_check_text(value))
    if len(text) > MAX_LINE:
        raise InvalidValue(f"too_long: expected at most {MAX_LINE} characters")
    return text or None


def parse_uuid(value: Any) -> str:
    """Parse a uuid, in lower case.

    >>> parse_uuid("6F1F8A0E-5D0A-5C43-9A58-1D5B7C0E4F21")
    '6f1f8a0e-5d0a-5c43-9a58-1d5b7c0e4f21'
    """
    text = _check_text(value).strip().lower()
    if not _UUID.match(text):
        raise InvalidValue("wrong_type: expected a uuid such as 6f1f8a0e-5d0a-5c43-9a58-1d5b7c0e4f21")
    return str(UUID(text))


def parse_slug(value: Any) -> str | None:
    """Parse a slug.

    >>> parse_slug("story-time")
    'story-time'
    """
    text = _check_text(value).strip()
    if text and (len(text) > 200 or not _SLUG.match(text)):
        raise InvalidValue("wrong_type: expected lower-case letters and digits, words joined by a hyphen, at most 200")
    return text or None


def parse_url(value: Any) -> str | None:
    """Parse an address of the web.

    >>> parse_url(" https://example.org/a ")
    'https://example.org/a'
    """
    text = _check_text(value).strip()
    if not text:
        return None
    if len(text) > MAX_URL:
        raise InvalidValue(f"too_long: expected at most {MAX_URL} characters")
    if not (_URL.match(text) and text.isprintable()):
        allowed = "a complete address with http:// or https://, without a user, a password or a backslash"
        raise InvalidValue(f"wrong_type: expected {allowed}")
    return text


def parse_boolean(value: Any) -> bool:
    """Parse true or false; no other value is one of them.

    >>> parse_boolean(True)
    True
    """
    if not isinstance(value, bool):
        raise InvalidValue("wrong_type: expected true or false")
    return value


def parse_number(value: Any) -> float:
    """Parse a finite number from 0: every number of a record is a price, a share or a count.

    >>> parse_number(7.5)
    7.5
    """
    return _check_range(_check_number(value), 0, math.inf, "a number from 0")


def parse_whole(value: Any) -> int:
    """Parse a whole number from 0.

    >>> parse_whole(7.0)
    7
    """
    number = parse_number(value)
    if number != int(number):
        raise InvalidValue("wrong_type: expected a whole number")
    return int(_check_range(number, 0, 1_000_000_000, "at most 1,000,000,000"))


def _within(low: float, high: float, allowed: str, *, parse: Parse) -> Parse:
    """Return a parser that refuses a number outside of a range, which `allowed` describes."""
    return lambda value: _check_range(parse(value), low, high, allowed)


parse_age = _within(0, 120, "an age from 0 to 120", parse=parse_whole)
parse_year = _within(YEARS[0], YEARS[-1], f"a year from {YEARS[0]} to {YEARS[-1]}", parse=parse_whole)
parse_confidence = _within(0, 1, "a number from 0 to 1", parse=parse_number)
parse_latitude = _within(-90, 90, "degrees from -90 to 90", parse=_check_number)
parse_longitude = _within(-180, 180, "degrees from -180 to 180", parse=_check_number)


def parse_date(value: Any) -> date:
    """Parse a date.

    >>> parse_date("2026-08-11")
    datetime.date(2026, 8, 11)
    """
    text = _check_text(value).strip()
    if not _DATE.match(text):
        raise InvalidValue("wrong_type: expected a date, YYYY-MM-DD")
    return _check_calendar(text).date()


def parse_local(value: Any) -> datetime:
    """Parse a naive local time. One with an offset is refused: adding or dropping the offset could each be wrong.

    >>> parse_local("2026-08-11T09:00:00")
    datetime.datetime(2026, 8, 11, 9, 0)
    """
    text = _check_text(value).strip()
    if not _LOCAL.match(text):
        without = " without an offset" if _INSTANT.match(text) else ""
        raise InvalidValue(f"wrong_type: expected a local time{without}, YYYY-MM-DDTHH:MM:SS")
    return _check_calendar(text)


def parse_instant(value: Any) -> datetime:
    """Parse a time with an offset to UTC, in whole seconds.

    >>> parse_instant("2026-08-11T09:00:00-07:00").isoformat()
    '2026-08-11T16:00:00+00:00'
    """
    text = _check_text(value).strip()
    if not _INSTANT.match(text):
        raise InvalidValue("wrong_type: expected an instant with its offset, YYYY-MM-DDTHH:MM:SSZ")
    try:
        return _check_calendar(text.upper()).astimezone(UTC)
    except OverflowError as error:
        raise InvalidValue("out_of_range: no such time") from error


def parse_instant_text(value: Any) -> str:
    """Parse an instant to a text in UTC, as nested objects of the contract have it.

    >>> parse_instant_text("2026-08-11T09:00:00-07:00")
    '2026-08-11T16:00:00Z'
    """
    return parse_instant(value).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_clock(value: Any) -> str:
    """Parse a clock time to HH:MM:SS.

    >>> parse_clock("09:30")
    '09:30:00'
    """
    text = _check_text(value).strip()
    if not _CLOCK.match(text):
        raise InvalidValue("wrong_type: expected a clock time, HH:MM or HH:MM:SS")
    return text[:8] if len(text) >= 8 else f"{text}:00"


def parse_timezone(value: Any) -> str:
    """Parse the name of a time zone.

    >>> parse_timezone("America/New_York")
    'America/New_York'
    """
    text = _check_text(value).strip()
    if not is_zone(text):
        raise InvalidValue("unknown_word: expected a name of the IANA database, such as America/New_York")
    return text


def parse_currency(value: Any) -> str:
    """Parse a currency, in capitals.

    >>> parse_currency("usd")
    'USD'
    """
    text = _check_text(value).strip().upper()
    if not _CURRENCY.match(text):
        raise InvalidValue("wrong_type: expected three letters of ISO 4217, such as USD")
    return text


def parse_word_of(words: tuple[str, ...]) -> Parse:
    """Return a parser of one word of a closed vocabulary, in any case.

    >>> parse_word_of(("day", "overnight"))("Day")
    'day'
    """

    def parse_word(value: Any) -> str | None:
        word = _check_text(value)
        if word in words:  # most are: a look-up alone
            return word
        word = word.strip().lower()
        if word and word not in words:
            raise UnknownWord(f"unknown_word: expected one of {', '.join(words)}")
        return word or None

    return parse_word


@dataclass(frozen=True, slots=True)
class ItemsParser:
    """A parser of lists without duplicates. An entry with an error in `forgive` is left out; others refuse the list."""

    parse: Parse
    forgive: tuple[type[InvalidValue], ...] = ()

    def __call__(self, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise InvalidValue("wrong_type: expected a list")
        if len(value) > MAX_ITEMS:
            raise InvalidValue(f"too_long: expected at most {MAX_ITEMS} entries")
        kept: dict[Any, None] = {}
        lost: list[tuple[str, Any]] = []
        for item in value:
            try:
                parsed = None if item is None else self.parse(item)
            except RepairedValue as mended:
                parsed = mended.value
                lost.append((str(mended), mended.lost))
            except self.forgive as wrong:
                lost.append((str(wrong), item))
                continue
            if parsed is not None:
                kept[parsed] = None
        if lost:
            raise RepairedValue(tuple(kept), lost[0][0], lost=lost[0][1])
        return tuple(kept)


def _check_calendar(text: str) -> datetime:
    try:
        read = datetime.fromisoformat(text)
        # From 3.14 on, Python takes 24:00 for the next midnight.
        if text[11:13] == "24":
            raise ValueError(text)
    except ValueError as error:
        raise InvalidValue("out_of_range: no such date or time") from error
    if read.year not in YEARS:
        raise InvalidValue(f"out_of_range: expected a year from {YEARS[0]} to {YEARS[-1]}")
    return read.replace(microsecond=0) if read.microsecond else read
