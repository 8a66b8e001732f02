"""The directory of a metro's organizations, with their numbers of live listings."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.counts import DailyCount, count_organizations, select_default
from outings.answers.directory.pages import Key, cut_page, encode_meta, plan_directory
from outings.answers.directory.ranking import MATCHES, Array, NameScores, Title, open_ranking, order_rows, parse_title
from outings.answers.documents.fields import choose_fields
from outings.answers.organizations import OrganizationCategories
from outings.answers.plan import AnswerContext, AnswerPlan
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import EffectiveFilters, choose_types
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.resources.listings import Counts, OrganizationEntry, OrganizationLinks
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

RowCounts = NDArray[np.int32]


def _place_counts(listing_type: str, snapshot: Snapshot, today: date) -> RowCounts:
    index = open_snapshot(snapshot).organizations
    counted = np.zeros(len(index), dtype=np.int32)
    for row_id, number in count_organizations(listing_type, snapshot, today).items():
        row = index.find_id(row_id)
        if row is not None:
            counted[row] = number
    return counted


# Of every organization, in the order of the table.
count_by_row = DailyCount(_place_counts, size=16)


def find_in_neighborhood(listing_type: str, text: str, snapshot: Snapshot, *, today: date) -> NDArray[np.bool_]:
    """Mark, by row, the organizations with a live listing in the neighborhood of this name or slug."""
    opened = open_snapshot(snapshot)
    selection = select_default(listing_type, snapshot, today, neighborhood=text)
    is_inside = np.zeros(len(opened.organizations), dtype=np.bool_)
    for row_id in open_evaluator(opened).count_organizations(selection):
        row = opened.organizations.find_id(row_id)
        if row is not None:
            is_inside[row] = True
    return is_inside


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


_decoder = msgspec.json.Decoder(_StoredOrganization)


def answer_organizations(
    query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, context: AnswerContext
) -> list[bytes]:
    """Return a page of the directory, as chunks of the body."""
    today = context.dates[snapshot.metro.slug]
    opened = open_snapshot(snapshot)
    types = choose_types(query, context.entitlement)
    live = {listing_type: count_by_row(listing_type, snapshot, today) for listing_type in types}
    text = query.get_as("q", str)
    title = None if text is None else parse_title(text)
    scored = None if title is None else opened.open_index(open_ranking).rank(title)
    readable = context.entitlement.readable_types
    rows = _choose_rows(
        query, filters, live=live, readable=readable, scored=scored, snapshot=snapshot, today=today
    )  # fmt: skip

    def name_key(at: int) -> Key:
        stored = _read_stored(opened, int(rows[at]))
        return 0 if scored is None else int(scored.scores[rows[at]]), stored.name.casefold(), stored.id

    page = cut_page(query, rows.size, name_key=name_key, snapshot=snapshot, today=today)
    choose = choose_fields(query)
    items = [
        choose(_encode_entry(row, opened=opened, live=live, scored=scored, metro=snapshot.metro.slug))
        for row in rows[page.start : page.stop].tolist()
    ]
    meta = encode_meta(query, filters, page, snapshot=snapshot, hint=find_hint(title))
    return encode_list(items, meta=meta, notices=query.notices)


def find_hint(title: Title | None) -> str | None:
    """Return a hint if the title has only words that any name may have, else None."""
    return None if title is None or title.list_significant() else HINT


def _choose_rows(
    query: Query,
    filters: EffectiveFilters,
    *,
    live: Mapping[str, RowCounts],
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
        passed &= sum(live.values(), np.zeros(passed.size, dtype=np.int32)) >= least
    if "category" in filters.values:
        words = snapshot.vocabulary.categories
        wanted = np.uint64(sum(1 << words.index(word) for word in query.get_words("category")))
        passed &= (opened.open_index(OrganizationCategories).unite(readable) & wanted) != 0
    neighborhood = query.get_as("neighborhood", str)
    if neighborhood is not None:
        passed &= _find_there(neighborhood, tuple(live), snapshot=snapshot, today=today)
    if scored is None:
        return np.flatnonzero(passed)
    return order_rows(scored, np.flatnonzero(passed & (scored.scores > 0)))


def _find_there(text: str, types: Sequence[str], *, snapshot: Snapshot, today: date) -> NDArray[np.bool_]:
    """Mark by row the organizations with a live listing of any of the types in a neighborhood."""
    there = np.zeros(len(open_snapshot(snapshot).organizations), dtype=np.bool_)
    for listing_type in types:
        there |= find_in_neighborhood(listing_type, text, snapshot, today=today)
    return there


def _read_stored(opened: SnapshotReader, row: int) -> _StoredOrganization:
    return _decoder.decode(opened.read_organization(row))


def _encode_entry(
    row: int, *, opened: SnapshotReader, live: Mapping[str, RowCounts], scored: NameScores | None, metro: str
) -> bytes:
    stored = _read_stored(opened, row)
    counts = {
        collection: int(live[listing_type][row]) if listing_type in live else 0
        for listing_type, collection in COLLECTIONS.items()
    }
    entry = OrganizationEntry(
        id=stored.id,
        type="organization",
        slug=stored.slug,
        name=stored.name,
        website_url=stored.website_url,
        domain=stored.domain,
        image_url=stored.image_url,
        counts=Counts(**counts),
        score=None if scored is None else int(scored.scores[row]) / 1000,
        match=None if scored is None else MATCHES[int(scored.matches[row])],
        links=_point_here(stored.links, metro),
    )
    return _encoder.encode(entry)


def _point_here(links: OrganizationLinks, metro: str) -> OrganizationLinks:
    """Add `metro=` to the links to lists, so that these lists match `counts`. Without `metro`, lists of an organization
    in several metros are refused."""
    lists = {collection: f"{getattr(links, collection)}?metro={metro}" for collection in COLLECTIONS.values()}
    return OrganizationLinks(self=links.self, **lists)


def plan_organizations(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    def answer(filters: EffectiveFilters) -> list[bytes]:
        return answer_organizations(query, filters, snapshot=snapshot, context=context)

    return plan_directory(query, snapshot, context, answer=answer, counts=count_by_row)
