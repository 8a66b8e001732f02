"""What OpenAPI tells of members beside their types: texts of a known form, and what a member means. Nothing of it is
checked when a resource is made."""

from typing import Annotated

from msgspec import Meta

from outings.contract import vocabulary


def means(sentence: str) -> Meta:
    """What a member means. Left out where `contract/meanings.py` says it of every member of its name."""
    return Meta(description=sentence)


def one_of(*words: str) -> Meta:
    return Meta(extra_json_schema={"enum": list(words)})


def _of_deployment(name: str) -> Meta:
    """Words that the deployment may replace: a member of `Vocabulary`, which OpenAPI puts in its place."""
    return Meta(extra_json_schema={"x-vocabulary": name})


def _written_as(pattern: str, *, example: str) -> Meta:
    return Meta(extra_json_schema={"pattern": f"^{pattern}$", "examples": [example]})


_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}"

Id = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]
Instant = Annotated[
    str,
    Meta(
        extra_json_schema={"format": "date-time", "pattern": f"^{_DAY}T{_TIME}Z$", "examples": ["2026-08-10T16:00:00Z"]}
    ),
]
Local = Annotated[str, _written_as(f"{_DAY}T{_TIME}", example="2026-08-10T09:00:00")]
Clock = Annotated[str, _written_as(_TIME, example="09:00:00")]
Currency = Annotated[str, _written_as("[A-Z]{3}", example="USD")]

ListingType = Annotated[str, one_of(*vocabulary.TYPES)]
# A draft is never shown.
Status = Annotated[str, one_of("published", "archived")]
Audience = Annotated[str, one_of(*vocabulary.AUDIENCES)]
AgeBand = Annotated[str, one_of(*vocabulary.AGE_BANDS)]
Weekday = Annotated[str, one_of(*vocabulary.WEEKDAYS)]
PriceType = Annotated[str, one_of(*vocabulary.PRICE_TYPES)]
PriceScope = Annotated[str, one_of(*vocabulary.PRICE_SCOPES)]
PriceUnit = Annotated[str, one_of(*vocabulary.PRICE_UNITS)]
RegistrationStatus = Annotated[str, one_of(*vocabulary.REGISTRATION_STATUSES)]
ScheduleType = Annotated[str, one_of(*vocabulary.SCHEDULE_TYPES)]
EnrollmentType = Annotated[str, one_of(*vocabulary.ENROLLMENT_TYPES)]
VerificationStatus = Annotated[str, one_of(*vocabulary.VERIFICATION_STATUSES)]
ScoreBasis = Annotated[str, one_of(*vocabulary.SCORE_BASES)]
DateHealth = Annotated[str, one_of(*vocabulary.DATE_HEALTHS)]
SourceHealth = Annotated[str, one_of(*vocabulary.SOURCE_HEALTHS)]
CampType = Annotated[str, one_of(*vocabulary.CAMP_TYPES)]

Category = Annotated[str, _of_deployment("categories")]
Season = Annotated[str, _of_deployment("seasons")]
Occasion = Annotated[str, _of_deployment("occasions")]
Team = Annotated[str, _of_deployment("teams")]
TypeHint = Annotated[str, _of_deployment("type_hints")]
