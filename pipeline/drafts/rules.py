"""Draft the rules of a mapping from the roles of columns, in the order in which a person would read them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.drafts.columns import Column, find_meanings, rank_name
from pipeline.drafts.roles import Role, Roles, is_other_date, read_number
from pipeline.drafts.weekdays import draft_days
from pipeline.fetch.table.mapping import YES
from pipeline.words import fold

Rules = dict[str, Any]
_SEPARATORS = ("|", "/", ";", ",")
# What a price says beside an amount: words, or several numbers.
_PRICE_NOTE = r"(?i)^(.*(?:[a-z]|\d\s*[-–/;+&]).*)$"
_AMOUNT = re.compile(r"[$€£]?\s?\d+([.,]\d\d?)?\s?[$€£]?")
_MOST_WORDS = 60
# Of a cell that tells rows apart: an id has room for five.
_MOST_LETTERS = 200
# Roles that tell one row from another where none is its id.
TELLING = ("name", "start_date", "start_time", "venue", "address")


def choose_type(roles: Roles, *, subject: str) -> str:
    """Return `camp` for what is called so, `class` for weekdays of a term, or without dates; `event` for dates; else
    `place`. Beside a column of types: that of the words that mean none. `subject`: the name of the feed."""
    start = roles.get("start_date")
    if "type" in roles:
        pairs = zip(
            roles["type"].column.values, roles["weekdays"].column.values if "weekdays" in roles else (), strict=False
        )
        weekly = [days for word, days in pairs if not find_meanings("types", word or "")]
        return "class" if sum(map(bool, weekly)) * 2 > len(weekly) else "event" if start else "place"
    if _are_camps(roles, subject):
        return "camp"
    # Courses of one term begin on the same few days.
    if "weekdays" in roles and (
        start is None or "end_date" in roles or start.writing.ends
        or len(start.column.distinct) * 2 <= len(start.column.filled)
    ):  # fmt: skip
        return "class"
    return "place" if start is None else "event"


def _are_camps(roles: Roles, subject: str) -> bool:
    """Return True if the feed, the column of names or most names are called so, and rows last several days or have no
    date."""
    name, start, end = (roles.get(role) for role in ("name", "start_date", "end_date"))
    if name is None or (start is not None and end is None):
        return False
    called = ["camp" in find_meanings("types", text) for text in (subject, name.path, *name.column.filled)]
    days = zip(start.column.values, end.column.values, strict=True) if start and end else ()
    lasting = [first != last for first, last in days]
    return (any(called[:2]) or sum(called) * 2 > len(called)) and sum(lasting) * 2 >= len(lasting)


def draft_rules(roles: Roles, columns: Sequence[Column], *, type_: str, currency: str, subject: str) -> Rules:
    """Draft all rules. `subject`: the name of the feed, which says what its places are where no column does."""
    types = {word: meant[0] for word in _list_types(roles) if (meant := find_meanings("types", word))}
    rules: Rules = {"type": {"value": type_}, "source_id": _draft_identity(roles, columns)}
    if "type" in roles:
        rules["type"] = {"column": roles["type"].path, "lookup": types, "other": type_, "fallback": type_}
    rules |= _draft_name(roles, type_=type_) | _copy(roles, {"description": "description"})
    for own in dict.fromkeys((type_, *types.values())):
        if own == "class":
            rules |= _draft_course(roles)
        elif own == "camp":
            rules |= {_IN_CAMPS[member]: rule for member, rule in _draft_course(roles).items()}
        elif own == "event":
            rules |= _draft_times(roles) | _draft_further_dates(roles, columns)
    rules |= _draft_words(roles, type_=type_)
    if type_ == "place" and "type_hint" not in rules and (kinds := find_meanings("type_hints", subject)):
        rules["type_hint"] = {"value": kinds[0]}
    rules |= _draft_location(roles, type_=type_)
    rules |= _draft_ages(roles)
    if type_ != "place":
        rules |= _draft_price(roles, currency=currency)
    return rules | _draft_links(roles, type_=type_)


def _list_types(roles: Roles) -> list[str]:
    return roles["type"].column.distinct if "type" in roles else []


# A camp has the members of a course in its session.
_IN_CAMPS = {
    "term.starts_on": "sessions.starts_on", "term.ends_on": "sessions.ends_on", "schedule.days": "sessions.days",
    "schedule.start_time": "sessions.start_time", "schedule.end_time": "sessions.end_time",
}  # fmt: skip


def _copy(roles: Roles, members: Mapping[str, str]) -> Rules:
    """Return rules that copy a column unchanged. `members`: the role of each member's column."""
    return {member: roles[role].path for member, role in members.items() if role in roles}


def _draft_identity(roles: Roles, columns: Sequence[Column]) -> Any:
    """Return the rule for `source_id`: the column of ids, or else name, date and place joined, with any further columns
    that tell rows apart."""
    if "source_id" in roles:
        return roles["source_id"].path
    chosen = [roles[role].column for role in TELLING if role in roles]
    rows = [
        column for column in columns if not column.many and max(map(len, column.filled), default=0) <= _MOST_LETTERS
    ]
    count, most = _count_distinct(chosen), _count_distinct(rows)
    for column in rows:
        if count < most and column not in chosen and (more := _count_distinct([*chosen, column])) > count:
            chosen, count = [*chosen, column], more
    if len(chosen) == 1:
        return chosen[0].path
    return {"join": [column.path for column in chosen], "with": " | "}


def _count_distinct(columns: Sequence[Column]) -> int:
    return len(set(zip(*(column.values for column in columns), strict=True)))


def _draft_name(roles: Roles, *, type_: str) -> Rules:
    """Return the rule for the name. A place without a name gets one made from its kind and street."""
    kind = [roles[role].path for role in ("category", "address") if role in roles]
    made = {"join": kind, "with": ", "}
    name = roles.get("name") or (roles.get("venue") if type_ == "place" else None)
    if name is None:
        return {"name": made} if type_ == "place" and kind else {}
    if type_ == "place" and kind and name.column.empty:
        return {"name": {"column": name.path, "fallback": made}}
    return {"name": name.path}


def _draft_times(roles: Roles) -> Rules:
    start, clock = roles.get("start_date"), roles.get("start_time")
    if start is None:
        return {}
    if clock is not None and clock.writing.kind == "moment":
        # A column for the time has whole moments. Where their days are not the rows' own, only the clocks count.
        end = roles.get("end_time") or roles.get("end_date")
        day = roles["end_date"] if "end_date" in roles and roles["end_date"].writing.kind == "day" else start
        ends = [("ends_local", end, day)] if end is not None and end.writing.kind == "moment" else []
        return {
            member: _format(moment) if _has_own_days(start, moment) else _turn_day(day, moment)
            for member, moment, day in [("starts_local", clock, start), *ends]
        }
    rules = {"starts_local": _draft_moment(start, clock, "start")}
    end, end_clock = roles.get("end_date"), roles.get("end_time")
    if end is not None and end_clock is None and end.writing.kind == "day" and clock is not None and clock.writing.ends:
        # "21/12", "24/12", "9h-17h"; without a last day the hours end on the first one, without hours the day is known.
        rules["ends_local"] = {
            **_draft_moment(end, clock, "end"),
            "fallback": {"join": [start.path, clock.path], "range": "end", "fallback": {"column": end.path}},
        }
    elif end is not None or (end_clock is not None and start.writing.kind == "day"):
        rules["ends_local"] = _draft_moment(end or start, end_clock, "start")
    elif clock is not None and clock.writing.ends:
        rules["ends_local"] = _draft_moment(start, clock, "end")
    elif start.writing.ends:
        rules["ends_local"] = _draft_moment(start, None, "end")
    return rules | _copy(roles, {"all_day": "all_day"})


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")


def _draft_further_dates(roles: Roles, columns: Sequence[Column]) -> Rules:
    """Return the rule for the dates of an event that has a list of them, as `timings[].begin`."""
    lists = (
        column.path for column in columns
        if column.many and rank_name("start_date", column.path) is not None and not is_other_date(column.path)
        if column.distinct and all(_MOMENT.fullmatch(value) for value in column.distinct)
    )  # fmt: skip
    path = next(lists, None)
    return {} if path is None or "start_date" not in roles or path == roles["start_date"].path else {"rdates": path}


def _draft_course(roles: Roles) -> Rules:
    """Return the rules for a course: first and last day of its term, weekdays, start and end time."""
    rules: Rules = {}
    for member, role in (("term.starts_on", "start_date"), ("term.ends_on", "end_date")):
        if role in roles:
            rules[member] = _format(roles[role])
    if "start_date" in roles and roles["start_date"].writing.ends:
        rules.setdefault("term.ends_on", _format(roles["start_date"], "end"))
    if "weekdays" in roles and (days := draft_days(roles["weekdays"].column))["lookup"]:
        rules["schedule.days"] = days
    clock, end = roles.get("start_time"), roles.get("end_time")
    if clock is not None:
        rules["schedule.start_time"] = _format(clock)
    if end is not None:
        rules["schedule.end_time"] = _format(end)
    elif clock is not None and clock.writing.ends:
        rules["schedule.end_time"] = _format(clock, "end")
    return rules


def _has_own_days(day: Role, moment: Role) -> bool:
    """Return True if nearly all moments fall on the day beside them, compared by their digits."""
    pairs = [(one, two) for one, two in zip(day.column.values, moment.column.values, strict=True) if one and two]
    same = sum(sorted(re.findall(r"\d+", one)) == sorted(re.findall(r"\d+", two)[:3]) for one, two in pairs)
    return same > 0.9 * len(pairs)


def _turn_day(day: Role, moment: Role) -> dict[str, Any]:
    """Return a rule that reads the moment and then the day, whose date replaces the moment's own."""
    days = day.writing.formats or ("%Y-%m-%d",)
    moments = moment.writing.formats or ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S")
    return {"join": [moment.path, day.path], "format": [f"{one} {two}" for one in moments for two in days]}


def _draft_moment(dated: Role, clock: Role | None, end: str) -> Any:
    is_whole = not _is_midnight(dated) and (
        dated.writing.kind in ("moment", "unix") or any(map(_MOMENT.fullmatch, dated.column.filled))
    )
    if clock is None and _is_midnight(dated):  # a day, in the form of a time
        return {"column": dated.path, "pattern": r"^(\d{4}-\d{2}-\d{2})"}
    # An end that is a day alone is the midnight behind it.
    if is_whole or clock is None:
        return _format(dated, end)
    heading = {"heading": dated.writing.heading} if dated.writing.heading else {}
    days = list(dated.writing.formats) or ["%Y-%m-%d"]
    if dated.writing.kind == "moment":
        # The day of a time that is midnight in every row, as it is written.
        days = ["%Y-%m-%d" + dated.column.filled[0][10:]]
    is_range = clock.writing.is_range or end == "end"
    join: dict[str, Any] = {"join": [dated.path, clock.path], **heading, **({"range": end} if is_range else {})}
    if dated.writing.kind == "day" and not dated.writing.formats and not clock.writing.formats and not is_range:
        return join  # both as ISO 8601 writes them
    both = [f"{day} {time}" for day in days for time in (clock.writing.formats or ("%H:%M",))]
    if any(value is None for value in clock.column.values) or clock.writing.read < clock.writing.values:
        both += days
    return {**join, "format": both if len(both) > 1 else both[0]}


def _is_midnight(role: Role) -> bool:
    return all(re.search(r"^\d{4}-\d\d-\d\d[T ]00:00(:00(\.0+)?)?Z?$", value) for value in role.column.filled)


def _format(dated: Role, end: str = "start") -> Any:
    writing = dated.writing
    rule: dict[str, Any] = {"column": dated.path}
    if writing.heading:
        rule["heading"] = writing.heading
    if writing.is_range:
        rule["range"] = end
    if writing.formats:
        rule["format"] = list(writing.formats) if len(writing.formats) > 1 else writing.formats[0]
    return rule if len(rule) > 1 else dated.path


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
        rules |= _draft_setting(roles.get("setting", roles["category"]).column) if type_ == "place" else {}
        meant = {word: meanings for word in words if (meanings := find_meanings("categories", word))}
        if meant:
            lookup = {word: meanings if len(meanings) > 1 else meanings[0] for word, meanings in meant.items()}
            rules["categories"] = {**source, "lookup": lookup, "other": ""}
    columns = [roles[role].column for role in ("category", "audience") if role in roles]
    paths, separators = [column.path for column in columns], filter(None, map(choose_separator, columns))
    if len(paths) > 1:
        rules["keywords"] = {"join": paths, "with": "|", "split": ["|", *dict.fromkeys(separators)]}
    elif paths:
        split = next(separators, "")
        rules["keywords"] = {"column": paths[0], "split": split} if split else paths[0]
    return rules


def _draft_setting(column: Column) -> Rules:
    """Return the rules for whether a place is indoors, outdoors or both."""
    return {
        f"is_{own}": {"column": column.path, "lookup": dict.fromkeys(words, "yes"), "other": ""}
        for own in ("indoor", "outdoor")
        if (words := [word for word in _list_words(column, "") if own in find_meanings("settings", word)])
    }


def choose_separator(column: Column) -> str:
    """Return the separator of several words in one cell, or "" if each cell has one."""
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
    if "address" in roles and "house_number" in roles:
        pair = [roles[role].path for role in ("address", "house_number")]
        rules["location.street_address"] = {"join": pair}
    else:
        rules |= _copy(roles, {"location.street_address": "address"})
    rules |= _copy(roles, {f"location.{role}": role for role in ("city", "state", "zip", "neighborhood")})
    if "lat" in roles and "lng" in roles:
        rules |= {f"location.{role}": _draft_degrees(roles[role]) for role in ("lat", "lng")}
    return rules


def _draft_degrees(role: Role) -> Any:
    if role.pattern:
        return {"column": role.path, "pattern": role.pattern}
    rule: dict[str, Any] = {"column": role.path}
    if any(not re.fullmatch(r"\s*-?\d{1,3}([.,]\d+)?\s*", value) for value in role.column.filled):
        rule["pattern"] = r"^-?\d{1,3}(?:[.,]\d+)?$"
    if any(read_number(value) == 0 for value in role.column.filled):
        rule["lookup"] = {"0": ""}
    if find_decimal(role.column) == ",":
        rule["decimal"] = ","
    return rule if len(rule) > 1 else role.path


def find_decimal(column: Column) -> str:
    """Return the decimal sign, "," or ".": what more often precedes the last digits or those of a coordinate."""
    commas = sum(re.search(r",\d{1,2}(\D|$)|^-?\d{1,3},\d{3,}$", value) is not None for value in column.filled)
    points = sum(re.search(r"\.\d{1,2}(\D|$)|^-?\d{1,3}\.\d{3,}$", value) is not None for value in column.filled)
    return "," if commas > points else "."


def _draft_ages(roles: Roles) -> Rules:
    rules: Rules = {}
    for end, role in (("start", "age_min"), ("end", "age_max")):
        if role in roles:
            column, rule = roles[role].column, Rules(column=roles[role].path)
            if any(not re.fullmatch(r"\d{1,3}(\.0)?", value) for value in column.filled):
                rule |= {"range": end}
            elif role == "age_max" and "0" in column.filled:
                rule |= {"lookup": {"0": ""}}  # no greatest age
            rules["ages.min" if end == "start" else "ages.max"] = rule if len(rule) > 1 else column.path
    sources = [name for name in ("age_text", "audience", "start_time", "start_date") if name in roles]
    # In a time, only an age limit such as `Doors 7pm/19+` is an age.
    forms = {name: r"\d" if name in ("age_text", "audience") else r"(^|\D)\d\d\+(?!\d)" for name in sources}
    stating = [name for name, form in forms.items() if any(re.search(form, text) for text in roles[name].column.filled)]
    if stating and not rules:
        path = roles[stating[0]].path
        rules = {"ages.min": {"column": path, "range": "start"}, "ages.max": {"column": path, "range": "end"}}
        if stating[0] == "audience":
            rules["ages.text"] = path  # of "Grades 6-8" the build reads the ages
    return rules | _copy(roles, {"ages.text": "age_text"})


def _draft_price(roles: Roles, *, currency: str) -> Rules:
    rules: Rules = {}
    if "is_free" in roles:
        yes = [word for word in roles["is_free"].column.distinct if fold(word) in YES]
        if yes:
            rules["price.type"] = {"column": roles["is_free"].path, "lookup": dict.fromkeys(yes, "free"), "other": ""}
    members = [("price.min", "price_min", "start"), ("price.max", "price_max", "end")]
    if not {"price_min", "price_max"} & roles.keys():
        members = [("price.min", "price", "start"), ("price.max", "price", "end")]
    stated = [(member, roles[role].column, end) for member, role, end in members if role in roles]
    for member, column, end in stated:
        rule: dict[str, Any] = {"column": column.path}
        if any(_AMOUNT.fullmatch(word) is None for word in column.distinct):
            rule["range"] = end
        if find_decimal(column) == ",":
            rule["decimal"] = ","
        rules[member] = rule if len(rule) > 1 else column.path
    words = [word for _, column, _ in stated for word in column.distinct if not _AMOUNT.fullmatch(word)]
    if any(re.search(_PRICE_NOTE, word) for word in words):
        rules["price.note"] = {"column": stated[0][1].path, "pattern": _PRICE_NOTE}
    if stated and "currency" in roles:
        rules["price.currency"] = roles["currency"].path
    elif stated and currency:
        rules["price.currency"] = {"value": currency}
    return rules


def _draft_links(roles: Roles, *, type_: str) -> Rules:
    members = {"image_url": "image", "source.url": "link"} | ({"website_url": "link"} if type_ == "place" else {})
    members["registration_url" if type_ == "event" else "registration.url"] = "registration_link"
    if type_ == "place":
        del members["registration.url"]
    rules: Rules = {}
    for member, role in members.items():
        if role in roles:
            column = roles[role].column
            is_whole = all("://" in value for value in column.filled)
            rules[member] = column.path if is_whole else {"column": column.path, "prefix": "https://"}
    required = {"registration_required": "registration"} if type_ == "event" else {}
    return rules | _copy(roles, {**required, "organization.name": "organization"})
