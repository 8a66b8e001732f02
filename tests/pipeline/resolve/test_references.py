"""References to organizations and places."""

from typing import Any

import pytest

from pipeline.records.ids import make_organization_id
from pipeline.records.record import Reference
from pipeline.resolve.references import ReferenceTarget, Resolution, Targets


def make_target(id_: str, source: str, slug: str, name: str, **more: Any) -> ReferenceTarget:
    """`source`: `<metro>/<feed>/<type>/<source_id>`."""
    metro, feed, kind, source_id = source.split("/")
    return ReferenceTarget(id=id_, type=kind, metro=metro, feed=feed, source_id=source_id, slug=slug, name=name, **more)


PARKS = make_target("a1", "seattle/parks/organization/7", "seattle-parks", "Seattle Parks & Recreation")
TWIN = make_target("a2", "seattle/twin/organization/7", "seattle-parks-2", "SEATTLE PARKS RECREATION")
AFAR = make_target("a3", "new-york/parks/organization/9", "y", "The Y")
POOL = make_target("b1", "seattle/parks/place/7", "pool", "Pool")
OTHER_POOL = make_target("b2", "new-york/parks/place/8", "pool", "Pool")
FAR_POOL = make_target("b7", "new-york/parks/place/9", "far-pool", "Far Pool")
LIBRARIES = [
    make_target("b3", "seattle/spl/place/1", "library", "Library", addresses=("1 Pine St, Seattle", "1 Pine St")),
    make_target("b4", "seattle/spl/place/2", "library-2", "LIBRARY", addresses=("2 Pine St",)),
]
GARDENS = [
    make_target("b5", "seattle/spl/place/3", "garden", "Garden"),
    make_target("b6", "seattle/spl/place/4", "garden-2", "Garden", is_shown=False),
]

LATER = [
    make_target("a0", "seattle/zoo/place/1", "library", "Library"),
    make_target("a4", "seattle/zoo/place/2", "pool", "Zoo"),
]

TARGETS = Targets([POOL, PARKS, TWIN, OTHER_POOL, FAR_POOL, AFAR, *LIBRARIES, *GARDENS, *LATER], metro="seattle")


@pytest.mark.parametrize(
    ("reference", "kind", "feed", "expected"),
    [
        (Reference(id="b1"), "place", "spl", "b1"),
        (Reference(id="B1"), "place", "spl", "b1"),
        (Reference(source_id="7"), "place", "parks", "b1"),
        (Reference(slug="pool"), "place", "spl", "b1"),
        (Reference(id="a1"), "organization", "spl", "a1"),
        (Reference(source_id="7"), "organization", "parks", "a1"),
        (Reference(source_id="7"), "organization", "twin", "a2"),
        (Reference(slug="seattle-parks-2"), "organization", "spl", "a2"),
        (Reference(name="seattle parks recreation!"), "organization", "spl", "a1"),
        (Reference(id="nothing", slug="pool"), "place", "spl", "b1"),
        (Reference(id="nothing", name="Seattle Parks & Recreation"), "organization", "spl", "a1"),
        (Reference(id="a3"), "organization", "spl", "a3"),
        (Reference(source_id="9"), "organization", "parks", "a3"),
        (Reference(feed="parks", source_id="7"), "place", "spl", "b1"),
        (Reference(feed="twin", source_id="7"), "organization", "parks", "a2"),
        (Reference(feed="parks", source_id="9"), "organization", "spl", "a3"),
        (Reference(name="POOL!"), "place", "spl", "b1"),
        (Reference(name="Pool", address="of no place"), "place", "spl", "b1"),
        (Reference(name="Library", address="2 Pine St."), "place", "spl", "b4"),
        (Reference(name="Library", address="1 Pine St, Seattle, WA 98101"), "place", "spl", "b3"),
        (Reference(name="Garden"), "place", "spl", "b5"),
        (Reference(slug="pool"), "place", "zoo", "a4"),
        (Reference(name="Library"), "place", "zoo", "a0"),
        (Reference(name="seattle parks recreation!"), "organization", "twin", "a2"),
    ],
)
def test_a_reference_leads_to_its_row(reference: Reference, kind: str, feed: str, expected: str) -> None:
    assert TARGETS.resolve(reference, kind=kind, feed=feed) == Resolution(id=expected)


@pytest.mark.parametrize("reference", [None, Reference()])
def test_no_reference_is_no_problem(reference: Reference | None) -> None:
    assert TARGETS.resolve(reference, kind="place", feed="spl") == Resolution()


@pytest.mark.parametrize(
    ("reference", "kind", "feed", "value"),
    [
        (Reference(id="zz"), "place", "parks", "id zz"),
        (Reference(id="a1"), "place", "parks", "id a1"),
        (Reference(source_id="7"), "place", "spl", "source_id 7"),
        (Reference(source_id="8"), "place", "parks", "source_id 8"),
        (Reference(id="b2"), "place", "parks", "id b2"),
        (Reference(name="Pond"), "place", "parks", "name Pond"),
        (Reference(name="!?"), "place", "parks", "name !?"),
        (Reference(feed="twin", source_id="7"), "place", "parks", "feed twin, source_id 7"),
        (Reference(name="Far Pool"), "place", "parks", "name Far Pool"),
        (Reference(slug="y"), "organization", "parks", "slug y"),
        (Reference(name="!?"), "organization", "parks", "name !?"),
        (Reference(id="x", slug="y"), "organization", "parks", "id x, slug y"),
    ],
)
def test_a_reference_to_nothing_is_null_and_says_so(reference: Reference, kind: str, feed: str, value: str) -> None:
    assert TARGETS.resolve(reference, kind=kind, feed=feed) == Resolution(problem="unknown_reference", value=value)


@pytest.mark.parametrize("name", ["Pottery Northwest", "POTTERY, Northwest"])
def test_an_organization_that_is_only_named_is_made_of_its_name(name: str) -> None:
    resolution = TARGETS.resolve(Reference(name=name), kind="organization", feed="spl")
    assert resolution == Resolution(id=make_organization_id("seattle", "pottery northwest"), made_name=name)


def test_names_hold_within_their_metro_only() -> None:
    resolution = TARGETS.resolve(Reference(name="The Y"), kind="organization", feed="parks")
    assert resolution == Resolution(id=make_organization_id("seattle", "The Y"), made_name="The Y")


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (Reference(name="library"), "3 places have this name: feed spl, source_id 1 at 1 Pine St, Seattle; feed spl, "),
        (Reference(name="library", address="3 Pine St"), "3 places have this name, none of them at this address: feed"),
    ],
)
def test_a_name_of_several_places_is_no_place_and_the_problem_names_them(reference: Reference, message: str) -> None:
    resolution = TARGETS.resolve(reference, kind="place", feed="parks")
    assert (resolution.id, resolution.problem is not None) == (None, True)
    assert str(resolution.problem).startswith(f"ambiguous_reference: {message}")
    assert "source_id 2 at 2 Pine St" in str(resolution.problem)
