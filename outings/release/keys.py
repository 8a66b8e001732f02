"""The registry of keys, `keys.json`: compare-and-swapped, so that operators at once lose nothing of each other's.

Only an id and the SHA-256 of a key's text are kept, or what sealing makes of that. Instants are whole seconds in UTC.
"""

import re
import secrets
import zlib
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from hmac import compare_digest
from string import ascii_lowercase, ascii_uppercase, digits

import msgspec
from msgspec import Struct

from outings.contract.entitlement import Entitlement
from outings.contract.plans import PLANS, Plan
from outings.contract.vocabulary import COLLECTIONS
from outings.release.key_seal import Seal
from outings.release.objects import Corrupt, decode_json
from outings.release.store import Outcome, Store, StoreError, VersionedBytes

NAME = "keys.json"
# 1 had no slots and no clients: it is read as if it had, and written as 2.
LAYOUT = 2
EVERY = "*"

ID_LENGTH, SECRET_LENGTH, SUM_LENGTH = 8, 30, 6
_BASE62 = digits + ascii_uppercase + ascii_lowercase
_PAIRS = [(high + low).encode() for high in _BASE62 for low in _BASE62]
_FORM = re.compile(rb"ldk_([0-9A-Za-z]{8})_[0-9A-Za-z]{36}")
_TYPES = {collection: singular for singular, collection in COLLECTIONS.items()}

# Racing operators are people: nobody loses this often in a row.
ATTEMPTS = 20


class Key(Struct, frozen=True, kw_only=True):
    """A key as the registry has it. `metros`: slugs, `types`: the route's words (`events`), each `*` for all.

    `hash`: 64 hex digits, or sealed (`sealing.py`). `client` owns one key or several. `per_minute`: its own rate, else
    its plan's. `slot`: the number of its counter; a registry's keys all have one.
    """

    id: str
    hash: str
    client: str
    plan: str
    metros: tuple[str, ...] = (EVERY,)
    types: tuple[str, ...] = (EVERY,)
    grants: tuple[str, ...] = ()
    per_minute: int | None = None
    expires_at: datetime | None = None
    created_at: datetime
    revoked_at: datetime | None = None
    slot: int | None = None

    def settle_entitlement(self, plan: Plan) -> Entitlement:
        """The key's scopes, with the add-ons of its plan and its grants."""
        return Entitlement(
            metros=None if EVERY in self.metros else frozenset(self.metros),
            types=None if EVERY in self.types else frozenset(_TYPES[name] for name in self.types),
            addons=plan.addons.union(self.grants),
        )

    def settle_rate(self, plan: Plan) -> int:
        """Requests a minute: its own, else its plan's."""
        return self.per_minute or plan.per_minute

    def describe_state(self, now: datetime) -> str:
        """`active`, `revoked` or `expired`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


class Client(Struct, frozen=True, kw_only=True):
    """Who owns keys. `monthly_quota`: its own over all of them, else its plan's."""

    name: str
    slot: int
    monthly_quota: int | None = None


class CounterSlots(Struct, frozen=True, kw_only=True):
    """Numbers of counters: a key's for its rate, its client's for their quota."""

    key: int
    client: int


class Registry(Struct, frozen=True, kw_only=True, dict=True):
    """All keys that were ever made, and their clients, in the order in which they were.

    `slots` is how many numbers were given: to keys and clients in one row, from 0, none of them ever again.
    """

    layout: int = LAYOUT
    keys: tuple[Key, ...] = ()
    clients: tuple[Client, ...] = ()
    slots: int = 0

    @cached_property
    def by_id(self) -> Mapping[str, Key]:
        return {key.id: key for key in self.keys}

    @cached_property
    def clients_by_name(self) -> Mapping[str, Client]:
        return {client.name: client for client in self.clients}

    @cached_property
    def _by_hash(self) -> Mapping[str, Key]:
        return {key.hash: key for key in self.keys}

    def find_key(self, text: bytes, *, seal: Seal | None = None) -> Key | None:
        """The key of this text, whatever its state. A bad check sum costs no look-up.

        Text of another form is a legacy key's, looked up by its hash. A sealed one is found with its `seal` alone.
        """
        form = _FORM.fullmatch(text)
        if form is not None and text[-SUM_LENGTH:] != _sum(text[:-SUM_LENGTH]):
            return None
        plain = sha256(text).hexdigest()
        for hash_ in (plain,) if seal is None else (seal.close(plain), plain):
            key = self._by_hash.get(hash_) if form is None else self.by_id.get(form[1].decode())
            if key is not None and compare_digest(key.hash, hash_):
                return key
        return None

    def find_slots(self, key: Key) -> CounterSlots:
        """Of a key of this registry."""
        number = self.by_id[key.id].slot
        assert number is not None
        return CounterSlots(key=number, client=self.clients_by_name[key.client].slot)

    def settle_quota(self, key: Key, plan: Plan) -> int | None:
        """Answers a month of the key's client: its own, else the plan's; None is unlimited."""
        quota = self.clients_by_name[key.client].monthly_quota
        return plan.per_month if quota is None else quota


def make_key_text(choose: Callable[[str], str] = secrets.choice) -> str:
    """`ldk_<8 base62 id>_<30 base62 secret><6 base62 CRC-32 of all before it>`."""
    id_, secret = ("".join(choose(_BASE62) for _ in range(length)) for length in (ID_LENGTH, SECRET_LENGTH))
    opening = f"ldk_{id_}_{secret}"
    return opening + _sum(opening.encode()).decode()


def split_key_text(text: str) -> tuple[str, str]:
    """The id and the hash that the registry keeps of a text that `make_key_text` made."""
    return text[4 : 4 + ID_LENGTH], hash_key_text(text)


def hash_key_text(text: str | bytes) -> str:
    return sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def has_key_form(text: bytes) -> bool:
    """Whether it is looked up by the id in it, and not as a legacy key's."""
    return _FORM.fullmatch(text) is not None


def _sum(opening: bytes) -> bytes:
    rest, low = divmod(zlib.crc32(opening), len(_PAIRS))
    high, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]


def read_registry(store: Store) -> tuple[Registry, str | None]:
    """The registry and the store's tag of it; an empty one and None where no key was ever made. Corrupt, StoreError."""
    found = store.read_versioned(NAME)
    return (Registry(), None) if found is None else (parse_registry(found), found.etag)


def parse_registry(found: VersionedBytes) -> Registry:
    registry = decode_json(found.data, Registry, name=NAME)
    if not 1 <= registry.layout <= LAYOUT:
        raise Corrupt(f"{NAME}: its layout is {registry.layout}; this program reads 1 to {LAYOUT}")
    for key in registry.keys:
        if key.plan not in PLANS or not set(key.types) <= {EVERY, *_TYPES}:
            raise Corrupt(f"{NAME}: key {key.id} has a plan or a type that there is not: {key.plan}, {key.types}")
    numbered = number_slots(registry)
    given = [key.slot for key in numbered.keys] + [client.slot for client in numbered.clients]
    if len(set(given)) < len(given) or any(slot is None or not 0 <= slot < numbered.slots for slot in given):
        raise Corrupt(f"{NAME}: its slots are not each another number from 0 to {numbered.slots - 1}")
    return numbered


def number_slots(registry: Registry) -> Registry:
    """The registry with a slot for each key and client that has none, in order: whoever reads it gives the same."""
    number, keys = registry.slots, []
    clients = dict(registry.clients_by_name)
    for key in registry.keys:
        if key.slot is None:
            key, number = msgspec.structs.replace(key, slot=number), number + 1
        keys.append(key)
        if key.client not in clients:
            clients[key.client] = Client(name=key.client, slot=number)
            number += 1
    return Registry(keys=tuple(keys), clients=tuple(clients.values()), slots=number)


def change_registry(store: Store, change: Callable[[Registry], Registry]) -> Registry:
    """Swap in what `change` makes of the registry; tried anew on whatever another operator wrote in between.

    A lost reply is tried anew too, so `change` done twice must be the same as done once.
    """
    for _ in range(ATTEMPTS):
        registry, etag = read_registry(store)
        changed = change(registry)
        if changed == registry:
            return registry
        data = msgspec.json.format(msgspec.json.encode(changed), indent=1)
        if store.put_if(NAME, data, expected=etag) is Outcome.WON:
            return changed
    raise StoreError(store=str(store), operation="swap", name=NAME, cause=f"lost or no reply {ATTEMPTS} times")


def add_key(registry: Registry, key: Key) -> Registry:
    """The registry with this key; as it was if it has it already. ValueError if another key has the id."""
    found = registry.by_id.get(key.id)
    if found is None:
        return number_slots(msgspec.structs.replace(registry, keys=(*registry.keys, key)))
    if found.hash != key.hash:
        raise ValueError(f"key {key.id}: the registry has another one of this id; make a new one")
    return registry


def revoke_key(registry: Registry, id_: str, *, now: datetime) -> Registry:
    """The registry with this key revoked; once revoked it keeps its first time. KeyError: no key has the id."""
    if registry.by_id[id_].revoked_at is not None:
        return registry
    keys = tuple(msgspec.structs.replace(key, revoked_at=now) if key.id == id_ else key for key in registry.keys)
    return msgspec.structs.replace(registry, keys=keys)
