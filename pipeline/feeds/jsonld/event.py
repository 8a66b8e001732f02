"""An Event → records: itself, the dates that it is made of, and its parts that are events by themselves."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from pipeline.feeds.jsonld.kinds import SERIES, find_kind
from pipeline.feeds.jsonld.members import (
    drop_unstated,
    find_ages,
    find_offers,
    find_organization,
    find_status,
    list_members,
)
from pipeline.feeds.jsonld.moments import LocalTime, is_whole_day, parse_clock, parse_duration, parse_when
from pipeline.feeds.jsonld.naming import WITHOUT_ID, find_own_id, name_nodes
from pipeline.feeds.jsonld.nodes import Node
from pipeline.feeds.jsonld.place import find_location, find_places, is_online
from pipeline.feeds.jsonld.schedule import list_schedule
from pipeline.feeds.source_ids import PART

Record = dict[str, Any]

# What an event says by the one that it is a part of, where it says nothing itself.
_INHERITED = (
    "name", "description", "location", "place", "organization", "image_url", "categories", "keywords", "price", "ages",
    "source", "ticket_url",
)  # fmt: skip
# A list longer than this is no programme, and a record has no more dates.
_MOST_PARTS = 1_000


class NodeContext(Struct, frozen=True, eq=False):
    """What nodes are read by. `known`: the ids of the nodes that are listings of the same file, with their types."""

    zone: ZoneInfo
    vocabulary: Vocabulary
    known: dict[str, str]


def make_events(node: Node, source_id: str, setting: NodeContext) -> Iterator[Record]:
    """The event, one for each schedule beyond its first, and one for each of its parts that is more than a date."""
    members = list_inherited(node, setting)
    parts = [part for part in node.get_nodes("subEvent")[:_MOST_PARTS] if find_kind(part.types) in ("event", None)]
    dates = _choose_dates([part for part in parts if _is_date_of(part, node, setting)], setting.zone)
    own = [part for part in parts if part not in dates]
    schedules = node.get_nodes("eventSchedule")
    if dates:  # a partial schedule says something of the dates, and which they are is said elsewhere
        schedules = [each for each in schedules if "PartialSchedule" not in each.types]
    times = list_times(node, setting.zone)
    head = {"type": "event", "source_id": source_id}
    if schedules:
        starts = _find_start(node, setting.zone)
        ends = None if starts is None else _find_end(node, starts, setting.zone)
        for number, schedule in enumerate(schedules, start=1):
            name = source_id if number == 1 else f"{source_id}{PART}schedule-{number}"
            listed = list_schedule(schedule, starts, ends, setting.zone)
            yield head | {"source_id": name} | members | drop_unstated(listed or times)
    elif dates:
        yield head | members | _list_dates(dates, times, setting.zone)
    elif times or not (own and SERIES.intersection(node.types)):
        yield head | members | times
    for part, named in zip(own, name_nodes(own), strict=True):
        name = named.removeprefix(WITHOUT_ID)
        inherited = inherit(list_event_members(part, setting), members)
        part_times = list_times(part, setting.zone)
        yield {"type": "event", "source_id": f"{source_id}{PART}{name}"} | inherited | part_times


def list_event_members(node: Node, setting: NodeContext) -> Record:
    """All but its times."""
    offers = find_offers(node)
    members = list_members(node, setting.vocabulary) | find_status(node)
    keywords = [*members.get("keywords", ()), *(["online"] if is_online(node) else [])]
    return members | drop_unstated(
        {
            "keywords": keywords, "location": find_location(node), "place": refer_place(node, setting),
            "organization": refer_organization(node, setting), "ages": find_ages(node), "price": offers.price,
            "ticket_url": offers.url, "is_sold_out": offers.is_sold_out,
        }
    )  # fmt: skip


def list_inherited(node: Node, setting: NodeContext, *, above: int = 2) -> Record:
    """With what those say that it is a part of: a session of a series of a series."""
    members = list_event_members(node, setting)
    parent = (node.get_node("superEvent") or node.get_node("instanceOfCourse")) if above else None
    return members if parent is None else inherit(members, list_inherited(parent, setting, above=above - 1))


def inherit(members: Record, parent: Record) -> Record:
    return {name: parent[name] for name in _INHERITED if name in parent} | members


def refer_place(node: Node, setting: NodeContext) -> Record | None:
    """Where its place is a listing of the same file."""
    for place in find_places(node):
        own = find_own_id(place)
        if own is not None and setting.known.get(own) == "place":
            return {"source_id": own}
    return None


def refer_organization(node: Node, setting: NodeContext) -> Record | None:
    name, organization = find_organization(node, ("organizer", "provider", "hostingOrganization", "parentOrganization"))
    own = find_own_id(organization) if organization is not None else None
    if own is not None and setting.known.get(own) == "organization":
        return {"source_id": own}
    return None if name is None else {"name": name}


def list_times(node: Node, zone: ZoneInfo) -> Record:
    """What is no date stays as it stands, to be found with other wrong values."""
    text = node.get_text("startDate")
    if text is None:
        return {}
    starts = _find_start(node, zone)
    if starts is None:
        return {"starts_local": text}
    ends = _find_end(node, starts, zone)
    if is_whole_day(starts, ends):
        assert ends is not None
        day_after = datetime.combine(ends.local.date(), time()) + timedelta(days=1)
        return _list_days(starts.local, day_after) | {"all_day": True}
    if starts.is_date:
        if ends is not None and not ends.is_date:
            return _list_days(starts.local, ends.local)
        return _list_days(starts.local, None if ends is None else ends.local + timedelta(days=1))
    members: Record = {"starts_local": starts.local.isoformat()}
    if starts.fixed is not None:
        members["timezone"] = starts.fixed
    if ends is not None and not (ends.is_date and ends.local.date() == starts.local.date()):
        members["ends_local"] = (ends.local + timedelta(days=ends.is_date)).isoformat()
    return members


def _list_days(starts: datetime, ends: datetime | None) -> Record:
    """The end of days is the midnight after the last; one day needs none."""
    members: Record = {"date_on": starts.date().isoformat()}
    if ends is not None and ends != starts + timedelta(days=1):
        members["ends_local"] = ends.isoformat()
    return members


def _find_start(node: Node, zone: ZoneInfo) -> LocalTime | None:
    text = node.get_text("startDate")
    starts = parse_when(text, zone) if text else None
    return _set_clock(starts, node.get_text("startTime"))


def _find_end(node: Node, starts: LocalTime, zone: ZoneInfo) -> LocalTime | None:
    if text := node.get_text("endDate"):
        return _set_clock(parse_when(text, zone), node.get_text("endTime"))
    text = node.get_text("endTime")
    if text and not starts.is_date and (clock := parse_clock(text)) is not None:
        ends = datetime.combine(starts.local.date(), clock)
        # By the clock alone, what goes on past midnight ends before it began.
        return LocalTime(ends + timedelta(days=ends < starts.local), is_date=False)
    lasts = parse_duration(text) if (text := node.get_text("duration")) else None
    if lasts is None or starts.is_date:
        return None
    try:
        return LocalTime(starts.local + lasts, is_date=False)
    except OverflowError:
        return None


def _set_clock(when: LocalTime | None, text: str | None) -> LocalTime | None:
    """A day with the time that stands beside it."""
    clock = parse_clock(text) if text and when is not None and when.is_date else None
    return (
        when if clock is None or when is None else LocalTime(datetime.combine(when.local.date(), clock), is_date=False)
    )


def _is_date_of(part: Node, node: Node, setting: NodeContext) -> bool:
    """A part of a series that says no more than when."""
    if not SERIES.intersection(node.types) or _find_start(part, setting.zone) is None:
        return False
    name = part.get_text("name")
    same_place = part.get("location") is None or find_location(part) == find_location(node)
    return name in (None, node.get_text("name")) and same_place


def _choose_dates(parts: list[Node], zone: ZoneInfo) -> list[Node]:
    """The dates with the most frequent length, and all cancelled ones, which have no length. A date of another length
    becomes an event of its own."""
    lengths = {part: _measure(part, zone) for part in parts if not find_status(part)}
    usual = Counter(lengths.values()).most_common(1)
    return [part for part in parts if part not in lengths or lengths[part] == usual[0][0]]


def _measure(part: Node, zone: ZoneInfo) -> timedelta | None:
    starts = _find_start(part, zone)
    ends = None if starts is None else _find_end(part, starts, zone)
    return None if starts is None or ends is None else ends.local - starts.local


def _list_dates(dates: list[Node], times: Record, zone: ZoneInfo) -> Record:
    """The earliest is the first, the others are further dates; what was cancelled is none."""
    spans = [(list_times(part, zone), part) for part in dates if not find_status(part)]
    if not spans:
        return times | {"status": "archived", "reason": "cancelled"}
    ordered = sorted((each for each, _ in spans), key=lambda each: str(each.get("starts_local") or each.get("date_on")))
    first, *others = ordered
    further = [each.get("starts_local") or f"{each['date_on']}T00:00:00" for each in others]
    return first | ({"rdates": further} if further else {})
