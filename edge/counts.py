"""How often an answer came from where, since this process began."""

from msgspec import Struct


class Counts(Struct):
    """`computed`: by a query of the engine. `documents`: a detail from its pack. `objects`: written ahead.

    `remembered`: one of these again, from memory or from the one being made. `not_modified`: 304.
    """

    computed: int = 0
    documents: int = 0
    objects: int = 0
    remembered: int = 0
    not_modified: int = 0
