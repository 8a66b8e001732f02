"""When an edge fetches what a release is made of, which metros it serves, and which of them it closes."""

import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from edge.app import Edge
from outings.answers.routes import is_prepared
from outings.release.cache import LazyFiles, MappedFile
from outings.release.folder import FolderStore
from outings.release.manifest import list_files, read_manifest
from outings.release.pointer import read_current
from outings.release.store import object_name
from tests.edge.asking import ask
from tests.edge.conftest import CALENDAR_SECRETS, Service
from tests.edge.publishing import NOW, add_keys, make_worlds, publish_worlds
from tests.edge.routes import ANSWERED, EVENT, PLACE, READS
from tests.release.memory import MemoryStore

MakeService = Callable[..., Service]

LIST = "/v1/harbor/events?age=4"


def list_metro_files(service: Service, slug: str) -> set[str]:
    current = read_current(service.store)
    assert current is not None
    return set(list_files(read_manifest(service.store, current.root.parts[slug].manifest)))


def list_fetched(service: Service) -> set[str]:
    return {path.name for path in (service.folder / "cache/objects").iterdir()}


def start_server(service: Service, **options: Any) -> Service:
    """A server that has begun, and has not opened any metro ahead."""
    cache = service.folder / f"begun-{len(service.others)}"
    edge = Edge(service.store, cache=cache, clock=service.clock, calendar_secrets=CALENDAR_SECRETS, **options)
    edge.begin()
    service.others.append(edge)
    return Service(service.store, edge, service.keys, service.folder, service.clock)


def test_a_function_fetches_what_its_first_list_reads(make_own: MakeService) -> None:
    service = make_own(is_ahead=False)
    harbor, lakeside = list_metro_files(service, "harbor"), list_metro_files(service, "lakeside")
    only_lakeside = lakeside - harbor
    assert service.get(LIST).status == 200
    fetched = list_fetched(service)
    assert fetched & harbor
    assert not fetched & only_lakeside
    current = read_current(service.store)
    assert current is not None
    manifest = read_manifest(service.store, current.root.parts["harbor"].manifest)
    unread = {
        manifest.tables["listings"].object,
        manifest.tables["occurrences"].object,
        manifest.mapped["postings"].object,
    }
    assert not fetched & unread
    assert service.get("/v1/harbor/search?q=story").status == 200
    assert manifest.mapped["postings"].object in list_fetched(service)


class MeetingStore(MemoryStore):
    """A store that sends none of the objects in `awaited` before all of them are requested."""

    awaited: Collection[str] = ()
    together = threading.Barrier(1)

    def get(self, name: str) -> bytes:
        if name in self.awaited:
            self.together.wait(timeout=60)
        return super().get(name)


def test_a_list_fetches_the_packs_of_its_own_documents_at_once(make_own: MakeService) -> None:
    store = MeetingStore()
    service = make_own(store=store, is_ahead=False)
    current = read_current(store)
    assert current is not None
    packs = [pack.object for pack in read_manifest(store, current.root.parts["harbor"].manifest).packs]
    assert service.get("/v1/harbor/places?min_confidence=0").read_json()["meta"]["count"] == 1
    (own,) = list_fetched(service) & {*packs}
    store.awaited = {object_name(pack) for pack in packs if pack != own and packs.index(pack) < packs.index(own)}
    store.together = threading.Barrier(len(store.awaited))
    assert len(store.awaited) > 1
    assert service.get(LIST).status == 200
    assert list_fetched(service) >= {*packs[: packs.index(own)]}


# What only a build, a page, an expression, some other route or a writer of S3 needs.
UNUSED = ("polars", "duckdb", "boto3", "botocore", "jinja2", "httpx2", "stamina", "starlette.routing", "icalendar")
FUNCTION = """
import asyncio, sys
from datetime import datetime
from pathlib import Path
import edge.serving.function
from edge.app import Edge
from edge.request_headers import read_scope
from outings.release.folder import FolderStore

folder, now, key = sys.argv[1:]
edge = Edge(
    FolderStore(Path(folder)), cache=Path(folder) / "cache", clock=lambda: datetime.fromisoformat(now), is_ahead=False
)
edge.poll()
statuses = set()
for query in (b"", b"age=4&facets=category", b"q=story"):
    scope = {"type": "http", "http_version": "1.1", "method": "GET", "path": "/v1/harbor/events", "query_string": query}
    headers = [(b"x-api-key", key.encode())]
    statuses.add(asyncio.run(edge.respond(read_scope({**scope, "headers": headers, "client": None}))).status)
edge.close()
print(*statuses, *sys.modules)
"""


def test_a_function_lists_without_the_modules_that_a_list_does_not_need(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    publish_worlds(store, make_worlds(), folder=tmp_path)
    key = add_keys(store, {"all": {}})["all"]
    words = [sys.executable, "-c", FUNCTION, str(tmp_path / "store"), NOW.isoformat(), key]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    status, *loaded = done.stdout.splitlines()[-1].split()
    assert status == "200"
    assert "numpy" in loaded
    assert not {*loaded} & {*UNUSED}


SERVER = """
import asyncio, sys
from datetime import datetime
from pathlib import Path
from edge.app import Edge
from edge.request_headers import read_request
from outings.release.folder import FolderStore

folder, now, key, *targets = sys.argv[1:]
edge = Edge(FolderStore(Path(folder)), cache=Path(folder) / "cache", clock=lambda: datetime.fromisoformat(now))
edge.poll()
before = {*sys.modules}
for target in targets:
    path, _, query = target.partition("?")
    headers = [(b"x-api-key", key.encode())]
    request = read_request(method="GET", path=path, query_string=query.encode(), headers=headers, client=None)
    asyncio.run(edge.respond(request))
edge.close()
print("imported:", *({*sys.modules} - before))
"""


def test_a_server_imports_nothing_while_it_answers(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    publish_worlds(store, make_worlds(), folder=tmp_path)
    key = add_keys(store, {"all": {}})["all"]
    targets = [READS[name][0] for name in sorted(ANSWERED)]
    words = [sys.executable, "-c", SERVER, str(tmp_path / "store"), NOW.isoformat(), key, *targets]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["imported:"]


def test_every_route_answers_the_same_however_files_are_fetched(make_own: MakeService) -> None:
    ahead = make_own()
    function, begun = start_server(ahead, is_ahead=False), start_server(ahead)
    for target, *_ in READS.values():
        expected = ahead.get(target)
        for service in (function, begun):
            got = service.get(target)
            assert (got.status, got.body) == (expected.status, expected.body), target


def test_files_are_fetched_several_at_once_and_no_more_than_sixteen(tmp_path: Path) -> None:
    together = threading.Barrier(16, timeout=60)
    running, most = [0], [0]
    lock = threading.Lock()

    def fetch(sha: str) -> MappedFile:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        together.wait()  # ends only if sixteen are here
        with lock:
            running[0] -= 1
        path = tmp_path / sha
        path.write_bytes(b"x")
        return MappedFile(path)

    names = {f"{number}": f"{number}" for number in range(32)}
    files = LazyFiles(names, dict.fromkeys(names, 1), fetch)
    files.open()
    assert most == [16]
    assert files.count_bytes() == 32


def test_a_server_is_ready_before_its_metros_are_open_and_opens_them_beside(make_own: MakeService) -> None:
    server = start_server(make_own())
    releases = server.edge._releases
    assert ask(server.edge, "/readyz").status == 200
    assert releases.current is not None
    metros = releases.current.release.metros
    assert not any(map(is_prepared, metros.values()))
    assert server.get(LIST).status == 200
    assert [slug for slug in metros if is_prepared(metros[slug])] == ["harbor"]
    releases.open_ahead()
    assert all(map(is_prepared, metros.values()))


def test_a_metro_that_cannot_be_read_is_503_and_the_others_are_served(make_own: MakeService) -> None:
    service = make_own()
    current = read_current(service.store)
    assert current is not None
    manifest = read_manifest(service.store, current.root.parts["lakeside"].manifest)
    name = object_name(manifest.mapped["rows"].object)
    whole = service.store.get(name)
    service.store.put(name, whole[:-1])
    server = start_server(service)
    with capture_logs() as logs:
        assert server.get("/v1/lakeside/events?age=4").status == 503
    assert [line["metro"] for line in logs if line["event"] == "metro_not_opened"] == ["lakeside"]
    assert server.get(LIST).status == 200
    server.edge._releases.open_ahead()
    assert ask(server.edge, "/readyz").read_json()["problems"] == {"release": "refused"}
    service.store.put(name, whole)
    server.edge._releases.open_ahead()
    assert ask(server.edge, "/readyz").read_json()["problems"] == {}
    assert server.get("/v1/lakeside/events?age=4").status == 200


def test_a_function_that_cannot_read_a_file_answers_503(make_own: MakeService) -> None:
    service = make_own(is_ahead=False)
    current = read_current(service.store)
    assert current is not None
    manifest = read_manifest(service.store, current.root.parts["harbor"].manifest)
    service.store.put(object_name(manifest.mapped["rows"].object), b"")
    with capture_logs() as logs:
        assert service.get(LIST).status == 503
    assert "answer_not_read" in [line["event"] for line in logs]


@pytest.mark.parametrize("is_ahead", [True, False])
def test_a_metro_of_another_edge_is_503_and_never_404(make_own: MakeService, *, is_ahead: bool) -> None:
    service = make_own(metros=("lakeside",), is_ahead=is_ahead)
    assert service.get("/v1/lakeside/events").status == 200
    for target in (LIST, f"/v1/events/{EVENT}", f"/v1/places/{PLACE}/events", "/v1/metros", "/v1/changes"):
        with capture_logs() as logs:
            got = service.get(target)
        assert (got.status, got.headers["retry-after"]) == (503, "5"), target
        assert [line for line in logs if line["event"] == "metro_not_served"], target
        assert b"harbor" not in got.body.replace(target.encode(), b"")
    assert service.get("/v1/nowhere/events").status == 404


def test_a_key_learns_nothing_of_a_metro_of_another_edge(make_own: MakeService) -> None:
    service = make_own(metros=("lakeside",))
    whole = make_own()
    for target in (LIST, "/v1/metros", "/v1/changes?metro=lakeside", "/v1/lakeside/events"):
        got, expected = service.get(target, kind="lakeside"), whole.get(target, kind="lakeside")
        assert got.status == expected.status, target
    assert service.get(LIST, kind="lakeside").status == 403


def test_above_the_memory_the_metro_that_was_used_least_recently_is_closed(make_own: MakeService) -> None:
    service = make_own(metro_memory=1)
    releases = service.edge._releases
    lists = {slug: service.get(f"/v1/{slug}/events?age=4").body for slug in ("lakeside", "harbor")}
    assert releases.current is not None
    lakeside = weakref.ref(releases.current.release.metros["lakeside"])
    service.edge.poll()
    assert releases.current is not None
    metros = releases.current.release.metros
    assert [slug for slug in metros if metros[slug].count_bytes()] == ["harbor"]
    assert service.get("/v1/harbor/events?age=4").body == lists["harbor"]
    gc.collect()
    assert lakeside() is None
    assert service.get("/v1/lakeside/events?age=4").body == lists["lakeside"]
    service.edge.poll()
    metros = releases.current.release.metros
    assert [slug for slug in metros if metros[slug].count_bytes()] == ["lakeside"]


def test_metros_are_opened_ahead_as_far_as_the_memory_has_room(make_own: MakeService) -> None:
    service = make_own()
    assert service.edge._releases.current is not None
    whole = {slug: metro.count_bytes() for slug, metro in service.edge._releases.current.release.metros.items()}
    server = start_server(service, metro_memory=sum(whole.values()) - 1)
    releases = server.edge._releases
    assert server.get(LIST).status == 200
    for _ in range(3):
        releases.open_ahead()
        assert releases.current is not None
        metros = releases.current.release.metros
        assert [slug for slug in metros if is_prepared(metros[slug])] == ["harbor"]
        server.edge.poll()
