"""Calendar months in UTC, by number: 12 × year + month - 1. Times in microseconds."""

from datetime import UTC, datetime

SECOND = 1_000_000


def find_month(now: int) -> int:
    when = datetime.fromtimestamp(now // SECOND, UTC)
    return 12 * when.year + when.month - 1


def find_beginning(month: int) -> int:
    return int(datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC).timestamp()) * SECOND
