"""Facts that the kind of a place states, and those that a listing takes from its place."""

from typing import Any

from msgspec.structs import asdict, replace

from pipeline.resolve.listings.resolved_record import Facts

# Kinds of places that are under a roof, and in the open. Of others, such as pools, the kind says nothing.
_INDOORS = frozenset({"museum", "library", "indoor_play", "theater", "studio", "community_center", "store_cafe"})
_OUTDOORS = frozenset({"park", "playground", "farm"})


def find_place_facts(place: Any) -> Facts:
    """Return what a place states, completed by its kind. What is indoors is good for rain."""
    facts, kind = read_facts(place), place.type_hint
    is_inside = kind in _INDOORS
    if facts.is_indoor is None and facts.is_outdoor is None and (is_inside or kind in _OUTDOORS):
        facts = replace(facts, is_indoor=is_inside, is_outdoor=not is_inside)
    return _judge_rain(facts)


def inherit_facts(own: Facts, of_place: Facts | None) -> Facts:
    """Return the facts of a listing at a place: its own, else the place's. A listing that states whether it is indoors
    or outdoors has neither from its place."""
    if of_place is not None:
        if own.is_indoor is not None or own.is_outdoor is not None:
            of_place = Facts(is_sensory_friendly=of_place.is_sensory_friendly)
        own = replace(of_place, **{name: value for name, value in asdict(own).items() if value is not None})
    return _judge_rain(own)


def read_facts(record: Any) -> Facts:
    return Facts(**{name: getattr(record, name) for name in Facts.__struct_fields__})


def _judge_rain(facts: Facts) -> Facts:
    return facts if facts.good_for_rainy is not None else replace(facts, good_for_rainy=facts.is_indoor)
