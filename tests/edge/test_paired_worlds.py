"""Answers do not depend on data that a key may not read: two worlds that differ only there give the same answers."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.routes import ROUTES, match_route
from outings.contract.vocabulary import COLLECTIONS
from tests.edge.paired_requests import compare, list_targets
from tests.edge.paired_worlds import CATEGORIES, METROS, PARTS, SCOPES, WORDS, PairedWorld, list_shared, make_listing
from tests.pipeline.city import Record

Records = Mapping[str, list[Record]]
TARGETS = [*dict.fromkeys(list_targets())]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PairedWorld]:
    """The first of all pairs that are made by hand."""
    world = PairedWorld(tmp_path_factory.mktemp("plain"))
    yield world
    world.close()


def test_every_route_of_a_key_is_compared() -> None:
    # An address of a calendar is of its key, and there are two.
    names = {match.route.name for target in TARGETS if (match := match_route(target.partition("?")[0])) is not None}
    assert names == {route.name for route in ROUTES if route.needs_key} - {"events.ics.address"}


# Each is two builds and 600 requests; this one hides a metro.
_ALWAYS = ("one metro",)


@pytest.mark.parametrize(
    "scope", [pytest.param(name, marks=() if name in _ALWAYS else pytest.mark.long) for name in SCOPES]
)
def test_what_a_key_may_not_read_moves_none_of_its_answers(plain: PairedWorld, tmp_path: Path, scope: str) -> None:
    other = PairedWorld(tmp_path / "other", SCOPES[scope].hidden)
    comparison = compare(plain, other, TARGETS, scope)
    other.close()
    assert comparison.compared >= 600
    assert comparison.differing == []


@pytest.mark.long
@given(st.data())
def test_nor_in_worlds_that_nobody_thought_of(data: st.DataObject) -> None:
    scope = data.draw(st.sampled_from(sorted(SCOPES)))
    pair = [dict[str, list[Record]](), dict[str, list[Record]]()]
    hidden = SCOPES[scope].hidden
    for metro in METROS:
        shared = [*list_shared(has_velodrome=False)]
        first = {kind: data.draw(listings(kind)) for kind in COLLECTIONS}
        other = {kind: data.draw(listings(kind)) if {kind, metro} & hidden else first[kind] for kind in COLLECTIONS}
        drafts = [draft for kind in COLLECTIONS for draft in data.draw(listings(kind, draft=True))]
        pair[0][metro] = [*shared, *(record for own in first.values() for record in own)]
        pair[1][metro] = [*shared, *(record for own in other.values() for record in own), *drafts]
    with TemporaryDirectory() as folder:
        worlds = [PairedWorld(Path(folder) / str(n), hidden, records=records) for n, records in enumerate(pair)]
        comparison = compare(worlds[0], worlds[1], TARGETS[data.draw(st.integers(0, 2)) :: 3], scope)
        for world in worlds:
            world.close()
    assert comparison.differing == []


@st.composite
def listings(draw: Callable[..., object], kind: str, *, draft: bool = False) -> list[Record]:
    """Some of a type, with words, neighborhoods and categories of all types; drafts with organizations of their own."""
    choose = partial(_choose, draw)
    records = []
    for number in range(4 + choose(range(4))):
        record = make_listing(kind, number, choose((0, 1)), choose((0, 1)))
        words = choose([word for pair in WORDS.values() for word in pair])
        part = choose([None, *(part for pair in PARTS.values() for part in pair)])
        record |= {
            "source_id": f"{'draft ' if draft else ''}{kind} {number}", "name": f"{words.title()} {choose('123')}",
            "categories": [choose([category for pair in CATEGORIES.values() for category in pair])],
            "organization": choose([None, {"source_id": "parks"}, {"name": "rowing club"}]),
        }  # fmt: skip
        if "location" in record:
            record["location"] |= {} if part is None else {"neighborhood": part}
        if draft:
            record |= {"status": "draft", "organization": {"name": choose(["Zeppelin Society", "City Parks Co"])}}
        records.append({name: value for name, value in record.items() if value is not None})
    return records


def _choose(draw: Callable[..., object], values: object) -> "object":
    return draw(st.sampled_from(values))
