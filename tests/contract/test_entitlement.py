from hypothesis import given
from hypothesis import strategies as st

from outings.contract.query import Entitlement

_names = st.none() | st.frozensets(st.sampled_from(["seattle", "new-york", "event", "class", "camp", "place"]))
_entitlements = st.builds(
    Entitlement, metros=_names, types=_names, addons=st.frozensets(st.sampled_from(["source", "forecast", "related"]))
)


def test_an_entitlement_without_bounds_allows_every_metro_and_type_and_no_addon():
    every = Entitlement()
    assert every.allows_metro("seattle")
    assert every.allows_type("camp")
    assert not every.allows_addon("source")


def test_an_entitlement_allows_what_it_names_and_nothing_else():
    some = Entitlement(metros=frozenset({"seattle"}), types=frozenset({"event"}), addons=frozenset({"source"}))
    assert some.allows_metro("seattle")
    assert not some.allows_metro("new-york")
    assert some.allows_type("event")
    assert not some.allows_type("class")
    assert some.allows_addon("source")
    assert not some.allows_addon("forecast")


def test_no_metro_at_all_is_not_every_metro():
    assert not Entitlement(metros=frozenset()).allows_metro("seattle")


@given(_entitlements, _entitlements)
def test_two_entitlements_have_one_digest_exactly_when_they_allow_the_same(one: Entitlement, other: Entitlement):
    assert (one.digest == other.digest) == (one == other)
