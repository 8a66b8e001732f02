"""What each member of an answer means, in a sentence: OpenAPI and the reference page show it.

A member whose name means the same wherever it stands is said once, in `EVERYWHERE`. What a struct's own member means
stands under `Struct.member`, and wins.
"""

from outings.contract.meanings.answers import ANSWERS
from outings.contract.meanings.everywhere import EVERYWHERE
from outings.contract.meanings.listings import LISTINGS

MEANINGS = {**LISTINGS, **ANSWERS}


def describe_member(struct: str, member: str) -> str:
    """`struct` is the name of the component, `member` the name in JSON. Raises KeyError for a member without words."""
    own = MEANINGS.get(f"{struct}.{member}", EVERYWHERE.get(member))
    if own is None:
        raise KeyError(f"{struct}.{member} has no meaning: say it in outings/contract/meanings")
    return own
