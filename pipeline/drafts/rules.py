"""Make the rules of a mapping from the roles of columns, in the order in which a person would read them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.drafts.columns import Column, find_meanings, is_free
from pipeline.drafts.roles import Role, Roles
from pipeline.fetch.table.mapping import YES, fold

Rules = dict[str, Any]
_SEPARATORS = ("|", "/", ";", ",")
# The whole text of an age has to be years: of "6 months", "5 and under" or "Grades 3-5" a number alone says the wrong
# thing. DuckDB's patterns have no way to say what may not follow, so these say all that may.
_LEAD = r"(?:ages?|edad(?:es)?|de|desde|from|a partir|mayores|over|[+:\s])*"
_YEARS = r"(?:años?|years?|yrs?|old|[\s.])*"
_TO = r"(?:a|to|hasta|through|y|and|[-–&])\s*"
_AND_UP = r"(?:\+|(?:and|&|or|y|o) (?:up|older|above|over|más|mayores))"
_REST = r"(?:[,;(].*|with .*|con .*)?$"
# "De 6 a 12 años", "Ages 5-12", "+18", "A partir de 4": the number that is the least age.
LEAST_AGE = rf"(?i)^{_LEAD}(\d\d?){_YEARS}(?:{_AND_UP}|{_TO}\d\d?{_YEARS})?{_REST}"
MOST_AGE = rf"(?i)^(?:{_LEAD}\d\d?{_YEARS}{_TO}|hasta |up to )(\d\d?){_YEARS}{_REST}"
# What a price says beside an amount: words, or several numbers.
_PRICE_NOTE = r"(?i)^(.*(?:[a-z]|\d\s*[-–/;+&]).*)$"
_MOST_WORDS = 60
# Roles that tell one row from another where none is its id.
TELLING = ("name", "start_date", "start_time", "venue", "address")


def choose_type(roles: Roles) -> str:
    """Return `event` if there are dates, else `place`."""
    return "event" if "start_date" in roles else "place"


def draft_rules(roles: Roles, *, type_: str, currency: str) -> Rules:
    rules: Rules = {"type": {"value": type_}}
    rules["source_id"] = roles["source_id"].path if "source_id" in roles else _make_identity(roles)
    rules |= _copy(roles, {"name": "name", "description": "description"})
    if type_ != "place":
        rules |= _draft_times(roles)
    rules |= _draft_words(roles, type_=type_)
    rules |= _draft_location(roles, type_=type_)
    rules |= _draft_ages(roles)
    if type_ != "place":
        rules |= _draft_price(roles, currency=currency)
    return rules | _draft_links(roles, type_=type_)


def _copy(roles: Roles, members: Mapping[str, str]) -> Rules:
    """Return the rules that only copy a column. `members`: each member with its role."""
    return {member: roles[role].path for member, role in members.items() if role in roles}


def _make_identity(roles: Roles) -> dict[str, Any]:
    """Make an identity for rows without a column for it: from name, date and place."""
    return {"join": [roles[role].path for role in TELLING if role in roles], "with": " | "}


def _draft_times(roles: Roles) -> Rules:
    rules: Rules = {}
    for member, day, clock in (("starts_local", "start_date", "start_time"), ("ends_local", "end_date", "end_time")):
        dated = roles.get(day)
        if dated is None and member == "ends_local" and clock in roles and "start_date" in roles:
            dated = roles["start_date"]
        if dated is None:
            continue
        is_whole = dated.writing.kind in ("moment", "unix") and not _is_midnight(dated)
        # An end that is a day alone is the midnight behind it.
        rules[member] = _format(dated) if is_whole or clock not in roles else _join(dated, roles[clock])
    return rules | _copy(roles, {"all_day": "all_day"})


def _is_midnight(role: Role) -> bool:
    return all(re.search(r"[T ]00:00(:00(\.0+)?)?Z?$", value) for value in role.column.filled)


def _format(dated: Role) -> Any:
    formats = dated.writing.formats
    if not formats:
        return dated.path
    return {"column": dated.path, "format": list(formats) if len(formats) > 1 else formats[0]}


def _join(dated: Role, clock: Role) -> dict[str, Any]:
    join = {"join": [dated.path, clock.path]}
    if dated.writing.kind == "day" and not dated.writing.formats and not clock.writing.formats:
        return join  # both as ISO 8601 writes them
    days = list(dated.writing.formats) or ["%Y-%m-%d"]
    if dated.writing.kind == "moment":
        # The day of a time that is midnight in every row, as it is written.
        days = ["%Y-%m-%dT" + dated.column.filled[0][11:]]
    both = [f"{day} {each}" for day in days for each in (clock.writing.formats or ("%H:%M",))]
    if any(value is None for value in clock.column.values):
        both += days
    return {**join, "format": both if len(both) > 1 else both[0]}


def _draft_words(roles: Roles, *, type_: str) -> Rules:
    rules: Rules = {}
    if "category" in roles:
        column = roles["category"].column
        split = choose_separator(column)
        words = _list_words(column, split)
        source = {"column": column.path, **({"split": split} if split else {})}
        hints = {word: meanings[0] for word in words if (meanings := find_meanings("type_hints", word))}
        if type_ == "place" and hints:
            rules["type_hint"] = {**source, "lookup": hints, "other": ""}
        meant = {word: meanings for word in words if (meanings := find_meanings("categories", word))}
        if meant:
            lookup = {word: meanings if len(meanings) > 1 else meanings[0] for word, meanings in meant.items()}
            rules["categories"] = {**source, "lookup": lookup, "other": ""}
    columns = [roles[role].column for role in ("category", "audience") if role in roles]
    if columns:
        rules["keywords"] = _join_lists(columns)
    return rules


def _join_lists(columns: Sequence[Column]) -> Any:
    separators = list(dict.fromkeys(filter(None, map(choose_separator, columns))))
    if len(columns) == 1:
        path = columns[0].path
        return {"column": path, "split": separators[0]} if separators else path
    return {"join": [column.path for column in columns], "with": "|", "split": ["|", *separators]}


def choose_separator(column: Column) -> str:
    """Return what separates several words in one cell, or "" if each cell has one."""
    if column.many:
        return ""
    for separator in _SEPARATORS:
        parts = [part.strip() for value in column.distinct for part in value.split(separator) if separator in value]
        singles = {value.casefold() for value in column.distinct if separator not in value}
        if parts and (separator in "|;" or any(part.casefold() in singles for part in parts)):
            return separator
    return ""


def _list_words(column: Column, split: str) -> list[str]:
    words = [part.strip() for value in column.distinct for part in (value.split(split) if split else [value])]
    return list(dict.fromkeys(word for word in words if word))[:_MOST_WORDS]


def _draft_location(roles: Roles, *, type_: str) -> Rules:
    rules: Rules = {}
    parts = [roles[role].path for role in ("venue", "address", "city") if role in roles]
    if type_ == "place":
        parts = [path for path in parts if "venue" not in roles or path != roles["venue"].path]
    if parts:
        rules["location.address"] = {"join": parts, "with": ", "} if len(parts) > 1 else parts[0]
    rules |= _copy(roles, {"location.street_address": "address"})
    rules |= _copy(roles, {f"location.{role}": role for role in ("city", "state", "zip", "neighborhood")})
    if "lat" in roles and "lng" in roles:
        for member in ("lat", "lng"):
            rules[f"location.{member}"] = _number(roles[member].column)
    return rules


def _number(column: Column) -> Any:
    return {"column": column.path, "decimal": ","} if find_decimal(column) == "," else column.path


def find_decimal(column: Column) -> str:
    """Return the decimal sign: the one before the last one or two digits, or before the many digits of a coordinate."""
    commas = sum(re.search(r",\d{1,2}(\D|$)|^-?\d{1,3},\d{3,}$", value) is not None for value in column.filled)
    points = sum(re.search(r"\.\d{1,2}(\D|$)|^-?\d{1,3}\.\d{3,}$", value) is not None for value in column.filled)
    return "," if commas > points else "."


def _draft_ages(roles: Roles) -> Rules:
    rules = _copy(roles, {"ages.min": "age_min", "ages.max": "age_max"})
    if "age_text" in roles:
        path = roles["age_text"].path
        if not rules:
            rules["ages.min"] = {"column": path, "pattern": LEAST_AGE}
            rules["ages.max"] = {"column": path, "pattern": MOST_AGE}
        rules["ages.text"] = path
    return rules


def _draft_price(roles: Roles, *, currency: str) -> Rules:
    rules: Rules = {}
    if "is_free" in roles:
        yes = [word for word in roles["is_free"].column.distinct if fold(word) in YES]
        if yes:
            rules["price.type"] = {"column": roles["is_free"].path, "lookup": dict.fromkeys(yes, "free"), "other": ""}
    if "price" not in roles:
        return rules
    column = roles["price"].column
    decimal = find_decimal(column)
    others = [word for word in column.distinct if not word.startswith("#") and not _is_amount(word, decimal)]
    spans = {word: _read_span(word, decimal) for word in others[:_MOST_WORDS]}
    rule: dict[str, Any] = {"column": column.path}
    if decimal == ",":
        rule["decimal"] = ","
    for end, member in enumerate(("price.min", "price.max")):
        lookup = {"lookup": {word: span[end] if span else "" for word, span in spans.items()}} if spans else {}
        rules[member] = {**rule, **lookup} if len(rule) > 1 or lookup else column.path
    if any(span is None for span in spans.values()):
        rules["price.note"] = {"column": column.path, "pattern": _PRICE_NOTE}
    if currency:
        rules["price.currency"] = {"value": currency}
    return rules


def _read_span(word: str, decimal: str) -> tuple[float, float] | None:
    """Parse a price that is not a single amount, such as `Free` or `$5-10`, into the least and greatest. None for any
    other text."""
    if is_free(word):
        return 0, 0
    ends = re.split(r"\s*(?:[-–—]|\bto\b|\ba\b)\s*", word.strip(), flags=re.IGNORECASE)
    if len(ends) != 2 or not all(_is_amount(end, decimal) for end in ends):
        return None
    least, most = (_read_amount(end, decimal) for end in ends)
    return (least, most) if least <= most else None


def _read_amount(text: str, decimal: str) -> float:
    """Parse an amount; a whole one to an integer, which is written without `.0`."""
    digits = re.sub(rf"[^\d{decimal}]", "", text).replace(",", ".")
    return float(digits) if "." in digits else int(digits)


def _is_amount(word: str, decimal: str) -> bool:
    """Written so that a rule with this decimal sign reads it."""
    group = "." if decimal == "," else ","
    number = rf"(\d{{1,3}}([{group}\s]\d{{3}})+|\d+)(\{decimal}(\d\d?|\d\d00))?"
    sign = r"(us\$|[$€£]|usd|eur|gbp|euros?|dollars?)"
    return re.fullmatch(rf"({sign}\s*)?{number}(\s*{sign})?", word.strip(), re.IGNORECASE) is not None


def _draft_links(roles: Roles, *, type_: str) -> Rules:
    signing_up = {"registration_url": "registration_link", "registration_required": "registration"}
    return _copy(
        roles,
        (signing_up if type_ == "event" else {})
        | {"image_url": "image", "organization.name": "organization"}
        | ({"website_url": "link"} if type_ == "place" else {})
        | {"source.url": "link"},
    )


def list_used(rules: Mapping[str, Any]) -> set[str]:
    """Return the columns that the rules name."""
    used: set[str] = set()
    for rule in rules.values():
        if isinstance(rule, str):
            used.add(rule)
        else:
            used.update(rule.get("join", rule.get("first", ())))
            used.update({rule["column"]} if "column" in rule else ())
    return used
