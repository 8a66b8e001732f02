"""JSON as people read it: what fits on a line stands on one."""

import json
from typing import Any

_WIDTH = 64
_STEP = "  "


def format_json(value: Any, *, indent: str = "", taken: int = 0) -> str:
    """`indent` stands before each further line; `taken` columns of the first one are in use."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(indent) + taken + len(flat) <= _WIDTH:
        return flat
    inner = indent + _STEP
    if isinstance(value, dict):
        names = [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
        lines = [
            name + format_json(each, indent=inner, taken=len(name))
            for name, each in zip(names, value.values(), strict=True)
        ]
    else:
        lines = [format_json(each, indent=inner) for each in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n" + ",\n".join(inner + line for line in lines) + f"\n{indent}{last}"
