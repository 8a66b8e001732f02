"""How many items one answer has at most, and which page it is."""

from outings.contract.query import Query


def read_limit(query: Query) -> int:
    """Items in one answer at most: `ids` are answered all at once."""
    if "ids" in query.values:
        most = query.match.route.parameters["ids"].most
        assert most is not None
        return most
    limit = query.get_as("limit", int)
    assert limit is not None
    return limit


def read_page(query: Query) -> int:
    return query.get_as("page", int) or 1


def count_items(query: Query) -> int:
    """At most, of `ids` as many as are named."""
    return len(query.get_words("ids")) if "ids" in query.values else read_limit(query)
