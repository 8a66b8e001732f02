"""Searches as parents in a Spanish city type them. What each should find was judged by hand, from the city's agenda."""

from typing import Any

import pytest
from starlette.testclient import TestClient

pytestmark = pytest.mark.xdist_group("languages")  # one worker builds the city

# Short names of the agenda's listings.
CUENTACUENTOS = "Cuentacuentos: «Historias del niño que no quería dormir»"
BEBECUENTOS, QUIJOTE = "Bebecuentos", "Lectura en voz alta: El Quijote para niños"
GATO, CORO, LOBO = "El gato con botas", "Encuentro de coros infantiles", "Concierto didáctico: Pedro y el lobo"
MUSICA, CINE, CAMPAMENTO = "Música para bebés", "Cine infantil: «El niño y la bestia»", "Campamento urbano de Navidad"
CABALGATA, GYMKHANA, BELEN = "Cabalgata de Reyes Magos", "Gymkhana de los Reyes", "Belén viviente"
MERCADO, DINOSAURIOS = "Mercado navideño", "Exposición «Los dinosaurios de Castilla y León»"
PLANETARIO, ASTRONOMIA = "Planetario: «Polaris, el submarino espacial»", "Astronomía: lluvia de las gemínidas"
ROBOTICA, COCINA = "Taller de robótica con piezas", "Taller de cocina: galletas de jengibre"
AJEDREZ, DANZA, COMIC = "Taller de ajedrez para principiantes", "Danza en familia", "Taller de cómic"
HIELO, TITERES, CIRCO = "Aprende a patinar sobre hielo", "Títeres de cachiporra", "Circo: «Gran Reserva»"
HUERTO, RUTA, SILVESTRE = "Huerto escolar abierto", "Ruta ornitológica por el Campo Grande", "San Silvestre infantil"
MUSEO, TAPAS = "Visita guiada en familia al museo", "Cuentos y tapas; una mañana en el mercado"

# The query; what comes first; what else is right to come.
SEARCHES = [
    ("cuentacuentos", CUENTACUENTOS, {BEBECUENTOS, QUIJOTE, GATO, TAPAS}),
    ("cuentos para niños de 4 años", CUENTACUENTOS, {GATO}),
    ("música para bebés", MUSICA, {LOBO, CORO}),
    ("títeres", TITERES, set()),
    ("marionetas", TITERES, set()),
    ("cine para niños", CINE, set()),
    ("películas infantiles gratis", CINE, set()),
    ("patinaje sobre hielo", HIELO, set()),
    ("patinar", HIELO, set()),
    ("campamento de navidad", CAMPAMENTO, {BELEN, MERCADO, CABALGATA}),
    ("campamento urbano navidad 5 años", CAMPAMENTO, set()),
    ("cabalgata de reyes", CABALGATA, {GYMKHANA}),
    ("reyes magos", CABALGATA, {GYMKHANA}),
    ("belén", BELEN, {MERCADO, CAMPAMENTO, CABALGATA}),
    ("mercadillo navideño", MERCADO, set()),
    ("dinosaurios", DINOSAURIOS, set()),
    ("planetario", PLANETARIO, {ASTRONOMIA}),
    ("ver las estrellas con niños", PLANETARIO, {ASTRONOMIA}),
    ("robótica niños 9 años", ROBOTICA, set()),
    ("taller de cocina", COCINA, {TAPAS}),
    ("hacer galletas", COCINA, set()),
    ("ajedrez", AJEDREZ, set()),
    ("concierto en familia", LOBO, {MUSICA, CORO, GATO}),
    ("danza para niñas de 5 años", DANZA, set()),
    ("circo", CIRCO, set()),
    ("talleres de cómic para adolescentes", COMIC, set()),
    ("carrera infantil san silvestre", SILVESTRE, set()),
    ("excursión para ver pájaros", RUTA, set()),
    ("huerto", HUERTO, set()),
    ("lectura en voz alta", QUIJOTE, set()),
    ("talleres biblioteca", CUENTACUENTOS, {QUIJOTE, BEBECUENTOS, COMIC}),
    ("navidad", CAMPAMENTO, {BELEN, MERCADO, CABALGATA}),
    ("coro", CORO, set()),
    ("galetas", COCINA, set()),
    ("cuentos en delicias", CUENTACUENTOS, {QUIJOTE, BEBECUENTOS, GATO, TAPAS}),
]
WINTER = {"from": "2026-12-01", "to": "2027-02-28", "limit": "50"}


def search(client: TestClient, q: str, **params: str) -> Any:
    response = client.get("/v1/valladolid/search", params={"q": q, **WINTER, **params})
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize(("q", "first", "others"), SEARCHES, ids=[value[0] for value in SEARCHES])
def test_a_parent_finds_what_was_meant(valladolid: TestClient, q: str, first: str, others: set[str]) -> None:
    names = [item["name"] for item in search(valladolid, q)["data"]]
    assert names[:1] == [first]
    assert set(names[1:]) <= others


def test_where_it_is_completes_a_match_in_auto(valladolid: TestClient) -> None:
    assert search(valladolid, "museo de la ciencia")["data"] == []
    names = [item["name"] for item in search(valladolid, "museo de la ciencia", match="auto")["data"]]
    assert names[0] == MUSEO


@pytest.mark.parametrize(
    ("q", "low", "high", "fits", "does_not_fit"),
    [
        ("talleres para niños de 6 a 12 años", 6, 12, AJEDREZ, BEBECUENTOS),
        ("actividades para mayores de 8 años", 8, None, RUTA, BEBECUENTOS),
        ("planes con bebés", 0, 1, MUSICA, AJEDREZ),
        ("menores de 3 años", 0, 2, BEBECUENTOS, AJEDREZ),
        ("¿dónde puedo llevar a mi hija de 3 años el sábado por la mañana?", 3, 3, CUENTACUENTOS, ROBOTICA),
        ("actividades para un niño de 7", 7, 7, AJEDREZ, BEBECUENTOS),
        ("planes para un bebé de 18 meses", 1, 1, BEBECUENTOS, AJEDREZ),
    ],
)
def test_an_age_is_a_filter(
    valladolid: TestClient, q: str, low: int, high: int | None, fits: str, does_not_fit: str
) -> None:
    body = search(valladolid, q)
    age = body["meta"]["interpreted"]["age"]
    assert (age["min"], age["max"]) == (low, high)
    names = {item["name"] for item in body["data"]}
    assert fits in names
    assert does_not_fit not in names


def test_what_is_for_adults_alone_is_not_shown_to_families(valladolid: TestClient) -> None:
    assert search(valladolid, "monólogos")["data"] == []
    page = valladolid.get("/v1/valladolid/events", params={**WINTER, "audience": "adults"}).json()["data"]
    assert "Monólogos: noche golfa" in {item["name"] for item in page}


def test_words_that_do_not_count_are_named(valladolid: TestClient) -> None:
    assert search(valladolid, "circo gratis el sábado por la tarde")["meta"]["ignored_words"] == [
        "gratis", "sábado", "tarde",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("q", "ignored"),
    [
        ("papá noel", []), ("taller de papá noel", []), ("el niño y la bestia", []), ("cine el niño", []),
        ("cuentos para el niño", ["niño"]), ("cuentos con papá", ["papá"]),
    ],
)  # fmt: skip
def test_a_name_with_a_word_for_who_comes_is_no_audience(valladolid: TestClient, q: str, ignored: list[str]) -> None:
    for match in ("auto", "all_terms"):
        assert search(valladolid, q, match=match)["meta"]["ignored_words"] == ignored


def test_a_query_of_filler_words_alone_is_refused(valladolid: TestClient) -> None:
    answer = valladolid.get("/v1/valladolid/search", params={"q": "cosas que hacer este fin de semana en Valladolid"})
    assert (answer.status_code, answer.json()["error"]["details"]["reason"]) == (400, "nothing_searchable")


def test_calendar_and_filters_are_in_the_citys_zone(valladolid: TestClient) -> None:
    """22:00 in Madrid is 21:00 UTC, and 0:30 belongs to the next day."""
    night = valladolid.get("/v1/valladolid/events", params={"from": "2026-12-13", "to": "2026-12-13", "limit": "50"})
    items = {item["name"]: item for item in night.json()["data"]}
    assert items[ASTRONOMIA]["starts_at"] == "2026-12-13T21:00:00Z"
    late = valladolid.get(
        "/v1/valladolid/events",
        params={"from": "2026-12-13", "to": "2026-12-13", "start_after": "21:30", "limit": "50"},
    )
    assert [item["name"] for item in late.json()["data"]] == [ASTRONOMIA]
    december = {"from": "2026-12-01", "to": "2026-12-31"}
    month = valladolid.get("/v1/valladolid/events/calendar", params=december).json()["data"]
    days = {item["date"]: item["count"] for item in month}
    assert days["2026-12-13"] == len(items)
