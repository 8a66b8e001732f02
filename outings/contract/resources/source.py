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


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "SourceBlock.date_health": "Whether the source's dates can be trusted; null of a place.",
    "SourceBlock.score_basis": "Whether `confidence` rests on a verification or on the data alone.",
    "SourceBlock.source_health": "Whether the source could be reached; null where nothing is stated of a visit.",
    "SourceBlock.url": "The page that the listing came from.",
    "SourceBlock.verification": "What checking it found.",
    "Verification.changed_fields": "The members that differed from the source.",
    "Verification.checked_at": "When it was checked.",
    "Verification.status": "What the check found.",
}
