"""The values in effect → what they ask of a snapshot."""

from datetime import date

from outings.answers.filters import make_conditions
from outings.answers.opened import Opened
from outings.answers.sql import Selection
from outings.answers.window import Settled
from outings.contract.query import Query
from outings.contract.vocabulary import Vocabulary


def knows_cards(query: Query) -> bool:
    """Whether a program of several listings is one item: not where they are named, mirrored, or asked one by one."""
    return not query.values.keys() & {"ids", "changed_since"} and "sessions" not in query.get_words("expand")


def select_listings(
    listing_type: str,
    settled: Settled,
    *,
    opened: Opened,
    vocabulary: Vocabulary,
    today: date,
    has_cards: bool = True,
) -> Selection:
    conditions = make_conditions(listing_type, settled.values, vocabulary)
    return Selection(
        type=listing_type,
        conditions=conditions,
        start=settled.get_date("from") or today,
        rows=opened.find_rows(conditions.numbered, listing_type),
        has_cards=has_cards,
        by_update="changed_since" in settled.values,
    )
