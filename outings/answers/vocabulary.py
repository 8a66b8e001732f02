"""`/v1/vocabulary`: the values of each vocabulary with their labels in a language."""

import msgspec

from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.contract import vocabulary as fixed
from outings.contract.envelope import encode_detail
from outings.contract.languages.language import name_value
from outings.contract.query import Query
from outings.contract.resources.directories import Vocabularies, VocabularyWord

# Vocabularies that are the same in every deployment. The others are the fields of `Vocabulary`.
_FIXED = {
    "types": fixed.TYPES, "audiences": fixed.AUDIENCES, "age_bands": tuple(fixed.AGE_BANDS),
    "weekdays": fixed.WEEKDAYS, "time_blocks": tuple(fixed.TIME_BLOCKS), "price_bands": tuple(fixed.PRICE_BANDS),
    "enrollment_types": fixed.ENROLLMENT_TYPES, "registration_statuses": fixed.REGISTRATION_STATUSES,
}  # fmt: skip


def plan_vocabulary(query: Query, context: AnswerContext) -> AnswerPlan:
    """Plan the answer. All metros of a release have the same vocabulary."""
    known = next((snapshot.vocabulary for snapshot in context.release.metros.values()), fixed.Vocabulary())
    language = str(query.get("language"))
    named = {
        name: tuple(VocabularyWord(value=value, label=name_value(value, language)) for value in values)
        for name, values in {**msgspec.structs.asdict(known), **_FIXED}.items()
    }
    document = msgspec.json.encode(Vocabularies(language=language, vocabularies=named))
    body = encode_detail(document, notices=query.notices)
    return AnswerPlan(make_tag(b"".join(body).decode()), lambda: body, is_quick=True)
