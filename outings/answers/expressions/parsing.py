"""Check an expression of `where=` and print it canonically. DuckDB parses, binds and prints it, but reads no data here.

Only the node types, functions and columns that are listed are allowed.
"""

import re
import threading
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from outings.contract.did_you_mean import find_nearest
from outings.contract.errors import ApiError, bad_request
from outings.contract.expression_columns import COPYING, FUNCTIONS, PREFIXES, list_columns
from outings.contract.parameters import PARAMETERS
from outings.contract.routes import Route
from outings.contract.values import CONTROL_CHARACTERS, show_text
from outings.sql_quoting import quote

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NAME = "where"
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "temp_directory": "",
    "threads": 1,
}
_REMEMBERED = 1_024
_HEAD = "SELECT 1 WHERE "
_COMPARISONS = ("EQUAL", "NOTEQUAL", "LESSTHAN", "GREATERTHAN", "LESSTHANOREQUALTO", "GREATERTHANOREQUALTO")
# Class of a node → the types that are allowed of it, each with what a message calls it.
_NODES: Mapping[str, frozenset[str]] = {
    "CONSTANT": frozenset({"VALUE_CONSTANT"}),
    "COLUMN_REF": frozenset({"COLUMN_REF"}),
    "COMPARISON": frozenset({*(f"COMPARE_{name}" for name in _COMPARISONS), "COMPARE_DISTINCT_FROM",
                             "COMPARE_NOT_DISTINCT_FROM"}),
    "CONJUNCTION": frozenset({"CONJUNCTION_AND", "CONJUNCTION_OR"}),
    "BETWEEN": frozenset({"COMPARE_BETWEEN"}),
    "OPERATOR": frozenset({"OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE",
                           "COMPARE_IN", "COMPARE_NOT_IN"}),
    "CASE": frozenset({"CASE_EXPR"}),
    "CAST": frozenset({"OPERATOR_CAST"}),
    "FUNCTION": frozenset({"FUNCTION"}),
}  # fmt: skip
_CASTS = frozenset(
    {
        "BOOLEAN", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE",
        "INTERVAL",
    }
)  # fmt: skip
# How many `_` a pattern may have after its first `%`. For n of them a regular expression has up to 2 ** n states. It
# takes linear time only while RE2 has all states in memory.
_MOST_WILDCARDS = 8
# Operator of a pattern → whether case is folded, and whether a match is refused.
_PATTERNS = {"~~": (False, False), "!~~": (False, True), "~~*": (True, False), "!~~*": (True, True)}


class Expression(Struct, frozen=True):
    """A checked condition.

    Attributes:
        text: its canonical form.
        sql: the form to evaluate: each column is one quoted name, and each LIKE takes linear time.
        columns: the paths of its columns, such as `price.min`.
        copies: how many copies of a listing's texts its evaluation holds, at most.
    """

    text: str
    sql: str
    columns: frozenset[str]
    copies: int

    def is_of_occurrence(self, listing_type: str) -> bool:
        """Return True if the expression names a column of the type's occurrences, sections or sessions."""
        prefix = f"{PREFIXES.get(listing_type)}."
        return any(path.startswith(prefix) for path in self.columns)


def canonicalize(text: str, route: Route) -> str:
    """Return the canonical text of a route's expression. Raises `invalid_value`."""
    return parse_expression(text, route.type).text


@lru_cache(_REMEMBERED)
def parse_expression(text: str, listing_type: str | None) -> Expression:
    """Parse an expression over the columns of a type, or of all types if None. Raises `invalid_value` with a position,
    and `out_of_range` if the canonical text is too long.

    >>> parse_expression("PRICE.MIN<20", "event").text
    '(price.min < 20)'
    """
    with _lock:
        return _Parser(text, listing_type).parse()


_lock = threading.Lock()


class _Parser:
    def __init__(self, text: str, listing_type: str | None) -> None:
        self._text, self._columns, self._connection = text, list_columns(listing_type), _open()
        self._table = listing_type or _ANY
        self._named: set[str] = set()

    def parse(self) -> Expression:
        tree = self._read(f"{_HEAD}{self._text}\n", len(_HEAD))
        node = self._find_condition(tree)
        for part in _walk(node):
            self._check_node(part)
        text = self._print_canonically(tree)
        most = PARAMETERS[NAME].maximum
        assert most is not None
        if len(text) > most:
            message = f"{NAME} has {len(text)} characters in its canonical form; it takes {most:g}."
            raise bad_request(param=NAME, reason="out_of_range", message=message, max=int(most))
        if CONTROL_CHARACTERS.search(text):
            raise refuse("has a control character", 1)
        flat = _flatten(tree)
        self._bind(flat)
        _, copies = _count_copies(flat["statements"][0]["node"]["where_clause"])
        return Expression(text, self._print(flat), frozenset(self._named), max(copies, 1))

    def _read(self, statement: str, before: int) -> dict[str, Any]:
        """Parse an SQL statement into DuckDB's tree. `before`: the number of characters before the expression."""
        (serialized,) = self._query("SELECT json_serialize_sql(?)", statement)
        try:
            tree: dict[str, Any] = msgspec.json.decode(serialized)
        except msgspec.DecodeError:
            raise refuse("has a number that is too large", 1) from None
        if tree["error"]:
            if tree["error_type"] == "not implemented":  # a statement of another kind follows
                raise refuse("is more than one expression", 1)
            place = self._count_characters(int(tree.get("position") or before) - before)
            raise refuse(f"is no expression: {tree['error_message']}", place)
        return tree

    def _find_condition(self, tree: dict[str, Any]) -> dict[str, Any]:
        """Return the condition after WHERE. Raises `invalid_value` if the statement has anything else."""
        plain = self._read(f"{_HEAD}true", len(_HEAD))
        nodes = [statements["statements"][0]["node"] for statements in (tree, plain)]
        bare = [{**node, "where_clause": None} for node in nodes]
        if len(tree["statements"]) > 1 or _forget_places(bare[0]) != _forget_places(bare[1]):
            raise refuse("is more than one expression", 1)
        condition: dict[str, Any] = nodes[0]["where_clause"]
        return condition

    def _check_node(self, node: dict[str, Any]) -> None:
        at = self._find_place(node)
        if node["type"] not in _NODES.get(node["class"], ()):
            what = node["type"].lower().replace("_", " ")
            raise refuse(f"has a {what}; allowed: comparisons, functions, AND, OR, NOT, IN, BETWEEN, CASE and CAST", at)
        match node["class"]:
            case "COLUMN_REF":
                self._check_column(node, at)
            case "FUNCTION":
                _check_function(node, at)
            case "CAST" if node["cast_type"]["id"] not in _CASTS:
                raise refuse(f"casts to {node['cast_type']['id']}; allowed: {', '.join(sorted(_CASTS))}", at)

    def _check_column(self, node: dict[str, Any], at: int) -> None:
        path = ".".join(node["column_names"]).lower()
        if path not in self._columns:
            near = find_nearest(path, self._columns)
            inner = [column for column in self._columns if column.startswith(f"{path}.")][:3]
            hint = f" name one of its members, such as {', '.join(inner)}." if inner else ""
            hint = hint or (f" did you mean {near}?" if near else " the guide lists all columns.")
            raise refuse(f"has no column {show_text(path)};{hint}", at, did_you_mean=inner[0] if inner else near)
        node["column_names"] = path.split(".")
        self._named.add(path)

    def _find_place(self, node: dict[str, Any]) -> int:
        return self._count_characters(int(node["query_location"]) - len(_HEAD))

    def _count_characters(self, place: int) -> int:
        """Convert a byte's offset in the text to a character's number, from 1."""
        return len(self._text.encode()[: max(place, 0)].decode(errors="ignore")) + 1

    def _print_canonically(self, tree: dict[str, Any]) -> str:
        """Return the expression as DuckDB prints it, parsed and printed again until the text no longer changes."""
        text, again = "", self._print(tree)
        while again != text:
            text = again
            again = self._print(self._read(_HEAD + text, len(_HEAD)))
        return text

    def _print(self, tree: dict[str, Any]) -> str:
        (statement,) = self._query("SELECT json_deserialize_sql(?::JSON)", msgspec.json.encode(tree).decode())
        return str(statement).removeprefix(_HEAD)

    def _query(self, statement: str, value: str) -> tuple[Any, ...]:
        import duckdb

        try:
            row = self._connection.execute(statement, [value]).fetchone()
        except duckdb.Error as error:  # nested too deeply, or a text that is no UTF-8
            raise refuse(f"is no expression: {_shorten(error)}", 1) from None
        assert row is not None
        return row

    def _bind(self, tree: dict[str, Any]) -> None:
        """Raise `invalid_value` if the expression is not boolean, or at the smallest part whose types do not fit."""
        kind = self._find_kind(tree)
        if isinstance(kind, str) and kind in ("BOOLEAN", '"NULL"'):
            return
        if isinstance(kind, str):
            raise refuse(f"is a {kind}; it has to be true or false", 1)
        node = tree["statements"][0]["node"]
        for part in [*_walk(node["where_clause"])][::-1]:
            failure = self._find_kind({**tree, "statements": [{"node": {**node, "where_clause": part}}]})
            if not isinstance(failure, str):
                raise refuse(f"is wrong here: {_shorten(failure)}", self._find_place(part))
        raise refuse(f"is wrong: {_shorten(kind)}", 1)

    def _find_kind(self, tree: dict[str, Any]) -> "str | Exception":
        """Return the SQL type of an expression, or DuckDB's error if it has none."""
        import duckdb

        try:
            return str(self._connection.sql(f"SELECT ({self._print(tree)}) FROM {quote(self._table)}").types[0])
        except duckdb.Error as error:
            return error


def _check_function(node: dict[str, Any], at: int) -> None:
    name = node["function_name"].lower()
    if name not in FUNCTIONS or node["schema"] not in ("", "main") or node["catalog"]:
        near = find_nearest(name, FUNCTIONS)
        hint = f" did you mean {near}?" if near else " the guide lists all functions."
        raise refuse(f"has no function {show_text(name)};{hint}", at, did_you_mean=near)
    if node["filter"] or node["distinct"] or node["order_bys"]["orders"] or node["export_state"]:
        raise refuse(f"has more in {name} than its arguments", at)
    if name in _PATTERNS:
        pattern = node["children"][1]
        if pattern["class"] != "CONSTANT" or not isinstance(pattern["value"].get("value"), str):
            raise refuse("takes a text in quotes as the pattern of LIKE", at)
        if (count := _order_wildcards(pattern["value"]["value"]).partition("%")[2].count("_")) > _MOST_WILDCARDS:
            raise refuse(f"has {count} _ after a % in a pattern; allowed: {_MOST_WILDCARDS}", at)


def _flatten(tree: dict[str, Any]) -> dict[str, Any]:
    """Copy the tree, with each column as one quoted name, and each LIKE replaced by a node of linear time."""
    flat = deepcopy(tree)
    for node in [*_walk(flat["statements"][0]["node"]["where_clause"])]:
        if node["class"] == "COLUMN_REF":
            node["column_names"] = [".".join(node["column_names"])]
        elif node["class"] == "FUNCTION" and (name := node["function_name"]) in _PATTERNS:
            is_folded, is_negated = _PATTERNS[name]
            node |= _make_pattern(node, is_folded=is_folded, is_negated=is_negated)
    return flat


def _make_pattern(node: dict[str, Any], *, is_folded: bool, is_negated: bool) -> dict[str, Any]:
    """Return a node that matches the same as LIKE or ILIKE, in linear time.

    DuckDB backtracks after each `_`, and in ILIKE after each `%`, which takes minutes in a long text.
    """
    text, pattern = node["children"]
    words = _order_wildcards(pattern["value"]["value"])
    if is_folded:
        lower = {**node, "function_name": "lower", "is_operator": False}
        text = {**lower, "children": [text]}
        words = "".join(character.lower() if len(character.lower()) == 1 else character for character in words)
    if "_" not in words:
        value = {**pattern, "value": {**pattern["value"], "value": words}}
        return {"function_name": "!~~" if is_negated else "~~", "children": [text, value]}
    value = {**pattern, "value": {**pattern["value"], "value": f"(?s){''.join(map(_escape, words))}"}}
    match = {**node, "function_name": "regexp_full_match", "is_operator": False, "children": [text, value]}
    return {**node, "class": "OPERATOR", "type": "OPERATOR_NOT", "children": [match]} if is_negated else match


def _order_wildcards(pattern: str) -> str:
    """Return a pattern that matches the same, with one `%` in a row, after each `_` beside it."""
    return re.sub(r"[%_]*%[%_]*", lambda run: "_" * run[0].count("_") + "%", pattern)


def _escape(character: str) -> str:
    wild = {"%": ".*", "_": "."}.get(character)
    plain = character if character.isalnum() or not character.isascii() else f"\\{character}"
    return plain if wild is None else wild


def _count_copies(node: Any) -> tuple[int, int]:
    """Return how many copies of its columns' values a node's result has, and how many its evaluation holds in all."""
    if isinstance(node, list):
        counts = [*map(_count_copies, node)]
        return sum(copies for copies, _ in counts), sum(held for _, held in counts)
    if not isinstance(node, dict):
        return 0, 0
    copies, held = _count_copies([inner for name, inner in node.items() if name not in ("value", "cast_type")])
    if "class" not in node:
        return copies, held
    if node["class"] == "COLUMN_REF":
        return 1, 1
    is_copying = node["class"] in ("CASE", "CAST") or node["type"] == "OPERATOR_COALESCE"
    if not is_copying and node.get("function_name", "").lower() not in COPYING:
        return 0, held
    return copies, held + copies


def _walk(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every node of an expression, each before its children."""
    if isinstance(node, list):
        for child in node:
            yield from _walk(child)
    elif isinstance(node, dict):
        if "class" in node:
            yield node
        for name, inner in node.items():
            if name not in ("value", "cast_type"):
                yield from _walk(inner)


def _forget_places(node: Any) -> Any:
    if isinstance(node, list):
        return [*map(_forget_places, node)]
    if isinstance(node, dict):
        return {name: _forget_places(inner) for name, inner in node.items() if name != "query_location"}
    return node


def refuse(problem: str, position: int | None = None, *, did_you_mean: str | None = None) -> ApiError:
    """Return the error `invalid_value` for the expression. `position`: the character's number, from 1."""
    return bad_request(
        param=NAME,
        reason="invalid_value",
        message=f"{NAME} {problem}{'' if problem.endswith(('?', '.')) else '.'}",
        position=position,
        did_you_mean=did_you_mean,
    )


def _shorten(error: object) -> str:
    """Return the first line of DuckDB's message, without the kind of error."""
    line = str(error).strip().partition("\n")[0]
    return line.partition(": ")[2] or line


_ANY = "any"


@cache
def _open() -> "DuckDBPyConnection":
    """Open a database that has a table of each type's columns, without rows."""
    import duckdb

    from outings.select_statement import lock

    connection = duckdb.connect(":memory:", config={**SETTINGS, "memory_limit": "64MB"})
    for name in (*PREFIXES, "place", None):
        columns = ", ".join(f"{quote(path)} {kind}" for path, kind in list_columns(name).items())
        connection.execute(f"CREATE TABLE {quote(name or _ANY)} ({columns})")
    lock(connection)
    return connection
