"""Releases and keys that are taken up, and those that are refused."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import msgspec
import pytest

from outings.keys.registry import NAME as KEYS
from outings.keys.registry import change_registry, revoke_key
from outings.release.manifest import read_manifest
from outings.release.pointer import NAME, Pointer
from outings.release.root import read_root
from outings.release.store import decode_json, encode_canonical, object_name, put_object
from tests.edge.asking import ask, read_metrics
from tests.edge.conftest import Service
from tests.edge.publishing import NOW, add_keys, make_world, make_worlds, publish_worlds
from tests.release.doubles import FailingStore
from tests.release.memory import MemoryStore

LIST = "/v1/harbor/events"
# JSON that is no text, and JSON without a bottom, each in a member that nobody reads or behind one.
UNENCODED = b'{"sequence":1,"root":"\xed\xa0\x80"}'
DEEP = b'{"more":' + b"[" * 100_000
MakeService = Callable[..., Service]


def read_names(service: Service) -> list[str]:
    return [item["name"] for item in service.get(LIST).read_json()["data"]]


def read_ready(service: Service) -> Any:
    return ask(service.edge, "/readyz").read_json()


def publish_events(service: Service, count: int, *, minutes: int = 1) -> None:
    world = make_world("harbor", timezone="America/New_York", events=count)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=minutes))


def test_a_new_release_is_taken_up_and_the_old_objects_are_not_needed_any_more(make_own: MakeService) -> None:
    service = make_own()
    before = service.get(LIST).headers["x-release"]
    publish_events(service, 2)
    assert service.get(LIST).headers["x-release"] == before
    service.edge.poll()
    assert read_names(service) == ["Story 0 of harbor", "Story 1 of harbor"]
    assert service.get(LIST).headers["x-release"].startswith("2-")


def test_a_release_that_left_a_metro_alone_keeps_its_tags_and_objects(make_own: MakeService) -> None:
    service = make_own()
    tags = {name: service.get(f"/v1/{name}/events").headers["etag"] for name in ("harbor", "lakeside")}
    objects = read_metrics(service.edge)["object"]
    publish_events(service, 2)
    service.edge.poll()
    assert service.get("/v1/lakeside/events", if_none_match=tags["lakeside"]).status == 304
    assert service.get("/v1/harbor/events", if_none_match=tags["harbor"]).status == 200
    assert service.get("/v1/lakeside/events").status == 200
    assert read_metrics(service.edge)["object"] == objects + 1


def test_before_the_first_release_everything_keyed_is_503_and_then_it_is_not(make_own: MakeService) -> None:
    service = make_own(published=False)
    for target in (LIST, "/v1/metros", "/v1/nowhere/events"):
        got = service.get(target)
        assert (got.status, got.error["code"]) == (503, "unavailable")
        assert int(got.headers["retry-after"]) >= 1
        assert "x-release" not in got.headers
    assert ask(service.edge, LIST).status == 401
    assert ask(service.edge, "/healthz").status == 200
    got = ask(service.edge, "/readyz")
    assert (got.status, got.error["code"], got.error["details"]) == (
        503,
        "unavailable",
        {"release": None, "problems": {}},
    )
    publish_worlds(service.store, make_worlds(), folder=service.folder)
    service.edge.poll()
    assert service.get(LIST).status == ask(service.edge, "/readyz").status == 200


def test_without_its_store_it_serves_what_it_has_and_says_so(make_own: MakeService) -> None:
    store = FailingStore()
    service = make_own(store=store)
    before = service.get(LIST)
    store.is_off = True
    service.edge.poll()
    assert ask(service.edge, "/readyz").status == 200
    assert read_ready(service)["problems"] == {"store": "unreachable", "keys": "not read"}
    assert service.get(LIST).body == before.body
    computed = service.get(f"{LIST}?limit=2")
    assert computed.status == 200
    assert service.get("/v1/harbor/places").status == 200  # its object was never read, so it is computed
    store.is_off = False
    publish_events(service, 1)
    service.edge.poll()
    assert read_ready(service)["problems"] == {}
    assert read_names(service) == ["Story 0 of harbor"]


def test_readiness_tells_strangers_no_more_than_that(make_own: MakeService) -> None:
    store = FailingStore()
    service = make_own(store=store)
    store.is_off = True
    service.edge.poll()
    assert b"here" not in ask(service.edge, "/readyz").body


def test_a_server_that_starts_without_its_store_waits_for_it(make_own: MakeService) -> None:
    store = FailingStore()
    publish_worlds(store, make_worlds(), folder=make_own(published=False).folder)
    store.is_off = True
    service = make_own(store=store, published=False, keyed=False)
    got = ask(service.edge, "/readyz")
    assert (got.status, got.error["details"]["problems"]) == (503, {"store": "unreachable", "keys": "not read"})
    store.is_off = False
    service.edge.poll()
    assert ask(service.edge, "/readyz").status == 200


@pytest.mark.parametrize("spoiled", [KEYS, "keys.copy.json"], ids=["torn", "lost"])
def test_a_server_with_a_release_is_ready_only_once_it_has_read_its_keys(make_own: MakeService, spoiled: str) -> None:
    store = MemoryStore()
    store.put(spoiled, b"{")
    service = make_own(store=store, keyed=False)
    got = ask(service.edge, "/readyz")
    assert (got.status, got.headers["retry-after"]) == (503, "5")
    assert got.error["message"] == "The keys were not read yet."
    assert got.error["details"]["problems"] == {"keys": "not read"}
    assert got.error["details"]["release"].startswith("1-")
    assert ask(service.edge, LIST, key="ldk_of_somebody").status == 503
    store.delete(list(store.list(spoiled)))  # a store without keys can be read
    service.edge.poll()
    assert ask(service.edge, "/readyz").status == 200
    store.put(KEYS, b"{")
    service.edge.poll()
    assert (ask(service.edge, "/readyz").status, read_ready(service)["problems"]) == (200, {"keys": "not read"})


def test_a_key_that_could_not_be_looked_up_yet_is_not_refused(make_own: MakeService) -> None:
    store = FailingStore()
    publish_worlds(store, make_worlds(), folder=make_own(published=False).folder)
    store.is_off = True
    service = make_own(store=store, published=False, keyed=False)
    ask_unknown = partial(ask, service.edge, LIST, key="ldk_of_somebody", client="203.0.113.7")
    answers = [ask_unknown() for _ in range(100)]  # more than may fail from one address
    assert {(answer.status, answer.error["code"], answer.headers["retry-after"]) for answer in answers} == {
        (503, "unavailable", "5")
    }
    signed = ask(service.edge, "/v1/harbor/events.ics?key=somebodys&signature=0", client="203.0.113.7")
    assert signed.status == 503  # a calendar's address names a key too
    assert ask(service.edge, LIST).status == 401  # without a key there is nothing to look up
    store.is_off = False
    service.edge.poll()
    assert ask_unknown().status == 401


@pytest.mark.parametrize("spoiled", [b"", b"{}"])
def test_a_pointer_that_could_not_be_read_and_is_as_it_was_is_no_problem_any_more(
    make_own: MakeService, spoiled: bytes
) -> None:
    service = make_own()
    pointer = service.store.get(NAME)
    service.store.put(NAME, spoiled)
    service.edge.poll()
    assert read_ready(service)["problems"] == {"release": "refused"}
    service.store.put(NAME, pointer)
    service.edge.poll()
    assert read_ready(service)["problems"] == {}


def test_a_refused_release_is_tried_again_by_a_clock_that_was_set_back(make_own: MakeService) -> None:
    service = make_own()
    publish_events(service, 2)
    name = name_file(service.store, "pack")
    data = service.store.get(name)
    service.store.delete(list(service.store.list(name)))
    service.edge.poll()
    service.store.put(name, data)
    service.clock.now -= timedelta(days=1)
    service.edge.poll()
    assert read_ready(service)["problems"] == {}


def name_file(store: MemoryStore, kind: str) -> str:
    """Return the name of an object without which the current release can't be served."""
    sha = decode_json(store.get(NAME), Pointer, name="current.json").root
    if kind == "root":
        return object_name(sha)
    part = read_root(store, sha).parts["harbor"]
    manifest = read_manifest(store, part.manifest)
    if kind == "manifest":
        return object_name(part.manifest)
    if kind == "pack":
        return object_name(manifest.packs[-1].object)
    files = manifest.mapped if kind.startswith("mapped ") else manifest.tables
    return object_name(files[kind.removeprefix("mapped ")].object)


@pytest.mark.long
@pytest.mark.parametrize("how", ["one bit", "half", "gone"])
@pytest.mark.parametrize("kind", ["root", "manifest", "listings", "occurrences", "pack", "mapped rows", "mapped names"])
def test_a_broken_release_is_refused_and_the_old_one_stays_until_it_is_mended(
    make_own: MakeService, kind: str, how: str
) -> None:
    service = make_own()
    before = service.get(LIST)
    publish_events(service, 2)
    name = name_file(service.store, kind)
    data = service.store.get(name)
    if how == "gone":
        service.store.delete(list(service.store.list(name)))
    else:
        service.store.put(name, data[:-1] + bytes([data[-1] ^ 1]) if how == "one bit" else data[: len(data) // 2])
    service.edge.poll()
    assert service.get(LIST).body == before.body
    assert service.get(f"{LIST}?limit=3").status == 200
    ready = ask(service.edge, "/readyz")
    assert (ready.status, ready.read_json()["problems"]) == (200, {"release": "refused"})
    assert ready.read_json()["release"] == before.headers["x-release"]
    service.store.put(name, data)
    service.clock.now += timedelta(seconds=31)
    service.edge.poll()
    assert len(read_names(service)) == 2
    assert read_ready(service)["problems"] == {}


def test_a_broken_release_is_passed_over_when_a_good_one_follows(make_own: MakeService) -> None:
    service = make_own()
    publish_events(service, 2)
    service.store.delete(list(service.store.list(name_file(service.store, "pack"))))
    service.edge.poll()
    publish_events(service, 3, minutes=2)
    service.edge.poll()
    assert len(read_names(service)) == 3


@pytest.mark.parametrize("spoiled", [b"", b"{}", b"[1]", b'{"sequence":1}', b"\xff", UNENCODED, DEEP])
def test_a_broken_pointer_is_refused(make_own: MakeService, spoiled: bytes) -> None:
    service = make_own()
    service.store.put(NAME, spoiled)
    service.edge.poll()
    assert service.get(LIST).status == 200
    assert read_ready(service)["problems"] == {"release": "refused"}


def test_a_pointer_that_is_gone_is_said_so(make_own: MakeService) -> None:
    service = make_own()
    service.store.delete(list(service.store.list(NAME)))
    service.edge.poll()
    assert service.get(LIST).status == 200
    assert read_ready(service)["problems"] == {"release": "refused"}


def point_back(service: Service, **changes: Any) -> None:
    """The current pointer and root with these of the root's members changed, as no publish would."""
    pointer = decode_json(service.store.get(NAME), Pointer, name="current.json")
    root = read_root(service.store, pointer.root)
    changed = msgspec.structs.replace(root, **{name: change(root) for name, change in changes.items()})
    swapped = msgspec.structs.replace(
        pointer, root=put_object(service.store, encode_canonical(changed)), sequence=changed.sequence,
        latest_version_id=changed.log.latest_version_id,
    )  # fmt: skip
    service.store.put(NAME, encode_canonical(swapped))


@pytest.mark.parametrize(
    "changes",
    [
        {"sequence": lambda root: root.sequence - 1},
        {"built_at": lambda root: root.built_at + timedelta(hours=1)},
        {"sequence": lambda root: root.sequence + 1, "log": lambda root: msgspec.structs.replace(
            root.log, latest_version_id=root.log.latest_version_id - 1)},
        {"sequence": lambda root: root.sequence + 1, "parts": lambda root: {
            slug: msgspec.structs.replace(part, stamp=part.stamp - timedelta(seconds=1))
            for slug, part in root.parts.items()}},
    ],
    ids=["sequence", "another of the same sequence", "latest version", "stamp"],
)  # fmt: skip
def test_what_goes_back_is_refused(make_own: MakeService, changes: dict[str, Any]) -> None:
    service = make_own()
    publish_events(service, 2)
    service.edge.poll()
    before = service.get(LIST)
    point_back(service, **changes)
    service.edge.poll()
    assert service.get(LIST).headers["x-release"] == before.headers["x-release"]
    assert read_ready(service)["problems"] == {"release": "refused"}


def test_a_pointer_and_a_root_that_disagree_are_refused(make_own: MakeService) -> None:
    service = make_own()
    pointer = decode_json(service.store.get(NAME), Pointer, name="current.json")
    publish_events(service, 2)
    newer = decode_json(service.store.get(NAME), Pointer, name="current.json")
    service.store.put(NAME, encode_canonical(msgspec.structs.replace(newer, sequence=newer.sequence + 5)))
    service.edge.poll()
    assert read_ready(service)["release"].startswith(f"{pointer.sequence}-")
    assert read_ready(service)["problems"] == {"release": "refused"}


def test_a_metro_that_left_the_release_is_404(make_own: MakeService) -> None:
    service = make_own()
    assert service.get("/v1/lakeside/events").status == 200
    point_back(
        service,
        sequence=lambda root: root.sequence + 1,
        parts=lambda root: {slug: part for slug, part in root.parts.items() if slug == "harbor"},
    )
    service.edge.poll()
    assert service.get("/v1/lakeside/events").status == 404
    assert [item["slug"] for item in service.get("/v1/metros").read_json()["data"]] == ["harbor"]


def test_a_new_key_and_a_revocation_are_taken_up(make_own: MakeService) -> None:
    service = make_own()
    late = add_keys(service.store, {"late": {}})["late"]
    assert ask(service.edge, LIST, key=late).status == 401
    service.edge.poll()
    assert ask(service.edge, LIST, key=late).status == 200
    change_registry(service.store, lambda registry: revoke_key(registry, late[4:12], now=NOW))
    service.edge.poll()
    assert ask(service.edge, LIST, key=late).status == 401
    assert service.get(LIST).status == 200


@pytest.mark.parametrize(
    "spoiled", [b"", b"{", b"{}", b'{"keys":7}', b'{"layout":9,"keys":[]}', b'{"keys":[{"id":"\xed\xa0\x80"', DEEP]
)
def test_a_broken_registry_leaves_the_keys_as_they_were(make_own: MakeService, spoiled: bytes) -> None:
    service = make_own()
    registry = service.store.get("keys.json")
    service.store.put("keys.json", spoiled)
    service.edge.poll()
    assert service.get(LIST).status == 200
    assert ask(service.edge, LIST, key=service.keys["revoked"]).status == 401
    assert read_ready(service)["problems"] == {"keys": "not read"}
    service.store.put("keys.json", registry)
    service.edge.poll()
    assert read_ready(service)["problems"] == {}


@pytest.mark.long
def test_two_servers_share_a_cache_folder(make_own: MakeService) -> None:
    service = make_own()
    reads = len(list((service.folder / "cache" / "objects").iterdir()))
    beside = service.start_another(cache=service.folder / "cache")
    assert beside.get(LIST).body == service.get(LIST).body
    assert len(list((service.folder / "cache" / "objects").iterdir())) == reads
