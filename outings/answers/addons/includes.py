"""Which add-ons an answer attaches: those that `include` names and that the key has. None of them is in a document."""

from outings.answers.context import AnswerContext
from outings.contract.query import Query


def list_addons(query: Query, about: AnswerContext) -> tuple[str, ...]:
    """Of those that the key has not the edge gives notice."""
    words = query.get_words("include")
    if not words:
        return ()
    return tuple(each for each in words if about.entitlement.allows_addon(each))
