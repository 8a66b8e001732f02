"""Signed releases: what is signed, whose signature is believed, and what is done by nobody else's."""

import json
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey

from outings.configuration.tables import SigningTable
from outings.release.folder import FolderStore
from outings.release.pointer import NAME, VersionedPointer, list_releases, read_pointer, read_release
from outings.release.pruning import prune
from outings.release.publishing import ConcurrentPublication, publish, sign_anew
from outings.release.root import Root, read_root
from outings.release.store import Corrupt, Store, put_object
from outings.release.trust import ANYBODY, Trust, UntrustedRelease, WrongKey, read_auditor, read_publisher, read_reader
from outings.release.verifying import verify_releases
from tests.release.memory import MemoryStore
from tests.release.signing import ONE, OTHER, make_publisher, make_reader, sign, write_private, write_public
from tests.release.worlds import NOON, change, minutes, put_metro, read_chain, read_current, read_log


def publish_next(store: Store, number: int, *, trust: Trust, base: Root | None = None, metro: str = "seattle") -> Root:
    """Publish on top of `base`, by default the current release, whoever signed it."""
    pointer = read_pointer(store)
    if base is None and pointer is not None:
        base = read_root(store, pointer.pointer.root)
    part = put_metro(store, metro, str(number), stamp=minutes(number))
    versions = [change(number, stamp=minutes(number))]
    return publish(
        store, base=base, parts={metro: part}, changes=versions, feeds={}, now=minutes(number), trust=trust
    ).root


def put_pointer(store: Store, pointer: dict[str, Any]) -> None:
    store.put(NAME, json.dumps(pointer, sort_keys=True, separators=(",", ":")).encode())


def read_pointer_of(store: Store) -> dict[str, Any]:
    current = read_current(store)
    assert current is not None
    return current


def test_a_signature_is_of_the_whole_pointer_and_the_same_each_time() -> None:
    publish_next(store := MemoryStore(), 1, trust=make_publisher())
    pointer = read_pointer_of(store)
    assert sorted(pointer) == ["latest_version_id", "published_at", "root", "sequence", "signature"]
    assert pointer == sign(pointer, key=ONE) != sign(pointer, key=OTHER)


def test_without_a_key_the_pointer_is_as_it_always_was() -> None:
    publish_next(store := MemoryStore(), 1, trust=ANYBODY)
    data = store.get(NAME)
    assert b"signature" not in data
    publish_next(signed := MemoryStore(), 1, trust=make_publisher())
    assert read_chain(signed) == read_chain(store)
    bare = {name: value for name, value in json.loads(signed.get(NAME)).items() if name != "signature"}
    assert json.dumps(bare, sort_keys=True, separators=(",", ":")).encode() == data


def test_who_believes_no_key_reads_signed_releases_too() -> None:
    publish_next(store := MemoryStore(), 1, trust=make_publisher())
    assert [release.root.sequence for release in list_releases(store)] == [1]


CHANGES: dict[str, Any] = {
    "an earlier sequence": {"sequence": 1},
    "another root": {"root": "0" * 64},
    "another time": {"published_at": "2026-08-10T12:02:01Z"},
    "another version": {"latest_version_id": 3},
    "half a signature": {"signature": "AAAA"},
    "a signature that is no base64": {"signature": "é"},
    "an empty signature": {"signature": ""},
    "no signature": {"signature": None},
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_any_other_pointer_than_the_signed_one_is_refused_by_all_who_believe_keys(changes: dict[str, Any]) -> None:
    store, trust = MemoryStore(), make_publisher()
    publish_next(store, 1, trust=trust)
    base = publish_next(store, 2, trust=trust)
    put_pointer(store, {**read_pointer_of(store), **changes})
    before = {entry.name: store.get(entry.name) for entry in store.list("")}
    for reader in (trust, make_reader()):
        with pytest.raises(UntrustedRelease, match=r"current\.json, which names release "):
            list(list_releases(store, trust=reader))
    with pytest.raises(UntrustedRelease):
        read_release(store, "1-00000000", trust=trust)
    with pytest.raises(UntrustedRelease):
        verify_releases(store, trust=trust)
    with pytest.raises(UntrustedRelease):
        prune(store, keep_days=0, now=4e9, trust=trust)
    with pytest.raises(UntrustedRelease):
        publish(store, base=base, parts={}, changes=[], feeds={}, now=NOON, trust=trust)
    assert {entry.name: store.get(entry.name) for entry in store.list("")} == before


def test_the_signature_of_a_key_that_is_not_believed_is_none() -> None:
    publish_next(store := MemoryStore(), 1, trust=make_publisher(OTHER))
    with pytest.raises(UntrustedRelease, match=r"its signature is not that of key 34750f98bd59fcfc$"):
        read_pointer(store, trust=make_reader(ONE))


def test_a_signature_over_something_else_can_not_be_passed_off() -> None:
    """A signature covers more than the pointer's bytes, which another program might sign for anybody."""
    publish_next(store := MemoryStore(), 1, trust=ANYBODY)
    put_pointer(store, {**read_pointer_of(store), "signature": b64encode(ONE.sign(store.get(NAME))).decode()})
    with pytest.raises(UntrustedRelease):
        read_pointer(store, trust=make_reader())


def test_parts_of_two_releases_need_a_root_that_nobody_signed() -> None:
    """Mix and match: every part is one that was published, and their mixture is not."""
    store, trust = MemoryStore(), make_publisher()
    publish_next(store, 1, trust=trust)
    publish_next(store, 1, trust=trust, metro="boston")
    publish_next(store, 2, trust=trust)
    publish_next(store, 2, trust=trust, metro="boston")
    newest, _, older, *_ = (release.root for release in list_releases(store))
    mixed = {**json.loads(json.dumps(read_chain(store)[0])), "parts": None}
    mixed["parts"] = {
        "seattle": read_chain(store)[2]["parts"]["seattle"], "boston": read_chain(store)[0]["parts"]["boston"],
    }  # fmt: skip
    assert (older.parts["seattle"], newest.parts["boston"]) != (newest.parts["seattle"], older.parts["boston"])
    sha = put_object(store, json.dumps(mixed, sort_keys=True, separators=(",", ":")).encode())
    put_pointer(store, {**read_pointer_of(store), "root": sha})
    assert next(list_releases(store)).sha == sha, "without keys it is a release like any other"
    with pytest.raises(UntrustedRelease):
        next(list_releases(store, trust=make_reader()))


def test_racing_publishers_all_sign_and_the_chain_is_whole(tmp_path: Path) -> None:
    store, trust = FolderStore(tmp_path), make_publisher()
    base = publish_next(store, 1, trust=trust)
    metros = ["boston", "chicago", "denver", "miami"]
    with ThreadPoolExecutor(len(metros)) as pool:
        list(pool.map(lambda metro: publish_next(store, 2, trust=trust, base=base, metro=metro), metros))
    pointer = read_pointer_of(store)
    assert pointer == sign(pointer, key=ONE)
    verified = verify_releases(store, trust=make_reader())
    assert (len(verified.releases), verified.ends) == (5, None)
    assert [version["version_id"] for version in read_log(store, read_chain(store)[0])] == [1, 2, 3, 4, 5]


def test_a_store_that_goes_back_between_a_builds_begin_and_its_end_is_noticed() -> None:
    """The store has an earlier signed pointer. Without this check later releases would be lost, and their versions
    given again."""
    store, trust = MemoryStore(), make_publisher()
    publish_next(store, 1, trust=trust)
    signed = store.get(NAME)
    base = publish_next(store, 2, trust=trust, metro="boston")
    store.put(NAME, signed)
    with pytest.raises(
        ConcurrentPublication, match=r"the store went back to release 1, and this build started from release 2"
    ):
        publish_next(store, 3, trust=trust, base=base)
    assert store.get(NAME) == signed


def test_a_change_of_keys_needs_no_pause() -> None:
    """Servers believe both; then the new one signs; then the old one is believed no more."""
    store = MemoryStore()
    publish_next(store, 1, trust=make_publisher(ONE))
    both = make_reader(ONE, OTHER)
    assert read_pointer(store, trust=both) is not None
    following = read_publisher(SigningTable(key=write_private(OTHER), public_key=write_public(ONE, OTHER)))
    publish_next(store, 2, trust=following)
    for trust in (both, make_reader(OTHER)):
        assert [release.root.sequence for release in list_releases(store, trust=trust)] == [2, 1]
    with pytest.raises(UntrustedRelease):
        read_pointer(store, trust=make_reader(ONE))


def sign_current(store: Store, *, trust: Trust, current: VersionedPointer | None = None) -> None:
    current = current or read_pointer(store)
    assert current is not None
    current_root = read_root(store, current.pointer.root)
    sign_anew(store, current=current, current_root=current_root, now=minutes(9), trust=trust)


@pytest.mark.parametrize("before", [ANYBODY, make_publisher(OTHER)], ids=["nobody's", "another's"])
def test_a_release_is_signed_again_as_one_more_release_with_the_same_parts(before: Trust) -> None:
    old = publish_next(store := MemoryStore(), 1, trust=before)
    sign_current(store, trust=make_publisher())
    newest, first = list_releases(store, trust=make_reader())
    assert first.root == old
    assert (newest.root.sequence, newest.root.previous) == (2, first.sha)
    assert (newest.root.parts, newest.root.log, newest.root.feeds) == (old.parts, old.log, old.feeds)
    assert publish_next(store, 2, trust=make_publisher()).sequence == 3


def test_what_another_published_meanwhile_is_not_signed_unseen() -> None:
    publish_next(store := MemoryStore(), 1, trust=ANYBODY)
    checked = read_pointer(store)
    publish_next(store, 2, trust=ANYBODY)
    with pytest.raises(ConcurrentPublication, match="another release followed 1 meanwhile; nothing is signed"):
        sign_current(store, trust=make_publisher(), current=checked)
    assert "signature" not in read_pointer_of(store)


@pytest.mark.parametrize("how", ["one bit", "half", "gone"])
def test_whatever_is_wrong_with_any_object_of_any_kept_release_is_found(how: str) -> None:
    store, trust = MemoryStore(), make_publisher()
    for number in range(1, 4):
        publish_next(store, number, trust=trust)
    whole = verify_releases(store, trust=trust)
    entries = list(store.list("objects/"))
    assert sum(release.objects for release in whole.releases) == len(entries)
    assert sum(release.bytes for release in whole.releases) == sum(entry.size for entry in entries)
    _, *earlier = (release.sha for release in list_releases(store))
    for entry in entries:
        data = store.get(entry.name)
        if how == "gone":
            if entry.name.endswith(tuple(earlier)):
                continue  # the chain ends there, as where releases before were pruned
            store.delete([entry])
        else:
            store.put(entry.name, data[:-1] + bytes([data[-1] ^ 1]) if how == "one bit" else data[: len(data) // 2])
        with pytest.raises(Exception, match=entry.name.rpartition("/")[2]):
            verify_releases(store, trust=trust)
        store.put(entry.name, data)
    assert verify_releases(store, trust=trust) == whole


def test_a_chain_that_was_pruned_ends_and_is_right() -> None:
    store = MemoryStore(clock=lambda: clock[0])
    clock, trust = [0.0], make_publisher()
    for number in range(1, 5):
        clock[0] += timedelta(days=1).total_seconds()
        publish_next(store, number, trust=trust)
    ids = [release.id for release in list_releases(store)]
    prune(store, keep_days=1, now=clock[0] + 3_600, longest_build=timedelta(hours=1), trust=trust)
    verified = verify_releases(store, trust=trust)
    assert [release.id for release in verified.releases] == ids[: len(verified.releases)]
    assert 1 < len(verified.releases) < 4
    assert verified.ends == ids[len(verified.releases)]


def test_a_root_that_is_gone_is_no_pruned_one() -> None:
    publish_next(store := MemoryStore(), 1, trust=ANYBODY)
    root = read_pointer_of(store)["root"]
    store.delete(list(store.list(f"objects/{root[:2]}/{root}")))
    with pytest.raises(Exception, match=root):
        verify_releases(store, trust=ANYBODY)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sequence": 5}, "release 5 names it as the one before"),
        ({"log": {"latest_version_id": 0}}, "goes back"),
        ({"log": {"latest_version_id": 9}}, "ends with version 0"),
        ({"parts": {}}, None),
    ],
    ids=["a number left out", "versions that go back", "versions that are nowhere", "no metro any more"],
)  # fmt: skip
def test_a_chain_that_no_publish_makes_is_found_however_well_it_is_signed(
    changes: dict[str, Any], message: str | None
) -> None:
    store = MemoryStore()
    publish_next(store, 1, trust=ANYBODY)
    publish_next(store, 2, trust=ANYBODY)
    root = {**read_chain(store)[0], "sequence": 3, "previous": read_pointer_of(store)["root"], **changes}
    pointer = {
        **read_pointer_of(store), "sequence": root["sequence"], "latest_version_id": root["log"]["latest_version_id"],
        "root": put_object(store, json.dumps(root, sort_keys=True, separators=(",", ":")).encode()),
    }  # fmt: skip
    put_pointer(store, sign(pointer, key=ONE))
    if message is None:
        assert len(verify_releases(store, trust=make_reader()).releases) == 3
        return
    with pytest.raises(Corrupt, match=message):
        verify_releases(store, trust=make_reader())


def test_nothing_published_is_nothing_wrong() -> None:
    verified = verify_releases(MemoryStore(), trust=make_reader())
    assert (verified.current, verified.releases) == (None, ())


WRONG_PRIVATE = {
    "no PEM": ("nothing of a key", "holds no key in PEM"),
    "a public one": (write_public(ONE), "holds PUBLIC KEY"),
    "two": (write_private(ONE) + write_private(OTHER), "holds PRIVATE KEY and PRIVATE KEY"),
    "encrypted": (write_private(ONE, password=b"secret"), "holds ENCRYPTED PRIVATE KEY"),
    "another curve": (write_private(Ed448PrivateKey.generate()), r"another algorithm \(Ed448\)"),
    "another algorithm": (write_private(generate_private_key(SECP256R1())), r"another algorithm \(EC\)"),
    "torn": (write_private(ONE).replace("MC4CAQ", "MC4C"), "a PRIVATE KEY that can't be read"),
}  # fmt: skip
WRONG_PUBLIC = {
    "no PEM": ("", "holds no key in PEM"),
    "the private one": (write_private(ONE), "holds PRIVATE KEY"),
    "one of them private": (write_public(ONE) + write_private(OTHER), "holds PUBLIC KEY and PRIVATE KEY"),
    "the second of another curve": (
        write_public(ONE, Ed448PrivateKey.generate()), r"another algorithm \(Ed448, number 2\)",
    ),
    "torn": (write_public(ONE).replace("MCow", "MC"), "can't be read"),
}  # fmt: skip


@pytest.mark.parametrize(("pem", "message"), WRONG_PRIVATE.values(), ids=WRONG_PRIVATE)
def test_a_wrong_private_key_is_reported_by_its_file_and_what_is_allowed(
    pem: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "private.pem"
    path.write_text(pem)
    with pytest.raises(WrongKey, match=message) as raised:
        read_publisher(SigningTable(key=str(path)))
    error = str(raised.value)
    assert error.startswith(f"[signing] key names {path}, which ")
    assert error.endswith("; allowed: one Ed25519 private key in PEM, not encrypted")
    assert not any(line in error for line in pem.splitlines()[1:2])


@pytest.mark.parametrize(("pem", "message"), WRONG_PUBLIC.values(), ids=WRONG_PUBLIC)
def test_a_wrong_public_key_is_reported_by_its_file_and_what_is_allowed(pem: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "public.pem"
    path.write_text(pem)
    for read in (read_reader, read_auditor, read_publisher):
        with pytest.raises(WrongKey, match=message) as raised:
            read(SigningTable(public_key=str(path)))
        error = str(raised.value)
        assert error.startswith(f"[signing] public_key names {path}, which ")
        assert error.endswith("; allowed: one or more Ed25519 public keys in PEM")


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(WrongKey, match=r"key names .*/gone\.pem, which can't be read: No such file"):
        read_publisher(SigningTable(key=str(tmp_path / "gone.pem")))


def test_who_publishes_needs_both_halves_to_fit() -> None:
    with pytest.raises(WrongKey, match="has a public_key and no key"):
        read_publisher(SigningTable(public_key=write_public(ONE)))
    with pytest.raises(WrongKey, match=r"key 34750f98bd59fcfc, which is not in public_key \(6a3803d5f059902a\)"):
        read_publisher(SigningTable(key=write_private(ONE), public_key=write_public(OTHER)))
    assert read_publisher(SigningTable()) == ANYBODY


def test_who_serves_never_looks_at_the_private_key(tmp_path: Path) -> None:
    assert read_reader(SigningTable(key=str(tmp_path / "nobody may read this"))) == ANYBODY
    names = [entry.name for entry in read_reader(SigningTable(public_key=write_public(ONE, OTHER))).believed]
    assert names == ["34750f98bd59fcfc", "6a3803d5f059902a"]


def test_who_looks_after_the_store_believes_the_private_keys_own_half() -> None:
    trust = read_auditor(SigningTable(key=write_private(ONE)))
    assert ([entry.name for entry in trust.believed], trust.signer) == (["34750f98bd59fcfc"], None)
