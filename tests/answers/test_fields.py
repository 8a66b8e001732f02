"""`fields`: every path of every resource, beside what a reader would cut out of the whole document."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import pytest

from outings.contract.members import MEMBERS
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch
from tests.answers.worlds import World, open_release

IDS = {name: f"00000000-0000-4000-8000-{number:012x}" for number, name in enumerate(sorted(MEMBERS), 1)}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release([make_world()], tmp_path_factory.mktemp("worlds"))


def make_world() -> World:
    organization = {"id": IDS["organization"], "name": "Rec", "slug": "rec"}
    place = {"id": IDS["place"], "name": "Barn", "slug": "barn"}
    point = documents.make_location(lat=40.5, lng=-74.0)
    section = documents.make_section(IDS["class"][:-1] + "a")
    section["schedule"]["days"] = ["monday"]
    session = documents.make_session(IDS["camp"][:-1] + "b", starts_on="2026-08-10", ends_on="2026-08-14")
    shared = {"organization": organization, "place": place, "categories": ["storytime_books"]}
    return World(
        listings=[
            documents.make_event(
                IDS["event"], **shared, is_recurring=True, has_date=True, starts_local="2026-08-03T09:00:00",
                starts_at="2026-08-03T13:00:00Z", has_time=True, start_time="09:00:00",
                price=documents.make_price(min=2.5),
            ),
            documents.make_class(IDS["class"], **shared, sections=[section, section]),
            documents.make_camp(IDS["camp"], **shared, sessions=[session]),
            documents.make_place(IDS["place"], organization=organization, location=point),
        ],
        organizations=[documents.make_organization(IDS["organization"], name="Rec", slug="rec")],
        dates={IDS["event"]: [datetime(2026, 8, day, 9) for day in (3, 10, 17)]},
    )  # fmt: skip


def cut(value: Any, paths: Iterable[str]) -> Any:
    """Return a document cut to the paths, which lead through arrays. A path that leads nowhere is left out."""
    if isinstance(value, list):
        return [cut(entry, paths) for entry in value]
    if not isinstance(value, Mapping):
        return value
    heads: dict[str, list[str]] = {}
    for path in paths:
        head, _, rest = path.partition(".")
        heads.setdefault(head, []).append(rest)
    return {
        name: entry if "" in heads[name] else cut(entry, heads[name]) for name, entry in value.items() if name in heads
    }


def list_choices(name: str) -> list[list[str]]:
    """Paths asked for together: parents with their members, what is there with what is not."""
    paths = sorted(MEMBERS[name])
    return [paths[start::step] for step in (5, 11) for start in range(step)]


def choose_request(name: str) -> tuple[str, dict[str, str]]:
    """Choose a request that shows the resource whole, or a list of it."""
    if name == "organization_entry":
        return "/v1/harbor/organizations", {"q": "rec", "min_count": "0"}
    if name == "nearby_item":
        return "/v1/harbor/nearby", {"lat": "40.5", "lng": "-74"}
    if name == "organization":
        return f"/v1/organizations/{IDS[name]}", {}
    expand = "organization" if name == "place" else "place,organization"
    return f"/v1/{COLLECTIONS[name]}/{IDS[name]}", {"expand": expand}


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_any_choice_is_what_a_reader_would_cut_out(release: Release, name: str) -> None:
    path, params = choose_request(name)
    whole = fetch(release, path, params)["data"]
    assert whole
    for paths in (*([member] for member in sorted(MEMBERS[name])), *list_choices(name)):
        got = fetch(release, path, {**params, "fields": ",".join(paths)})["data"]
        assert got == cut(whole, ["id", "type", *paths]), paths
