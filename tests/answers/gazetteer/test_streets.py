"""Streets and corners as they are compared."""

import pytest

from outings.answers.gazetteer.address_parsing import open_streets
from outings.contract.languages.language import read_shipped_language

ENGLISH = open_streets(read_shipped_language("en"))
SPANISH = open_streets(read_shipped_language("es"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("East 72nd Street", "E. 72 St"),
        ("Fifth Avenue", "5th Ave"),
        ("93-29 Queens Boulevard", "93 29 QUEENS BLVD."),
        ("6020 - 28th Ave NW", "6020 28th Avenue Northwest"),
        ("The High Line", "high line"),
        ("Al Quiñones Playground", "al quinones playground"),
        ("St. Mary's Park", "St Marys Park"),
    ],
)
def test_two_spellings_are_one(one: str, other: str) -> None:
    assert ENGLISH.fold_words(one) == ENGLISH.fold_words(other)


@pytest.mark.parametrize(
    ("one", "other"), [("28th Ave", "28th St"), ("1901 1st Ave W", "1901 1st Ave"), ("E Cherry St", "W Cherry St")]
)
def test_two_streets_stay_two(one: str, other: str) -> None:
    assert ENGLISH.fold_words(one) != ENGLISH.fold_words(other)


@pytest.mark.parametrize(
    ("address", "short"),
    [
        ("2323 E Cherry St", ("2323", "e", "cherry")),
        ("6020 28th Ave NW", None),  # 28th St is another street
        ("12 Broadway", None),  # nothing is left out
        ("5 Avenue Street", None),
    ],
)
def test_a_streets_kind_may_be_left_out_where_its_name_says_enough(address: str, short: tuple[str, ...] | None) -> None:
    assert ENGLISH.leave_kind(ENGLISH.fold_words(address)) == short


@pytest.mark.parametrize(
    ("text", "expected"),
    [("E 72nd Street", True), ("28th Ave NW", True), ("Bryant Park", False), ("Street", False), ("", False)],
)
def test_a_street_is_recognized_by_its_kind(text: str, expected: bool) -> None:
    assert ENGLISH.is_street(text) is expected


@pytest.mark.parametrize(
    ("text", "corners"),
    [
        (
            "Pacific St. bet. Rochester Ave. and Buffalo Ave.",
            [("pacific st", "rochester ave"), ("pacific st", "buffalo ave")],
        ),
        ("3 Ave. between 47 and 46 Streets", [("3 ave", "47 st"), ("3 ave", "46 st")]),
        ("21 St. btw 29 Ave. & 30 Ave.", [("21 st", "29 ave"), ("21 st", "30 ave")]),
        ("67 St & 5th Ave", [("67 st", "5 ave")]),
        # What bounds an area, and what is no street.
        ("Amsterdam Ave., W 151 St., W 152 St.", []),
        ("28 St., Crescent St. bet. 37 Ave. and 36 Ave.", []),
        ("Bradford Ave. bet. La Salle Ave.", []),
        ("Arts & Crafts Room", []),
        ("Bryant Park", []),
        ("", []),
    ],
)
def test_an_address_names_the_corners_of_its_block(text: str, corners: list[tuple[str, str]]) -> None:
    assert [(" ".join(one), " ".join(other)) for one, other in ENGLISH.list_corners(text)] == corners


@pytest.mark.parametrize(
    "text", ["Broadway & W 72nd St", "Broadway and West 72nd Street", "corner of Broadway at W 72 St"]
)
def test_a_corner_is_read_however_it_is_joined(text: str) -> None:
    assert ENGLISH.split_corner(text) == (("broadway",), ("w", "72", "st"))


@pytest.mark.parametrize("text", ["Broadway", "A & B & C", "& Broadway", ""])
def test_one_street_or_three_are_no_corner(text: str) -> None:
    assert ENGLISH.split_corner(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Calle Mayor 9", "C/ Mayor, 9"),
        ("Plaza de la Trinidad, 2", "Pza. Trinidad nº 2"),
        ("Avenida de Salamanca, 59", "Avda. Salamanca, núm. 59"),
        ("Calle Pino 5", "C. del Pino, 5"),
        ("Paseo Juan Carlos I, 20", "Pº Juan Carlos I 20"),
    ],
)
def test_two_spanish_spellings_are_one(one: str, other: str) -> None:
    spelled = [SPANISH.fold_words(SPANISH.join_number(text)) for text in (one, other)]
    assert spelled[0] == spelled[1]


def test_two_spanish_streets_stay_two() -> None:
    assert SPANISH.fold_words("Calle Mayor 9") != SPANISH.fold_words("Plaza Mayor 9")


@pytest.mark.parametrize(
    ("text", "is_address"),
    [("Calle Mayor 9", True), ("Museo de la Ciencia", False), ("Plaza Mayor", False), ("Cine 9", False)],
)
def test_a_spanish_address_has_a_kind_and_a_number(text: str, is_address: bool) -> None:
    assert SPANISH.is_address(text) is is_address
