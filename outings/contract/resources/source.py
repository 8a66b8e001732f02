"""The source block of `include=source`: where a listing came from, and what checking it found."""

from typing import Annotated

from outings.contract.resources.shared import Member
from outings.contract.resources.words import DateHealth, Instant, ScoreBasis, SourceHealth, VerificationStatus, means


class Verification(Member, frozen=True, kw_only=True):
    status: Annotated[VerificationStatus | None, means("What the check found.")]
    checked_at: Annotated[Instant | None, means("When it was checked.")]
    changed_fields: Annotated[tuple[str, ...], means("The members that differed from the source.")]


class SourceBlock(Member, frozen=True, kw_only=True):
    """`date_health` is null of a place, which has no dates, and `source_health` where nothing is stated of a visit."""

    url: Annotated[str | None, means("The page that the listing came from.")]
    crawled_at: Instant | None
    score_basis: Annotated[ScoreBasis, means("Whether `confidence` rests on a verification or on the data alone.")]
    verification: Annotated[Verification, means("What checking it found.")]
    date_health: Annotated[DateHealth | None, means("Whether the source's dates can be trusted; null of a place.")]
    source_health: Annotated[
        SourceHealth | None, means("Whether the source could be reached; null where nothing is stated of a visit.")
    ]
