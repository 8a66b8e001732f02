"""The registry of keys, and operators who change it at once."""

import random
import string
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.pricing_plans import PLANS
from outings.keys.key_text import make_key_text, split_key_text
from outings.keys.registry import NAME, Key, Registry, add_key, change_registry, read_registry, revoke_key
from outings.release.folder import FolderStore
from outings.release.store import Corrupt, Outcome, Store, StoreError
from tests.release.memory import MemoryStore

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
UNKNOWN_PLAN = b"""{"layout":2,"slots":2,"keys":[{"id":"x","hash":"0","client":"x","plan":"gold","slot":0,
 "created_at":"2026-08-10T12:00:00Z"}],"clients":[{"name":"x","slot":1}]}"""
NOW = datetime(2026, 8, 10, 12, tzinfo=UTC)


def make_key(text: str, **members: object) -> Key:
    id_, hash_ = split_key_text(text)
    return Key(**{"id": id_, "hash": hash_, "client": "acme", "plan": "free", "created_at": NOW, **members})


def test_the_registry_keeps_the_id_and_a_hash_and_nothing_else_of_the_text() -> None:
    store, text = MemoryStore(), make_key_text()
    change_registry(store, lambda registry: add_key(registry, make_key(text)))
    kept = store.get(NAME).decode()
    assert text[4:12] in kept
    assert sha256(text.encode()).hexdigest() in kept
    assert text[13:43] not in kept
    assert text[-6:] not in kept


def test_a_key_is_found_by_its_text() -> None:
    texts = [make_key_text() for _ in range(5)]
    registry = Registry(keys=tuple(make_key(text) for text in texts))
    assert [registry.find_key(text.encode()) for text in texts] == list(registry.keys)


@given(data=st.data())
def test_a_changed_text_finds_nothing(data: st.DataObject) -> None:
    text = make_key_text(random.Random(7).choice)
    registry = Registry(keys=(make_key(text),))
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(max_codepoint=255).filter(lambda figure: figure != text[place]))
    assert registry.find_key((text[:place] + other + text[place + 1 :]).encode("latin-1")) is None


def test_a_wrong_check_sum_costs_no_look_up() -> None:
    text = make_key_text()[:-6] + "000000"
    planted = Key(id=text[4:12], hash=sha256(text.encode()).hexdigest(), client="x", plan="free", created_at=NOW)
    assert Registry(keys=(planted,)).find_key(text.encode()) is None


def test_the_right_id_and_check_sum_with_another_secret_find_nothing() -> None:
    text = make_key_text()
    registry = Registry(keys=(make_key(text),))
    forged = iter(text[4:12] + "x" * 30)
    other = make_key_text(lambda _: next(forged))
    assert other[:12] == text[:12]
    assert registry.find_key(other.encode()) is None


@pytest.mark.parametrize(
    "text", [b"", b"ldk_", b"sk-old-key-of-another-system", b"ldk_short_secret", b"\xff\x00", b"x" * 9000]
)
def test_a_text_of_another_form_is_a_legacy_key_known_by_its_hash(text: bytes) -> None:
    legacy = Key(id="legacy01", hash=sha256(text).hexdigest(), client="old", plan="standard", created_at=NOW)
    assert Registry().find_key(text) is None
    assert Registry(keys=(legacy,)).find_key(text) == legacy


@pytest.mark.parametrize(
    ("revoked_at", "expires_at", "state"),
    [
        (None, None, "active"),
        (None, NOW + timedelta(seconds=1), "active"),
        (None, NOW, "expired"),
        (NOW - timedelta(days=1), None, "revoked"),
        (NOW - timedelta(days=1), NOW - timedelta(days=2), "revoked"),
    ],
)
def test_a_key_is_active_until_revoked_or_expired(
    revoked_at: datetime | None, expires_at: datetime | None, state: str
) -> None:
    key = make_key(make_key_text(), revoked_at=revoked_at, expires_at=expires_at)
    assert key.describe_state(NOW) == state


def test_a_keys_scopes_are_its_entitlement() -> None:
    everything = make_key(make_key_text()).make_entitlement(PLANS["free"])
    assert (everything.metros, everything.types, everything.addons) == (None, None, frozenset())
    some = make_key(
        make_key_text(), metros=("seattle",), types=("classes", "events"), grants=("source",)
    ).make_entitlement(PLANS["standard"])
    assert (some.metros, some.types) == (frozenset({"seattle"}), frozenset({"class", "event"}))
    assert some.addons == frozenset({"source"})
    assert make_key(make_key_text()).make_entitlement(PLANS["partner"]).addons == set(PLANS["partner"].addons)


def test_no_key_was_ever_made_where_there_is_no_registry() -> None:
    assert read_registry(MemoryStore()) == (Registry(), None)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"{}", b"[]", b'{"layout":3,"keys":[]}', b'{"keys":[{"id":1}]}', UNKNOWN_PLAN]
)
def test_a_broken_registry_is_said_so_and_never_overwritten(data: bytes) -> None:
    store = MemoryStore()
    store.put(NAME, data)
    with pytest.raises(Corrupt, match=r"keys\.json"):
        change_registry(store, lambda registry: add_key(registry, make_key(make_key_text())))
    assert store.get(NAME) == data


def test_a_revocation_keeps_its_first_time_and_the_other_keys() -> None:
    registry = Registry(keys=(make_key(make_key_text()), make_key(make_key_text())))
    first, second = registry.keys
    revoked = revoke_key(registry, first.id, now=NOW)
    again = revoke_key(revoked, first.id, now=NOW + timedelta(days=1))
    assert again.by_id[first.id].revoked_at == NOW
    assert again.by_id[second.id] == second
    with pytest.raises(KeyError):
        revoke_key(registry, "nobody00", now=NOW)


def test_keys_and_clients_have_slots_of_their_own_that_stay_theirs() -> None:
    registry = Registry()
    for client in ("acme", "bolt", "acme"):
        registry = add_key(registry, make_key(make_key_text(), client=client))
    first, second, third = (registry.find_slots(key) for key in registry.keys)
    assert (first, second, third) == ((0, 1), (2, 3), (4, 1))
    revoked = revoke_key(registry, registry.keys[0].id, now=NOW)
    more = add_key(revoked, make_key(make_key_text(), client="cord"))
    assert [more.find_slots(key) for key in more.keys][:3] == [first, second, third]
    assert more.find_slots(more.keys[3]) == (5, 6)


def test_a_slot_is_not_given_again_even_where_its_key_is_gone() -> None:
    registry = add_key(add_key(Registry(), make_key(make_key_text())), make_key(make_key_text(), client="bolt"))
    lost = Registry(keys=registry.keys[:1], clients=registry.clients[:1], slots=registry.slots)
    more = add_key(lost, make_key(make_key_text(), client="cord"))
    assert more.find_slots(more.keys[1]) == (4, 5)


def test_an_id_is_never_given_twice() -> None:
    key = make_key(make_key_text())
    registry = add_key(Registry(), key)
    assert add_key(registry, key) == registry
    with pytest.raises(ValueError, match=key.id):
        add_key(registry, Key(id=key.id, hash="0" * 64, client="x", plan="free", created_at=NOW))


@pytest.mark.parametrize("make_store", [lambda _: MemoryStore(), FolderStore])
def test_operators_at_once_lose_nothing_of_each_other(make_store: Callable[[Path], Store], tmp_path: Path) -> None:
    store = make_store(tmp_path)
    texts = [make_key_text() for _ in range(24)]

    def operate(text: str) -> None:
        key = make_key(text)
        change_registry(store, lambda registry: add_key(registry, key))
        change_registry(store, lambda registry: revoke_key(registry, key.id, now=NOW))

    with ThreadPoolExecutor(4) as operators:
        list(operators.map(operate, texts))
    registry, _ = read_registry(store)
    assert {key.id for key in registry.keys} == {text[4:12] for text in texts}
    assert all(key.revoked_at == NOW for key in registry.keys)


class UnclearStore(MemoryStore):
    """Swaps, and then loses the reply, or loses the request: the caller can't tell which."""

    def __init__(self, *replies: str) -> None:
        super().__init__()
        self._replies = list(replies)

    def put_if(self, name: str, data: bytes, *, expected: str | None) -> Outcome:
        match self._replies.pop(0) if self._replies else "heard":
            case "reply lost":
                super().put_if(name, data, expected=expected)
                return Outcome.UNKNOWN
            case "request lost":
                return Outcome.UNKNOWN
            case _:
                return super().put_if(name, data, expected=expected)


@pytest.mark.parametrize("replies", [("reply lost",), ("request lost",), ("request lost", "reply lost")])
def test_a_lost_reply_makes_neither_two_keys_nor_none(replies: tuple[str, ...]) -> None:
    store, key = UnclearStore(*replies), make_key(make_key_text())
    change_registry(store, lambda registry: add_key(registry, key))
    assert read_registry(store)[0] == add_key(Registry(), key)
    assert [key.id for key in read_registry(store)[0].keys] == [key.id]


def test_a_store_that_never_replies_is_an_error() -> None:
    store = UnclearStore(*["request lost"] * 100)
    with pytest.raises(StoreError, match=r"keys\.json"):
        change_registry(store, lambda registry: add_key(registry, make_key(make_key_text())))
