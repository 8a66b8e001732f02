"""What a rule names of the file → SQL for its text: a column by its name, or a path into what a column holds."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from outings.configuration.mapping import MappingError, Rule
from outings.contract.did_you_mean import list_nearest
from outings.sql_quoting import literal, quote

_STEP = re.compile(r"([^\[\]]*)((?:\[\d*\])*)")
_INDEX = re.compile(r"\[(\d*)\]")
_WHOLE = ("tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint", "hugeint")


class Text(Struct, frozen=True):
    """SQL for a text, or (`many`) for a list of them. `is_number`: the file says it as a number and not as a text."""

    sql: str
    many: bool = False
    is_number: bool = False


def fold(text: str) -> str:
    """Fold a text as `lower(strip_accents(…))` does."""
    plain = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).lower()


def find_texts(member: str, rule: Rule, columns: Mapping[str, Any]) -> list[Text]:
    """Return SQL for the columns that the file has. Raises `MappingError` for one that it has to have."""
    texts, missing = [], list[MappingError]()
    for place, each in enumerate(rule.columns):
        try:
            text = find_text(member, each, columns)
            texts.append(_add_label(text, rule.labels[place], rule.with_) if rule.labels else text)
        except MappingError as error:
            missing.append(error)
    if missing and not rule.optional and not (rule.first and texts):
        raise missing[0]
    return texts


def _add_label(text: Text, label: str, between: str) -> Text:
    """Put the label before the text, if there is any."""
    if not label:
        return text
    sql = f"nullif(array_to_string({text.sql}, {literal(between)}), '')" if text.many else text.sql
    return Text(f"{literal(f'{label} ')} || {sql}")


def choose_first(texts: Sequence[Text]) -> Text:
    """Return the first text that is stated; a list without an entry states nothing."""
    if not texts:
        return Text("NULL::VARCHAR")
    if not any(each.many for each in texts):
        return Text(f"coalesce({', '.join(each.sql for each in texts)})")
    lists = (
        f"CASE WHEN len({each.sql}) > 0 THEN {each.sql} END" if each.many
        else f"CASE WHEN {each.sql} IS NOT NULL THEN [{each.sql}] END"
        for each in texts
    )  # fmt: skip
    return Text(f"coalesce({', '.join(lists)})", many=True)


def find_text(member: str, stated: str, columns: Mapping[str, Any]) -> Text:
    """Return SQL for one column, or a path into it. `columns`: the types of `feed`. Raises `MappingError` if there is
    none."""
    name, rest = find_column(member, stated, columns)
    return _walk(member, quote(name), columns[name], rest, stated)


def find_column(member: str, stated: str, columns: Mapping[str, Any]) -> tuple[str, str]:
    """Return a column and the path behind it. Case, accents and blanks may differ unless another column is named so."""
    folded: dict[str, str] = {}
    for name in columns:
        folded.setdefault(_fold_name(name), name)
    for cut in _list_cuts(stated):
        for column in (stated[:cut] if stated[:cut] in columns else None, folded.get(_fold_name(stated[:cut]))):
            if column is not None:
                return column, stated[cut:].removeprefix(".")
    near = list_nearest(stated, columns) or list(columns)[:12]
    has = f"it has: {', '.join(near)}. If the names of its columns stand further down, say skip"
    raise MappingError(member, f'names the column "{stated}", which the file does not have; {has}')


def _fold_name(name: str) -> str:
    return " ".join(re.sub(r"[\s_\-]+", " ", fold(name)).split())


def _list_cuts(stated: str) -> list[int]:
    """List where a path may begin: at its end, or at a point or bracket, the longest name first."""
    return [len(stated), *(at for at in range(len(stated) - 1, 0, -1) if stated[at] in ".[")]


def _walk(member: str, sql: str, kind: Any, rest: str, stated: str) -> Text:
    """Follow a path through structs by their types, then through JSON."""
    if not rest:
        return _end(member, sql, kind, stated)
    if kind.id == "varchar" or str(kind) == "JSON":
        return _walk_json(sql, kind, rest)
    if rest.startswith("["):
        match = _INDEX.match(rest)
        if match is None or kind.id != "list":
            raise MappingError(member, f'names "{stated}", where the file has no list')
        child, after = kind.children[0][1], rest[match.end() :].removeprefix(".")
        if match[1]:
            return _walk(member, f"{sql}[{int(match[1]) + 1}]", child, after, stated)
        inner = _walk(member, "entry", child, after, stated)
        if inner.many:
            raise MappingError(member, f'names "{stated}", a list of lists; take one of them, as [0]')
        return Text(f"list_transform({sql}, lambda entry: {inner.sql})", many=True)
    if kind.id == "list":
        raise MappingError(
            member, f'names "{stated}", where the file has a list; say [] for all of it, [0] for its first'
        )
    if kind.id != "struct":
        raise MappingError(member, f'names "{stated}", and what stands there is no object')
    names = {name.casefold(): (name, child) for name, child in kind.children}
    step = re.split(r"[.\[]", rest, maxsplit=1)[0]
    if step.casefold() not in names:
        known = [name for name, _ in kind.children]
        near = ", ".join(list_nearest(step, known) or known)
        raise MappingError(member, f'names "{stated}", where the file has no "{step}"; it has: {near}')
    name, child = names[step.casefold()]
    return _walk(member, f"{sql}.{quote(name)}", child, rest[len(step) :].removeprefix("."), stated)


def _walk_json(sql: str, kind: Any, rest: str) -> Text:
    """Follow a path through JSON. A text that is no JSON has nothing there."""
    path = "$"
    for step in re.split(r"\.(?![^\[]*\])", rest):
        match = _STEP.fullmatch(step)
        name, indexes = (match[1], match[2]) if match else (step, "")
        path += f'."{name}"' if name else ""
        path += indexes.replace("[]", "[*]")
    many = "[*]" in path
    read = f"json_extract_string({sql}, {literal(path)})"
    if kind.id == "varchar" and str(kind) != "JSON":
        read = f"CASE WHEN json_valid({sql}) THEN {read} END"
    return Text(read if many else f"nullif(trim({read}), '')", many=many)


def _end(member: str, sql: str, kind: Any, stated: str) -> Text:
    if kind.id == "list":
        inner = _end(member, "entry", kind.children[0][1], stated)
        return Text(f"list_transform({sql}, lambda entry: {inner.sql})", many=True)
    if kind.id == "struct":
        names = ", ".join(f"{stated}.{name}" for name, _ in kind.children)
        raise MappingError(member, f'names "{stated}", which holds an object; name what is in it: {names}')
    if str(kind) == "JSON":
        return Text(f"nullif(trim({sql}->>'$'), '')", is_number=True)
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
        return Text(f"nullif(trim({sql}), '')")
    return Text(f"{sql}::VARCHAR", is_number=kind.id in _WHOLE)
