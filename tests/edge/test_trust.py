"""Signed releases at the edge: what is nobody's that it believes is not served, and it goes on with what it has."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog

from edge.app import Edge
from edge.releases import SERVED_NAME as SERVED
from edge.releases import RollbackGuard
from edge.serving.worker import make_served_edge
from outings.release.folder import FolderStore
from outings.release.pointer import NAME, Pointer
from outings.release.root import read_root
from outings.release.store import decode_json, encode_canonical, object_name, put_object
from outings.release.trust import ANYBODY
from tests.command.conftest import CONFIGURATION
from tests.edge.asking import ask, read_metrics
from tests.edge.conftest import Clock
from tests.edge.publishing import KEY_KINDS, NOW, add_keys, make_world, publish_worlds
from tests.release.memory import MemoryStore
from tests.release.signing import ONE, OTHER, make_publisher, make_reader, sign, write_public

LIST = "/v1/harbor/events"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """A store in which release n has n events; `1` to `3` are the pointers that were signed."""
    store, folder = MemoryStore(), tmp_path_factory.mktemp("signed")
    pointers = {}
    for number in (1, 2, 3):
        world = make_world("harbor", timezone="America/New_York", events=number)
        stamp = NOW + timedelta(minutes=number)
        publish_worlds(store, [world], folder=folder, stamp=stamp, trust=make_publisher())
        pointers[str(number)] = store.get(NAME)
    return pointers | {entry.name: store.get(entry.name) for entry in store.list("")}


class SignedStore:
    """A store that has all of `published`, with this release in force, and edges over it that believe the key."""

    def __init__(self, published: Mapping[str, bytes], folder: Path) -> None:
        self.folder = folder
        self.published = published
        self.store = MemoryStore()
        self.store.put_many((name, data) for name, data in published.items() if not name.isdigit())
        self.point(2)
        self.key = add_keys(self.store, {"all": KEY_KINDS["all"]})["all"]
        self.edges: list[Edge] = []

    def point(self, number: int, **changes: Any) -> None:
        """Return the pointer as it was published, or with changes that nobody signed."""
        pointer = json.loads(self.published[str(number)])
        self.store.put(NAME, _encode({**pointer, **changes} if changes else pointer))

    def put_pointer(self, pointer: dict[str, Any]) -> None:
        self.store.put(NAME, _encode(pointer))

    @property
    def pointer(self) -> dict[str, Any]:
        results: dict[str, Any] = json.loads(self.store.get(NAME))
        return results

    def start(self, *, state: Path | None = None) -> Edge:
        edge = Edge(
            self.store, cache=self.folder / f"cache-{len(self.edges)}", clock=Clock(), trust=make_reader(),
            rollback_guard=None if state is None else RollbackGuard(state),
        )  # fmt: skip
        self.edges.append(edge)
        edge.poll()
        return edge

    def count_events(self, edge: Edge) -> int:
        got = ask(edge, LIST, key=self.key)
        assert got.status == 200, got.body
        return len(got.read_json()["data"])


def _encode(pointer: dict[str, Any]) -> bytes:
    return json.dumps(pointer, sort_keys=True, separators=(",", ":")).encode()


@pytest.fixture
def signed(published: Mapping[str, bytes], tmp_path: Path) -> Iterator[SignedStore]:
    made = SignedStore(published, tmp_path)
    yield made
    for edge in made.edges:
        edge.close()


def strip(signed: SignedStore) -> None:
    signed.point(3, signature=None)


def sign_by_another(signed: SignedStore) -> None:
    signed.put_pointer(sign(json.loads(signed.published["3"]), key=OTHER))


def borrow_signature(signed: SignedStore) -> None:
    """The signature of the release in force on a pointer to another one."""
    signed.point(3, signature=json.loads(signed.published["2"])["signature"])


def change_root(signed: SignedStore) -> None:
    """A root with a hash of its own: what is made up, or mixed of several releases, has none that was signed."""
    root = read_root(signed.store, signed.pointer["root"])
    made_up = encode_canonical(type(root)(
        sequence=3, previous=signed.pointer["root"], built_at=root.built_at, parts=root.parts, log=root.log
    ))  # fmt: skip
    signed.point(3, root=put_object(signed.store, made_up))


def go_back(signed: SignedStore) -> None:
    signed.point(1)


def sign_a_lie(signed: SignedStore) -> None:
    """A sequence that its root does not have."""
    signed.put_pointer(sign({**json.loads(signed.published["3"]), "sequence": 4}, key=ONE))


def spoil(signed: SignedStore, sha: str) -> None:
    signed.point(3)
    name = object_name(sha)
    data = signed.store.get(name)
    signed.store.put(name, data[:-1] + bytes([data[-1] ^ 1]))


def spoil_root(signed: SignedStore) -> None:
    spoil(signed, json.loads(signed.published["3"])["root"])


def spoil_part(signed: SignedStore) -> None:
    root = read_root(signed.store, json.loads(signed.published["3"])["root"])
    spoil(signed, root.parts["harbor"].manifest)


# What is done to the store, and the words of the log that say so.
FORGERIES: dict[str, tuple[Callable[[SignedStore], None], str]] = {
    "no signature": (strip, "it is not signed, and only what key 34750f98bd59fcfc signed is trusted"),
    "another's signature": (sign_by_another, "its signature is not that of key 34750f98bd59fcfc"),
    "a signature of another pointer": (borrow_signature, "its signature is not that of key 34750f98bd59fcfc"),
    "a root that was made up": (change_root, "its signature is not that of key 34750f98bd59fcfc"),
    "an older release, rightly signed": (go_back, "sequence goes back from 2 to 1"),
    "a root of another sequence": (sign_a_lie, "the pointer says sequence 4, its root 3"),
    "a root of other bytes": (spoil_root, "bytes have the SHA-256"),
    "an object of other bytes": (spoil_part, "bytes have the SHA-256"),
}


@pytest.mark.parametrize(("forge", "message"), FORGERIES.values(), ids=FORGERIES)
def test_what_is_forged_is_refused_and_the_release_that_it_has_goes_on(
    forge: Callable[[SignedStore], None], message: str, signed: SignedStore
) -> None:
    edge = signed.start()
    assert signed.count_events(edge) == 2
    forge(signed)
    with structlog.testing.capture_logs() as lines:
        edge.poll()
        edge.poll()
    assert [(line["event"], line["log_level"]) for line in lines] == [("release_refused", "error")]
    assert message in lines[0]["reason"]
    assert read_metrics(edge)["outings_releases_refused_total"] == 1
    assert b"outings_releases_refused_total 1.0" in ask(edge, "/metrics").body
    assert ask(edge, "/readyz").read_json()["problems"] == {"release": "refused"}
    assert signed.count_events(edge) == 2
    assert ask(edge, f"{LIST}?limit=1", key=signed.key).headers["x-release"].startswith("2-")
    signed.store.put_many((name, data) for name, data in signed.published.items() if not name.isdigit())
    edge.poll()
    if forge in (spoil_root, spoil_part):  # the same pointer is tried again after a while
        return
    assert signed.count_events(edge) == 3


# A root or an object of other bytes is told by the other test; an older release is one that it may begin with.
@pytest.mark.parametrize("forge", [strip, sign_by_another, borrow_signature, sign_a_lie, spoil_part])
def test_a_server_that_finds_no_release_that_it_believes_serves_none_and_says_why(
    forge: Callable[[SignedStore], None], signed: SignedStore
) -> None:
    forge(signed)
    with structlog.testing.capture_logs() as lines:
        edge = signed.start()
    assert [line["event"] for line in lines if line["log_level"] == "error"] == ["release_refused"]
    got = ask(edge, LIST, key=signed.key)
    assert (got.status, got.error["code"]) == (503, "unavailable")
    ready = ask(edge, "/readyz")
    assert (ready.status, ready.error["details"]["problems"]) == (503, {"release": "refused"})
    if forge is spoil_part:
        return
    signed.point(3)
    edge.poll()
    assert signed.count_events(edge) == 3


def test_a_restarted_server_remembers_what_it_served(signed: SignedStore, tmp_path: Path) -> None:
    """Otherwise a correctly signed older release could be served after a restart."""
    state = tmp_path / "state"
    signed.point(3)
    assert signed.count_events(signed.start(state=state)) == 3
    signed.point(2)
    with structlog.testing.capture_logs() as lines:
        late = signed.start(state=state)
    (line,) = (line for line in lines if line["event"] == "release_refused")
    assert "release 3 was served here before" in line["reason"]
    assert str(state / SERVED) in line["reason"]
    assert ask(late, LIST, key=signed.key).status == 503
    signed.put_pointer(sign({**signed.pointer, "sequence": 3}, key=ONE))
    late.poll()
    assert ask(late, LIST, key=signed.key).status == 503
    signed.point(3)
    late.poll()
    assert signed.count_events(late) == 3
    (state / SERVED).unlink()  # the store was put back on purpose
    signed.point(2)
    assert signed.count_events(signed.start(state=state)) == 2


def test_what_was_served_is_not_forgotten_for_an_older_one(tmp_path: Path, published: Mapping[str, bytes]) -> None:
    pointers = [decode_json(published[str(number)], Pointer, name="current.json") for number in (1, 2, 3)]
    guard = RollbackGuard(tmp_path)
    for pointer in (pointers[1], pointers[0], pointers[1]):
        guard.remember(pointer)
    assert [RollbackGuard(tmp_path).explain_rollback(value) is None for value in pointers] == [False, True, True]
    for broken in (b"{", b'{"sequence": 1, "root": "\xed\xa0\x80"}', b'{"more": ' + b"[" * 100_000):
        (tmp_path / SERVED).write_bytes(broken)
        assert "can't be read" in str(guard.explain_rollback(pointers[2]))


def test_where_nothing_can_be_remembered_it_serves_and_says_so(signed: SignedStore, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with structlog.testing.capture_logs() as lines:
        edge = signed.start(state=tmp_path / "state")
    assert signed.count_events(edge) == 2
    assert "served_release_not_remembered" in [line["event"] for line in lines]


def test_without_a_key_every_release_is_served_signed_or_not(signed: SignedStore) -> None:
    for forge, count in ((strip, 3), (sign_by_another, 3), (go_back, 1)):
        forge(signed)
        edge = Edge(signed.store, cache=signed.folder / "cache", clock=Clock())
        edge.poll()
        signed.edges.append(edge)
        assert signed.count_events(edge) == count


def test_a_worker_believes_the_key_that_the_configuration_names(published: Mapping[str, bytes], tmp_path: Path) -> None:
    """The edge is made as each worker of `outings serve` makes it: the key by its path, and the served release in
    `state`."""
    store = FolderStore(tmp_path / "store")
    store.put_many((name, data) for name, data in published.items() if not name.isdigit())
    key = add_keys(store, {"all": KEY_KINDS["all"]})["all"]
    config = tmp_path / "outings.toml"
    (tmp_path / "public.pem").write_text(write_public(ONE))
    config.write_text(CONFIGURATION + '\n[signing]\npublic_key = "public.pem"\n')
    for expected in (200, 503):
        edge = make_served_edge(config)
        edge.poll()
        assert ask(edge, LIST, key=key).status == expected
        edge.close()
        assert json.loads((tmp_path / "var/state" / SERVED).read_text())["sequence"] == 3
        store.put(NAME, published["2"])
    assert not list((tmp_path / "var/state").glob("*.following"))


def test_where_no_key_is_believed_nothing_is_remembered(published: Mapping[str, bytes], tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    publish_worlds(store, [make_world("harbor", timezone="America/New_York")], folder=tmp_path, trust=ANYBODY)
    config = tmp_path / "outings.toml"
    config.write_text(CONFIGURATION)
    edge = make_served_edge(config)
    edge.poll()
    assert ask(edge, "/readyz").status == 200
    edge.close()
    assert not (tmp_path / "var/state" / SERVED).exists()
