"""Checks that both servers give the same answers, before anything is timed."""

import json
from collections.abc import Callable
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
        ours, theirs = (
            read_shown(unit.shown, ask(server, target))
            for server, target in (("outings", case.outings), ("fastapi", case.fastapi))
        )
        if theirs != ours:
            raise SystemExit(_explain(unit, case, ours=ours, theirs=theirs))
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


def read_shown(shown: str, body: bytes) -> Any:
    """Return what has to be equal: whole documents, if more follow, and counts."""
    answer = json.loads(body)
    if shown == "items":
        return {"items": answer["data"], "has_more": answer["meta"]["has_more"]}
    return answer[{"detail": "data", "days": "data", "facets": "facets"}[shown]]


def _explain(unit: Unit, case: Case, *, ours: Any, theirs: Any) -> str:
    first, second = (json.dumps(value)[:1500] for value in _find_difference(ours, theirs))
    return f"{unit.name}: answers differ\n  outings {case.outings}\n    {first}\n  fastapi {case.fastapi}\n    {second}"


def _find_difference(ours: Any, theirs: Any) -> tuple[Any, Any]:
    """The two, or the first of their items that differ."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and "items" in ours:
        for pair in zip(ours["items"], theirs["items"], strict=False):
            if pair[0] != pair[1]:
                return pair
        ours, theirs = ({**item, "items": len(item["items"])} for item in (ours, theirs))
    return ours, theirs
