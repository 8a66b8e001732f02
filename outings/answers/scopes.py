"""What a key may not read, said with what it may: `forbidden`, of a metro or of types."""

from collections.abc import Iterable

from outings.answers.context import Circumstances
from outings.contract.entitlement import Entitlement
from outings.contract.errors import ApiError, forbidden
from outings.contract.vocabulary import COLLECTIONS


def refuse_metro(entitlement: Entitlement, slug: str | None = None) -> ApiError:
    """`slug`: the metro that was asked for; None where a row is in metros that the key may not read."""
    metros = sorted(entitlement.metros or ())
    what = "This is in a metro that this key may not read" if slug is None else f"This key may not read {slug}"
    return forbidden(metros=metros, message=f"{what}; it may read {_list(metros)}.")


def refuse_types(about: Circumstances, types: Iterable[str]) -> ApiError:
    """`types` singular: those that were asked for, and are not the key's."""
    entitlement, readable = about.entitlement, about.entitlement.types or ()
    own = sorted(COLLECTIONS[each] for each in readable)
    asked = sorted(COLLECTIONS[each] for each in types)
    return forbidden(
        metros=about.release.metros if entitlement.metros is None else entitlement.metros,
        types=own,
        message=f"This key may not read {_list(asked)}; it may read {_list(own)}.",
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"
