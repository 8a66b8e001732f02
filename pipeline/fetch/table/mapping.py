"""Compile the rules of a mapping to one SELECT over `feed`.

A cell that does not fit its member is passed on as text: then the member's own rule quarantines the record, or leaves
the member out.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from msgspec import Struct

from outings.configuration.mapping import MappingError, Rule, parse_mapping
from outings.contract.did_you_mean import list_nearest
from outings.contract.vocabulary import Vocabulary
from outings.sql_quoting import literal, quote
from pipeline.fetch.table.ranges import CURRENCY, take_range
from pipeline.fetch.table.targets import TIMES, Target, find_targets
from pipeline.fetch.table.time_formats import read_clock, read_day, read_moment
from pipeline.records.record import RECORDS, make_members
from pipeline.words import fold, merge_words

# A place in a list, all of it, or (`[label=Ages?]`) the entry whose member matches a pattern as a whole.
_INDEX = re.compile(r"\[(?:(\d*)|(\w+)=([^\]]+))\]")
_WHOLE = ("tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint", "hugeint")


class Text(Struct, frozen=True):
    """SQL for a text, or (`many`) for a list of texts. `is_number`: the file's value is a number."""

    sql: str
    many: bool = False
    is_number: bool = False


def _choose_first(texts: Sequence[Text]) -> Text:
    """Return SQL for the first text that is not null. An empty list counts as null."""
    if not texts:
        return Text("NULL::VARCHAR")
    if not any(text.many for text in texts):
        return Text(f"coalesce({', '.join(text.sql for text in texts)})")
    lists = (
        f"CASE WHEN len({text.sql}) > 0 THEN {text.sql} END" if text.many
        else f"CASE WHEN {text.sql} IS NOT NULL THEN [{text.sql}] END"
        for text in texts
    )  # fmt: skip
    return Text(f"coalesce({', '.join(lists)})", many=True)


def find_text(member: str, stated: str, columns: Mapping[str, Any]) -> Text:
    """Return SQL for the column or path `stated`. `columns`: the types of the table `feed`, by name.

    Case, accents and blanks may differ, unless another column has that name. Raises `MappingError` for none.
    """
    folded = {_fold_name(name): name for name in reversed(list(columns))}
    # A path may begin at a point or bracket behind the name; the longest name counts.
    for cut in (len(stated), *(at for at in range(len(stated) - 1, 0, -1) if stated[at] in ".[")):
        column = stated[:cut] if stated[:cut] in columns else folded.get(_fold_name(stated[:cut]))
        if column is not None:
            return _walk(member, quote(column), columns[column], stated[cut:].removeprefix("."), stated)
    near = list_nearest(stated, columns) or list(columns)[:12]
    has = f"it has: {', '.join(near)}. If the names of its columns are further down, set skip"
    raise MappingError(member, f'names the column "{stated}", which the file does not have; {has}')


def _fold_name(name: str) -> str:
    return " ".join(re.sub(r"[\s_\-]+", " ", fold(name)).split())


def _walk(member: str, sql: str, kind: Any, rest: str, stated: str) -> Text:
    """Return SQL for a path through structs and lists by their types, then through JSON."""
    if not rest:
        return _end(member, sql, kind, stated)
    if kind.id == "varchar" or str(kind) == "JSON":
        return _walk_json(sql, kind, rest)
    if rest.startswith("["):
        return _walk_list(member, sql, kind, rest, stated)
    if kind.id != "struct":
        what = "a list; say [] for all of it, [0] for its first" if kind.id == "list" else "no object"
        raise MappingError(member, f'names "{stated}", where the file has {what}')
    step = re.split(r"[.\[]", rest, maxsplit=1)[0]
    for name, child in kind.children:
        if name.casefold() == step.casefold():
            return _walk(member, f"{sql}.{quote(name)}", child, rest[len(step) :].removeprefix("."), stated)
    members = [name for name, _ in kind.children]
    near = ", ".join(list_nearest(step, members) or members)
    raise MappingError(member, f'names "{stated}", where the file has no "{step}"; it has: {near}')


def _walk_list(member: str, sql: str, kind: Any, rest: str, stated: str) -> Text:
    match = _INDEX.match(rest)
    if match is None or kind.id != "list":
        raise MappingError(member, f'names "{stated}", where the file has no list')
    child, after = kind.children[0][1], rest[match.end() :].removeprefix(".")
    if match[2]:
        labels = _walk(member, "_entry", child, match[2], stated).sql
        fits = f"coalesce(regexp_full_match({labels}, {literal(match[3])}, 'i'), false)"
        return _walk(member, f"list_filter({sql}, lambda _entry: {fits})[1]", child, after, stated)
    if match[1]:
        return _walk(member, f"{sql}[{int(match[1]) + 1}]", child, after, stated)
    inner = _walk(member, "_entry", child, after, stated)
    if inner.many:
        raise MappingError(member, f'names "{stated}", a list of lists; take one of them, as [0]')
    return Text(f"list_transform({sql}, lambda _entry: {inner.sql})", many=True)


def _walk_json(sql: str, kind: Any, rest: str) -> Text:
    """Return SQL for a path through JSON. A text that is not JSON gives null, as does an entry by its label."""
    if "=" in rest:
        return Text("NULL::VARCHAR")
    path = "$" + re.sub(r"(?:^|\.)([^.\[]+)", r'."\1"', rest).replace("[]", "[*]")
    many = "[*]" in path
    read = f"json_extract_string({sql}, {literal(path)})"
    if kind.id == "varchar" and str(kind) != "JSON":
        read = f"CASE WHEN json_valid({sql}) THEN {read} END"
    return Text(read if many else _trim(read), many=many)


# Spreadsheets leave marks of the writing direction and blanks that do not break around what somebody pasted.
_BLANKS = " \t\r\n\u00a0\u200e\u200f\ufeff"


# What content systems write around a time: `<time datetime="2026-12-05T18:00:00+01:00">5 December</time>`.
_TIME_ELEMENT = r"^\s*<time\b[^>]*\bdatetime=\"([^\"]+)\"[^>]*>[^<]*</time>\s*$"


def _trim(sql: str) -> str:
    element = f"regexp_extract({sql}, {literal(_TIME_ELEMENT)}, 1)"
    text = f"CASE WHEN starts_with({sql}, '<time') THEN coalesce(nullif({element}, ''), {sql}) ELSE {sql} END"
    return f"nullif(trim({text}, {literal(_BLANKS)}), '')"


def _end(member: str, sql: str, kind: Any, stated: str) -> Text:
    if kind.id == "list":
        inner = _end(member, "_entry", kind.children[0][1], stated)
        return Text(f"list_transform({sql}, lambda _entry: {inner.sql})", many=True)
    if kind.id == "struct":
        names = ", ".join(f"{stated}.{name}" for name, _ in kind.children)
        raise MappingError(member, f'names "{stated}", which holds an object; name what is in it: {names}')
    if str(kind) == "JSON":
        return Text(_trim(f"{sql}->>'$'"), is_number=True)
    if kind.id in ("double", "float", "decimal"):
        whole = (
            f"CASE WHEN {sql} = trunc({sql}) AND abs({sql}) < 1e15 THEN {sql}::BIGINT::VARCHAR ELSE {sql}::VARCHAR END"
        )
        return Text(whole, is_number=True)
    if kind.id == "timestamp":
        return Text(f"strftime({sql}, '%Y-%m-%dT%H:%M:%S')")
    if kind.id == "timestamp with time zone":
        return Text(f"strftime({sql} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ')")
    if kind.id == "varchar":
        return Text(_trim(sql))
    return Text(f"{sql}::VARCHAR", is_number=kind.id in _WHOLE)


# Words that say yes or no by themselves.
YES = ("y", "true", "t", "1", "x", *merge_words("words")["yes"])
NO = ("n", "false", "f", "0", *merge_words("words")["no"])
_GAP = r"[\s\x{A0}\x{202F}]"


def _compile_flag(name: str, rule: Rule) -> str:
    own_yes, own_no = [*map(fold, rule.yes)], [*map(fold, rule.no)]
    yes, no = (
        ", ".join(map(literal, words))
        for words in (
            own_yes or [word for word in map(fold, YES) if word not in own_no],
            own_no or [word for word in map(fold, NO) if word not in own_yes],
        )
    )
    folded = f"lower(strip_accents({name}))"
    cases = f"WHEN {folded} IN ({yes}) THEN to_json(true) WHEN {folded} IN ({no}) THEN to_json(false)"
    return f"CASE {cases} ELSE to_json({name}) END"


def _compile_number(name: str, rule: Rule, target: Target) -> str:
    """Return SQL that parses a number. A text that is not a number as a whole stays text.

    An amount never has three decimals: 1.200 is a thousand or an error, and 12.50 is never 1250.
    """
    point = rf"\{rule.decimal}"
    group = rf"(?:[{'.' if rule.decimal == ',' else ','}']|{_GAP})"
    if target.kind == "decimal":
        shape = rf"-?\d+({point}\d+)?"
    else:
        whole = rf"(\d{{1,3}}({group}\d{{3}})+|\d+)"
        shape = rf"({CURRENCY}{_GAP}*)?-?{whole}({point}(\d\d?|\d\d00))?({_GAP}*{CURRENCY})?"
    plain = f"regexp_replace({name}, '[^0-9{rule.decimal}-]', '', 'g')"
    number = f"replace({plain}, ',', '.')" if rule.decimal == "," else plain
    fits = f"regexp_full_match({name}, {literal(shape)})"
    otherwise = f"to_json({name})"
    if target.steps[0] in ("ages", "price") and target.steps[-1] in ("min", "max"):
        # "7, 11" are two prices, and "$31.4159265" is a joke: what a person reads is no lost row.
        kind, end = "ages" if target.steps[0] == "ages" else "amount", "start" if target.steps[-1] == "min" else "end"
        is_sure = f"NOT regexp_full_match({name}, '\\d{{1,3}}[.,]\\d{{3}}')"
        read = f"CASE WHEN {is_sure} THEN try_cast({take_range(name, kind, end)} AS DOUBLE) END"
        otherwise = f"coalesce(to_json({read}), {otherwise})"
    return f"CASE WHEN {fits} THEN to_json({number}::DOUBLE) ELSE {otherwise} END"


Tree = dict[str, Any]


def compile_mapping(raw: Mapping[str, Any], columns: Mapping[str, Any], *, vocabulary: Vocabulary, zone: str) -> str:
    """Compile a mapping to one SELECT. `columns`: names and DuckDB types of the table's columns; `zone`: the metro's.
    Raises `MappingError`."""
    rules = parse_mapping(raw)
    targets = find_targets(rules, vocabulary)
    texts, moments, tree = ["rowid"], ["*"], Tree()
    for member, rule in rules.items():
        target = targets[member]
        if rule.value is not None:
            if target.many and not isinstance(rule.value, tuple):
                raise MappingError(f"{member}.value", "is one value; allowed: a list of them")
            sql = literal(rule.value)
        else:
            text = _compile_text(member, rule, target, columns)
            texts.append(f"{text.sql} AS {quote(member)}")
            if is_joined(rule, target):
                day, *clocks = (join_list(find_text(member, column, columns), rule.with_) for column in rule.join)
                texts.append(f"{day} AS {quote(f'{member} day')}")
                texts.append(f"concat_ws(' ', {', '.join(clocks)}) AS {quote(f'{member} clock')}")
            moments += _list_moments(member, rule, target, text, zone)
            sql = _compile_value(quote(member), rule, target, text, zone)
        _place(tree, target, sql)
    _add_day(tree, rules)
    if (weekdays := _list_weekday_texts(rules, columns)) and "rrule" not in tree:
        texts.append(f"coalesce({', '.join(weekdays)}) AS {quote('weekdays')}")
        tree["rrule"] = quote("weekdays")
    written = {name: _write(branch) for name, branch in tree.items()}
    if "type" in written and rules["type"].value is None:  # a row has the members of its own type alone
        for name in written.keys() - {"type"}:
            own = [type_ for type_, own in make_members(vocabulary).items() if name in own]
            is_own = f"lower(json_extract_string(to_json({written['type']}), '$')) IN ({', '.join(map(literal, own))})"
            written[name] = (
                written[name] if len(own) == len(RECORDS) else f"CASE WHEN {is_own} THEN {written[name]} END"
            )
    members = ",\n    ".join(["rowid", *(f"{sql} AS {quote(name)}" for name, sql in written.items())])
    read = ",\n        ".join(moments)
    of = ",\n        ".join(texts)
    headings = compile_headings(raw, columns)
    texts_sql = f"SELECT\n        {of}\n    FROM feed" + (f"\n    QUALIFY NOT ({headings})" if headings else "")
    return (
        f"WITH texts AS (\n    {texts_sql}\n),\n"
        f"moments AS (\n    SELECT\n        {read}\n    FROM texts\n)\n"
        f"SELECT\n    {members}\nFROM moments\nORDER BY rowid\n"
    )


def _list_weekday_texts(rules: Mapping[str, Rule], columns: Mapping[str, Any]) -> list[str]:
    """Return SQL for the weekdays that the columns of an event's start name, which `repeat_on_weekdays` takes."""
    rule = rules.get("starts_local")
    if rule is None or "ends_local" not in rules or not (rule.range or len(rule.join) > 1):
        return []
    texts = [find_text("starts_local", name, columns) for name in rule.columns if name in columns]
    return [
        f"CASE WHEN regexp_matches({text.sql}, '[A-Za-z]{{2}}') THEN weekdays({text.sql}) END"
        for text in texts if not text.many and not text.is_number
    ]  # fmt: skip


def _compile_text(member: str, rule: Rule, target: Target, columns: Mapping[str, Any]) -> Text:
    """Return SQL for a member's text or list of texts, after all steps of its rule."""
    text = _cut_text(member, compile_source(member, rule, target, columns), rule, target)
    if rule.separators:
        text = Text(
            _split(f"array_to_string({text.sql}, {literal(rule.separators[0])})" if text.many else text.sql, rule),
            many=True,
        )
    if rule.lookup:
        text = _look_up(text, rule, target)
        if text.many and not target.many:
            text = Text(f"list_filter({text.sql}, lambda _entry: _entry <> '')[1]")
    if rule.prefix:  # not before a text that has it, nor before an address with its own scheme
        prefix = literal(rule.prefix)
        has = "contains({0}, '://')" if "://" in rule.prefix else f"starts_with({{0}}, {prefix})"
        text = _change(text, lambda sql: f"CASE WHEN {has.format(sql)} THEN {sql} ELSE {prefix} || {sql} END")
    if rule.fallback is not None:
        text = _choose_first([text, _fall_back(member, rule, target, columns)])
    if text.many and not target.many:
        # A member with one value gets all of them in one text.
        text = Text(f"nullif(array_to_string(list_filter({text.sql}, lambda _entry: _entry <> ''), ', '), '')")
    return text


def compile_source(member: str, rule: Rule, target: Target, columns: Mapping[str, Any]) -> Text:
    """Return SQL for the texts of the rule's columns: the only one, the first, or all joined."""
    texts, missing = list[Text](), list[MappingError]()
    for column, label in zip_longest(rule.columns, rule.labels, fillvalue=""):
        try:
            text = find_text(member, column, columns)
        except MappingError as error:
            missing.append(error)
        else:
            texts.append(Text(f"{literal(f'{label} ')} || {join_list(text, rule.with_)}") if label else text)
    if missing and not rule.optional and not (rule.first and texts):
        raise missing[0]
    if rule.heading and texts:  # the nearest heading above the row stands behind its text
        is_heading = f"regexp_matches({texts[0].sql}, {literal(rule.heading)})"
        above = f"last_value(CASE WHEN {is_heading} THEN {texts[0].sql} END IGNORE NULLS) OVER (ORDER BY rowid)"
        texts[0] = Text(f"{texts[0].sql} || ' ' || {above}")
    if rule.first or not texts:
        text = _choose_first(texts)
    elif rule.join:
        parts = [join_list(part, rule.with_) for part in texts]
        if rule.range:
            return _join_ranges(parts, rule)
        text = Text(f"nullif(concat_ws({literal(rule.with_)}, {', '.join(parts)}), '')")
    else:
        (text,) = texts
    if target.kind == "amount" and text.is_number and rule.decimal == "," and rule.column is not None:
        text = Text(_number_as_written(text.sql, columns, rule))
    return text


def join_list(text: Text, between: str) -> str:
    return f"nullif(array_to_string({text.sql}, {literal(between)}), '')" if text.many else text.sql


def _join_ranges(parts: Sequence[str], rule: Rule) -> Text:
    """Return SQL that takes the rule's end of the range in each column and joins these, such as a day and a clock time.
    A column without an end gives its start (but null if none has an end, or there is no day); one without a digit
    (`TBA`) is left out."""
    parts = [f"CASE WHEN regexp_matches({part}, '[0-9]') THEN {part} END" for part in parts]
    # Behind the day stand hours: what is none is left out, so that no day is lost for it.
    kinds = ["time", *["clock"] * (len(parts) - 1)]
    starts = [take_range(part, kind, "start") for part, kind in zip(parts, kinds, strict=True)]
    if rule.range == "start":
        return Text(f"nullif(concat_ws({literal(rule.with_)}, {', '.join(starts)}), '')")
    ends = [take_range(part, kind, "end") for part, kind in zip(parts, kinds, strict=True)]
    both = ", ".join(f"coalesce({end}, {start})" for end, start in zip(ends, starts, strict=True))
    joined = f"concat_ws({literal(rule.with_)}, {both})"
    # Within a CASE, DuckDB calls a function again for each time that it stands there.
    return Text(f"{joined} || left({starts[0]}, 0) || left(coalesce({', '.join(ends)}), 0)")


def _cut_text(member: str, text: Text, rule: Rule, target: Target) -> Text:
    """Return SQL that takes a part of each text: the rule's group of its pattern, or one end of a range."""
    if rule.pattern:
        group = rule.taken_group
        text = _change(text, lambda sql: f"nullif(regexp_extract({sql}, {literal(rule.pattern)}, {group}), '')")
    if rule.range and not (rule.join and target.kind in TIMES):
        kind = "time" if target.kind in TIMES else "ages" if target.steps[0] == "ages" else target.kind
        if kind not in ("time", "ages", "amount"):
            raise MappingError(f"{member}.range", "is given for what has no range; allowed: times, ages and amounts")
        text = _change(text, lambda sql: take_range(sql, kind, rule.range, decimal=rule.decimal))
    return text


def compile_headings(raw: Mapping[str, Any], columns: Mapping[str, Any]) -> str:
    """Return an SQL condition for the rows that are headings; "" if no rule has any."""
    conditions = [
        f"coalesce(regexp_matches({find_text(member, rule.columns[0], columns).sql}, {literal(rule.heading)}), false)"
        for member, rule in parse_mapping(raw).items()
        if rule.heading
    ]
    return " OR ".join(dict.fromkeys(conditions))


def _fall_back(member: str, rule: Rule, target: Target, columns: Mapping[str, Any]) -> Text:
    if rule.fallback_rule is None:
        return Text(_say(rule.fallback, rule))
    other = _compile_text(f"{member}.fallback", rule.fallback_rule, target, columns)
    # The name of what has none is made of its kind and street, which begin with a small letter.
    return Text(f"upper({other.sql}[1]) || {other.sql}[2:]") if member == "name" else other


def _say(value: Any, rule: Rule) -> str:
    """Return SQL for a constant of the mapping, as the text that a cell would have."""
    if isinstance(value, bool):
        return literal("true" if value else "false")
    if isinstance(value, (int, float)):
        return literal(repr(value).replace(".", rule.decimal))
    return literal(value) if value != "" else "NULL"


def _number_as_written(sql: str, columns: Mapping[str, Any], rule: Rule) -> str:
    """Return SQL that writes the file's numbers with a decimal comma, as the rule expects."""
    (name,) = rule.columns
    written = f"replace({sql}, '.', ',')"
    if str(columns.get(name)) != "JSON":
        return written
    return f"CASE WHEN json_type({quote(name)}) IN ('DOUBLE', 'BIGINT', 'UBIGINT') THEN {written} ELSE {sql} END"


def _change(text: Text, make: Callable[[str], str]) -> Text:
    """Apply `make`, which changes SQL, to a text or to each of a list."""
    if not text.many:
        return Text(make(text.sql))
    return Text(f"list_transform({text.sql}, lambda _entry: {make('_entry')})", many=True)


def _split(sql: str, rule: Rule) -> str:
    first, *others = rule.separators
    for other in others:
        sql = f"replace({sql}, {literal(other)}, {literal(first)})"
    pieces = f"list_transform(string_split({sql}, {literal(first)}), lambda _entry: trim(_entry))"
    return f"list_filter({pieces}, lambda _entry: _entry <> '')"


def _look_up(text: Text, rule: Rule, target: Target) -> Text:
    several = target.many and any(isinstance(value, tuple) for value in rule.lookup.values())

    def say(value: Any) -> str:
        if several:
            return literal([str(word) for word in (value if isinstance(value, tuple) else (value,)) if word != ""])
        return _say(value, rule)

    def make(sql: str) -> str:
        cases = " ".join(
            f"WHEN {literal(fold(' '.join(word.split())))} THEN {say(value)}" for word, value in rule.lookup.items()
        )
        own = f"[{sql}]" if several else sql
        other = own if rule.other is None else f"CASE WHEN {sql} IS NOT NULL THEN {say(rule.other)} END"
        return f"CASE lower(strip_accents(trim({sql}))) {cases} ELSE {other} END"

    if several and not text.many:
        text = Text(f"CASE WHEN {text.sql} IS NOT NULL THEN [{text.sql}] END", many=True)
    text = _change(text, make)
    return Text(f"flatten({text.sql})", many=True) if several else text


def _list_moments(member: str, rule: Rule, target: Target, text: Text, zone: str) -> list[str]:
    """Return SQL for the two columns of a time: `… at` with the moment, and `… on` with the date if it has no time."""
    if target.kind not in TIMES or text.many:
        return []
    name = quote(member)
    if target.kind == "clock":
        return [f"{read_clock(name, rule.formats, zone)} AS {quote(f'{member} at')}"]
    moment, day = read_moment(name, rule.formats, zone), read_day(name, rule.formats, zone)
    if is_joined(rule, target):
        # Hours in no format of the rule are read as people write them; no day is lost for those that can't be read.
        alone = read_day(quote(f"{member} day"), rule.formats, zone)
        clock = f"try_cast({take_range(quote(f'{member} clock'), 'clock', 'start')} AS TIME)"
        day = f"coalesce({day}, CASE WHEN {moment} IS NULL AND {clock} IS NULL THEN {alone} END)"
        moment = f"coalesce({moment}, CAST({alone} AS DATE) + {clock})"
    return [f"{moment} AS {quote(f'{member} at')}", f"{day} AS {quote(f'{member} on')}"]


def is_joined(rule: Rule, target: Target) -> bool:
    """Return True for a local time whose day and clock time stand in columns of their own."""
    return target.kind == "local" and len(rule.join) > 1 and not rule.range and not rule.optional


def _compile_value(name: str, rule: Rule, target: Target, text: Text, zone: str) -> str:
    if target.many:
        listed = name if text.many else f"CASE WHEN {name} IS NOT NULL THEN [{name}] END"
        if target.kind == "local":
            read = _write_moment(read_moment("_entry", rule.formats, zone), "_entry", "%Y-%m-%dT%H:%M:%S")
            return f"list_transform({listed}, lambda _entry: {read})"
        return listed
    if target.kind == "flag":
        return _compile_flag(name, rule)
    if target.kind in ("amount", "decimal"):
        return _compile_number(name, rule, target)
    if target.kind in TIMES:
        return _compile_time(name, target, zone)
    return name


def _compile_time(name: str, target: Target, zone: str) -> str:
    at, on = (quote(f"{'.'.join(target.steps)} {word}") for word in ("at", "on"))
    if target.kind == "clock":
        return _write_moment(at, name, "%H:%M:%S")
    if target.kind == "date":
        return _write_moment(f"coalesce({at}, {on})", name, "%Y-%m-%d")
    if target.kind == "instant":
        utc = f"coalesce({at}, {on}) AT TIME ZONE {literal(zone)} AT TIME ZONE 'UTC'"
        return _write_moment(utc, name, "%Y-%m-%dT%H:%M:%SZ")
    # Of a day alone a start has no time, and an end is the midnight behind it.
    midnight = f"{on} + INTERVAL 1 DAY"
    day = f"to_json(strftime({midnight}, '%Y-%m-%dT%H:%M:%S'))" if target.steps == ("ends_local",) else "NULL"
    return f"CASE WHEN {on} IS NOT NULL THEN {day} ELSE {_write_moment(at, name, '%Y-%m-%dT%H:%M:%S')} END"


def _write_moment(moment: str, text: str, format_: str) -> str:
    return f"coalesce(to_json(strftime({moment}, '{format_}')), to_json({text}))"


def _add_day(tree: Tree, rules: Mapping[str, Rule]) -> None:
    """Add `date_on` for a start that is a date alone. Drop an end that is only the date of a start with a time."""
    if "starts_local" not in tree or rules["starts_local"].value is not None:
        return
    if "date_on" not in tree:
        tree["date_on"] = "strftime(\"starts_local on\", '%Y-%m-%d')"
    if "ends_local" in tree and rules["ends_local"].value is None:
        same = '"ends_local on" = date_trunc(\'day\', "starts_local at")'
        ends = str(tree["ends_local"])
        if rules["ends_local"].range:  # "18h-24h" and "22h-2h" end on the next day
            starts = '"starts_local at"'
            is_next = f'date_trunc(\'day\', {starts}) <= "ends_local at" AND "ends_local at" < {starts}'
            if len(rules["ends_local"].join) > 1:  # and "18h-24h" beside a last day on the day behind it
                is_next = f'({is_next} OR "ends_local at" = date_trunc(\'day\', "ends_local at"))'
            moved = f'(CASE WHEN {is_next} THEN "ends_local at" + INTERVAL 1 DAY ELSE "ends_local at" END)'
            ends = ends.replace('"ends_local at"', moved)
        tree["ends_local"] = f"CASE WHEN {same} THEN NULL ELSE {ends} END"


def _place(tree: Tree, target: Target, sql: str) -> None:
    for place, step in enumerate(target.steps[:-1]):
        tree = tree.setdefault(step, Tree())
        if place in target.lists:
            tree = tree.setdefault("[]", Tree())
    tree[target.steps[-1]] = sql


def _write(tree: "str | Tree") -> str:
    """Return SQL for a struct. Its constants are null unless another member is stated."""
    if isinstance(tree, str):
        return tree
    if "[]" in tree:
        return f"[{_write(tree['[]'])}]"
    members = {name: _write(branch) for name, branch in tree.items()}
    stated = [sql for sql in members.values() if not _is_constant(sql)]
    if stated and len(stated) < len(members):
        is_any_stated = f"coalesce({', '.join(f'to_json({sql})' for sql in stated)}) IS NOT NULL"
        members = {
            name: f"CASE WHEN {is_any_stated} THEN {sql} END" if _is_constant(sql) else sql
            for name, sql in members.items()
        }
    return "{" + ", ".join(f"{literal(name)}: {sql}" for name, sql in members.items()) + "}"


def _is_constant(sql: str) -> bool:
    return sql.startswith(("'", "[")) or sql in ("true", "false") or sql.lstrip("-").replace(".", "", 1).isdigit()


def list_used(raw: Mapping[str, Any]) -> list[str]:
    """Return the columns that the rules name, in their order."""
    return list(dict.fromkeys(path for rule in parse_mapping(raw).values() for path in _list_columns(rule)))


def _list_columns(rule: Rule) -> Iterator[str]:
    yield from rule.columns
    if rule.fallback_rule is not None:
        yield from _list_columns(rule.fallback_rule)
