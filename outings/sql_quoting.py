"""Quote names and values for SQL."""

from typing import Any


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(literal, value))}]"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
