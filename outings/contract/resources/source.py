"""The source block of `include=source`: where a listing came from, and what checking it found."""

from outings.contract.resources.shared import Member
from outings.contract.resources.words import DateHealth, Instant, ScoreBasis, SourceHealth, VerificationStatus


class Verification(Member, frozen=True, kw_only=True):
    status: VerificationStatus | None
    checked_at: Instant | None
    changed_fields: tuple[str, ...]


class SourceBlock(Member, frozen=True, kw_only=True):
    """`date_health` is null of a place, which has no dates, and `source_health` where nothing is stated of a visit."""

    url: str | None
    crawled_at: Instant | None
    score_basis: ScoreBasis
    verification: Verification
    date_health: DateHealth | None
    source_health: SourceHealth | None
