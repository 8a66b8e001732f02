"""What a page for the operator says of a build."""

from datetime import datetime

from msgspec import Struct


class BuildRow(Struct, frozen=True, kw_only=True):
    """A build of this machine, however it ended. `outcome` is as in its report; `release`: what it published, `error`
    why it did not, `feed` the one that it could not read. Times are the machine's own."""

    outcome: str
    started_at: datetime
    seconds: float
    metros: tuple[str, ...]
    release: str | None = None
    error: str | None = None
    feed: str | None = None
