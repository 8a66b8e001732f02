"""The tables of plans and add-ons, and whether a key may have the add-ons that a request includes."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from outings.contract.envelope import missing_include
from outings.contract.errors import include_not_permitted
from outings.contract.query import Entitlement, Query
from outings.contract.vocabulary import GRANTS


class PricingPlan(Struct, frozen=True, kw_only=True):
    """Limits and add-ons of a plan. `per_minute` is the rate of a key. `per_month` is the quota of a client over all
    its keys, in a UTC month; None is unlimited.

    `addons`: values of `include`, or `where` for the parameter, that each key of this plan may use without a grant.
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
            PricingPlan(name="partner", per_minute=1_200, per_month=None, addons=frozenset(GRANTS)),
        )
    }
)

# Plans whose keys may be granted add-ons that the plan lacks.
GRANTABLE = ("standard", "partner")

# The planned price of each add-on, in credits for each record.
ADD_ON_CREDITS: Mapping[str, int] = MappingProxyType({"source": 2, "forecast": 2, "related": 0})


class Offer(Struct, frozen=True, kw_only=True):
    """A deployment's plans, for errors that tell a client how to get an add-on. `upgrade_url` and `docs_url` may be
    empty."""

    plans: Mapping[str, PricingPlan] = PLANS
    upgrade_url: str = ""
    docs_url: str = ""

    def describe_permission(self, include: str) -> dict[str, object]:
        """Return the names of the plans that have the add-on, and of those whose keys may be granted it."""
        having = [name for name, plan in self.plans.items() if include in plan.addons]
        return {"plans": having, "grantable": [name for name in GRANTABLE if name not in having]}

    @property
    def links(self) -> dict[str, str]:
        return {name: url for name, url in (("upgrade", self.upgrade_url), ("docs", self.docs_url)) if url}


def resolve_includes(query: Query, *, entitlement: Entitlement, offer: Offer) -> Query:
    """Raise `include_not_permitted` for an add-on that the key lacks, or in lenient mode add a notice for it."""
    if "include" not in query.values:
        return query
    missing = [include for include in query.get_words("include") if not entitlement.allows_addon(include)]
    if missing and query.get("include_mode") != "lenient":
        raise include_not_permitted(missing[0], permission=offer.describe_permission(missing[0]), links=offer.links)
    notices = tuple(
        missing_include(include, permission=offer.describe_permission(include), links=offer.links)
        for include in missing
    )
    return replace(query, notices=(*query.notices, *notices)) if notices else query
