"""What a metro keeps for its next build, without what is withdrawn: its delta state, and the records that it lends."""

from operator import is_
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import Manifest
from outings.release.snapshot import Snapshot
from outings.release.store import Corrupt, Store
from pipeline.clean.withdrawn_records import WithdrawalMatcher, strip_records
from pipeline.publish.metro_plan import MetroPlan
from pipeline.resolve.delta_state import DeltaState, encode_delta_state, keep_delta_state, parse_delta_state
from pipeline.resolve.foreign_organizations import SharedState, read_shared_state
from pipeline.tables.vectors import keep_vectors
from pipeline.tables.zips import carry_centroids


class MetroState(Struct, frozen=True, kw_only=True):
    """`has_moved`: whether it had something of what is withdrawn."""

    delta_state: DeltaState
    spanning: SharedState
    has_moved: bool


def plan_kept(manifest: Manifest, snapshot: Snapshot, **plan: Any) -> MetroPlan:
    """For the listings of a release as it has them. `plan`: what is not that release's."""
    return MetroPlan(
        metro=manifest.metro, vocabulary=manifest.vocabulary, related=manifest.related, language=manifest.language,
        model=keep_vectors(snapshot), centroids=carry_centroids(snapshot), **plan,
    )  # fmt: skip


def strip_kept(store: Store, manifest: Manifest, taken: WithdrawalMatcher) -> MetroState:
    """What can't be read is left out, as the next build does. That also asks other metros anew."""
    delta_state, spanning = keep_delta_state(store, manifest.delta_state), read_shared_state(store, manifest)
    if not taken:
        return MetroState(delta_state=delta_state, spanning=spanning, has_moved=False)
    records, lent = (
        _strip(data, taken, vocabulary=manifest.vocabulary) for data in (delta_state.records, spanning.lent)
    )  # fmt: skip
    return MetroState(
        delta_state=DeltaState(records, delta_state.torn),
        spanning=SharedState(lent=lent, torn=spanning.torn),
        has_moved=records != delta_state.records or lent != spanning.lent,
    )


def _strip(data: bytes | None, taken: WithdrawalMatcher, *, vocabulary: Vocabulary) -> bytes | None:
    try:
        state = None if data is None else parse_delta_state(data)
    except (Corrupt, msgspec.DecodeError):
        return None
    if state is None:
        return None
    remaining = strip_records(state.records, taken)
    unchanged = len(remaining) == len(state.records) and all(map(is_, remaining, state.records))
    return data if unchanged else encode_delta_state(remaining, words=state.words, vocabulary=vocabulary)
