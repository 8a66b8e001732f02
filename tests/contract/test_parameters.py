import pytest

from outings.answers.expressions.parsing import canonicalize
from outings.contract.errors import ApiError
from outings.contract.parameters import PARAMETERS
from outings.contract.query import parse_query
from outings.contract.routes import ROUTES
from outings.contract.values import DateDefault, Parameter
from outings.contract.vocabulary import Vocabulary
from tests.contract.wishes import match_of

# Every name that the contract and the decisions give, written out from their texts.
_NAMES = """
ids from to min_confidence category audience season occasion team age age_min age_max neighborhood lat lng radius_m
zip near_zip include_approximate place_id organization_id free max_price has_time recurring occurrences
indoor outdoor good_for_rainy sensory open_at meets weekday start_after start_before ends_after schedule_day
enrollment_type openings
starts_from starts_to year overnight type_hint place_type has_birthday_parties has_classes q
where changed_since fields expand include include_mode cursor page facets limit
include_archived metro types sort match address ages type kind min_count order format language
"""

_EVERY_ROW = [(route, row) for route in ROUTES for row in route.parameters.values()]
# A cursor is given by an answer (test_cursor), and some routes have `include` only to refuse it.
_NO_ADDONS = [route for route in ROUTES if "include" in route.parameters and not route.parameters["include"].allowed]
_WITH_EXAMPLE = [
    (route, row)
    for route, row in _EVERY_ROW
    if row.kind != "cursor" and not (route in _NO_ADDONS and row.name.startswith("include"))
]
_BESIDE = {"lat": "lng=1", "lng": "lat=1", "radius_m": "lat=1&lng=1"}


def test_the_table_has_a_row_for_every_name_of_the_contract_and_no_other():
    differing = PARAMETERS.keys() ^ set(_NAMES.split())
    assert not differing, f"{sorted(differing)}: not both in the table of parameters and in _NAMES of this file"


def test_every_row_is_taken_by_some_route():
    assert {row.name for _, row in _EVERY_ROW} == set(PARAMETERS)


@pytest.mark.parametrize("row", PARAMETERS.values(), ids=lambda row: row.name)
def test_every_row_says_what_it_means_in_a_sentence(row: Parameter):
    assert row.meaning[0].isupper()
    assert row.meaning.endswith(".")


@pytest.mark.parametrize(("route", "row"), _WITH_EXAMPLE, ids=lambda it: it.name)
def test_the_example_of_a_row_is_a_value_on_every_route_that_takes_it(route, row):
    required = "&".join(
        f"{other.name}={other.example}"
        for other in route.parameters.values()
        if other.required and other.name != row.name
    )
    beside = _BESIDE.get(row.name, "")
    if route.name in ("around", "nearby", "activity") and row.name not in ("lat", "lng", "address", "near_zip"):
        beside = "lat=1&lng=1"
    if row.name == "include_mode":
        beside += f"&include={route.parameters['include'].example}"
    query = "&".join(filter(None, [f"{row.name}={row.example}", required, *beside.split("&")]))
    names = [pair.partition("=")[0] for pair in query.split("&")]
    if route.optional.isdisjoint(names):
        parsed = parse_query(
            match_of(route), query.encode(), vocabulary=Vocabulary(),
            read_expression=lambda read, _, route: canonicalize(str(read()), route),
        )  # fmt: skip
        assert parsed.get(row.replaced_by or row.name) is not None
    else:
        with pytest.raises(ApiError) as refusal:
            parse_query(match_of(route), query.encode(), vocabulary=Vocabulary())
        assert refusal.value.status == 501


def test_a_default_of_a_row_lies_within_its_bounds_and_words():
    for route, row in _EVERY_ROW:
        if isinstance(row.default, int | float) and not isinstance(row.default, bool):
            assert (row.minimum or 0) <= row.default <= (row.maximum or 0), (route.name, row.name)
        if isinstance(row.default, str | tuple) and row.allowed is not None:
            words = (row.default,) if isinstance(row.default, str) else row.default
            assert set(words) <= set(row.allowed), (route.name, row.name)


@pytest.mark.parametrize(
    ("route_name", "name", "default"),
    [
        ("events.list", "min_confidence", 0.7),
        ("classes.list", "min_confidence", 0.7),
        ("camps.list", "min_confidence", 0.7),
        ("places.list", "min_confidence", 0.5),
        ("events.list", "from", DateDefault.LOCAL_DATE),
        ("events.list", "to", DateDefault.FROM_PLUS_30_DAYS),
        ("classes.list", "from", DateDefault.LOCAL_DATE),
        ("classes.list", "to", None),
        ("camps.list", "from", DateDefault.LOCAL_DATE),
        ("camps.list", "to", None),
        ("events.calendar", "from", None),
        ("events.list", "radius_m", 5000),
        ("events.list", "limit", 50),
        ("search", "limit", 20),
        ("around", "limit", 10),
        ("changes", "limit", 200),
        ("versions", "limit", 50),
        ("versions", "order", "desc"),
        ("events.list", "audience", ("not_adults",)),
    ],
)
def test_a_default_is_the_one_of_its_route(route_name: str, name: str, default: object):
    route = next(route for route in ROUTES if route.name == route_name)
    assert route.parameters[name].default == default


@pytest.mark.parametrize(
    ("route_name", "name", "least", "most"),
    [
        ("events.list", "limit", 0, 200),
        ("search", "limit", 1, 50),
        ("around", "limit", 1, 50),
        ("nearby", "limit", 1, 200),
        ("changes", "limit", 1, 1000),
        ("versions", "limit", 1, 200),
        ("events.list", "page", 1, 10_000),
        ("events.list", "radius_m", 100, 50_000),
        ("camps.list", "year", 2020, 2100),
        ("search", "q", 1, 200),
        ("events.list", "lat", -90, 90),
        ("events.list", "lng", -180, 180),
        ("events.list", "min_confidence", 0, 1),
    ],
)
def test_bounds_are_those_of_the_route(route_name: str, name: str, least: float, most: float):
    row = next(route for route in ROUTES if route.name == route_name).parameters[name]
    assert (row.minimum, row.maximum) == (least, most)


def test_the_zip_parameters_and_around_are_beta():
    assert all(PARAMETERS[name].stability == "beta" for name in ("zip", "near_zip", "include_approximate"))
    assert {route.name for route in ROUTES if route.stability == "beta"} == {"around"}
