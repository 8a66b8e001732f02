"""Check, without running it, that SQL is a single plain SELECT without functions that read files. Limit how long it
runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

import duckdb
import orjson
from duckdb import DuckDBPyConnection, StatementType

# Functions that make rows from values, and read nothing.
TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series", "json_each", "json_tree", "repeat"})


def parse_select(connection: DuckDBPyConnection, query: str, *, readable: str) -> list[dict[str, Any]]:
    """Return every node of a statement's tree. `readable`: what it may read, for the message.

    Raises ValueError for anything but a plain `SELECT`, and duckdb.Error for what is no SQL.
    """
    statements = connection.extract_statements(query)
    if len(statements) != 1:
        raise ValueError(f"holds {len(statements)} statements; allowed: one SELECT")
    if statements[0].type != StatementType.SELECT:
        raise ValueError(f"is {statements[0].type.name}; allowed: one SELECT")
    serialized = connection.execute("SELECT json_serialize_sql(?)", [query]).fetchone()
    tree = orjson.loads(serialized[0]) if serialized else {"error": True}
    if tree["error"]:
        raise ValueError(f"is not a plain SELECT: {tree.get('error_message', 'it can not be read')}")
    nodes = list(_walk(tree))
    for node in nodes:
        if node.get("type") == "TABLE_FUNCTION" and (name := node["function"]["function_name"]) not in TABLE_FUNCTIONS:
            raise ValueError(f"reads {name}(…); allowed: {readable}, and {', '.join(sorted(TABLE_FUNCTIONS))}")
    return nodes


def lock(connection: DuckDBPyConnection) -> None:
    """Forbid access to other files, the network and extensions on this connection, irrevocably."""
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


@contextmanager
def bound_time(connection: DuckDBPyConnection, *, seconds: float, setting: str) -> Iterator[None]:
    """Interrupt DuckDB after `seconds`, which `setting` allows. Raises ValueError for that and for errors of DuckDB."""
    timer = Timer(seconds, connection.interrupt)
    timer.start()
    try:
        yield
    except duckdb.InterruptException as error:
        raise ValueError(f"took longer than the {seconds:g} seconds of {setting}") from error
    except duckdb.Error as error:
        raise ValueError(str(error).strip()) from error
    finally:
        timer.cancel()


def _walk(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a parsed statement."""
    ahead = [tree]
    while ahead:
        node = ahead.pop()
        if isinstance(node, dict):
            yield node
            ahead += node.values()
        elif isinstance(node, list):
            ahead += node
