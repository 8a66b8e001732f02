"""The tables of plans and add-ons."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from outings.contract.parameters import INCLUDES


class PricingPlan(Struct, frozen=True, kw_only=True):
    """`per_minute` is the rate of a key. `per_month` is the quota of a client over all its keys, in a UTC month; None
    is unlimited.

    `addons` are the values of `include` that a key of this plan has without a grant.
    """

    name: str
    per_minute: int
    per_month: int | None
    addons: frozenset[str]


PLANS: Mapping[str, PricingPlan] = MappingProxyType(
    {
        plan.name: plan
        for plan in (
            PricingPlan(name="free", per_minute=60, per_month=10_000, addons=frozenset()),
            PricingPlan(name="standard", per_minute=300, per_month=500_000, addons=frozenset()),
            PricingPlan(name="partner", per_minute=1_200, per_month=None, addons=frozenset(INCLUDES)),
        )
    }
)

# A key of these plans may be granted what its plan has not.
GRANTABLE = ("standard", "partner")

# Credits a record, planned only.
ADD_ON_CREDITS: Mapping[str, int] = MappingProxyType({"source": 2, "forecast": 2, "related": 0})
