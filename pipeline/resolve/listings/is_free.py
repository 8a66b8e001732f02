"""Whether a price is free, as follows from what is stated of it. `records/kinds.py` reads prices."""

import msgspec

from outings.contract.resources.shared import Price


def derive_is_free(price: Price) -> Price:
    """With `is_free`: true when `type` is `free` or `max` is 0, false when `min` is above 0, else not known.

    What a feed says of `is_free` itself is not read: the three members must not contradict it.
    """
    is_free = None
    if price.type == "free" or price.max == 0:
        is_free = True
    elif price.min is not None and price.min > 0:
        is_free = False
    return msgspec.structs.replace(price, is_free=is_free)
