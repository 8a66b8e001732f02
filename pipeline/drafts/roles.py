"""Find the role of each column: by its name, if its values agree, or by its values, if no name does."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from duckdb import DuckDBPyConnection
from msgspec import Struct

from outings.texts.amounts import read_amount
from pipeline.drafts.columns import ROLES, Column, find_meanings, list_spellings, rank_name
from pipeline.drafts.time_notation import TimeNotation, find_writing, read_times
from pipeline.drafts.weekdays import find_language
from pipeline.fetch.table.mapping import NO, YES
from pipeline.fetch.table.ranges import CURRENCY, understands
from pipeline.words import fold, merge_words

_AMOUNT = re.compile(r"\d+(?:[.,]\d{1,2})?")
_NUMBER = re.compile(r"[^\d-]{0,5}-?\d[\d.,\s]*[^\d]{0,8}")
_CURRENCY = re.compile(CURRENCY)
# Trumba's feeds have the day of an event there, and attachments what they are (`image/jpeg`).
_NO_CATEGORY = re.compile(r"\d{4}([-/.])\d\d?\1\d\d?\b.*|(image|application|audio|video|text)/[\w.+-]+")
_NAMED = re.compile(r"(?s).*[^\W\d_].*")
_DEGREES = re.compile(r"-?\d{1,3}[.,]\d+|-?\d{1,3}")
_DATE = re.compile("^(date|data|datum|fecha)|(date|datum)$")
_TIMES = ("start_date", "start_time", "end_date", "end_time")
_LINK = re.compile(r"(https?://|www\.)\S+")
_ADDRESS = re.compile(r"(https?://)?[\w-]+(\.[\w-]+)+(:\d+)?([/?#]\S*)?")
# Latitude and longitude in one text, and the first point of a shape in WKT, whose longitude comes first.
PAIR = r"^\(?(-?\d{1,2}\.\d+)\s*[,; ]\s*-?\d{1,3}\.\d+", r"^\(?-?\d{1,2}\.\d+\s*[,; ]\s*(-?\d{1,3}\.\d+)"
_SHAPE = r"^(?:SRID=4326; ?)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)[ ZM]*\(+ ?"
POINT = rf"{_SHAPE}-?\d{{1,3}}\.?\d* (-?\d{{1,2}}\.?\d*)", rf"{_SHAPE}(-?\d{{1,3}}\.?\d*) "
_SHAPES = {
    **dict.fromkeys(("age_min", "age_max"), re.compile(r"\d{1,3}(\.0)?")),
    **dict.fromkeys(("price_min", "price_max"), _NUMBER),
    **dict.fromkeys(("link", "registration_link", "image"), _ADDRESS),
    "currency": re.compile(r"[A-Z]{3}"),
}
# With fewer rows it says nothing that all are of one category.
_FEW = 10
# Words of a text that describes something; a shape in WKT is as long and has one.
_PROSE = 12
# Members of one value.
_SINGLE = ("source_id", "name", "start_date", "end_date", "start_time", "end_time", "venue", "address", "link")
# A number is none of these, nor a "no".
_WORDED = ("name", "category", "organization", "venue", "address", "city", "state", "neighborhood", "description")
_FLAGS = frozenset((*YES, *NO))
# A street by its word, with a number: "235 College St", "Carrer Major, 1", "Schulweg 3".
_STREET = re.compile(
    r"(?=.*\d)(.*\b(st|street|ave?|avenue|rd|road|blvd|boulevard|dr|drive|ln|lane|way|rue|place|chemin|quai|calle|avda|"
    r"avenida|plaza|paseo|via|viale|piazza|corso|rua|praca|travessa|carrer|placa|passeig|rambla)\b|.*\bc/|"
    r".*(str|strasse|weg|platz|allee|gasse|straat|laan|plein)\b).*",
)


# Of the cells of a column with a fitting name so many have to agree: the others are problems of their rows.
_LEAST = 0.3
# So many of a column that no name shows.
_MOSTLY = 0.6


class Role(Struct, frozen=True, kw_only=True):
    """A column in its role. `writing`: the notation of its times. `pattern`: takes a coordinate out of its text."""

    column: Column
    writing: TimeNotation = TimeNotation()
    pattern: str = ""

    @property
    def path(self) -> str:
        return self.column.path


Roles = Mapping[str, Role]
# Of columns that are taken for nothing.
IGNORED = "ignore"
# Roles that only the caller gives. A column of types says what each row is.
STATED = (IGNORED, "type")
# Makes a column's role, with the notation of its times.
MakeRole = Callable[[str, str], Role]


def open_roles(columns: Sequence[Column], connection: DuckDBPyConnection, *, months_first: bool) -> MakeRole:
    """Return a function that makes the role of a column, by the role's name and the column's path."""
    by_path = {column.path: column for column in columns}
    first = {column.path: column.first for column in columns}

    @cache
    def read_writing(path: str) -> TimeNotation:
        return find_writing(connection, first[path].filled, months_first=months_first)

    def make_role(role: str, path: str) -> Role:
        return Role(column=first[path], writing=read_writing(path)) if role in _TIMES else Role(column=by_path[path])

    return make_role


def find_roles(
    columns: Sequence[Column],
    connection: DuckDBPyConnection,
    make_role: MakeRole,
    *,
    stated: Mapping[str, Sequence[str]] = {},
) -> dict[str, Role]:
    """Return the column of each role, such as `name` or `start_date`.

    A column has one role. `stated`: columns that the caller names for a role; these may have several.
    """
    by_path = {column.path: column for column in columns}
    roles = {role: make_role(role, path) for role, paths in stated.items() for path in paths if path in by_path}
    if "weekdays" not in roles:
        weekly = next((column for column in columns if find_language(column.distinct) is not None), None)
        roles |= {} if weekly is None else {"weekdays": Role(column=weekly)}
    taken = {role.path for role in roles.values()}
    # A list of several objects has more than one value for each row.
    ranked = sorted(
        (column.many and role in _SINGLE, rank, place, role, column.path)
        for place, column in enumerate(columns)
        for role in ROLES
        if column.filled and (rank := rank_name(role, column.path)) is not None
        if role not in ("start_date", "end_date") or not is_other_date(column.path)
    )
    for *_, role, path in ranked:
        if role in roles or path in taken:
            continue
        made = make_role(role, path)
        if fits(role, made.column, made.writing):
            roles[role] = made
            taken.add(path)
    free = [column for column in columns if column.path not in taken and column.filled]
    roles |= _find_times(roles, free, connection, make_role)
    for role, others, accepts in _BY_VALUES:
        if roles.keys().isdisjoint({role, *others}):
            paths = {role.path for role in roles.values()}
            free = [column for column in free if column.path not in paths]
            roles |= _find_first(role, free, accepts)
    for role, least, most in (("price", "price_min", "price_max"), ("age_text", "age_min", "age_max")):
        if role in roles and role not in stated and (pair := _pair(role, roles[role].column, free)):
            roles = {name: made for name, made in roles.items() if name != role}
            roles |= dict(zip((least, most), pair, strict=True))
    return roles if "lat" in roles and "lng" in roles else {**roles, **_find_position(free)}


def _pair(role: str, own: Column, free: Sequence[Column]) -> tuple[Role, Role] | None:
    """Return the columns of the least and the greatest number if several have the role, as `Preis Kind` and `Preis
    Erwachsene`; None if there is one column, or neither is always the greater."""
    columns = [own, *(column for column in free if rank_name(role, column.path) is not None)]
    amounts = {
        column.path: [float(match[0].replace(",", ".")) if (match := _AMOUNT.search(value or "")) else None
                      for value in column.values]
        for column in columns if _share(column.filled, _NUMBER) > 0.5
    }  # fmt: skip
    ordered = sorted(
        (column for column in columns if column.path in amounts),
        key=lambda column: sum(filter(None, amounts[column.path])),
    )
    if len(ordered) < 2:
        return None
    low, high = ordered[0], ordered[-1]
    pairs = zip(amounts[low.path], amounts[high.path], strict=True)
    if any(one is not None and other is not None and one > other for one, other in pairs):
        return None
    return Role(column=low), Role(column=high)


def _find_first(role: str, free: Sequence[Column], accepts: Callable[[Sequence[str]], bool]) -> dict[str, Role]:
    """Return, under `role`, the first column whose values `accepts` approves, whatever its name; {} if none."""
    column = next((column for column in free if not column.many and column.filled and accepts(column.filled)), None)
    return {} if column is None else {role: Role(column=column)}


def _state_ages(values: Sequence[str]) -> bool:
    """Return True if the values state ages: enough have numbers, often with words, and nearly all of these are ages."""
    numbered = [value for value in values if re.search(r"\d", value)]
    worded = [value for value in numbered if re.search(r"[^\W\d]{2}", value)]
    if len(numbered) < _LEAST * len(values) or len(worded) * 2 < len(numbered):
        return False
    return sum(understands("ages", value) for value in numbered) >= 0.8 * len(numbered)


def _mean_one(table: str, values: Sequence[str]) -> bool:
    """Return True if most of the few different words of a column mean something in a table of the languages."""
    words = {*values}
    return len(words) <= _FEW and sum(bool(find_meanings(table, word)) for word in words) > _MOSTLY * len(words)


# What values show that no name does: the role, other roles beside which none is looked for, and what the values are.
_BY_VALUES: Sequence[tuple[str, Sequence[str], Callable[[Sequence[str]], bool]]] = (
    ("address", (), lambda values: _share([*map(fold, values)], _STREET) > _MOSTLY),
    ("age_text", ("age_min", "age_max", "audience"), _state_ages),
    ("price", ("price_min", "price_max"), lambda values: _count(values, _is_priced) > 0.5 * len(values)),
    ("link", ("registration_link",), lambda values: _share(values, _LINK) > _MOSTLY),
    ("description", (), lambda values: len(re.findall(r"[^\W\d_]{2,}", " ".join(values))) > _PROSE * len(values)),
    ("setting", (), partial(_mean_one, "settings")),
    ("category", ("start_date",), partial(_mean_one, "type_hints")),
)


def _find_times(
    roles: Mapping[str, Role],
    free: Sequence[Column],
    connection: DuckDBPyConnection,
    make_role: MakeRole,
) -> dict[str, Role]:
    """Find dates and times in columns whose names tell nothing: a start, and the first one that is later."""
    known = {**roles}
    own = [column for column in free if not is_other_date(column.path)]
    if "start_date" not in known:
        made = (make_role("start_date", column.path) for column in own)
        # The terms of all courses may begin on one day.
        is_course = "weekdays" in roles
        date = next((role for role in made if is_dated(role, is_course=is_course)), None)
        known |= {} if date is None else {"start_date": date}
    elif "start_time" not in known and known["start_date"].writing.kind == "day":
        known |= {name: moment for name, moment in _find_moments(free, make_role) if name not in known}
    for first, last, kinds in (("start_date", "end_date", ("day", "moment")), ("start_time", "end_time", ("clock",))):
        for column in own:
            made_role = make_role(first, column.path)
            if column in [role.column for role in known.values()] or made_role.writing.kind not in kinds:
                continue
            if made_role.writing.read < 0.8 * made_role.writing.values:
                continue
            if first not in known and first == "start_time" and known.keys() & {"start_date", "weekdays"}:
                known[first] = made_role
            elif first in known and last not in known and is_later(connection, known[first], made_role):
                known[last] = made_role
    return {name: role for name, role in known.items() if name not in roles}


def is_later(connection: DuckDBPyConnection, one: Role, other: Role) -> bool:
    """Return True if the times of `other` are never before those of `one` in the same row, and at least once after."""
    first, last = (read_times(connection, role.column.values, role.writing) for role in (one, other))
    pairs = [(start, end) for start, end in zip(first, last, strict=True) if start and end]
    return all(start <= end for start, end in pairs) and any(start < end for start, end in pairs)


def is_other_date(path: str) -> bool:
    """Return True if a column's name says that its dates are no event's, but when an entry or building was made."""
    words = list_spellings(path)[0].split()
    words += [_DATE.sub("", word) for word in words]  # `datecreation`
    return not set(words).isdisjoint(merge_words("words")["other_dates"])


def is_dated(role: Role, *, is_course: bool) -> bool:
    """Return True if nearly all cells are dates, and (except for a course) not all equal, as an export's date is."""
    writing = role.writing
    varies = is_course or len(role.column.distinct) > 1 or writing.values == 1
    return varies and writing.kind in ("moment", "day") and writing.read >= 0.8 * writing.values


def _find_moments(free: Sequence[Column], make_role: MakeRole) -> list[tuple[str, Role]]:
    """Find columns that are named for a time and hold whole moments, beside a column for the day."""
    return [
        (role, made)
        for role in ("start_time", "end_time")
        for column in free
        if rank_name(role, column.path) is not None and (made := make_role(role, column.path)).writing.kind == "moment"
    ]


def _find_position(free: Sequence[Column]) -> dict[str, Role]:
    """Find the columns of latitude and longitude: one with pairs as text, or the two elements of a list."""
    for column in free:
        for patterns in (PAIR, POINT):
            if _share(column.filled, re.compile(f"{patterns[0]}.*")) > 0.5:
                lat, lng = (Role(column=column, pattern=pattern) for pattern in patterns)
                return {"lat": lat, "lng": lng}
    lists = {column.path: column for column in free}
    for path, first in lists.items():
        second = lists.get(path.removesuffix("[0]") + "[1]") if path.endswith("[0]") else None
        if second is not None and fits("lat", first, TimeNotation()) and fits("lng", second, TimeNotation()):
            return {"lat": Role(column=first), "lng": Role(column=second)}
    return {}


def fits(role: str, column: Column, writing: TimeNotation) -> bool:
    """Return True if the values of a column fit a role. `writing`: the notation of its times."""
    values = column.filled
    if role == "source_id":
        return not column.many and len(set(values)) == len(values) and len(values) * 20 >= len(column.values) * 19
    if role in ("start_date", "end_date"):
        return writing.kind in ("moment", "day", "unix")
    if role in ("start_time", "end_time"):
        return writing.kind == "clock"
    if role in ("lat", "lng"):
        most = 90 if role == "lat" else 180
        degrees = [value for value in values if _DEGREES.fullmatch(value.strip()) and abs(read_number(value)) <= most]
        return len(degrees) > 0.5 * len(values)
    if role.startswith("price") and _count(values, _states_ages_alone) > _LEAST * len(values):
        return False  # "À partir de: 3 ans"
    if role in _SHAPES:
        return _share(values, _SHAPES[role]) > _LEAST
    if role == "price":
        return _share(values, _NUMBER) > _LEAST or any(not re.search(r"\d", value) for value in values)
    if role in ("is_free", "registration", "all_day"):
        return len({value.casefold() for value in values}) <= 3 and not column.many
    if role == "category" and (
        (len(column.distinct) == 1 and len(values) >= _FEW)
        or len(column.distinct) > max(40, len(values) // 2) or _share(values, _NO_CATEGORY) > _LEAST
    ):  # fmt: skip
        return False
    return role not in _WORDED or (_share(values, _NAMED) >= 0.5 and not _FLAGS.issuperset(map(fold, column.distinct)))


def _share(values: Sequence[str], pattern: re.Pattern[str]) -> float:
    return sum(pattern.fullmatch(value.strip()) is not None for value in values) / max(1, len(values))


def _count(values: Sequence[str], is_so: Callable[[str], bool]) -> int:
    return sum(map(is_so, values))


def _is_priced(value: str) -> bool:
    """Return True for an amount with its currency, or a word for free. A number alone may be anything."""
    amount = read_amount(value)
    return amount is not None and (_CURRENCY if amount.kind == "priced" else _NAMED).search(value) is not None


def _states_ages_alone(value: str) -> bool:
    return understands("ages", value) and not understands("amount", value)


def read_number(value: str | None) -> float:
    """Parse a number with a decimal point or comma. Return 0 for another text."""
    try:
        return float((value or "0").replace(",", "."))
    except ValueError:
        return 0.0
