"""Source ids of records that one item of a feed says together."""

# Between the id of a listing and what tells its parts apart.
PART = "#"


def find_item(source_id: str) -> str:
    """The item whose record this is, or whose part."""
    return source_id.partition(PART)[0]
