"""What each member of an answer means, in a sentence: OpenAPI and the reference page show it.

A member whose name means the same wherever it stands is said once, in `EVERYWHERE`. What a struct's own member means
stands under `Struct.member` in `MEANINGS` of the struct's module, and wins.
"""

import sys
from collections.abc import Mapping

from msgspec import Struct

from outings.contract.meanings.everywhere import EVERYWHERE


def describe_member(struct: type[Struct], member: str) -> str:
    """`member`: the name in JSON. Raises KeyError for a member without words."""
    of_module: Mapping[str, str] = getattr(sys.modules[struct.__module__], "MEANINGS", {})
    meaning = of_module.get(f"{struct.__name__}.{member}", EVERYWHERE.get(member))
    if meaning is None:
        place = struct.__module__.replace(".", "/")
        raise KeyError(f"{struct.__name__}.{member} has no meaning: say it in MEANINGS of {place}.py")
    return meaning
