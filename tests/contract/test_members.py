import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.members import MEMBERS
from outings.contract.values import normalize_paths


@pytest.mark.parametrize(
    ("resource", "path"),
    [
        ("event", "starts_local"),
        ("event", "location.neighborhood_slug"),
        ("event", "occurrence.next_starts_at"),
        ("event", "occurrence.date_on"),
        ("event", "links.self"),
        ("class", "sections.schedule.days"),
        ("class", "tuition.from"),
        ("class", "registration.sections_with_spots"),
        ("class", "sessions.place.slug"),
        ("camp", "sessions.registration.spots_remaining"),
        ("camp", "extended_care.price"),
        ("place", "hours.monday"),
        ("place", "birthday_parties.booking_url"),
        ("organization", "counts.events"),
    ],
)
def test_a_path_goes_through_objects_and_arrays(resource: str, path: str):
    assert path in MEMBERS[resource]


@pytest.mark.parametrize(
    ("resource", "path"),
    [
        ("event", "sections"),
        ("class", "tuition.from_"),
        ("class", "sections.0.name"),
        ("place", "hours.monday.opens"),
        ("organization", "email"),
        ("event", ""),
    ],
)
def test_a_member_that_the_resource_does_not_have_is_no_path(resource: str, path: str):
    assert path not in MEMBERS[resource]


@pytest.mark.parametrize("resource", MEMBERS)
def test_every_path_has_its_parent_and_every_resource_its_identity(resource: str):
    paths = MEMBERS[resource]
    assert {"id", "type"} <= paths
    assert all(path.rpartition(".")[0] in {*paths, ""} for path in paths)


@given(st.frozensets(st.sampled_from(sorted(MEMBERS["class"])), min_size=1, max_size=12))
def test_a_settled_choice_keeps_the_same_leaves_and_names_none_twice(chosen: frozenset[str]):
    def leaves(paths: frozenset[str]) -> set[str]:
        return {
            member
            for member in MEMBERS["class"]
            if any(member == path or member.startswith(path + ".") for path in paths)
        }

    choice = normalize_paths(chosen)
    assert leaves(frozenset(choice)) == leaves(chosen | {"id", "type"})
    assert list(choice) == sorted(set(choice))
    assert not any(one != other and other.startswith(one + ".") for one in choice for other in choice)
