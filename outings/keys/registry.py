"""The registry of API keys, `keys.json`, and operators' changes to it.

It is replaced by compare-and-swap, so concurrent changes are not lost: each is a function of the registry, and is
applied again to the version that another operator wrote first.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from hmac import compare_digest

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.contract.pricing_plans import GRANTABLE, PLANS, PricingPlan
from outings.contract.query import Entitlement
from outings.contract.vocabulary import COLLECTIONS
from outings.failures import GuardRefusal
from outings.keys.key_text import hash_key_text, read_key_id
from outings.release.store import Corrupt, Outcome, Store, StoreError, VersionedBytes, decode_json

NAME = "keys.json"
# A copy of the last registry. It shows that keys were made, and replaces a lost registry.
COPY = "keys.copy.json"
LAYOUT = 2
EVERY = "*"

_TYPES = {collection: singular for singular, collection in COLLECTIONS.items()}

# Nobody loses this often in a row to other operators, who are people.
ATTEMPTS = 20

_LOST = (
    f"{NAME} is gone or has no keys, and keys were made in this store: put it back from a backup or from {COPY}, which "
    "is as it was at the last change. `outings keys create --new-registry` starts a new one without any earlier key"
)


class LostRegistry(Corrupt, GuardRefusal):
    """An error: the store had keys, and their registry is gone or empty."""


class Key(Struct, frozen=True, kw_only=True):
    """An API key. `metros` are slugs and `types` are words of the routes (`events`); `*` is all of them.

    `hash` has 64 hex digits. A `client` owns one or more keys. `per_minute`: the key's own rate; None means its plan's.
    `slot`: the number of its counter, which it gets from the registry.
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
    slot: int = -1

    def make_entitlement(self, plan: PricingPlan) -> Entitlement:
        """Return the key's metros and types, with the add-ons of its plan and its grants."""
        return Entitlement(
            metros=None if EVERY in self.metros else frozenset(self.metros),
            types=None if EVERY in self.types else frozenset(_TYPES[name] for name in self.types),
            addons=plan.addons.union(self.grants),
        )

    def get_rate(self, plan: PricingPlan) -> int:
        """Return the key's requests per minute: its own rate, or its plan's."""
        return self.per_minute or plan.per_minute

    def describe_state(self, now: datetime) -> str:
        """Return `active`, `revoked` or `expired`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


class Client(Struct, frozen=True, kw_only=True):
    """The owner of keys. `monthly_quota` is its own quota over all keys; None means its plan's."""

    name: str
    slot: int
    monthly_quota: int | None = None


class Registry(Struct, frozen=True, kw_only=True, dict=True):
    """All keys ever made, and their clients, in order of creation. `slots`: how many slot numbers, from 0, keys and
    clients have together. No number is reused."""

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

    def find_key(self, text: bytes) -> Key | None:
        """Find the key with this text, whatever its state, or None. A wrong check sum is rejected without a look-up. A
        text of another form is looked up by its hash, as a legacy key."""
        try:
            id_ = read_key_id(text)
        except ValueError:
            return None
        hash_ = hash_key_text(text)
        key = self._by_hash.get(hash_) if id_ is None else self.by_id.get(id_)
        return key if key is not None and compare_digest(key.hash, hash_) else None

    def find_slots(self, key: Key) -> tuple[int, int]:
        """Return the numbers of a key's counters: its own for the rate, and its client's for the quota."""
        return key.slot, self.clients_by_name[key.client].slot

    def get_quota(self, key: Key, plan: PricingPlan) -> int | None:
        """Return the monthly quota of the key's client: its own, or the plan's. None is unlimited."""
        quota = self.clients_by_name[key.client].monthly_quota
        return plan.per_month if quota is None else quota


def read_registry(store: Store, *, is_new: bool = False) -> tuple[Registry, str | None]:
    """Read the registry and its tag in the store, or an empty registry and None if no key was ever made. `is_new`:
    treat a lost registry as an empty one. Raises LostRegistry, Corrupt and StoreError."""
    file = store.read_versioned(NAME)
    try:
        if file is None:
            refuse_lost_registry(store)
            return Registry(), None
        return parse_registry(file), file.etag
    except LostRegistry:
        if not is_new:
            raise
        return Registry(), None if file is None else file.etag


def refuse_lost_registry(store: Store) -> None:
    """Raise LostRegistry if keys were ever made in this store, which has no registry."""
    if store.exists(COPY):
        raise LostRegistry(_LOST)


def parse_registry(file: VersionedBytes) -> Registry:
    registry = decode_json(file.data, Registry, name=NAME)
    if registry.layout != LAYOUT:
        raise Corrupt(f"{NAME}: its layout is {registry.layout}; this program reads {LAYOUT}")
    if not registry.keys:
        raise LostRegistry(_LOST)
    for key in registry.keys:
        if key.plan not in PLANS or not set(key.types) <= {EVERY, *_TYPES}:
            raise Corrupt(f"{NAME}: key {key.id} has a plan or a type that there is not: {key.plan}, {key.types}")
    return registry


def change_registry(store: Store, change: Callable[[Registry], Registry], *, is_new: bool = False) -> Registry:
    """Replace the registry by `change(registry)`, and retry if another operator wrote in between. Return the new one.
    `is_new`: begin a new registry if it is lost.

    A lost reply is retried as well, so applying `change` twice must have the same effect as once.
    """
    for _ in range(ATTEMPTS):
        registry, etag = read_registry(store, is_new=is_new)
        changed = change(registry)
        data = msgspec.json.format(msgspec.json.encode(changed), indent=1)
        if changed == registry or store.put_if(NAME, data, expected=etag) is Outcome.WON:
            if changed.keys:
                store.put(COPY, data)
            return changed
    raise StoreError(store=str(store), operation="swap", name=NAME, cause=f"lost or no reply {ATTEMPTS} times")


def add_key(registry: Registry, key: Key) -> Registry:
    """Add the key, and its client if it is new, unless the registry has the key already. Raises ValueError if another
    key has the id."""
    existing = registry.by_id.get(key.id)
    if existing is not None:
        if existing.hash != key.hash:
            raise ValueError(f"key {key.id}: the registry has another one of this id; make a new one")
        return registry
    keys, clients, slots = (*registry.keys, replace(key, slot=registry.slots)), registry.clients, registry.slots + 1
    if key.client not in registry.clients_by_name:
        clients, slots = (*clients, Client(name=key.client, slot=slots)), slots + 1
    return replace(registry, keys=keys, clients=clients, slots=slots)


def revoke_key(registry: Registry, id_: str, *, now: datetime) -> Registry:
    """Revoke the key as of `now`. A revoked key keeps its first time. Raises KeyError if no key has the id."""
    key = registry.by_id[id_]
    return registry if key.revoked_at is not None else _replace_key(registry, replace(key, revoked_at=now))


def import_key(registry: Registry, key: Key) -> Registry:
    """Add a key of another system. Raises ValueError if a key with the same hash is in the registry."""
    for other in registry.keys:
        if other.hash == key.hash and other.id != key.id:
            raise ValueError(f"this key is already in the registry, as {other.id}")
    return add_key(registry, key)


def set_quota(registry: Registry, client: str, monthly_quota: int) -> Registry:
    """Set the monthly quota of a client that owns a key; None means its plan's."""
    clients = tuple(
        replace(owner, monthly_quota=monthly_quota) if owner.name == client else owner for owner in registry.clients
    )
    return replace(registry, clients=clients)


def change_grants(registry: Registry, id_: str, *, added: Iterable[str], removed: Iterable[str]) -> Registry:
    """Add and remove a key's granted add-ons; `added` come last. Raises ValueError if its plan takes none."""
    key = _find_unrevoked(registry, id_)
    if key.plan not in GRANTABLE:
        raise ValueError(f"the {key.plan} plan takes no add-ons; plans that do: {', '.join(GRANTABLE)}")
    gone = frozenset(removed)
    grants = dict.fromkeys(name for name in (*key.grants, *added) if name not in gone)
    return _replace_key(registry, replace(key, grants=tuple(grants)))


def rotate_key(registry: Registry, id_: str, *, successor: tuple[str, str], now: datetime, until: datetime) -> Registry:
    """Add a copy of a key with the id and hash of `successor`. The old key expires at `until`, or earlier if it does
    anyway."""
    new_id, new_hash = successor
    if new_id in registry.by_id:
        return registry
    key = _find_unrevoked(registry, id_)
    if key.describe_state(now) != "active":
        raise ValueError(f"key {id_} is expired")
    ends = until if key.expires_at is None else min(until, key.expires_at)
    ended = _replace_key(registry, replace(key, expires_at=ends))
    return add_key(ended, replace(key, id=new_id, hash=new_hash, created_at=now))


def _find_unrevoked(registry: Registry, id_: str) -> Key:
    key = registry.by_id[id_]
    if key.revoked_at is not None:
        raise ValueError(f"key {id_} is revoked")
    return key


def _replace_key(registry: Registry, changed: Key) -> Registry:
    return replace(registry, keys=tuple(changed if key.id == changed.id else key for key in registry.keys))
