"""Members that a section does not state are its class's: filters use those, and readers see what was stated."""

from pathlib import Path

import pytest

from tests.pipeline.city import City, Record

FALL = {"name": "Fall", "starts_on": "2026-09-07", "ends_on": "2026-12-11"}
WINTER = {"starts_on": "2027-01-04", "ends_on": "2027-03-05"}
WHOLE = {
    "type": "class", "source_id": "clay", "name": "Clay", "confidence": 0.9, "term": FALL, "ages": {"min": 6, "max": 9},
    "price": {"type": "fixed", "min": 20, "max": 20},
}  # fmt: skip


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> City:
    city = City(tmp_path_factory.mktemp("city"))
    city.write(
        [
            make_class("Silent", {"name": "Mondays", "schedule": {"days": ["monday"]}}),
            make_class("Named", {"term": {"name": "Second half"}}),
            make_class("Own", {"term": WINTER, "ages": {"min": 12}, "tuition": {"amount": 50}}),
            make_class("Begins", {"term": {"starts_on": "2026-10-05"}}),
        ]
    )
    city.build()
    return city


def make_class(name: str, section: Record) -> Record:
    return {**WHOLE, "source_id": name, "name": name, "sections": [{"id": "only", **section}]}


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ("from=2026-12-11", {"Silent", "Named", "Own", "Begins"}),
        ("from=2026-12-12", {"Own", "Begins"}),
        ("to=2026-09-06", set()),
        ("to=2026-09-07", {"Silent", "Named"}),
        ("starts_from=2026-09-01&starts_to=2026-09-30", {"Silent", "Named"}),
        ("starts_from=2026-10-01", {"Own", "Begins"}),
        ("weekday=monday&to=2026-09-30", {"Silent"}),
        ("age=5", set()),
        ("age=7", {"Silent", "Named", "Begins"}),
        ("age=12", {"Own"}),
        ("max_price=30", {"Silent", "Named", "Begins"}),
    ],
)
def test_a_section_has_the_term_ages_and_price_of_its_class_where_it_states_none(
    city: City, params: str, expected: set[str]
) -> None:
    assert {item["name"] for item in city.ask(f"/v1/seattle/classes?{params}")["data"]} == expected


def test_readers_see_what_was_stated(city: City) -> None:
    documents = {item["name"]: item["sections"][0] for item in city.ask("/v1/seattle/classes")["data"]}
    assert set(documents["Silent"]["term"].values()) == {None}
    assert documents["Named"]["term"]["name"] == "Second half"


def test_the_card_of_a_program_is_chosen_by_the_terms_of_its_classes(tmp_path: Path) -> None:
    city = City(tmp_path)
    late, early = make_class("Late", {"name": "a"}), make_class("Early", {"name": "b"})
    late["term"] = WINTER
    city.write([{**value, "program_key": "clay"} for value in (late, early)])
    city.build()
    (card,) = city.ask("/v1/seattle/classes")["data"]
    assert card["name"] == "Early"
