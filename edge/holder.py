"""Who asks: a key with all that holds for it."""

from collections.abc import Mapping

from msgspec import Struct

from outings.contract.entitlement import Entitlement
from outings.contract.plans import Plan
from outings.release.keys import Key, Registry, Slots
from outings.release.sealing import Seal


class Holder(Struct, frozen=True, kw_only=True):
    """What holds for a key: its own and its client's terms, its plan's where these say nothing.

    `entitlement`: the plan's add-ons and the key's grants. `per_month`: None is unlimited.
    """

    key: Key
    plan: Plan
    slots: Slots
    per_minute: int
    per_month: int | None
    entitlement: Entitlement


def find_holder(
    registry: Registry, text: bytes, *, plans: Mapping[str, Plan], seal: Seal | None = None
) -> Holder | None:
    """Of the key of this text, whatever its state."""
    key = registry.find_key(text, seal=seal)
    if key is None:
        return None
    plan = plans[key.plan]
    return Holder(
        key=key,
        plan=plan,
        slots=registry.find_slots(key),
        per_minute=key.settle_rate(plan),
        per_month=registry.settle_quota(key, plan),
        entitlement=key.settle_entitlement(plan),
    )
