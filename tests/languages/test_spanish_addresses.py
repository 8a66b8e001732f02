"""Addresses as people in a Spanish city type them: each is found by what the agenda itself says."""

import pytest
from starlette.testclient import TestClient

pytestmark = pytest.mark.xdist_group("languages")  # one worker builds the city

TEATRO, BIBLIOTECA, ARMUNA = (41.65219, -4.72856), (41.65608, -4.73124), (41.62713, -4.74019)
MUSEO = (41.63768, -4.74605)


@pytest.mark.parametrize(
    ("address", "point"),
    [
        ("Plaza Mayor, 9", TEATRO),
        ("plaza mayor 9 valladolid", TEATRO),
        ("Pza. Mayor nº 9, 47001 Valladolid", TEATRO),
        ("Teatro Zorrilla", TEATRO),
        ("Plaza de la Trinidad 2", BIBLIOTECA),
        ("plaza trinidad, 2, Valladolid, España", BIBLIOTECA),
        ("C/ Armuña, 3", ARMUNA),
        ("calle armuna 3", ARMUNA),
        ("Armuña 3", ARMUNA),
        ("Avda. de Salamanca, núm. 59", MUSEO),
    ],
)
def test_an_address_is_found_however_it_is_written(
    valladolid: TestClient, address: str, point: tuple[float, float]
) -> None:
    answer = valladolid.get("/v1/valladolid/around", params={"address": address})
    assert answer.status_code == 200, answer.text
    center = answer.json()["data"]["location"]
    assert (center["lat"], center["lng"]) == pytest.approx(point, abs=1e-5)


@pytest.mark.parametrize("address", ["Calle Mayor 9", "Plaza Mayor 10", "Calle Armuña"])
def test_a_house_that_nothing_names_is_not_guessed(valladolid: TestClient, address: str) -> None:
    answer = valladolid.get("/v1/valladolid/around", params={"address": address})
    assert (answer.status_code, answer.json()["error"]["details"]["param"]) == (400, "address")
