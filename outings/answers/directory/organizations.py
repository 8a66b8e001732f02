"""The directory of a metro's organizations, with their numbers of live listings."""

from collections.abc import Iterable, Mapping
from datetime import date

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace

from outings.answers.directory.pages import Key, encode_page, plan_directory
from outings.answers.directory.ranking import MATCHES, Array, NameScores, Title, open_ranking, parse_title
from outings.answers.documents.fields import choose_fields
from outings.answers.live_counts import NOTHING, count_organizations, select_default
from outings.answers.organizations import OrganizationCategories
from outings.answers.plan import AnswerContext, AnswerPlan
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import EffectiveFilters, choose_types
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.query import Query
from outings.contract.resources.listings import OrganizationEntry, OrganizationLinks
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

HINT = "q has nothing but words that every name may have: send a part of the name, or a web address."

_encoder = msgspec.json.Encoder()


class _StoredOrganization(Struct, frozen=True):
    """The members of an organization's document that an entry of the directory shows."""

    id: str
    slug: str
    name: str
    website_url: str | None
    domain: str | None
    image_url: str | None
    links: OrganizationLinks


_decode = msgspec.json.Decoder(_StoredOrganization).decode


def answer_organizations(
    query: Query, filters: EffectiveFilters, snapshot: Snapshot, context: AnswerContext
) -> list[bytes]:
    """Return a page of the directory, as chunks of the body."""
    today = context.dates[snapshot.metro.slug]
    opened = open_snapshot(snapshot)
    types = choose_types(query, context.entitlement)
    live = {listing_type: count_organizations(listing_type, snapshot, today) for listing_type in types}
    text = query.get_as("q", str)
    title = None if text is None else parse_title(text)
    scored = None if title is None else opened.open_index(open_ranking).rank(title)
    readable = context.entitlement.readable_types
    rows = _choose_rows(query, filters, live=live, readable=readable, scored=scored, snapshot=snapshot, today=today)

    def name_key(at: int) -> Key:
        stored = _decode(opened.read_organization(int(rows[at])))
        return 0 if scored is None else int(scored.scores[rows[at]]), stored.name.casefold(), stored.id

    def encode_entry(at: int) -> bytes:
        entry = _encode_entry(int(rows[at]), opened=opened, live=live, scored=scored, metro=snapshot.metro.slug)
        return choose(entry)

    choose = choose_fields(query)
    return encode_page(
        query, filters, rows.size, name_key=name_key, encode_entry=encode_entry, snapshot=snapshot, today=today,
        hint=find_hint(title),
    )  # fmt: skip


def find_hint(title: Title | None) -> str | None:
    """Return a hint if `q` has only words that are ignored, such as "the", else None. `title`: the parsed `q`."""
    return None if title is None or title.list_significant() else HINT


def _choose_rows(
    query: Query,
    filters: EffectiveFilters,
    *,
    live: Mapping[str, Array],
    readable: Iterable[str],
    scored: NameScores | None,
    snapshot: Snapshot,
    today: date,
) -> Array:
    """Return the published organizations that pass the filters, in list order. `live`: counts by type; `readable`: the
    types that the key may read."""
    opened = open_snapshot(snapshot)
    passed = opened.organizations.find_published()
    least = filters.values["min_count"]
    assert isinstance(least, int)
    if least:
        passed &= sum(live.values(), np.zeros(passed.size, dtype=np.int64)) >= least
    if "category" in filters.values:
        words = snapshot.vocabulary.categories
        wanted = np.uint64(sum(1 << words.index(word) for word in query.get_words("category")))
        passed &= (opened.open_index(OrganizationCategories).unite(readable) & wanted) != 0
    neighborhood = query.get_as("neighborhood", str)
    if neighborhood is not None:
        counts = np.zeros(passed.size, dtype=np.int64)
        for name in live:
            selection = select_default(name, snapshot, today, neighborhood=neighborhood)
            counts += open_evaluator(opened).count_organizations(selection)
        passed &= counts > 0
    if scored is None:
        return np.flatnonzero(passed)
    rows = np.flatnonzero(passed & (scored.scores > 0))
    return rows[np.argsort(-scored.scores[rows], kind="stable")]


def _encode_entry(
    row: int, *, opened: SnapshotReader, live: Mapping[str, Array], scored: NameScores | None, metro: str
) -> bytes:
    stored = _decode(opened.read_organization(row))
    members = {
        **asdict(stored),
        "type": "organization",
        "counts": replace(NOTHING, **{COLLECTIONS[name]: int(counts[row]) for name, counts in live.items()}),
        "score": None if scored is None else int(scored.scores[row]) / 1000,
        "match": None if scored is None else MATCHES[int(scored.matches[row])],
        "links": _add_metro(stored.links, metro),
    }
    return _encoder.encode(OrganizationEntry(**members))


def _add_metro(links: OrganizationLinks, metro: str) -> OrganizationLinks:
    """Add `metro=` to the links to lists, so that these lists match `counts`. Without `metro`, lists of an organization
    in several metros are refused."""
    lists = {collection: f"{getattr(links, collection)}?metro={metro}" for collection in COLLECTIONS.values()}
    return replace(links, **lists)


def plan_organizations(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    return plan_directory(query, snapshot, context, answer_organizations)
