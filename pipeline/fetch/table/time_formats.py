"""Write SQL that reads days and times by the formats of a rule."""

import re
from calendar import month_abbr
from collections.abc import Sequence

from outings.configuration.mapping import has_clock, has_day
from outings.sql_quoting import literal
from outings.texts.days import list_month_names, list_weekday_names
from pipeline.words import fold

_ISO_DAY = r"\d{4}-\d{2}-\d{2}"
_ISO = rf"{_ISO_DAY}[T ]\d{{1,2}}:\d{{2}}(:\d{{2}}(\.\d+)?)?"
_CLOCK_BEHIND = re.compile(r"(?:(?<=%\w)|(?<=%-\w))[^%]*%-?[HI].*$", re.DOTALL)
_OFFSET = r"\s?(Z|[+-]\d{2}(:?\d{2})?)"


def read_moment(text: str, formats: Sequence[str], zone: str) -> str:
    """Return SQL for a TIMESTAMP on the clock of `zone`, null for a text without a clock time."""
    own = [format_ for format_ in formats if has_clock(format_) and has_day(format_)]
    instant = f"try_cast({text} AS TIMESTAMPTZ) AT TIME ZONE {literal(zone)}"
    iso = [
        f"WHEN regexp_full_match({text}, '{_ISO}') THEN try_cast({text} AS TIMESTAMP)",
        f"WHEN regexp_full_match({text}, '{_ISO}{_OFFSET}') THEN {instant}",
    ]
    return _join(own, text, iso, zone)


def read_day(text: str, formats: Sequence[str], zone: str) -> str:
    """Return SQL for the midnight of a text that is a date alone, null for others."""
    own = [day for format_ in formats if has_day(format_) and (day := _cut_clock(format_))]
    return _join(own, text, [f"WHEN regexp_full_match({text}, '{_ISO_DAY}') THEN try_cast({text} AS TIMESTAMP)"], zone)


def _cut_clock(format_: str) -> str:
    """Return the format of the day alone in a format of days and times that names the day first; "" for others."""
    if not has_clock(format_):
        return format_
    day = _CLOCK_BEHIND.sub("", format_)
    return day if day and not has_clock(day) else ""


def read_clock(text: str, formats: Sequence[str], zone: str) -> str:
    """Return SQL that parses a time of day, as a TIMESTAMP whose date means nothing."""
    own = [format_ for format_ in formats if has_clock(format_)]
    clock = f"try_strptime({text}, ['%H:%M', '%H:%M:%S'])"
    iso = [
        rf"WHEN regexp_full_match({text}, '\d{{1,2}}:\d{{2}}(:\d{{2}})?') THEN {clock}",
        f"WHEN regexp_full_match({text}, '{_ISO}') THEN try_cast({text} AS TIMESTAMP)",
    ]
    return _join(own, text, iso, zone)


def _join(formats: Sequence[str], text: str, iso: Sequence[str], zone: str) -> str:
    cases = f"CASE {' '.join(iso)} END"
    read = [_read_format(format_, text, zone) for format_ in formats]
    return f"coalesce({', '.join([cases, *read])})" if read else cases


# A day without a year is the next one from this day on: lists go on to have what is just over.
FIRST_DAY = "(CAST(getvariable('feed_day') AS DATE) - 60)"
_YEAR = re.compile("%-?[YyGcxjs]")


def _read_format(format_: str, text: str, zone: str) -> str:
    if format_.startswith("unix"):
        scale = "" if format_ == "unix_ms" else " * 1000"
        instant = f"make_timestamp_ms(try_cast({text} AS BIGINT){scale})"
        return f"{instant} AT TIME ZONE 'UTC' AT TIME ZONE {literal(zone)}"
    sql, english = text, format_
    if any(word in format_ for word in ("%B", "%b", "%A", "%a", "%p")):
        # The rest of the format is folded as the text is, and what only stands between its parts is left out.
        sql = rf"regexp_replace(lower(strip_accents({sql})), '([ap])\.?\s?m\b\.?', '\1m')"
        sql = rf"regexp_replace({sql}, '\b(\d+)(st|nd|rd|th|er)\b', '\1')"
        english = _squeeze(_fold_format(format_))
        if "%A" in english or "%a" in english:
            sql = f"regexp_replace({sql}, '\\b({'|'.join(list_weekday_names())})\\b', '')"
            english = _squeeze(re.sub("%[Aa]", "", english))
        sql = rf"trim(regexp_replace({sql}, '{_BETWEEN}', ' ', 'g'))"
        for place, names in enumerate(list_month_names(), start=1):
            sql = rf"regexp_replace({sql}, '\b({'|'.join(names)})\b', '{month_abbr[place]}')"
        english = english.replace("%B", "%b")
    read = f"try_strptime({sql}, {literal(english)})"
    if has_day(format_) and not _YEAR.search(format_):
        this, following = (
            f"try_strptime(concat({sql}, ' ', year({FIRST_DAY}){more}), {literal(f'{english} %Y')})"
            for more in ("", " + 1")
        )
        read = f"CASE WHEN {this} >= {FIRST_DAY} THEN {this} ELSE {following} END"
    return f"{read} AT TIME ZONE {literal(zone)}" if "%z" in format_ else read


# Between the parts of a date with a name: "Sonntag, den 5. Dezember", "le 1er mai", "5 de mayo de 2026", "May 5th".
_BETWEEN = r"(\s|[,.|·]|\b(de|del|do|den|le|the|of|um|at|alle|a las|a)\b)+"


def _squeeze(format_: str) -> str:
    return re.sub(_BETWEEN, " ", format_).strip()


def squeeze_date(text: str) -> str:
    """Return a folded date without what only stands between its parts. Points between figures remain."""
    return re.sub(rf"(?<=\d)\.(?=\d)|{_BETWEEN}", lambda match: "." if match[0] == "." else " ", text).strip()


def _fold_format(format_: str) -> str:
    """Return the format in lower case and without accents, except for its directives (`%B`)."""
    return re.sub(r"%-?.|.", lambda part: part[0] if part[0][0] == "%" else fold(part[0]), format_, flags=re.DOTALL)
