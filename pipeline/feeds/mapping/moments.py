"""SQL that reads dates and times in a text: ISO 8601 always, and the formats that a rule names."""

from collections.abc import Sequence

from outings.configuration.mapping import has_clock, has_day
from outings.sql_quoting import literal
from pipeline.feeds.mapping.columns import fold

# As people write them in the languages that ship: English, Spanish.
MONTHS = (
    ("January", "Jan", "enero|ene|january|jan"),
    ("February", "Feb", "febrero|feb|february"),
    ("March", "Mar", "marzo|march|mar"),
    ("April", "Apr", "abril|abr|april|apr"),
    ("May", "May", "mayo|may"),
    ("June", "Jun", "junio|june|jun"),
    ("July", "Jul", "julio|july|jul"),
    ("August", "Aug", "agosto|august|ago|aug"),
    ("September", "Sep", "septiembre|setiembre|september|sept|sep|set"),
    ("October", "Oct", "octubre|october|oct"),
    ("November", "Nov", "noviembre|november|nov"),
    ("December", "Dec", "diciembre|december|dic|dec"),
)
WEEKDAYS = (
    ("Monday", "lunes"), ("Tuesday", "martes"), ("Wednesday", "miercoles"), ("Thursday", "jueves"),
    ("Friday", "viernes"), ("Saturday", "sabado"), ("Sunday", "domingo"),
)  # fmt: skip
_ISO_DAY = r"\d{4}-\d{2}-\d{2}"
_ISO = rf"{_ISO_DAY}[T ]\d{{1,2}}:\d{{2}}(:\d{{2}}(\.\d+)?)?"
_OFFSET = r"\s?(Z|[+-]\d{2}(:?\d{2})?)"


def read_moment(text: str, formats: Sequence[str], zone: str) -> str:
    """A TIMESTAMP on the clock of `zone`; null of what says no clock time."""
    own = [each for each in formats if has_clock(each) and has_day(each)]
    instant = f"try_cast({text} AS TIMESTAMPTZ) AT TIME ZONE {literal(zone)}"
    iso = [
        f"WHEN regexp_full_match({text}, '{_ISO}') THEN try_cast({text} AS TIMESTAMP)",
        f"WHEN regexp_full_match({text}, '{_ISO}{_OFFSET}') THEN {instant}",
    ]
    return _join(own, text, iso, zone)


def read_day(text: str, formats: Sequence[str], zone: str) -> str:
    """A midnight, of what says a day alone."""
    own = [each for each in formats if has_day(each) and not has_clock(each)]
    return _join(own, text, [f"WHEN regexp_full_match({text}, '{_ISO_DAY}') THEN try_cast({text} AS TIMESTAMP)"], zone)


def read_clock(text: str, formats: Sequence[str], zone: str) -> str:
    """A TIMESTAMP of any day."""
    own = [each for each in formats if has_clock(each)]
    clock = f"try_strptime({text}, ['%H:%M', '%H:%M:%S'])"
    iso = [
        rf"WHEN regexp_full_match({text}, '\d{{1,2}}:\d{{2}}(:\d{{2}})?') THEN {clock}",
        f"WHEN regexp_full_match({text}, '{_ISO}') THEN try_cast({text} AS TIMESTAMP)",
    ]
    return _join(own, text, iso, zone)


def _join(formats: Sequence[str], text: str, iso: Sequence[str], zone: str) -> str:
    cases = f"CASE {' '.join(iso)} END"
    read = [_read_format(each, text, zone) for each in formats]
    return f"coalesce({', '.join([cases, *read])})" if read else cases


def _read_format(format_: str, text: str, zone: str) -> str:
    if format_.startswith("unix"):
        scale = "" if format_ == "unix_ms" else " * 1000"
        instant = f"make_timestamp_ms(try_cast({text} AS BIGINT){scale})"
        return f"{instant} AT TIME ZONE 'UTC' AT TIME ZONE {literal(zone)}"
    sql, english = text, format_
    if any(word in format_ for word in ("%B", "%b", "%A", "%p")):
        # The rest of the format is folded as the text is.
        sql = rf"lower(strip_accents(regexp_replace({sql}, '\s+', ' ', 'g')))"
        english = _fold_format(format_)
    if "%p" in format_:
        sql = rf"regexp_replace({sql}, '([ap])\.?\s?m\b\.?', '\1m')"
    for place, word in enumerate(("%B", "%b")):
        if word in format_:
            for month in MONTHS:
                sql = rf"regexp_replace({sql}, '\b({month[2]})\b\.?', '{month[place]}')"
    if "%A" in format_:
        for day, spanish in WEEKDAYS:
            sql = rf"regexp_replace({sql}, '\b{spanish}\b', '{day}')"
    read = f"try_strptime({sql}, {literal(english)})"
    return f"{read} AT TIME ZONE {literal(zone)}" if "%z" in format_ else read


def _fold_format(format_: str) -> str:
    """In lower case and without accents, but for its directives."""
    parts, at = [], 0
    while at < len(format_):
        width = 3 if format_[at : at + 2] == "%-" else 2 if format_[at] == "%" else 1
        piece = format_[at : at + width]
        parts.append(piece if piece.startswith("%") else fold(piece))
        at += width
    return "".join(parts)
