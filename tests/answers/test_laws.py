"""Laws of every list: what is in effect can be sent back, spellings do not matter, a filter only takes away."""

from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.answers.routes import Answer, answer
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.contract.vocabulary import Vocabulary
from outings.release.snapshot import Release
from tests.answers.asking import fetch, read_all
from tests.answers.generated import TODAY, make_any_request, make_request, make_world, seeds
from tests.answers.worlds import COLLECTIONS, TYPES, World, open_release

kinds = st.sampled_from(TYPES)
DEFAULTED = {"from", "to", "audience", "min_confidence"}
# What changes the items and not which there are; and the two names of one filter, which exclude each other.
OTHER_MODES = {"ids", "changed_since", "expand", "type_hint", "place_type"}
TERM = {"starts_from", "starts_to"}  # of two wishes, one may contradict the other
NO_FILTERS = {"limit", "expand", "fields", "facets"}


def spell(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def choose_owner(world: World, kind: str, random: Random) -> str:
    """The metro's list, or that of one of its organizations or places."""
    places = [
        listing["id"] for listing in world.listings if listing["type"] == "place" and listing["status"] == "published"
    ]
    owners = ["harbor", f"organizations/{random.choice(world.organizations)['id']}"]
    if kind != "place" and places:
        owners.append(f"places/{random.choice(places)}")
    return random.choice(owners)


@given(seed=seeds, kind=kinds)
def test_applied_filters_sent_back_give_the_same_data(
    tmp_path_factory: pytest.TempPathFactory, seed: int, kind: str
) -> None:
    random = Random(seed)
    world = make_world(random, size=40)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for _ in range(4):
        owner, params = choose_owner(world, kind, random), make_any_request(world, kind, random)
        if owner != "harbor":
            params.pop("organization_id", None)
            params.pop("place_id", None)
        if kind == "event" and not params.keys() & {"ids", "changed_since", "from", "to"}:
            params |= random.choice([{}, {"occurrences": "expand"}])
        path = f"/v1/{owner}/{COLLECTIONS[kind]}"
        first = fetch(release, path, params)
        again = {name: spell(value) for name, value in first["meta"]["applied_filters"].items()}
        second = fetch(release, path, {**again, **{name: params[name] for name in params if name in NO_FILTERS}})
        assert second["data"] == first["data"]
        assert second["meta"]["defaults_applied"] == []
        for name in ("applied_filters", "window", "min_confidence", "missing_ids", "count", "has_more", "page"):
            assert second["meta"][name] == first["meta"][name]


@given(seed=seeds, kind=kinds)
def test_defaults_applied_are_what_was_in_effect_and_not_sent(
    tmp_path_factory: pytest.TempPathFactory, seed: int, kind: str
) -> None:
    random = Random(seed)
    world = make_world(random, size=10)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    params = make_any_request(world, kind, random)
    sent = {"type_hint" if name == "place_type" else name for name in params}
    meta = fetch(release, f"/v1/harbor/{COLLECTIONS[kind]}", params)["meta"]
    assert [name for name in meta["applied_filters"] if name not in sent] == meta["defaults_applied"]
    assert sent - NO_FILTERS <= meta["applied_filters"].keys()
    assert meta["window"]["from"] == meta["applied_filters"].get("from")
    assert meta["window"]["to"] == meta["applied_filters"].get("to")


def ask_target(release: Release, target: str) -> Answer:
    path, _, query_string = target.partition("?")
    match = match_route(path)
    assert match is not None
    query = parse_query(match, query_string.encode(), vocabulary=Vocabulary(), aliases={"harbor-city": "harbor"})
    return answer(query, release=release, dates={"harbor": TODAY}, entitlement=Entitlement())


def respell(params: dict[str, str], random: Random) -> str:
    """Another order, repeats for commas, more encoding, and a default of what is no filter."""
    pairs = []
    for name, value in params.items():
        parts = value.split(",") if name != "q" else [value]
        if name != "ids":
            random.shuffle(parts)
        pairs += [(name, part) for part in parts] if random.random() < 0.5 else [(name, ",".join(parts))]
    if not params.keys() & {"ids", "changed_since"}:
        pairs += random.choice([[], [("limit", "50")], [("page", "1")]])
    if "ids" not in params:
        random.shuffle(pairs)
    return "&".join(f"{name}={quote(value, safe=random.choice(['', ',:']))}" for name, value in pairs)


@given(seed=seeds, kind=kinds)
def test_spellings_of_a_request_give_the_same_bytes_and_tag(
    tmp_path_factory: pytest.TempPathFactory, seed: int, kind: str
) -> None:
    random = Random(seed)
    world = make_world(random, size=20)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    params = make_any_request(world, kind, random)
    targets = [
        f"/v1/{metro}/{COLLECTIONS[kind]}?{respell(params, random)}" for metro in ("harbor", "harbor-city", "harbor")
    ]
    answers = [ask_target(release, target) for target in targets]
    assert len({b"".join(value.parts) for value in answers}) == 1
    assert len({value.etag for value in answers}) == 1


@given(seed=seeds, kind=kinds)
def test_a_filter_more_never_adds_a_program(tmp_path_factory: pytest.TempPathFactory, seed: int, kind: str) -> None:
    """Filters without a default: one that has one is in effect before it is sent. Cards may change their face."""
    random = Random(seed)
    world = make_world(random, size=60)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    path = f"/v1/harbor/{COLLECTIONS[kind]}"
    for _ in range(3):
        few, wish = make_request(world, kind, random), make_any_request(world, kind, random)
        more = {name: wish[name] for name in wish if name not in {*DEFAULTED, *OTHER_MODES, *few}}
        if "lat" in few or "lat" not in more:
            more.pop("radius_m", None)
        if few.keys() & TERM:
            more = {name: value for name, value in more.items() if name not in TERM}
        before, after = (
            {world.programs.get(item["id"], item["id"]) for item in read_all(release, path, params)}
            for params in (few, {**few, **more})
        )
        assert after <= before
