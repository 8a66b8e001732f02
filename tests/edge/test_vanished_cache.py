"""The files of the cache vanish, are swapped or cut short under a running server."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from shutil import rmtree

import pytest
from structlog.testing import capture_logs

from edge.services.geocoder import LocalGeocoder
from outings.release.manifest import Manifest, list_files, read_manifest
from outings.release.pointer import read_current
from tests.answers.documents import make_location, make_place
from tests.answers.worlds import World
from tests.edge.conftest import Service
from tests.edge.publishing import NOW, make_id, make_world, publish_worlds
from tests.edge.routes import EVENT, READS
from tests.release.doubles import FailingStore

MakeService = Callable[..., Service]
Harm = Callable[[Service], None]

METROS = ("harbor", "lakeside")
# Every route, and what only some of its requests read. A request without a filter may be an object of the store.
TARGETS = (
    *(target.replace("/v1/harbor/", "/v1/{metro}/") for target, *_ in READS.values()),
    "/v1/{metro}/events?include=source&limit=3", "/v1/{metro}/events?near_zip=98101&limit=2",
    "/v1/{metro}/places?zip=98101&limit=3", "/v1/{metro}/events?facets=category&limit=0",
    f"/v1/events/{EVENT}?include=related,source&expand=organization", "/v1/{metro}/events?q=story&expand=organization",
    "/v1/{metro}/search?q=storise", "/v1/{metro}/nearby?lat=40&lng=-74&radius_m=50000",
    "/v1/{metro}/around?address=12+Pier+St", "/v1/{metro}/activity?lat=40.1&lng=-74.1",
)  # fmt: skip


def list_targets() -> list[str]:
    return list(dict.fromkeys(target.format(metro=metro) for target in TARGETS for metro in METROS))


def make_worlds(events: int) -> list[World]:
    """The second is the first with other words, so that a file of the one could stand in for that of the other."""
    worlds = []
    for slug, street in zip(METROS, ("Pier St", "Pier Street"), strict=True):
        world = make_world(slug, timezone="America/New_York", events=events)
        place = make_location(address=f"12 {street}", city=slug.title(), zip="98101", lat=40.1, lng=-74.1)
        world.listings.append(make_place(make_id(f"{slug}-studio"), slug="studio", name="Studio", location=place))
        world.zips["98101"] = (40.0, -74.0) if slug == "harbor" else (40.2, -74.0)
        worlds.append(world)
    return worlds


def publish(service: Service, *, events: int, minutes: int = 0) -> None:
    publish_worlds(service.store, make_worlds(events), folder=service.folder, stamp=NOW + timedelta(minutes=minutes))


def read_manifests(service: Service) -> list[Manifest]:
    current = read_current(service.store)
    assert current is not None
    return [read_manifest(service.store, current.root.parts[slug].manifest) for slug in METROS]


def list_cached(service: Service) -> list[Path]:
    return [path for path in (service.folder / "cache/objects").iterdir() if "." not in path.name]


def remove_files(service: Service) -> None:
    for path in list_cached(service):
        path.unlink()


def remove_folder(service: Service) -> None:
    rmtree(service.folder / "cache")


def put_other(path: Path, data: bytes) -> None:
    """Another file of that name, as a program that copies puts it."""
    fresh = path.with_name(f"{path.name}.other")
    fresh.write_bytes(data)
    fresh.replace(path)


def cut_files(service: Service) -> None:
    for path in list_cached(service):
        put_other(path, path.read_bytes()[:-1])


def swap_files(service: Service) -> None:
    """Each by that of the other metro, of the same layout."""
    folder = service.folder / "cache/objects"
    for kind in ("tables", "mapped"):
        one, other = (getattr(manifest, kind) for manifest in read_manifests(service))
        for name in one:
            paths = [folder / value[name].object for value in (one, other)]
            for path, data in zip(paths, [path.read_bytes() for path in reversed(paths)], strict=True):
                put_other(path, data)


HARMS = [remove_files, remove_folder, cut_files, swap_files]


@pytest.fixture
def service(make_own: MakeService) -> Service:
    made = make_own(store=FailingStore(), published=False, geocoder=LocalGeocoder())
    publish(made, events=5)
    made.edge.poll()
    return made


def read_answers(service: Service, targets: list[str]) -> dict[str, tuple[int, bytes]]:
    answers = {target: service.get(target) for target in targets}
    return {target: (got.status, got.body) for target, got in answers.items()}


@pytest.mark.parametrize("harm", HARMS)
def test_every_answer_is_that_of_a_server_whose_cache_is_whole(
    service: Service, make_own: MakeService, harm: Harm
) -> None:
    untouched = make_own(store=service.store, published=False, keyed=False, geocoder=LocalGeocoder())
    untouched.keys.update(service.keys)
    harm(service)
    targets = list_targets()
    expected, answers = (read_answers(value, targets) for value in (untouched, service))
    assert {target: status for target, (status, _) in expected.items() if status != 200} == {}
    assert {target: status for target, (status, _) in answers.items() if status != 200} == {}
    assert [target for target in targets if answers[target] != expected[target]] == []


@pytest.mark.parametrize("harm", HARMS)
def test_the_next_release_repairs_the_cache(service: Service, harm: Harm) -> None:
    harm(service)
    publish(service, events=2, minutes=1)
    service.edge.poll()
    assert service.get("/v1/harbor/events").headers["x-release"].startswith("2-")
    wanted = {sha for manifest in read_manifests(service) for sha in list_files(manifest)}
    assert wanted <= {path.name for path in list_cached(service)}


FILE = "/v1/harbor/export/events.jsonl"


def test_a_file_that_was_not_opened_yet_is_503_while_neither_the_cache_nor_the_store_has_it(service: Service) -> None:
    assert isinstance(service.store, FailingStore)
    service.store.is_off = True
    remove_folder(service)
    with capture_logs() as lines:
        refused = service.get(FILE)
    assert (refused.status, refused.error["code"], refused.headers["retry-after"]) == (503, "unavailable", "5")
    assert [line["event"] for line in lines] == ["answer_not_read"]
    service.store.is_off = False
    assert service.get(FILE).status == 200


def test_a_cache_that_nothing_can_be_written_to_is_503_until_it_can_be(service: Service) -> None:
    remove_folder(service)
    (service.folder / "cache").write_bytes(b"")
    with capture_logs() as lines:
        refused = service.get(FILE)
    assert (refused.status, refused.error["code"], refused.headers["retry-after"]) == (503, "unavailable", "5")
    assert [line["event"] for line in lines] == ["answer_not_read"]
    (service.folder / "cache").unlink()
    assert service.get(FILE).status == 200
