"""Old releases are open a few at a time, whatever asks for them, and the current one never waits for them."""

import asyncio
import gc
import resource
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edge import release_pool
from edge.release_pool import MOST_OPEN
from outings.release.manifest import read_manifest
from outings.release.objects import object_name
from outings.release.pointer import read_current
from tests.edge.asking import Response, send_request
from tests.edge.conftest import Service
from tests.edge.publishing import publish_restamped
from tests.release.memory import MemoryStore

LIST = "/v1/harbor/events"
EXPORT = "/v1/harbor/export/events.jsonl"
MakeService = Callable[..., Service]


class GatedStore(MemoryStore):
    """Reads of the names in `gated` wait until it is opened; any read takes `seconds`."""

    def __init__(self) -> None:
        super().__init__()
        self.gated: set[str] = set()
        self.gate = threading.Event()
        self.seconds = 0.0

    def get(self, name: str) -> bytes:
        if self.seconds:
            time.sleep(self.seconds)
        if name in self.gated:
            assert self.gate.wait(60)
        return super().get(name)


def count_maps(folder: Path) -> int:
    """Of files of this cache; a file that is mapped twice counts twice."""
    return sum(str(folder) in line for line in Path("/proc/self/maps").read_text().splitlines())


def count_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def no_collection() -> Iterator[None]:
    """What is let go of ends at once, or not in this test."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def ask(service: Service, target: str, *, kind: str = "all") -> Response:
    return await send_request(service.edge, target, key=service.keys[kind])


def walk(service: Service) -> str:
    """The second page of a walk that begins now."""
    cursor = service.get(f"{LIST}?limit=2").read_json()["meta"]["next_cursor"]
    return f"{LIST}?limit=2&cursor={cursor}"


def check_level(service: Service, releases: int) -> None:
    """Asks for so many old releases, each by name and by a cursor, and counts what that leaves open."""
    walks = [walk(service)]
    for minute in range(1, releases + 1):
        publish_restamped(service.store, 1, minutes=minute)
        service.edge.poll()
        walks.append(walk(service))
    maps, descriptors = [], []
    for target in walks[:-1]:
        got = service.get(target)
        assert got.status == 200
        assert got.headers["x-release"] != service.get(LIST).headers["x-release"]
        named = service.get(f"{LIST}?limit=3&release={got.headers['x-release']}")
        assert named.headers["x-release"] == got.headers["x-release"]
        maps.append(count_maps(service.folder))
        descriptors.append(count_descriptors())
    assert max(maps[MOST_OPEN:]) <= maps[MOST_OPEN - 1]
    assert max(descriptors) <= min(descriptors) + 2


def test_however_many_are_asked_for_a_few_are_open(make_own: MakeService, no_collection: None) -> None:
    check_level(make_own(), 3 * MOST_OPEN)


@pytest.mark.long
def test_as_many_as_seven_days_have_are_asked_for_with_few_descriptors_and_a_slow_store(
    make_own: MakeService,
    few_descriptors: None,
) -> None:
    store = GatedStore()
    service = make_own(store=store)
    ids = publish_restamped(store, 671)
    service.edge.poll()
    store.seconds = 0.02
    newest, maps, descriptors = ids[-1], [], []
    for at, release_id in enumerate(ids[:-1:5]):
        assert service.get(f"{LIST}?release={release_id}").headers["x-release"] == release_id
        assert service.get(f"{LIST}?release={at + 1}-00000000").status == 400
        assert service.get(LIST).headers["x-release"] == newest
        if at % 20 == 0:
            [newest] = publish_restamped(store, 1, minutes=700 + at)
            service.edge.poll()
        maps.append(count_maps(service.folder))
        descriptors.append(count_descriptors())
    assert max(maps) <= 3 * maps[0]
    assert max(descriptors) < 200


def test_where_the_pool_is_full_the_next_release_is_503_and_the_current_one_goes_on(
    make_own: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_pool, "PATIENCE", 0.05)
    store = GatedStore()
    service = make_own(store=store)
    replaced = service.get(LIST).headers["x-release"]
    _, other, *ids, _ = publish_restamped(store, MOST_OPEN + 3)
    ids[0] = replaced  # which stays open as long as no other is replaced
    service.edge.poll()
    current = read_current(store)
    assert current is not None
    manifest = read_manifest(store, current.root.parts["harbor"].manifest)
    store.gated = {object_name(manifest.exports["events.jsonl"].object)}

    async def run() -> None:
        kinds = ("all", "other", "harbor", "events")  # a key opens two at once
        leases = [
            asyncio.create_task(ask(service, f"{EXPORT}?release={each}", kind=kind))
            for each, kind in zip(ids, kinds, strict=True)
        ]
        for _ in range(6_000):
            await asyncio.sleep(0.01)
            refused = await ask(service, f"{LIST}?release={other}")
            if refused.status == 503:
                break
        assert (refused.error["code"], refused.headers["retry-after"]) == ("unavailable", "1")
        assert (await ask(service, LIST)).status == 200
        # What is open already is no new place.
        assert (await ask(service, f"{LIST}?release={ids[0]}")).headers["x-release"] == ids[0]
        [newest] = publish_restamped(store, 1, minutes=60)
        await asyncio.to_thread(service.edge.poll)
        assert (await ask(service, LIST)).headers["x-release"] == newest
        store.gate.set()
        assert [each.headers["x-release"] for each in await asyncio.gather(*leases)] == ids
        assert (await ask(service, f"{LIST}?release={other}")).headers["x-release"] == other

    asyncio.run(run())


def test_who_asks_for_many_at_once_keeps_nobody_waiting_for_them(make_own: MakeService) -> None:
    service = make_own()
    ids = publish_restamped(service.store, 25)
    service.edge.poll()

    async def run() -> tuple[list[Response], Response, list[Response]]:
        many = [asyncio.create_task(ask(service, f"{LIST}?release={each}", kind="all")) for each in ids[:20]]
        await asyncio.sleep(0)
        other = await ask(service, f"{LIST}?release={ids[21]}", kind="other")
        together = await asyncio.gather(
            *[ask(service, f"{LIST}?release={ids[22]}&limit={n}", kind="all") for n in range(1, 21)]
        )
        return await asyncio.gather(*many), other, together

    many, other, together = asyncio.run(run())
    assert other.headers["x-release"] == ids[21]
    assert {each.headers["x-release"] for each in together if each.status == 200} == {ids[22]}
    assert [each.status for each in together] == [200] * 20
    assert {each.status for each in many} == {200, 503}
    assert all(each.headers["retry-after"] == "1" for each in many if each.status == 503)
