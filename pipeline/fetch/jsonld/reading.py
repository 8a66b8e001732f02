"""Make raw records from a file's JSON-LD, in file order: events, classes, places, organizations."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from outings.configuration import read_zone
from outings.contract.vocabulary import WEEKDAYS, Vocabulary
from pipeline.fetch.formats import FeedSetting, RawRecord
from pipeline.fetch.jsonld.members import (
    describe_place,
    drop_unstated,
    find_ages,
    find_location,
    find_offers,
    find_organization,
    find_places,
    find_status,
    is_online,
    list_images,
    list_members,
)
from pipeline.fetch.jsonld.nodes import (
    SERIES,
    WITHOUT_ID,
    Graph,
    Node,
    find_kind,
    find_own_id,
    find_passed,
    find_type_hint,
    list_roots,
    name_nodes,
    parse_content,
)
from pipeline.fetch.jsonld.times import (
    LocalTime,
    describe_hours,
    is_whole_day,
    list_schedule,
    list_weekdays,
    parse_clock,
    parse_duration,
    parse_when,
    write_rule,
)
from pipeline.fetch.source import PART, SourceFile
from pipeline.records.record import explain_fault

Record = dict[str, Any]

# Members that an event takes from its parent if it has none itself.
_INHERITED = (
    "name", "description", "location", "place", "organization", "image_url", "categories", "keywords", "price", "ages",
    "source", "ticket_url",
)  # fmt: skip
# Longer lists are no programmes, and a record has no more dates.
_MOST_PARTS = 1_000


class NodeContext(Struct, frozen=True, eq=False):
    """The context in which nodes are read. `known`: types by id of the nodes in the same file that are listings."""

    zone: ZoneInfo
    vocabulary: Vocabulary
    known: dict[str, str]


def make_events(node: Node, source_id: str, setting: NodeContext) -> Iterator[Record]:
    """Yield the event, one more for each further schedule, and one for each `subEvent` that is no mere date."""
    members = list_inherited(node, setting)
    parts = [part for part in node.get_nodes("subEvent")[:_MOST_PARTS] if find_kind(part.types) in ("event", None)]
    dates = _choose_dates([part for part in parts if _is_date_of(part, node, setting)], setting.zone)
    own = [part for part in parts if part not in dates]
    schedules = node.get_nodes("eventSchedule")
    if dates:  # a partial schedule adds facts about dates that are listed elsewhere
        schedules = [schedule for schedule in schedules if "PartialSchedule" not in schedule.types]
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
    """Return the members of an event or course, except its times."""
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
    """Return the members of an event, completed by those of its `superEvent` or course, up to two levels above."""
    members = list_event_members(node, setting)
    parent = (node.get_node("superEvent") or node.get_node("instanceOfCourse")) if above else None
    return members if parent is None else inherit(members, list_inherited(parent, setting, above=above - 1))


def inherit(members: Record, parent: Record) -> Record:
    return {name: parent[name] for name in _INHERITED if name in parent} | members


def refer_place(node: Node, setting: NodeContext) -> Record | None:
    """Return a reference if the node's place is a listing of the same file."""
    named = (own for place in find_places(node) if (own := find_own_id(place)) is not None)
    return next(({"source_id": own} for own in named if setting.known.get(own) == "place"), None)


def refer_organization(node: Node, setting: NodeContext) -> Record | None:
    name, organization = find_organization(node, ("organizer", "provider", "hostingOrganization", "parentOrganization"))
    own = find_own_id(organization) if organization is not None else None
    if own is not None and setting.known.get(own) == "organization":
        return {"source_id": own}
    return None if name is None else {"name": name}


def list_times(node: Node, zone: ZoneInfo) -> Record:
    """Return `starts_local` or `date_on`, and the end. What can't be read is returned as text, to be reported."""
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
    unread: Record = {"ends_local": node.get_text("endDate")} if ends is None and node.get_text("endDate") else {}
    if starts.is_date:
        days = _list_days(starts.local, None if ends is None else ends.local + timedelta(days=ends.is_date))
        return days | unread
    members: Record = unread | {"starts_local": starts.local.isoformat()}
    if starts.fixed is not None:
        members["timezone"] = starts.fixed
    if ends is not None and not (ends.is_date and ends.local.date() == starts.local.date()):
        members["ends_local"] = (ends.local + timedelta(days=ends.is_date)).isoformat()
    return members


def _list_days(starts: datetime, ends: datetime | None) -> Record:
    """Return the start and end of an all-day event. The end is the midnight after its last day; one day has none."""
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
        # An event that runs past midnight seems to end before it starts.
        return LocalTime(ends + timedelta(days=ends < starts.local), is_date=False)
    lasts = parse_duration(text) if (text := node.get_text("duration")) else None
    return None if lasts is None or starts.is_date else LocalTime(starts.local + lasts, is_date=False)


def _set_clock(when: LocalTime | None, text: str | None) -> LocalTime | None:
    """Add the clock time in `text` to a moment that has only a date."""
    if text and when is not None and when.is_date and (clock := parse_clock(text)) is not None:
        return LocalTime(datetime.combine(when.local.date(), clock), is_date=False)
    return when


def _is_date_of(part: Node, node: Node, setting: NodeContext) -> bool:
    """Return True for a part of a series that has a start, and no name or location of its own."""
    if not SERIES.intersection(node.types) or _find_start(part, setting.zone) is None:
        return False
    name = part.get_text("name")
    same_place = part.get("location") is None or find_location(part) == find_location(node)
    return name in (None, node.get_text("name")) and same_place


def _choose_dates(parts: list[Node], zone: ZoneInfo) -> list[Node]:
    """Return parts of the most frequent length, and cancelled ones. Others become events of their own."""
    lengths = {part: _measure(part, zone) for part in parts if not find_status(part)}
    usual = Counter(lengths.values()).most_common(1)
    return [part for part in parts if part not in lengths or lengths[part] == usual[0][0]]


def _measure(part: Node, zone: ZoneInfo) -> timedelta | None:
    starts = _find_start(part, zone)
    ends = None if starts is None else _find_end(part, starts, zone)
    return None if starts is None or ends is None else ends.local - starts.local


def _list_dates(dates: list[Node], times: Record, zone: ZoneInfo) -> Record:
    """Return the times of the earliest date, and others in `rdates`. Cancelled dates are left out."""
    spans = [list_times(part, zone) for part in dates if not find_status(part)]
    if not spans:
        return times | {"status": "archived", "reason": "cancelled"}
    first, *others = sorted(
        spans, key=lambda members: str(members.get("starts_local") or members.get("date_on"))
    )  # fmt: skip
    further = [other.get("starts_local") or f"{other['date_on']}T00:00:00" for other in others]
    return first | ({"rdates": further} if further else {})


_DAYS = {name[:2].upper(): name for name in WEEKDAYS}
_MOST_SECTIONS = 1_000
# Members that only events have.
_NOT_OF_CLASSES = ("ticket_url", "is_sold_out")


def _make_class(node: Node, source_id: str, setting: NodeContext) -> Iterator[Record]:
    """Yield a class. A single course instance is merged into it; several become sections."""
    instances = node.get_nodes("hasCourseInstance")[:_MOST_SECTIONS]
    members = list_inherited(node, setting)
    if len(instances) == 1:
        own = list_event_members(instances[0], setting)
        members = {name: value for name, value in own.items() if name not in ("name", "description")} | members
        members |= {name: own[name] for name in ("status", "reason") if name in own}
        members |= _list_section(instances[0], setting)
    elif instances:
        members["sections"] = [_make_section(instance, setting) for instance in instances]
        first, *others = (list_event_members(instance, setting) for instance in instances)
        for name in ("location", "place", "organization"):  # of a class, if all instances agree
            if name in first and all(other.get(name) == first[name] for other in others):
                members.setdefault(name, first[name])
    else:
        members |= _list_section(node, setting)
    record = {name: value for name, value in members.items() if name not in _NOT_OF_CLASSES}
    yield {"type": "class", "source_id": source_id} | record


def _make_section(instance: Node, setting: NodeContext) -> Record:
    price = find_offers(instance).price
    amounts = {"fixed": {"amount": price.get("max")}, "from": {"from": price.get("min")}}.get(price.get("type", ""), {})
    tuition = amounts | {"currency": price.get("currency")} if amounts else {}
    return drop_unstated(
        {"id": find_own_id(instance), "name": instance.get_text("name"), "ages": find_ages(instance),
         "tuition": drop_unstated(tuition)} | _list_section(instance, setting)
    )  # fmt: skip


def _list_section(instance: Node, setting: NodeContext) -> Record:
    """Return `term`, `schedule` and `registration`, which classes and sections share."""
    schedules = [*instance.get_nodes("courseSchedule"), *instance.get_nodes("eventSchedule")]
    schedule = schedules[0] if schedules else None
    term = {name: _find_date((instance, *schedules), names, setting) for name, names in _TERM.items()}
    offers = find_offers(instance)
    left = instance.get_text("remainingAttendeeCapacity")
    registration = {
        "url": offers.url,
        "spots_remaining": int(left) if left is not None and left.isdecimal() and len(left) < 10 else None,
        "has_spots_available": None if offers.is_sold_out is None else not offers.is_sold_out,
    }
    return drop_unstated(
        {
            "term": drop_unstated(term), "registration": drop_unstated(registration),
            "schedule": _list_schedule(schedule or instance, instance, setting),
        }
    )  # fmt: skip


_TERM = {"starts_on": "startDate", "ends_on": "endDate"}


def _find_date(nodes: tuple[Node, ...], name: str, setting: NodeContext) -> str | None:
    text = next(filter(None, (node.get_text(name) for node in nodes)), None)
    when = parse_when(text, setting.zone) if text else None
    return text if when is None else when.local.date().isoformat()


def _list_schedule(schedule: Node, instance: Node, setting: NodeContext) -> Record:
    """Return weekdays, rule and clock times of a schedule, or else the instance's clock times."""
    days = list(dict.fromkeys(_DAYS[day[-2:]] for day in list_weekdays(schedule)))
    members: dict[str, Any] = {"days": days, "rrule": write_rule(schedule, setting.zone)}
    for name, clock, moment in (("start_time", "startTime", "startDate"), ("end_time", "endTime", "endDate")):
        text = schedule.get_text(clock)
        if text is not None and (parsed := parse_clock(text)) is not None:
            members[name] = parsed.isoformat()
        elif (stated := instance.get_text(moment)) and (when := parse_when(stated, setting.zone)) is not None:
            members[name] = None if when.is_date else when.local.time().isoformat()
    notes = schedule.get_text("repeatFrequency")
    if not days and members["rrule"] is None and notes:
        members["notes"] = notes
    return drop_unstated(members)


def read_documents(file: SourceFile, setting: FeedSetting) -> Iterator[RawRecord]:
    """Yield the records of a file. Ids are relative to the page's own address, else to the file's.

    Raises ValueError for a file that can't be read.
    """
    documents, address = parse_content(file.path.read_bytes(), charset=file.charset)
    readable = (document.value for document in documents if document.reason is None)
    graph = Graph(readable, address=address or file.name)
    nodes: list[tuple[int, Node]] = []
    for document in documents:
        if document.reason is not None:
            yield RawRecord(document.line, document.value, document.reason)
        else:
            for node in list_roots(document.value, graph):
                if find_kind(node.types) is not None:
                    nodes.append((document.line, node))
                elif (type_ := find_passed(node.types)) is not None:
                    yield RawRecord(document.line, None, passed_over=type_)
    names = name_nodes(node for _, node in nodes)
    known = {name: kind for (_, node), name in zip(nodes, names, strict=True) if (kind := find_kind(node.types))}
    context = NodeContext(read_zone(setting.timezone), setting.vocabulary, known)
    for (line, node), name in zip(nodes, names, strict=True):
        yield from read_node(node, name, context, line=line)


def read_node(
    node: Node, source_id: str, setting: NodeContext, *, line: int, item: str | None = None
) -> Iterator[RawRecord]:
    """Yield the records of one node, or the reason if it can't be read; nothing for a type that is no listing."""
    kind = find_kind(node.types)
    try:
        records = [] if kind is None else list(_MAKERS[kind](node, source_id, setting))
    except Exception as error:  # noqa: BLE001 - whatever it is, the other nodes are read
        yield RawRecord(line, source_id, explain_fault(error), source_id, item)
        return
    for record in records:
        yield RawRecord(line, record, item=item)


def _make_place(node: Node, source_id: str, setting: NodeContext) -> Iterator[Record]:
    """Yield a place; its address omits its name. A facility for hire has the address of its `location`."""
    where = node.get_node("location") or node
    location = describe_place(where)
    name = node.get_text("name")
    if where is node and name is not None and str(location.get("address", "")).startswith(name):
        location["address"] = str(location["address"])[len(name) :].lstrip(", ")
    images = list_images(node)
    members: dict[str, Any] = list_members(node, setting.vocabulary) | {
        "type_hint": find_type_hint(node.types, setting.vocabulary), "location": drop_unstated(location),
        "organization": refer_organization(node, setting), "website_url": node.get_link("url"),
        "hours": describe_hours(node), "images": images[1:],
    }  # fmt: skip
    yield {"type": "place", "source_id": source_id} | drop_unstated(members)


def _make_organization(node: Node, source_id: str, setting: NodeContext) -> Iterator[Record]:
    members = list_members(node, setting.vocabulary) | {"website_url": node.get_link("url")}
    yield {"type": "organization", "source_id": source_id} | drop_unstated(members)


_MAKERS: dict[str, Callable[[Node, str, NodeContext], Iterator[Record]]] = {
    "event": make_events, "class": _make_class, "place": _make_place, "organization": _make_organization,
}  # fmt: skip
