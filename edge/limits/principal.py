"""Principal: an authenticated key with its limits and entitlement."""

from collections.abc import Mapping

from msgspec import Struct

from outings.contract.pricing_plans import PricingPlan
from outings.contract.query import Entitlement
from outings.keys.registry import Key, Registry


class Allowance(Struct, frozen=True, kw_only=True):
    """`key`, `client`: numbers of the slots in which they are counted. `per_month`: None is unlimited."""

    key: int
    client: int
    per_minute: int
    per_month: int | None


class Principal(Struct, frozen=True, kw_only=True):
    """The key's own terms, or its client's, or its plan's, in this order.

    `entitlement`: the plan's add-ons and the key's grants.
    """

    key: Key
    plan: PricingPlan
    allowance: Allowance
    entitlement: Entitlement


def make_principal(registry: Registry, key: Key, *, plans: Mapping[str, PricingPlan]) -> Principal:
    """Return the principal of a key of this registry."""
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
