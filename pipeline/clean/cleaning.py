"""Clean one raw record (decoded JSON): return a typed `Record` and what was left out of it, or why it is
quarantined."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from outings.contract.resources.shared import Location
from outings.contract.vocabulary import Vocabulary
from pipeline.records.kinds import Check, Leaf, Members, Table, check_event
from pipeline.records.record import RECORDS, Problem, Record, make_members
from pipeline.records.values import InvalidValue, RepairedValue
from pipeline.words import merge_words, strip_accents

# Members that are read of a removal.
REMOVAL_MEMBERS = ("type", "source_id", "metro", "id", "deleted")
SHOWN_CHARACTERS = 200

# Members that are left out of a row of a table if their cell can't be read: people write these in their own words.
_LEFT_OUT = frozenset({"price", "ages", "tuition", "schedule", "ends_local", "registration"})
_INDEX = re.compile(r"\[\d+\]")


class Origin(Struct, frozen=True, kw_only=True):
    """The feed of a record, with what holds for all its records. `metros` maps each metro's slug and aliases to its
    slug. `is_mapped`: the records are rows of a table, by the rules of a mapping."""

    feed: str
    metro: str | None
    delta: bool
    metros: Mapping[str, str]
    vocabulary: Vocabulary
    is_mapped: bool = False


class CleaningResult(Struct, frozen=True, kw_only=True):
    """The cleaned record, or None if it is quarantined. Then `problems` has one item, which gives the reason."""

    record: Record | None
    problems: tuple[Problem, ...] = ()


class _ValueProblem(NamedTuple):
    """An error in one member; `quarantines` is False if the record can be published without the member."""

    field: str | None
    reason: str
    value: Any
    quarantines: bool = True


def clean_record(raw: object, *, line: int, origin: Origin, unknown: Counter[str]) -> CleaningResult:
    """Clean one record of `origin`'s feed; members that no record has are counted in `unknown` by their path."""
    cleaner = _Cleaner(origin, unknown)
    values, shown = cleaner.clean_members(raw), cleaner.value_problems
    if refused := [problem for problem in shown if problem.quarantines]:
        # The quarantine has one line for each record: the first reason, and the members with others.
        first, *others = refused
        fields = sorted({str(other.field) for other in others} - {str(first.field)})
        shown = [first._replace(reason=f"{first.reason} (also wrong: {', '.join(fields)})" if fields else first.reason)]
    named: dict[str, Any] = {"line": line, "feed": origin.feed, "source_id": values.get("source_id")}
    problems = tuple(make_problem(**problem._asdict(), **named) for problem in shown)
    record = None if refused else RECORDS[values["type"]](feed=origin.feed, line=line, **values)
    return CleaningResult(record=record, problems=problems)


class _Cleaner:
    """Cleans the members of one record, and remembers what is wrong with them."""

    def __init__(self, origin: Origin, unknown: Counter[str]) -> None:
        self.value_problems: list[_ValueProblem] = []
        self._origin = origin
        self._unknown = unknown

    def _find(self, field: str | None, reason: str, value: Any, *, quarantines: bool = True) -> None:
        self.value_problems.append(_ValueProblem(field, reason, value, quarantines))

    def clean_members(self, raw: object) -> dict[str, Any]:
        if not isinstance(raw, dict):
            self._find(None, "wrong_type: expected a JSON object", raw)
            return {}
        removal = raw.get("deleted") is True
        if removal:
            raw = {name: raw[name] for name in REMOVAL_MEMBERS if name in raw}
        types = make_members(self._origin.vocabulary)
        type_ = self._clean_type(raw.get("type"))
        # Without a type, only the members that identify the record in the quarantine are read.
        members = types[type_] if type_ else {name: types["event"][name] for name in ("type", "source_id", "name")}
        self._unknown = self._unknown if type_ else Counter()
        values = self._clean_object(raw, members, "")
        wrong = {problem.field for problem in self.value_problems}
        for name in ("source_id",) if removal else ("source_id", "name"):
            if name not in values and name not in wrong:
                self._find(name, "missing: expected a text", None)
        if removal and not self._origin.delta:
            self._find("deleted", "contradictory: only a delta feed removes like this", "true")
        if type_ == "event":
            self._settle(check_event, values, "")
        if type_ in ("event", "class", "camp") and "status" not in values and is_cancelled(values.get("name", "")):
            values |= {"status": "archived", "reason": "cancelled"}
        if type_ in ("event", "class", "camp") and is_online(values.get("location")):
            values["keywords"] = tuple(dict.fromkeys((*values.get("keywords", ()), "online")))
        values["metro"] = self._clean_metro(values.get("metro"), is_wrong="metro" in wrong)
        return values

    def _clean_type(self, value: object) -> str | None:
        """Return the record's type, or None. A missing one is noted here, a wrong one by `_clean_object`."""
        if value is None or (isinstance(value, str) and not value.strip()):
            self._find("type", f"missing: expected one of {', '.join(RECORDS)}", None)
        word = value.strip().lower() if isinstance(value, str) else None
        return word if word in RECORDS else None

    def _clean_metro(self, stated: str | None, *, is_wrong: bool) -> str | None:
        own, slugs = self._origin.metro, self._origin.metros
        slug = own if stated is None else slugs.get(stated)
        if slug is None and not is_wrong:
            code = "missing" if stated is None else "unknown_word"
            self._find("metro", f"{code}: expected one of {', '.join(sorted(set(slugs.values())))}", stated)
        elif own not in (None, slug):
            self._find("metro", f"contradictory: the feed belongs to {own}", stated)
        return slug

    def _clean_object(self, raw: Mapping[Any, Any], members: Members, path: str) -> dict[str, Any]:
        """Return the valid values of `raw`. Null means "not stated": the struct's default remains."""
        values: dict[str, Any] = {}
        for name, value in raw.items():
            kind = members.get(name)
            if value is None:
                continue
            made: Any = None
            if type(kind) is Leaf:
                try:
                    made = kind.parse(value)
                except InvalidValue as wrong:
                    is_kept = self._origin.is_mapped and (path + name).partition(".")[0] in _LEFT_OUT
                    self._find(path + name, str(wrong), value, quarantines=kind.filters and not is_kept)
                except RepairedValue as mended:
                    self._find(path + name, str(mended), mended.lost, quarantines=False)
                    values[name] = mended.value
            elif type(kind) is Table:
                made = (self._clean_entries if kind.many else self._clean_entry)(value, kind, path + name)
            else:
                # One SELECT of several types gives each the others' columns, which state nothing.
                self._unknown[_INDEX.sub("[]", f"{path}{name}")] += is_stated(value)
            if made is not None:
                values[name] = made
        return values

    def _clean_entries(self, value: object, table: Table, path: str) -> tuple[Struct, ...] | None:
        if not isinstance(value, list):
            self._find(path, "wrong_type: expected a list of objects", value, quarantines=table.filters)
            return None
        entries = (self._clean_entry(entry, table, f"{path}[{number}]") for number, entry in enumerate(value))
        return tuple(entry for entry in entries if entry is not None)

    def _clean_entry(self, value: object, table: Table, path: str) -> Struct | None:
        """Clean an element that has to be an object. Return None if it is no object or has no valid member."""
        if not isinstance(value, dict):
            self._find(path, "wrong_type: expected an object", value, quarantines=table.filters)
            return None
        values = self._clean_object(value, table.members, f"{path}.")
        if table.check is not None:
            self._settle(table.check, values, f"{path}.")
        return table.make(**values) if values else None

    def _settle(self, check: Check, values: dict[str, Any], path: str) -> None:
        for member, reason, drop, swap in list(check(values)):
            self._find(path + member, reason, values[member], quarantines=not (drop or swap))
            if drop:
                del values[member]
            elif swap:
                values[member], values[swap] = values[swap], values[member]


@cache
def _compile_cancelled() -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = "|".join(merge_words("words")["cancelled"])
    before = rf"^\W*(?:{words})(?:\s*[:!\])*]|\s+[-–—])\s*\S"
    behind = rf"[\[(*]\s*(?:{words})\W*[\])*]|(?:[:|!]|\s[-–—])\s*(?:{words})\W*$"
    capitals = rf"^\W*(?:{words.upper()})\s+(?=.*[a-z])|[a-z].*\s(?:{words.upper()})\W*$"
    return re.compile(f"{before}|{behind}"), re.compile(capitals)


def is_cancelled(name: str) -> bool:
    """Return whether a title says that the event is cancelled, set apart from the rest: `Chess Club CANCELLED`,
    `Chess Club (abgesagt)`. A film called `Cancelled Flight` is not."""
    marked, capitals = _compile_cancelled()
    plain = strip_accents(name)
    return marked.search(plain.lower()) is not None or capitals.search(plain) is not None


def is_online(location: object) -> bool:
    """Return True if words such as *Zoom*, or the address of a meeting, stand for a location."""
    if not isinstance(location, Location) or location.lat is not None or not location.address:
        return False
    address = strip_accents(location.address).lower()
    is_meeting = re.match(r"https?://[^/]*(zoom|webex|teams)\.", address) is not None
    return is_meeting or address.partition(",")[0].strip() in merge_words("words")["online"]


def is_stated(value: object) -> bool:
    """Return True unless a value is null, or an object or a list that contains nothing else."""
    ahead = [value]
    while ahead:
        one = ahead.pop()
        if isinstance(one, dict):
            ahead += one.values()
        elif isinstance(one, list):
            ahead += one
        elif one is not None:
            return True
    return False


def make_problem(
    field: str | None, reason: str, value: Any, *, quarantines: bool, line: int, feed: str, source_id: str | None
) -> Problem:
    """Make a problem with the raw value as text, cut to the length by which an operator recognizes it."""
    try:
        text = value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode().strip('"')
    except RecursionError:
        text = "nested too deep to show"
    shown = text if text is None or len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
    return Problem(
        feed=feed, line=line, source_id=source_id, field=field, reason=reason, value=shown, quarantined=quarantines
    )
