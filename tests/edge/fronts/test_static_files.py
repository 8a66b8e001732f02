"""`build/nginx/static.conf`: the static files under the addresses of the API, with no server of ours."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import date

import pytest

from outings.configuration.tables import StaticTable
from pipeline.static.hosts import FolderHost
from pipeline.static.publishing import publish_static
from tests.conftest import ROOT
from tests.edge.fronts.fronting import start_configuration
from tests.pipeline.city import City, make_event, make_place
from tests.ports import find_free_port

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("fronts")]

DAY = "2026-08-10"


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> City:
    """A city with a tree in `tree`, beside which lies a file that is not public."""
    city = City(tmp_path_factory.mktemp("city"))
    events = [make_event(f"e{number}") for number in range(60)]
    city.write([*events, *(make_place(f"p{number}") for number in range(5))])
    city.build()
    publish_static(
        city.store, StaticTable(url="file:tree"), host=FolderHost(city.folder / "tree"), cache=city.cache,
        read_date=lambda _: date.fromisoformat(DAY),
    )  # fmt: skip
    (city.folder / "secret.json").write_text("{}")
    return city


@pytest.fixture(scope="module")
def address(city: City) -> Iterator[str]:
    folder, port = city.folder / "nginx", find_free_port()
    folder.mkdir()
    text = (ROOT / "build/nginx/static.conf").read_text()
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("/srv/public", str(city.folder / "tree"))
    (folder / "outings.conf").write_text(f"access_log off;\n{text}")
    nginx = start_configuration(folder, port)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        nginx.process.terminate()
        nginx.process.wait(timeout=30)


def test_a_listed_request_gets_the_apis_body_at_the_apis_address(city: City, address: str) -> None:
    index = json.loads((city.folder / "tree/v1/index.json").read_bytes())
    requests = [each["request"] for each in (*index["requests"], *index["metros"]["seattle"]["requests"])]
    for request in requests[:: max(1, len(requests) // 100)]:
        with urllib.request.urlopen(address + request, timeout=30) as reply:
            assert reply.headers["content-type"] == "application/json"
            assert reply.headers["cache-control"] == "public, max-age=60"
            assert reply.headers["access-control-allow-origin"] == "*"
            assert reply.read() == city.ask_bytes(request, day=DAY), request


@pytest.mark.parametrize(
    "target",
    [
        "/v1/boston/events",
        "/v1/seattle/events?category=zoo",
        "/v1/seattle/events?page=99",
        "/v1/seattle/events?../../../../secret",
        "/v1/seattle/events?/../../../../secret",
        "/v1/seattle/events?x=%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret",
        "/v1/../../secret",
        "/..%2fsecret.json",
    ],
)
def test_whatever_has_no_file_is_not_found(address: str, target: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address + target, timeout=30)
    with refused.value as reply:
        body = reply.read()
    assert refused.value.code in (400, 404)
    if refused.value.code == 404:
        assert json.loads(body)["error"]["code"] == "not_found"
