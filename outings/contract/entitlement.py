"""What a key may read: sets of metros, types and add-ons. Two keys with the same sets get the same answers."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import msgspec

from outings.contract.vocabulary import TYPES


@dataclass(frozen=True, kw_only=True)
class Entitlement:
    """`metros` are slugs, `types` are singular (`event`, `class`, …); None means all. `addons` are values of
    `include`."""

    metros: frozenset[str] | None = None
    types: frozenset[str] | None = None
    addons: frozenset[str] = frozenset()

    def allows_metro(self, slug: str) -> bool:
        return self.metros is None or slug in self.metros

    def allows_type(self, listing_type: str) -> bool:
        return self.types is None or listing_type in self.types

    def allows_addon(self, addon: str) -> bool:
        return addon in self.addons

    @cached_property
    def readable_types(self) -> frozenset[str]:
        """Return the types by name, all of them where `types` is None."""
        return frozenset(filter(self.allows_type, TYPES))

    @cached_property
    def digest(self) -> str:
        """16 hex digits that identify these rights in an ETag or a cache. They do not depend on the key itself."""
        return _hash_sets(self.metros, self.types, self.addons)

    @cached_property
    def scope(self) -> str:
        """16 hex digits that identify the metros and types alone, which decide what rows the key sees."""
        return _hash_sets(self.metros, self.types)


def _hash_sets(*sets: frozenset[str] | None) -> str:
    listed = [None if names is None else sorted(names) for names in sets]
    return sha256(msgspec.json.encode(listed)).hexdigest()[:16]
