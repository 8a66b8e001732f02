"""Comparison of an answer with the one that a guide shows. `…` in a guide stands for anything. Times and ids are
compared by their form only, and so are all values of an answer marked `moving`, which changes with the day."""

import json
import re
from typing import Any

# What stands for a member or item that is left out, once JSON can be parsed.
_ANY = "…"
_FORMS = (
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    r"\d{4}-\d\d-\d\d",
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(_\d{8}T\d{6})?",
    r"[0-9a-f]{32}|[0-9a-f]{64}",
    r"\d+-[0-9a-f]{8}",
)


def parse_shown(text: str) -> Any:
    """JSON in which `…` may stand for a value, for the last items of a list or the last members of an object."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"…(?=\s*\})", '"…": "…"', parts[place])
        parts[place] = re.sub(r'(?<!")…(?!")', '"…"', parts[place])
        parts[place] = re.sub(r':\s*"…": "…"', ': "…"', parts[place])
    return json.loads("".join(parts))


def find_difference(shown: Any, came: Any, *, is_moving: bool, path: str = "") -> str | None:
    """Return None if an answer is what a guide shows, else the first difference."""
    if shown == _ANY:
        return None
    if isinstance(shown, dict) and isinstance(came, dict):
        return _compare_members(shown, came, is_moving=is_moving, path=path)
    if isinstance(shown, list) and isinstance(came, list):
        return _compare_items(shown, came, is_moving=is_moving, path=path)
    if isinstance(shown, str) and isinstance(came, str):
        is_alike = is_moving or match_text(shown, came)
    else:
        is_alike = type(shown) is type(came) if is_moving else shown == came
    return None if is_alike else f"{path}: the guide shows {shown!r}, and {came!r} came"


def _compare_members(shown: dict[str, Any], came: dict[str, Any], *, is_moving: bool, path: str) -> str | None:
    names = [name for name in shown if name != _ANY]
    if _ANY not in shown and came.keys() != {*names}:
        return f"{path}: the guide shows the members {names}, and {list(came)} came"
    if missing := [name for name in names if name not in came]:
        return f"{path}: the guide shows {missing}, and {list(came)} came"
    differences = (
        find_difference(shown[name], came[name], is_moving=is_moving, path=f"{path}.{name}") for name in names
    )
    return next((difference for difference in differences if difference), None)


def _compare_items(shown: list[Any], came: list[Any], *, is_moving: bool, path: str) -> str | None:
    is_open = shown[-1:] == [_ANY]
    items = shown[:-1] if is_open else shown
    if len(came) < len(items) or (len(came) > len(items) and not is_open):
        return f"{path}: the guide shows {len(items)} items, and {len(came)} came"
    differences = (
        find_difference(item, came[place], is_moving=is_moving, path=f"{path}[{place}]")
        for place, item in enumerate(items)
    )
    return next((difference for difference in differences if difference), None)


def match_text(shown: str, came: str) -> bool:
    """A line that is `…` alone stands for any lines; within a line it stands for some of that line."""
    pattern = re.escape(replace_forms(shown))
    pattern = re.sub(r"^…(\\\n|\n|$)", r"(?s:.*)", pattern, flags=re.MULTILINE).replace("…", ".*")
    return re.fullmatch(pattern, replace_forms(came)) is not None


def replace_forms(text: str) -> str:
    for number, form in enumerate(_FORMS):
        text = re.sub(rf"(?<![\w-])(?:{form})(?![\w-])", f"<{number}>", text)
    return text
