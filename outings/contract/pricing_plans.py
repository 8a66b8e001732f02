"""The tables of plans and add-ons, and a deployment's changes to them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

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


class Override(Protocol):
    """A deployment's changes to one plan. None keeps the plan's own value."""

    @property
    def per_minute(self) -> int | None: ...
    @property
    def monthly_quota(self) -> int | Literal["unlimited"] | None: ...
    @property
    def grants(self) -> tuple[str, ...] | None: ...


class Overrides(Protocol):
    """The table `[plans]` of a configuration."""

    @property
    def free(self) -> Override: ...
    @property
    def standard(self) -> Override: ...
    @property
    def partner(self) -> Override: ...


def settle_plans(overrides: Overrides) -> Mapping[str, PricingPlan]:
    """The table of plans with the deployment's changes."""
    stated = {"free": overrides.free, "standard": overrides.standard, "partner": overrides.partner}
    return MappingProxyType({name: _settle_plan(plan, stated[name]) for name, plan in PLANS.items()})


def _settle_plan(plan: PricingPlan, override: Override) -> PricingPlan:
    quota = override.monthly_quota
    return replace(
        plan,
        per_minute=plan.per_minute if override.per_minute is None else override.per_minute,
        per_month=plan.per_month if quota is None else None if quota == "unlimited" else quota,
        addons=plan.addons if override.grants is None else frozenset(override.grants),
    )
