"""Checks that all servers give the same answers, before anything is timed."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from bench.peers.units import Case, Unit

# Server's name, target → body.
Ask = Callable[[str, str], bytes]


def compare_unit(unit: Unit, ask: Ask, *, sample: int) -> int:
    """Return how many answers were compared. SystemExit names the first request whose answers differ."""
    if unit.shown == "near":
        return _compare_near(unit, ask, sample=sample)
    step = max(1, min(len(unit.cases), 300) // sample)
    cases = unit.cases[:300:step]
    for case in cases:
        ours = read_shown(unit.shown, "outings", ask("outings", case.outings))
        for server, target in list_targets(case).items():
            theirs = read_shown(unit.shown, server, ask(server, target))
            if theirs != ours:
                raise SystemExit(_explain(unit, case, server, target, ours=ours, theirs=theirs))
    return len(cases)


def _compare_near(unit: Unit, ask: Ask, *, sample: int) -> int:
    """Compare by id: the peer chooses a program's card once for the metro, and we choose it in each circle."""
    shared = whole = 0
    for case in unit.cases[:sample]:
        ours, theirs = (
            {item["id"] for item in json.loads(ask(server, target))["data"]}
            for server, target in (("outings", case.outings), ("fastapi", case.fastapi))
        )
        shared, whole = shared + len(ours & theirs), whole + len(ours | theirs)
    if shared < 0.9 * whole:
        raise SystemExit(f"{unit.name}: of {whole} items {shared} are the same")
    return sample


def list_targets(case: Case) -> Mapping[str, str]:
    """The peers'."""
    targets = {"fastapi": case.fastapi}
    return targets if case.datasette is None else {**targets, "datasette": case.datasette}


def read_shown(shown: str, server: str, body: bytes) -> Any:
    """Return what has to be equal: whole documents, if more follow, and counts."""
    answer = json.loads(body)
    if server == "datasette":
        return _READ_ROWS[shown](answer)
    if shown == "items":
        return {"items": answer["data"], "has_more": answer["meta"]["has_more"]}
    return answer[{"detail": "data", "days": "data", "facets": "facets"}[shown]]


def _read_items(rows: list[str]) -> dict[str, Any]:
    """One more than a page holds tells that there is a next one."""
    size = 200 if len(rows) > 51 else 50
    return {"items": [json.loads(row) for row in rows[:size]], "has_more": len(rows) > size}


def _read_days(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "categories": json.loads(row["categories"])} for row in rows]


def _read_facets(rows: list[dict[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {"total": rows[0]["count"], "is_complete": True}
    for row in rows[1:]:
        made.setdefault(row["dimension"], []).append(row)
    organizations = made.pop("organization", None)
    for name in made.keys() - {"total", "is_complete"}:
        made[name] = [{"value": row["value"], "count": row["count"]} for row in made[name]]
    if organizations is not None:
        known = [row for row in organizations if row["id"] is not None]
        made["organization"] = {
            "distinct": len(known),
            "top": [{"id": row["id"], "name": row["value"], "count": row["count"]} for row in known[:10]],
            "other_count": sum(row["count"] for row in known[10:]),
            "unspecified_count": sum(row["count"] for row in organizations if row["id"] is None),
        }
    return made


_READ_ROWS: Mapping[str, Callable[[Any], Any]] = {
    "detail": lambda rows: json.loads(rows[0]),
    "items": _read_items,
    "days": _read_days,
    "facets": _read_facets,
}


def _explain(unit: Unit, case: Case, server: str, target: str, *, ours: Any, theirs: Any) -> str:
    first, second = (json.dumps(value)[:1500] for value in _find_difference(ours, theirs))
    return f"{unit.name}: answers differ\n  outings {case.outings}\n    {first}\n  {server} {target}\n    {second}"


def _find_difference(ours: Any, theirs: Any) -> tuple[Any, Any]:
    """The two, or the first of their items that differ."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and "items" in ours:
        for pair in zip(ours["items"], theirs["items"], strict=False):
            if pair[0] != pair[1]:
                return pair
        ours, theirs = ({**item, "items": len(item["items"])} for item in (ours, theirs))
    return ours, theirs
