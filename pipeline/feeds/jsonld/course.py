"""A Course with its instances, or an instance by itself → a class."""

from typing import Any

from outings.contract.vocabulary import WEEKDAYS
from pipeline.feeds.jsonld.event import NodeContext, Record, list_event_members, list_inherited
from pipeline.feeds.jsonld.members import drop_unstated, find_ages, find_offers
from pipeline.feeds.jsonld.moments import parse_clock, parse_when
from pipeline.feeds.jsonld.naming import find_own_id
from pipeline.feeds.jsonld.nodes import Node
from pipeline.feeds.jsonld.schedule import list_weekdays, write_rule

_DAYS = {name[:2].upper(): name for name in WEEKDAYS}
_MOST_SECTIONS = 1_000
# What only events have.
_NOT_OF_CLASSES = ("ticket_url", "is_sold_out")


def make_class(node: Node, source_id: str, setting: NodeContext) -> Record:
    """One instance is the class itself; of several each is a section."""
    instances = node.get_nodes("hasCourseInstance")[:_MOST_SECTIONS]
    members = list_inherited(node, setting)
    if len(instances) == 1:
        own = list_event_members(instances[0], setting)
        members = {name: value for name, value in own.items() if name not in ("name", "description")} | members
        members |= {name: own[name] for name in ("status", "reason") if name in own}
        members |= _list_section(instances[0], setting)
    elif instances:
        members["sections"] = [_make_section(each, setting) for each in instances]
        members = _borrow(members, instances, setting)
    else:
        members |= _list_section(node, setting)
    record = {name: value for name, value in members.items() if name not in _NOT_OF_CLASSES}
    return {"type": "class", "source_id": source_id} | record


def _borrow(members: Record, instances: list[Node], setting: NodeContext) -> Record:
    """What all instances share is the class's: where it is, who gives it."""
    own = [list_event_members(each, setting) for each in instances]
    shared = {
        name: own[0][name]
        for name in ("location", "place", "organization")
        if name in own[0] and all(each.get(name) == own[0][name] for each in own)
    }
    return shared | members


def _make_section(instance: Node, setting: NodeContext) -> Record:
    price = find_offers(instance).price
    amounts = {"fixed": {"amount": price.get("max")}, "from": {"from": price.get("min")}}.get(price.get("type", ""), {})
    tuition = amounts | {"currency": price.get("currency")} if amounts else {}
    return drop_unstated(
        {"id": find_own_id(instance), "name": instance.get_text("name"), "ages": find_ages(instance),
         "tuition": drop_unstated(tuition)} | _list_section(instance, setting)
    )  # fmt: skip


def _list_section(instance: Node, setting: NodeContext) -> Record:
    """`term`, `schedule` and `registration`, as a class and a section have them alike."""
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
    for node in nodes:
        if text := node.get_text(name):
            when = parse_when(text, setting.zone)
            return text if when is None else when.local.date().isoformat()
    return None


def _list_schedule(schedule: Node, instance: Node, setting: NodeContext) -> Record:
    """Clock times of its own, else those of the instance's first date."""
    codes = dict.fromkeys(list_weekdays(schedule))
    members: dict[str, Any] = {"days": [_DAYS[code] for code in codes], "rrule": write_rule(schedule, setting.zone)}
    for name, clock, moment in (("start_time", "startTime", "startDate"), ("end_time", "endTime", "endDate")):
        text = schedule.get_text(clock)
        if text is not None and (parsed := parse_clock(text)) is not None:
            members[name] = parsed.isoformat()
        elif (stated := instance.get_text(moment)) and (when := parse_when(stated, setting.zone)) is not None:
            members[name] = None if when.is_date else when.local.time().isoformat()
    notes = schedule.get_text("repeatFrequency")
    if not codes and members["rrule"] is None and notes:
        members["notes"] = notes
    return drop_unstated(members)
