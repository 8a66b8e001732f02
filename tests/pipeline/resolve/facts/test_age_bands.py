"""Age bands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.resources.shared import AgeRange, Ages
from pipeline.resolve.facts.age_bands import complete_ages, list_bands

ALL = ("baby", "toddler", "young_kids", "bigger_kids", "teens")


@pytest.mark.parametrize(
    ("low", "high", "bands"),
    [
        (None, None, ()),
        (0, 0, ("baby",)),
        (0, None, ALL),
        (None, 0, ("baby",)),
        (1, 1, ("baby", "toddler")),
        (2, 3, ("toddler",)),
        (3, 5, ("toddler", "young_kids")),
        (4, 6, ("young_kids",)),
        (6, 7, ("young_kids", "bigger_kids")),
        (7, 12, ("bigger_kids",)),
        (12, 13, ("bigger_kids", "teens")),
        (13, 17, ("teens",)),
        (18, None, ("teens",)),
        (19, None, ()),
        (21, 99, ()),
        (None, 3, ("baby", "toddler")),
        (5, None, ("young_kids", "bigger_kids", "teens")),
        (0, 99, ALL),
    ],
)
def test_a_range_is_in_every_band_that_it_overlaps(low: int | None, high: int | None, bands: tuple[str, ...]) -> None:
    assert list_bands(low, high) == bands


ENDS = st.one_of(st.none(), st.integers(0, 99))
YEARS = {
    "baby": {0, 1}, "toddler": {1, 2, 3}, "young_kids": {4, 5, 6}, "bigger_kids": {7, 8, 9, 10, 11, 12},
    "teens": {13, 14, 15, 16, 17, 18},
}  # fmt: skip


@given(ENDS, ENDS)
def test_a_band_is_given_when_one_of_its_years_fits(low: int | None, high: int | None) -> None:
    fitting = {age for age in range(100) if (low is None or low <= age) and (high is None or age <= high)}
    stated = low is not None or high is not None
    assert list_bands(low, high) == tuple(band for band in ALL if stated and YEARS[band] & fitting)


@pytest.mark.parametrize(
    ("audience", "stated"),
    [("adults", "adults"), ("kids", None), ("families", None), ("teens", None), ("all_ages", None)],
)
def test_ages_name_an_audience_only_where_it_is_adults(audience: str, stated: str | None) -> None:
    ages = complete_ages(AgeRange(min=0, max=None, text="all"), audience=audience)
    assert ages == Ages(min=0, max=None, text="all", audience=stated, bands=ALL)
