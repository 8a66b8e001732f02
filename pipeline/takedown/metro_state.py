"""What a metro keeps for its next build, without what is withdrawn: records that stand, and those that it lends."""

import msgspec
from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import Manifest
from outings.release.objects import Corrupt
from outings.release.store import Store
from pipeline.foreign_organizations import SharedState, read_shared_state
from pipeline.objects.delta_state import DeltaState, encode_delta_state, keep_delta_state, parse_delta_state
from pipeline.takedown.marks import WithdrawalMatcher
from pipeline.takedown.records import strip_records


class MetroState(Struct, frozen=True, kw_only=True):
    """`has_moved`: whether it had something of what is withdrawn."""

    standing: DeltaState
    spanning: SharedState
    has_moved: bool


def strip_kept(store: Store, manifest: Manifest, taken: WithdrawalMatcher) -> MetroState:
    """What can't be read is left out, as the next build does. That also asks other metros anew."""
    standing, spanning = keep_delta_state(store, manifest.standing), read_shared_state(store, manifest)
    if not taken:
        return MetroState(standing=standing, spanning=spanning, has_moved=False)
    records, lent = (
        _strip(data, taken, vocabulary=manifest.vocabulary) for data in (standing.records, spanning.lent)
    )  # fmt: skip
    return MetroState(
        standing=DeltaState(records, standing.torn),
        spanning=SharedState(lent=lent, torn=spanning.torn),
        has_moved=records != standing.records or lent != spanning.lent,
    )


def _strip(data: bytes | None, taken: WithdrawalMatcher, *, vocabulary: Vocabulary) -> bytes | None:
    try:
        stood = None if data is None else parse_delta_state(data)
    except (Corrupt, msgspec.DecodeError):
        return None
    if stood is None:
        return None
    remaining = strip_records(stood.records, taken)
    unchanged = len(remaining) == len(stood.records) and all(map(_is_same, remaining, stood.records))
    return data if unchanged else encode_delta_state(remaining, words=stood.words, vocabulary=vocabulary)


def _is_same(one: object, other: object) -> bool:
    return one is other
