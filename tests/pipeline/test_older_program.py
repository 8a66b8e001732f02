"""A release of an older program is answered as one of this and built on, and an older program reads what this one
builds."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from command.sample_cities import write_world
from outings.answers.routes import answer
from outings.configuration import read_configuration
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, open_release
from outings.release.store import open_store
from tests.pipeline.programs import OLDER, ROOT, export_program, run_program

TODAY = date(2026, 8, 10)
NOON = datetime(2026, 8, 10, 19, tzinfo=UTC)
REQUESTS = (
    "/v1/seattle/events", "/v1/seattle/events?occurrences=expand&weekday=saturday", "/v1/seattle/events?q=story",
    "/v1/seattle/events?team=mariners,kraken,storm", "/v1/seattle/events?age=4&facets=category,age_band",
    "/v1/seattle/events?lat=47.6&lng=-122.3&radius_m=9000&free=true", "/v1/seattle/events?start_after=15:00",
    "/v1/seattle/events/calendar?from=2026-08-10&to=2026-09-09", "/v1/seattle/classes?openings=true",
    "/v1/seattle/classes?enrollment_type=drop_in,registration&weekday=monday", "/v1/seattle/classes?max_price=20",
    "/v1/seattle/camps?year=2026", "/v1/seattle/camps?overnight=false&free=false",
    "/v1/seattle/places?has_classes=true",
    "/v1/seattle/places?type_hint=museum,park&sensory=true", "/v1/seattle/search?q=swim+lessons&sort=soonest",
    "/v1/seattle/nearby?lat=47.6&lng=-122.3", "/v1/seattle/organizations?q=studio", "/v1/seattle/neighborhoods",
    "/v1/seattle/around?lat=47.6&lng=-122.3", "/v1/seattle/coverage", "/v1/metros",
)  # fmt: skip

# Members that the older program leaves empty unless a record states them, and this one knows by the kind of place.
FOUND_SINCE = {"good_for_rainy", "is_indoor", "is_outdoor"}
# Members that documents have had since, and those that say when a listing changed.
LEFT_OUT = FOUND_SINCE | {"exdates", "rdates", "page", "updated_at", "version_id"}

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_program(tmp_path_factory.mktemp("older"), OLDER)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return a configuration in which New York's words are Spanish, which its manifest has with it."""
    path = write_world(tmp_path / "outings.toml", today=TODAY, size=40)
    zone = 'timezone = "America/New_York"\n'
    path.write_text(path.read_text().replace(zone, zone + 'language = "es"\n'))
    return path


def build(program: Path, config: Path) -> str:
    words = ("--as-of", TODAY.isoformat(), "--workers", "1", "--json")
    return str(json.loads(run_program(program, "build", "-c", str(config), *words).stdout)["changes"])


def list_bodies(config: Path) -> Iterator[Any]:
    """Yield the bodies of all requests, without what is found since, what names the release, or when it was built."""
    store = open_store(read_configuration(config, {}).store.url)
    release = open_release(store, next(list_releases(store)), cache=config.parent / "cache")
    for request in REQUESTS:
        body = ask(release, request)
        for name in ("next_cursor", "generated_at"):
            body.get("meta", {}).pop(name, None)
        if request.endswith("/coverage"):
            body["data"].pop("release")
        yield leave_out(body, LEFT_OUT)


def leave_out(value: Any, names: set[str]) -> Any:
    """The value without these members, at any depth."""
    if isinstance(value, dict):
        return {name: leave_out(item, names) for name, item in value.items() if name not in names}
    return [leave_out(item, names) for item in value] if isinstance(value, list) else value


def list_changes(config: Path) -> list[tuple[str, set[str]]]:
    """List how the listings of the newest release differ from those of the one before: the kind and the members."""
    releases = json.loads(run_program(ROOT, "releases", "list", "-c", str(config), "--json").stdout)["releases"]
    newest, before = (release["id"] for release in releases[:2])
    shown = run_program(ROOT, "releases", "diff", before, newest, "-c", str(config), "--json").stdout
    return [(each["kind"], set(each["fields"])) for each in json.loads(shown)["differences"]]


def ask(release: Release, request: str) -> Any:
    path, _, words = request.partition("?")
    match = match_route(path)
    assert match is not None
    query = parse_query(match, words.encode(), vocabulary=release.metros["seattle"].vocabulary)
    dates = dict.fromkeys(release.metros, TODAY)
    made = answer(query, release=release, dates=dates, entitlement=Entitlement(), minute=NOON)
    return json.loads(b"".join(made.parts))


def test_a_release_of_an_older_program_is_answered_and_built_on_with_no_change_but_what_is_found_since(
    older: Path, config: Path
) -> None:
    assert "'created': 0" not in build(older, config)
    theirs = list(list_bodies(config))
    build(ROOT, config)
    changes = list_changes(config)
    assert changes
    assert all(kind == "updated" and members <= FOUND_SINCE for kind, members in changes)
    for request, one, other in zip(REQUESTS, theirs, list_bodies(config), strict=True):
        assert one == other, request


def test_an_older_program_reads_what_this_one_builds(older: Path, config: Path) -> None:
    build(ROOT, config)
    named = run_program(older, "releases", "list", "-c", str(config), "--json").stdout
    run_program(older, "releases", "verify", "-c", str(config))
    rows = run_program(older, "query", "SELECT count(*) AS count FROM listings", "-c", str(config), "--format", "csv")
    assert int(rows.stdout.split()[1]) == 80
    assert json.loads(named)["releases"]
    build(older, config)
    assert all(kind == "updated" and members <= FOUND_SINCE for kind, members in list_changes(config))
