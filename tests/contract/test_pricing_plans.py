"""Plans: the contract's table, and what a deployment says otherwise."""

from outings.configuration.tables import PlansTable, PlanTable
from outings.contract.pricing_plans import PLANS, PricingPlan


def test_the_plans_are_those_of_the_contract() -> None:
    described = {name: (plan.per_minute, plan.per_month, sorted(plan.addons)) for name, plan in PLANS.items()}
    assert described == {
        "free": (60, 10_000, []),
        "standard": (300, 500_000, []),
        "partner": (1_200, None, ["forecast", "related", "source", "where"]),
    }
    assert all(plan.name == name for name, plan in PLANS.items())


def test_a_deployment_that_says_nothing_has_the_contracts_plans() -> None:
    assert PlansTable().make_plans() == PLANS


def test_a_deployment_changes_what_it_names_and_nothing_else() -> None:
    plans = PlansTable(
        free=PlanTable(monthly_quota="unlimited"),
        standard=PlanTable(per_minute=301, grants=("source",)),
        partner=PlanTable(monthly_quota=7, grants=()),
    ).make_plans()
    assert plans == {
        "free": PricingPlan(name="free", per_minute=60, per_month=None, addons=frozenset()),
        "standard": PricingPlan(name="standard", per_minute=301, per_month=500_000, addons=frozenset({"source"})),
        "partner": PricingPlan(name="partner", per_minute=1_200, per_month=7, addons=frozenset()),
    }
