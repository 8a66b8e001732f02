"""Problems of a feed, kept with the release, so that a build that need not read it again still reports them."""

from collections.abc import Sequence

import msgspec

from outings.release.objects import put_object, read_object
from outings.release.store import Store
from pipeline.records.record import Problem


def put_problems(store: Store, problems: Sequence[Problem]) -> str | None:
    """The object's hash; None when there is nothing to keep."""
    return put_object(store, msgspec.json.encode(problems)) if problems else None


def read_problems(store: Store, sha: str | None) -> tuple[Problem, ...]:
    return () if sha is None else msgspec.json.decode(read_object(store, sha), type=tuple[Problem, ...])
