"""Checks the add-ons that a request includes against the key's rights: `403`, or a notice if the request is lenient."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from outings.contract.entitlement import Entitlement
from outings.contract.errors import include_not_permitted
from outings.contract.notices import missing_include
from outings.contract.pricing_plans import GRANTABLE, PLANS, PricingPlan
from outings.contract.query import Query


class Offer(Struct, frozen=True, kw_only=True):
    """What a deployment offers to clients without an add-on. `upgrade_url` and `docs_url` are empty if it has none."""

    plans: Mapping[str, PricingPlan] = PLANS
    upgrade_url: str = ""
    docs_url: str = ""

    def describe_permission(self, include: str) -> dict[str, object]:
        """The plans that have the add-on, and the plans whose keys may be granted it."""
        having = [name for name, plan in self.plans.items() if include in plan.addons]
        return {"plans": having, "grantable": [name for name in GRANTABLE if name not in having]}

    @property
    def links(self) -> dict[str, str]:
        return {name: url for name, url in (("upgrade", self.upgrade_url), ("docs", self.docs_url)) if url}


def settle_includes(query: Query, *, entitlement: Entitlement, offer: Offer) -> Query:
    """Returns the query, with a notice for each add-on that is left out. Raises `include_not_permitted`."""
    missing = [include for include in query.get_words("include") if not entitlement.allows_addon(include)]
    if missing and query.get("include_mode") != "lenient":
        raise include_not_permitted(missing[0], permission=offer.describe_permission(missing[0]), links=offer.links)
    notices = tuple(
        missing_include(include, permission=offer.describe_permission(include), links=offer.links)
        for include in missing
    )
    return replace(query, notices=(*query.notices, *notices)) if notices else query
