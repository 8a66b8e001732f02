"""A route is a row of the contract's table and its answer; what is forgotten is named with where to add it."""

import pytest

from outings.answers.routes import OF_METRO, OF_RELEASE
from outings.contract.routes import ROUTES, Route

ANSWERS = "outings/answers/routes.py"
# What no release is asked for.
OF_EDGE = {"events.ics.address"}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_every_route_of_the_contract_has_its_answer(route: Route) -> None:
    if not route.needs_key or route.name in OF_EDGE:
        return
    table = "OF_METRO" if "{metro}" in route.path else "OF_RELEASE or OF_METRO"
    assert (route.name in OF_METRO) + (route.name in OF_RELEASE) == 1, (
        f"outings/contract/routes.py has a row {route.name}: add its plan to {table} in {ANSWERS}"
    )


@pytest.mark.parametrize("name", [*OF_METRO, *OF_RELEASE])
def test_every_answer_is_one_of_a_route(name: str) -> None:
    assert name in {route.name for route in ROUTES}, (
        f"{ANSWERS} answers {name}: add its row to ROUTES in outings/contract/routes.py"
    )
