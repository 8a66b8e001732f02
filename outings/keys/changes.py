"""The changes that operators make to keys. Each is a function of the registry that can be applied again to what another
operator wrote meanwhile.

Applying a change twice has the same effect as applying it once. KeyError: no key has the id. ValueError: the change is
not allowed, and the text says why.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from msgspec.structs import replace

from outings.contract.pricing_plans import GRANTABLE
from outings.keys.registry import Key, Registry, number_slots
from outings.keys.seal import Seal, WrongSeal, find_seal


def add_key(registry: Registry, key: Key) -> Registry:
    """Adds the key, unless the registry has it already. Raises ValueError if another key has the id."""
    existing = registry.by_id.get(key.id)
    if existing is None:
        return number_slots(replace(registry, keys=(*registry.keys, key)))
    if existing.hash != key.hash:
        raise ValueError(f"key {key.id}: the registry has another one of this id; make a new one")
    return registry


def revoke_key(registry: Registry, id_: str, *, now: datetime) -> Registry:
    """Revokes the key. If it was revoked before, it keeps its first time. Raises KeyError if no key has the id."""
    key = registry.by_id[id_]
    return registry if key.revoked_at is not None else _replace_key(registry, replace(key, revoked_at=now))


def import_key(registry: Registry, key: Key, *, seal: Seal | None) -> Registry:
    """Adds a legacy key, which is known by its hash alone. Raises WrongSeal if it cannot tell whether the key is
    already there."""
    check_seal(registry, seal)
    sealed = key if seal is None else replace(key, hash=seal.close(key.hash))
    for known in registry.keys:
        if known.hash in (key.hash, sealed.hash) and known.id != key.id:
            raise ValueError(f"this key is already in the registry, as {known.id}")
    return add_key(registry, sealed)


def seal_keys(registry: Registry, ids: Collection[str], *, seal: Seal) -> Registry:
    """Seals the hashes of these keys, or of all, because imported keys cannot be told from our own. Raises
    WrongSeal."""
    check_seal(registry, seal)
    chosen = {registry.by_id[id_].id for id_ in ids} if ids else registry.by_id.keys()
    keys = (replace(key, hash=seal.close(key.hash)) if key.id in chosen else key for key in registry.keys)
    return replace(registry, keys=tuple(keys))


def check_seal(registry: Registry, seal: Seal | None) -> None:
    """Raises WrongSeal if the registry has a hash that was sealed with another secret."""
    own = None if seal is None else seal.name
    others = [key.id for key in registry.keys if find_seal(key.hash) not in (None, own)]
    if others:
        raise WrongSeal(
            f"{len(others)} keys are sealed with a secret that is not here, such as {others[0]}: set [edge] "
            "legacy_key_secret to the secret that sealed them; it must never change"
        )


def set_quota(registry: Registry, client: str, monthly_quota: int) -> Registry:
    """Sets the quota of a client that owns a key."""
    clients = tuple(
        replace(each, monthly_quota=monthly_quota) if each.name == client else each for each in registry.clients
    )
    return replace(registry, clients=clients)


def change_grants(registry: Registry, id_: str, *, added: Iterable[str], removed: Iterable[str]) -> Registry:
    """`added` are placed after the key's grants."""
    key = _find_unrevoked(registry, id_)
    if key.plan not in GRANTABLE:
        raise ValueError(f"the {key.plan} plan takes no add-ons; plans that do: {', '.join(GRANTABLE)}")
    gone = frozenset(removed)
    grants = dict.fromkeys(name for name in (*key.grants, *added) if name not in gone)
    return _replace_key(registry, replace(key, grants=tuple(grants)))


def rotate_key(registry: Registry, id_: str, *, successor: tuple[str, str], now: datetime, until: datetime) -> Registry:
    """Adds a key with everything that the old one has, but the id and hash of `successor`. The old key ends at `until`
    at the latest."""
    new_id, new_hash = successor
    if new_id in registry.by_id:
        return registry
    key = _find_unrevoked(registry, id_)
    if key.describe_state(now) != "active":
        raise ValueError(f"key {id_} is expired")
    ends = until if key.expires_at is None else min(until, key.expires_at)
    ended = _replace_key(registry, replace(key, expires_at=ends))
    return add_key(ended, replace(key, id=new_id, hash=new_hash, created_at=now, slot=None))


def _find_unrevoked(registry: Registry, id_: str) -> Key:
    key = registry.by_id[id_]
    if key.revoked_at is not None:
        raise ValueError(f"key {id_} is revoked")
    return key


def _replace_key(registry: Registry, changed: Key) -> Registry:
    return replace(registry, keys=tuple(changed if key.id == changed.id else key for key in registry.keys))
