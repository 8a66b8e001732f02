"""Principal: an authenticated key with its limits and entitlement."""

from collections.abc import Mapping

from msgspec import Struct

from outings.contract.pricing_plans import PricingPlan
from outings.contract.query import Entitlement
from outings.keys.registry import Key, Registry


class Allowance(Struct, frozen=True, kw_only=True):
    """The limits of a key. `key`, `client`: the slots of its counters. `per_month`: the quota; None is unlimited."""

    key: int
    client: int
    per_minute: int
    per_month: int | None


class Principal(Struct, frozen=True, kw_only=True):
    """An authenticated key, its plan, its limits and its rights.

    `entitlement`: what it may read, with the add-ons of its plan and those granted to the key.
    """

    key: Key
    plan: PricingPlan
    allowance: Allowance
    entitlement: Entitlement


def make_principal(registry: Registry, key: Key, *, plans: Mapping[str, PricingPlan]) -> Principal:
    """Make the principal of a key. Its limits are the key's own, or its client's, or else its plan's."""
    plan, slots = plans[key.plan], registry.find_slots(key)
    return Principal(
        key=key,
        plan=plan,
        allowance=Allowance(
            key=slots.key,
            client=slots.client,
            per_minute=key.get_rate(plan),
            per_month=registry.get_quota(key, plan),
        ),
        entitlement=key.make_entitlement(plan),
    )
