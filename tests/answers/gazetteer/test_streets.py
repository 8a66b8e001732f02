"""Streets and corners as they are compared."""

import pytest

from outings.answers.gazetteer.streets import fold_words, is_street, leave_kind, list_corners, split_corner


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
    assert fold_words(one) == fold_words(other)


@pytest.mark.parametrize(
    ("one", "other"), [("28th Ave", "28th St"), ("1901 1st Ave W", "1901 1st Ave"), ("E Cherry St", "W Cherry St")]
)
def test_two_streets_stay_two(one: str, other: str) -> None:
    assert fold_words(one) != fold_words(other)


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
    assert leave_kind(fold_words(address)) == short


@pytest.mark.parametrize(
    ("text", "expected"),
    [("E 72nd Street", True), ("28th Ave NW", True), ("Bryant Park", False), ("Street", False), ("", False)],
)
def test_a_street_is_told_by_its_kind(text: str, expected: bool) -> None:
    assert is_street(text) is expected


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
    assert [(" ".join(one), " ".join(other)) for one, other in list_corners(text)] == corners


@pytest.mark.parametrize(
    "text", ["Broadway & W 72nd St", "Broadway and West 72nd Street", "corner of Broadway at W 72 St"]
)
def test_a_corner_is_read_however_it_is_joined(text: str) -> None:
    assert split_corner(text) == (("broadway",), ("w", "72", "st"))


@pytest.mark.parametrize("text", ["Broadway", "A & B & C", "& Broadway", ""])
def test_one_street_or_three_are_no_corner(text: str) -> None:
    assert split_corner(text) is None
