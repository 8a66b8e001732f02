from datetime import date, timedelta

import pytest

from outings.contract.errors import ApiError
from outings.contract.query import check_window

_START = date(2026, 8, 10)


@pytest.mark.parametrize(("days_after", "most"), [(0, 366), (366, 366), (61, 61), (30, 30)])
def test_a_window_up_to_its_bound_passes(days_after: int, most: int):
    assert check_window(_START, _START + timedelta(days=days_after), most_days_after=most) is None


@pytest.mark.parametrize(
    ("days_after", "most", "reason"),
    [(-1, 366, "contradictory"), (367, 366, "window_too_long"), (62, 61, "window_too_long")],
)
def test_a_window_past_its_bound_is_refused_by_its_end(days_after: int, most: int, reason: str):
    with pytest.raises(ApiError) as refusal:
        check_window(_START, _START + timedelta(days=days_after), most_days_after=most)
    assert refusal.value.details["param"] == "to"
    assert refusal.value.details["reason"] == reason
