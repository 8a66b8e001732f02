"""Every route × every kind of key × `include` × lenient: status, code, details and body, written by hand from
the contract, none of it by the code."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from outings.contract.routes import ROUTES
from tests.edge.asking import Response, ask
from tests.edge.conftest import Service, make_service
from tests.edge.publishing import SOURCED, add_keys, make_id
from tests.edge.routes import ANSWERED, READS

# Which add-ons a route takes at all; a route that is not here has no `include`.
TAKEN: dict[str, list[str]] = {
    name: addons.split()
    for names, addons in {
        "events.list events.at_place events.of_organization": "source forecast",
        "classes.list classes.at_place classes.of_organization": "source",
        "camps.list camps.at_place camps.of_organization": "source",
        "places.list places.of_organization places.detail places.slug": "source",
        "events.detail events.slug": "source forecast related",
        "classes.detail classes.slug camps.detail camps.slug": "source related",
        "events.calendar": "forecast",
        "around": "source forecast",
        "nearby": "source",
        "search organizations.detail": "",
    }.items()
    for name in names.split()
}
# Where the metro is known: by the path and before the parameters, by a parameter, or only by the row.
IN_QUERY = {"events.slug", "classes.slug", "camps.slug", "places.slug"}
IN_ROW = {"events.detail", "classes.detail", "camps.detail", "places.detail", "organizations.detail", "versions"}
# Where the type is known only by the row too, or by the file.
OF_ANY_TYPE = {"versions", "export.file"}
# Those whose answers are no JSON.
FILES = {"export.file", "events.ics"}

METROS = ["harbor", "lakeside"]


@dataclass(frozen=True)
class Kind:
    """A kind of key, as it was created. `has` are its add-ons."""

    plan: str
    has: frozenset[str] = frozenset()
    metros: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None

    @property
    def members(self) -> dict[str, object]:
        grants = () if self.plan == "partner" else tuple(sorted(self.has))
        scope = {"metros": self.metros or ("*",), "types": self.types or ("*",)}
        return {"plan": self.plan, "grants": grants, **scope}


EVERY_ADDON = frozenset({"source", "forecast", "related"})
_PLANS = {"free": frozenset[str](), "standard": frozenset[str](), "partner": EVERY_ADDON}
KINDS: dict[str, Kind] = {
    **{plan: Kind(plan, has) for plan, has in _PLANS.items()},
    **{f"granted {addon}": Kind("standard", frozenset({addon})) for addon in sorted(EVERY_ADDON)},
    "granted all": Kind("standard", EVERY_ADDON),
    **{f"{plan} of lakeside": Kind(plan, has, metros=("lakeside",)) for plan, has in _PLANS.items()},
    **{f"{plan} of harbor": Kind(plan, has, metros=("harbor",)) for plan, has in _PLANS.items()},
    **{f"{plan} of events": Kind(plan, has, types=("events",)) for plan, has in _PLANS.items()},
    **{f"{plan} of places": Kind(plan, has, types=("places",)) for plan, has in _PLANS.items()},
}
INCLUDES = (None, "source", "forecast", "related")
MODES = (None, "lenient")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = make_service(tmp_path_factory.mktemp("entitlements"))
    made.keys.update(add_keys(made.store, {name: kind.members for name, kind in KINDS.items()}))
    made.edge.poll()
    yield made
    made.close()


def add_include(target: str, include: str | None, mode: str | None) -> str:
    added = [f"include={include}"] * (include is not None) + [f"include_mode={mode}"] * (mode is not None)
    return "&".join([target if "?" in target or not added else f"{target}?", *added]).replace("?&", "?")


def permit(include: str) -> dict[str, object]:
    return {"plans": ["partner"], "grantable": ["standard"]} if include in EVERY_ADDON else {}


def foretell(name: str, kind: Kind, include: str | None, mode: str | None) -> tuple[int, str | None, Any]:
    """Status, code, details, in the order of the checks."""
    _, metro, resource = READS[name]
    outside = metro is not None and kind.metros is not None and metro not in kind.metros
    readable = {"metros": list(kind.metros or METROS)}
    closed = (403, "forbidden", readable)
    if outside and name not in IN_QUERY | IN_ROW:
        return closed
    of_others = resource is not None and kind.types is not None and resource not in kind.types
    of_type = (403, "forbidden", {**readable, "types": list(kind.types or ())})
    if of_others and name not in OF_ANY_TYPE:
        return of_type
    wrong = find_wrong_parameter(name, include, mode)
    if wrong is not None:
        return (400, "bad_request", wrong)
    if outside and name in IN_QUERY:
        return closed
    if include is not None and include not in kind.has and mode is None:
        return (403, "include_not_permitted", {"param": "include", "include": include, **permit(include)})
    if name not in ANSWERED:
        return (501, "not_implemented", None)
    if outside:
        return closed
    return of_type if of_others else (200, None, None)


def find_wrong_parameter(name: str, include: str | None, mode: str | None) -> dict[str, object] | None:
    takes_mode = name in TAKEN and name != "search"
    if include is not None and name not in TAKEN:
        return {"param": "include", "reason": "parameter_not_supported"}
    if mode is not None and not takes_mode:
        return {"param": "include_mode", "reason": "parameter_not_supported"}
    if include is not None and include not in TAKEN[name]:
        return {"param": "include", "reason": "include_not_supported", "allowed": TAKEN[name]}
    return None


def test_the_matrix_has_every_route_that_takes_a_key() -> None:
    differing = READS.keys() ^ {route.name for route in ROUTES if route.needs_key}
    assert not differing, f"{sorted(differing)}: not both in the table of routes and in READS of tests/edge/routes.py"
    assert TAKEN.keys() == {route.name for route in ROUTES if "include" in route.parameters}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READS)
def test_a_key_gets_what_it_may_have_and_is_reported_what_it_lacks(service: Service, name: str, kind: str) -> None:
    target = READS[name][0]
    for include, mode in product(INCLUDES, MODES):
        requested = add_include(target, include, mode)
        status, code, details = foretell(name, KINDS[kind], include, mode)
        got = service.get(requested, kind=kind)
        assert got.status == status, (requested, got.body)
        if code is None and name in FILES:
            assert got.body == service.get(target, kind=kind).body
        elif code is None:
            plain = service.get(target, kind=kind)
            if include is not None and include in KINDS[kind].has:
                check_block(got, include, plain=plain)
            else:
                check_success(service, got, plain=plain, missing=include)
            check_scope(got, KINDS[kind], name=name)
        else:
            check_failure(got, code, details)


def check_failure(got: Response, code: str, details: object) -> None:
    error = got.error
    named = {"details": details} if details is not None else {}
    assert {member: error[member] for member in error if member != "message"} == {
        "code": code, "request_id": got.headers["x-request-id"], **named,
    }  # fmt: skip
    assert error["message"]
    assert list(got.read_json()) == ["error"]


def check_success(service: Service, got: Response, *, plain: Response, missing: str | None) -> None:
    """The plain answer, with a notice of what was left out."""
    body = got.read_json()
    notices = body.pop("notices", [])
    assert body == plain.read_json()
    if missing is None:
        assert notices == []
        assert got.headers["etag"] == plain.headers["etag"]
    else:
        assert [{member: notice[member] for member in notice if member != "message"} for notice in notices] == [
            {"code": "include_not_permitted", "include": missing, "param": "include", "details": permit(missing)}
        ]
        assert got.headers["etag"] != plain.headers["etag"]


def check_block(got: Response, include: str, *, plain: Response) -> None:
    """The plain answer, in which every item has the block, or a notice says that some have none."""
    body = got.read_json()
    notices = body.pop("notices", [])
    assert got.headers["etag"] != plain.headers["etag"]
    if include == "related":
        # Nothing in these worlds has a category, a place or an organization.
        assert body["data"].pop("related") == {"similar": [], "from_organization": [], "at_place": []}
        assert {(notice["code"], notice["include"]) for notice in notices} == {("related_unavailable", "related")}
        assert [notice["details"]["list"] for notice in notices] == ["similar", "from_organization", "at_place"]
        assert body == plain.read_json()
        return
    if include == "forecast":
        # This deployment has none.
        assert [(notice["code"], notice["include"]) for notice in notices] == [("forecast_unavailable", "forecast")]
        assert body == plain.read_json()
        return
    data = body["data"]
    # Nothing in these worlds has coordinates: the groups around a point are empty.
    items = data if isinstance(data, list) else [data] if "id" in data else []
    sourced = {item["id"]: item.pop(include)["url"] for item in items if include in item}
    assert body == plain.read_json()
    known = {make_id(f"{metro}-{name}"): f"https://{metro}.example/{name}" for metro in METROS for name in SOURCED}
    assert sourced == {item["id"]: known[item["id"]] for item in items if item["id"] in known}
    without = len(items) - len(sourced)
    summaries = [(notice["code"], notice["include"], notice["details"]) for notice in notices]
    assert summaries == [("source_unavailable", include, {"without": without})] * bool(without)


def check_scope(got: Response, kind: Kind, *, name: str) -> None:
    """Check that an answer has nothing of another metro, no item of another type, and no count that includes either."""
    data = got.read_json()["data"]
    if kind.metros is not None and name != "metros":
        for metro in METROS:
            assert metro in kind.metros or metro.encode() not in got.read_body()
    for item in data if isinstance(data, list) else [data]:
        for counted, number in item.get("counts", {}).items():
            assert number == 0 or kind.types is None or counted in kind.types
            assert number == 0 or item.get("accessible", True)
        listing_type = {"event": "events", "class": "classes", "camp": "camps", "place": "places"}.get(item.get("type"))
        assert listing_type is None or kind.types is None or listing_type in kind.types


@pytest.mark.parametrize("kind", ["none", "malformed", "unknown", "revoked", "expired"])
@pytest.mark.parametrize("name", READS)
def test_without_a_key_in_force_an_add_on_is_401_like_all_else(service: Service, name: str, kind: str) -> None:
    texts = {"none": None, "malformed": service.keys["all"][:-1] + "_", "unknown": "nobodys-legacy-key"}
    key = texts[kind] if kind in texts else service.keys[kind]
    for include, mode in product(INCLUDES, MODES):
        got = ask(service.edge, add_include(READS[name][0], include, mode), key=key)
        assert got.status == 401
        check_failure(got, "unauthorized", None)


@pytest.mark.parametrize("metros", [("harbor",), ("harbor", "lakeside")])
def test_a_key_of_several_metros_is_reported_of_all_of_them(service: Service, metros: tuple[str, ...]) -> None:
    key = add_keys(service.store, {"some": {"metros": metros, "types": ("camps",)}})["some"]
    service.edge.poll()
    named = {"metros": sorted(metros), "types": ["camps"]}
    check_failure(ask(service.edge, "/v1/harbor/events", key=key), "forbidden", named)


def test_facets_are_one_request_on_every_plan(service: Service) -> None:
    for plan in ("free", "standard", "partner"):
        before = service.get("/v1/harbor/events", kind=plan)
        faceted = service.get("/v1/harbor/events?facets=category,weekday,age_band&limit=0", kind=plan)
        assert faceted.status == 200
        assert faceted.read_json()["facets"]["total"] == before.read_json()["meta"]["count"]
        left = [int(entry.headers["x-ratelimit-remaining"]) for entry in (before, faceted)]
        assert left[0] - left[1] == 1
