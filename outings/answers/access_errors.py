"""What a key may not read, said with what it may: `forbidden`, of a metro or of types; which metro to name."""

from collections.abc import Iterable

from outings.answers.context import AnswerContext
from outings.contract.errors import ApiError, bad_request, forbidden
from outings.contract.query import Entitlement
from outings.contract.vocabulary import COLLECTIONS


def forbidden_metro(entitlement: Entitlement, slug: str | None = None) -> ApiError:
    """`slug`: the metro that was asked for; None where a row is in metros that the key may not read."""
    metros = sorted(entitlement.metros or ())
    what = "This is in a metro that this key may not read" if slug is None else f"This key may not read {slug}"
    return forbidden(metros=metros, message=f"{what}; it may read {_list(metros)}.")


def forbidden_types(about: AnswerContext, types: Iterable[str]) -> ApiError:
    """`types` singular: those that were asked for, and are not the key's."""
    entitlement, readable = about.entitlement, about.entitlement.types or ()
    own = sorted(COLLECTIONS[each] for each in readable)
    requested = sorted(COLLECTIONS[each] for each in types)
    return forbidden(
        metros=about.release.metros if entitlement.metros is None else entitlement.metros,
        types=own,
        message=f"This key may not read {_list(requested)}; it may read {_list(own)}.",
    )


def metro_required(what: str, slugs: Iterable[str]) -> ApiError:
    """400: `what` is in each of these metros."""
    allowed = sorted(set(slugs))
    return bad_request(
        param="metro",
        reason="metro_required",
        message=f"{what} in several metros: say which with metro={allowed[0]}.",
        allowed=allowed,
        metros=allowed,
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"
