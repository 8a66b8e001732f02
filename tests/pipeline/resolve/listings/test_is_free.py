"""When a price is free."""

import pytest

from outings.contract.resources.shared import Price
from pipeline.resolve.listings.columns import derive_is_free


@pytest.mark.parametrize(
    ("price", "is_free"),
    [
        (Price(), None),
        (Price(type="free"), True),
        (Price(type="free", min=5), True),
        (Price(max=0), True),
        (Price(min=0, max=0), True),
        (Price(min=0), None),
        (Price(min=0, max=10), None),
        (Price(min=0.01), False),
        (Price(min=5, max=10), False),
        (Price(max=10), None),
        (Price(type="donation"), None),
        (Price(type="varies", min=5), False),
        (Price(type="unknown"), None),
        (Price(min=5, is_free=True), False),
        (Price(is_free=True), None),
        (Price(type="free", is_free=False), True),
    ],
)
def test_free_follows_from_type_and_amounts_and_else_is_unknown(price: Price, is_free: bool | None) -> None:
    assert derive_is_free(price).is_free is is_free


def test_the_rest_stays_as_stated() -> None:
    price = Price(type="range", min=5, max=10, scope="session", note="cash", unit="per_child", currency="USD")
    assert derive_is_free(price) == Price(
        type="range", min=5, max=10, scope="session", note="cash", unit="per_child", currency="USD", is_free=False
    )
