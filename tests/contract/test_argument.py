from datetime import UTC, datetime

import pytest

from outings.contract.did_you_mean import find_nearest
from outings.contract.errors import ApiError
from outings.contract.parameters import PARAMETERS
from outings.contract.values import parse_argument
from outings.contract.vocabulary import Vocabulary

_A, _B = "aaaaaaaa-5d4a-4b6f-9c7d-0a1b2c3d4e5f", "bbbbbbbb-5d4a-4b6f-9c7d-0a1b2c3d4e5f"


def _parse(name: str, *texts: str) -> object:
    return parse_argument(PARAMETERS[name], texts, vocabulary=Vocabulary())


def test_ids_keep_the_order_in_which_they_were_first_sent():
    assert _parse("ids", f"{_B},{_A}", f"{_B.upper()}") == (_B, _A)


def test_ids_are_counted_without_their_doubles():
    hundred = [f"{n:08x}{_A[8:]}" for n in range(100)]
    assert _parse("ids", ",".join(hundred + hundred)) == tuple(hundred)
    with pytest.raises(ApiError) as refusal:
        _parse("ids", ",".join([*hundred, _A]))
    assert refusal.value.details == {"param": "ids", "reason": "out_of_range", "max": 100}


def test_other_arrays_are_sorted_trimmed_and_without_doubles():
    assert _parse("weekday", "sunday, monday", "sunday") == ("monday", "sunday")
    assert _parse("zip", "98102,98101") == ("98101", "98102")


def test_an_instant_is_in_utc_and_within_two_centuries():
    assert _parse("changed_since", "2026-08-10T09:00:00-07:00") == datetime(2026, 8, 10, 16, tzinfo=UTC)
    with pytest.raises(ApiError) as refusal:
        _parse("changed_since", "1899-12-31T23:59:59Z")
    assert refusal.value.details["reason"] == "out_of_range"


@pytest.mark.parametrize(
    ("text", "known", "meant"),
    [
        ("tpye", ["type", "types"], "type"),
        ("Limit", ["limit"], "limit"),
        ("zzz", ["limit"], None),
        ("", ["limit"], None),
    ],
)
def test_a_suggestion_is_a_known_word_near_by_or_none(text: str, known: list[str], meant: str | None):
    assert find_nearest(text, known) == meant
