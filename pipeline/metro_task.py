"""The task of a metro: gather the records of its feeds, and build its listings. Uses nothing but files and the
store."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from outings.release.manifest import FeedAccount, add_accounts
from outings.release.store import Store, open_configured_store
from outings.release.tables import PUBLISHED
from pipeline.clean.feed_read import SpooledRecord, read_spool
from pipeline.publish.metro import find_horizon, open_builder, open_previous, publish_metro
from pipeline.publish.metro_plan import Attachments, FetchPictures, MetroPlan
from pipeline.records.ids import assign_id, name_source
from pipeline.records.record import ORGANIZATION, RECORDS, Problem
from pipeline.resolve.delta_state import drop_words, encode_delta_state
from pipeline.resolve.facts.geography import Neighborhoods
from pipeline.resolve.facts.neighborhood_map import draw_outlines, read_metro_neighborhoods, tabulate_neighborhoods
from pipeline.resolve.foreign_organizations import ForeignOrganizations, SharedState, encode_foreign, read_organizations
from pipeline.resolve.id_conflicts import identify_records
from pipeline.resolve.listings.resolved_record import MetroContext
from pipeline.resolve.metro_claims import Claims, collect_claims
from pipeline.resolve.previous_rows import PreviousSnapshot
from pipeline.resolve.references import ForeignResolution
from pipeline.resolve.row_maker import RowMaker
from pipeline.resolve.shrink_guard import FeedLoss, count_losses
from pipeline.tables.snapshot_tables import make_tables
from pipeline.tables.table_builder import TableBuilder
from pipeline.tasks import FeedResult, MetroResult, MetroTask, list_spooled, make_is_unchanged, read_stored_records

_KINDS = tuple(RECORDS)


def build_listings(work: MetroTask) -> MetroResult:
    """Run the stages of one metro, each to its end before the next begins: rows, tables, objects."""
    plan, store = work.plan, open_configured_store(work.configuration.store)
    previous = open_previous(store, plan.previous, cache=plan.cache, vocabulary=plan.vocabulary, program=plan.program)
    neighborhoods, wrong = read_metro_neighborhoods(plan.metro.slug, plan.neighborhoods)
    with open_builder(previous, plan) as builder:
        records, problems, foreign = make_rows(work, previous, builder, neighborhoods=neighborhoods, store=store)
        tables = make_tables(builder, tabulate_neighborhoods(neighborhoods))
        own = next((stored for stored in work.organizations if stored.metro == plan.metro.slug), None)
        attached = Attachments(
            outlines=None if plan.site is None else draw_outlines(neighborhoods),
            pictures={} if plan.previous is None else plan.previous.manifest.pictures,
            fetch_pictures=_prepare_fetch(plan),
            delta_state=records.delta_state,
            shared=SharedState(
                lent=None if own is None else read_organizations(own, store), foreign=encode_foreign(foreign)
            ),
            account=add_accounts([records.account, {} if work.addresses is None else work.addresses.account]),
            located=None if work.addresses is None else work.addresses.book,
        )
        built = publish_metro(tables, attached, previous, plan=plan, store=store)
    return MetroResult(
        metro=plan.metro.slug, built=built, problems=(*problems, *wrong), last_good=records.last_good,
        losses=records.losses, claims=records.claims,
    )  # fmt: skip


def make_rows(
    work: MetroTask,
    previous: PreviousSnapshot,
    builder: TableBuilder,
    *,
    neighborhoods: Neighborhoods,
    store: Store,
) -> tuple["MetroRecords", list[Problem], ForeignResolution]:
    """Make all rows of the metro from its records, and add them to `builder`. Return what is left of the records, all
    their problems, and the references to other metros' organizations."""
    records = gather_records(work, previous, store)
    maker = make_row_maker(work, records, previous, neighborhoods=neighborhoods, store=store)
    # The records are a gigabyte for a million listings: the maker frees each when its row is made.
    records = replace(records, by_id={})
    builder.add(maker.list_rows(), maker.unchanged)
    return records, [*records.problems, *maker.problems], maker.foreign


def _prepare_fetch(plan: MetroPlan) -> FetchPictures | None:
    if plan.site is None or not plan.site.pictures:
        return None
    # A client for HTTP, which most metros do without.
    from pipeline.fetch.pictures import fetch_pictures

    return partial(fetch_pictures, plan.site.pictures)


def make_row_maker(
    work: MetroTask, records: "MetroRecords", previous: PreviousSnapshot, *, neighborhoods: Neighborhoods, store: Store
) -> RowMaker:
    plan = work.plan
    foreign = ForeignOrganizations(work.organizations, store=store, vocabulary=plan.vocabulary)
    return RowMaker(
        records.by_id,
        previous,
        setting=MetroContext(
            metro=plan.metro,
            first_slug=plan.first_slug,
            pages=plan.pages,
            vocabulary=plan.vocabulary,
            language=plan.language,
            horizon=find_horizon(plan.today),
            feeds={feed.name: feed for feed in work.configuration.feeds if feed.metro in (None, plan.metro.slug)},
            points={} if work.addresses is None else work.addresses.points,
        ),
        neighborhoods=neighborhoods,
        unchanged_ids=records.unchanged,
        find_foreign=partial(foreign.find, metro=plan.metro.slug),
    )


class MetroRecords(Struct, frozen=True, kw_only=True):
    """The records of a metro. `by_id`: records by their listing's id; `unchanged`: ids of rows without a record now.
    `losses`: the listings that the release loses, by feed; `claims`: the owners of ids, if there are several metros."""

    by_id: Mapping[str, SpooledRecord]
    unchanged: Sequence[str]
    last_good: Mapping[str, tuple[datetime, ...]]
    delta_state: bytes | None
    problems: Sequence[Problem]
    losses: Mapping[str, FeedLoss]
    claims: Claims
    account: Mapping[str, FeedAccount] = {}


def gather_records(work: MetroTask, previous: PreviousSnapshot, store: Store) -> MetroRecords:
    """Gather the records that feeds sent now, and the stored records that delta feeds did not mention."""
    entries = list(read_spool(work.spool, metro=work.plan.metro.slug, spooled=list_spooled(work.feeds)))
    stated = [entry for entry in entries if not entry.head.deleted]
    # A removal names its record by feed and source id, and need not state the id.
    removed = {name_source(entry.head) for entry in entries if entry.head.deleted}.union(_list_moved(work))
    problems: list[Problem] = []
    released = work.plan.previous
    named = ((name_source(record.head), record) for record in read_stored_records(work, store, "delta_state"))
    before = {source: record for source, record in named if source not in removed}
    if released is not None and released.manifest.vocabulary != work.plan.vocabulary:
        before = {source: drop_words(record, work.plan.vocabulary, problems) for source, record in before.items()}
    unmentioned = _find_unmentioned(work, previous, stated=stated, others=removed | before.keys())
    by_id, lost, refused = _assign_ids(work, stated, before, unmentioned, problems)
    unchanged = {row_id: source for row_id, source in unmentioned.items() if row_id not in by_id}
    if refused:
        good = ((row_id, source) for row_id, source in previous.list_shown() if source in refused)
        unchanged |= {row_id: source for row_id, source in good if row_id not in by_id and row_id not in work.refused}
    published = dict(previous.list_published())
    losses = count_losses(published, by_id.keys() | unchanged)
    claims = collect_claims(by_id, unchanged, published) if len(work.configuration.metros) > 1 else {}
    good_ids = unchanged.keys() | {row_id for row_id, record in by_id.items() if not record.line}
    delta_state = encode_delta_state(record for record in (*by_id.values(), *lost) if record.head.feed in work.deltas)
    earlier_rows = Counter(source.partition("/")[0] for row_id, source in unchanged.items() if row_id in published)
    return MetroRecords(
        by_id=by_id,
        unchanged=list(unchanged),
        last_good={feed.feed: _list_last_good(feed, previous, good_ids, refused) for feed in work.feeds},
        delta_state=delta_state,
        problems=(*problems, *_tell_stale(work.deltas, earlier_rows)),
        losses=losses,
        claims=claims,
        account=_count_beside(work, by_id, earlier_rows),
    )


def _count_beside(
    work: MetroTask, by_id: Mapping[str, SpooledRecord], earlier_rows: Counter[str]
) -> dict[str, FeedAccount]:
    """Count for each feed its unpublished records, and its published listings that come from an earlier reading:
    `earlier_rows` and those of stored records. A feed that stands was not read, so its current version is as before."""
    unpublished = Counter(
        record.head.feed for record in by_id.values() if record.line and record.head.status != "published"
    )
    earlier = earlier_rows + Counter(
        record.head.feed for record in by_id.values() if not record.line and record.head.status == "published"
    )
    before = {} if work.plan.previous is None else work.plan.previous.manifest.account
    for feed in work.feeds:
        if feed.is_last_good and (account := before.get(feed.feed)) is not None:
            unpublished[feed.feed] = account.unpublished
            earlier[feed.feed] -= account.served + account.hidden - account.earlier
    return {feed: FeedAccount(unpublished=unpublished[feed], earlier=earlier[feed]) for feed in unpublished | earlier}


def _find_unmentioned(
    work: MetroTask,
    previous: PreviousSnapshot,
    *,
    stated: Sequence[SpooledRecord],
    others: Collection[str],
) -> dict[str, str]:
    """Return the id and source of unchanged rows without a stored record: their feeds did not mention them, or could
    not be read.

    `others`: sources with a removal or a stored record, besides those in `stated`.
    """
    # The feeds that did not send everything. Without any there is no need to search.
    incomplete = {
        feed.feed for feed in work.feeds if feed.is_last_good or feed.feed in work.deltas or feed.list_unread()
    }
    may_be_unchanged = previous.choose_sources(make_is_unchanged(work)) if incomplete else frozenset[str]()
    if not may_be_unchanged:
        return {}
    spoken = {name_source(entry.head) for entry in stated if entry.head.feed in incomplete}.union(others)
    rows = ((row_id, source) for row_id, source in previous.list_shown() if row_id in may_be_unchanged)
    return {row_id: source for row_id, source in rows if source not in spoken and row_id not in work.refused}


def _list_moved(work: MetroTask) -> Iterator[str]:
    """Yield stored records of delta feeds that moved to another metro, because a listing belongs to only one. Metros
    that are not built now are ignored: otherwise the listing would be in neither."""
    spooled = list_spooled(feed for feed in work.feeds if feed.feed in work.deltas)
    others = {metro for parts, _ in spooled.values() for metro, _ in parts} & work.others
    for metro in sorted(others):
        for entry in read_spool(work.spool, metro=metro, spooled=spooled):
            if entry.head.type != ORGANIZATION:
                yield name_source(entry.head)


def _assign_ids(
    work: MetroTask,
    stated: Sequence[SpooledRecord],
    before: Mapping[str, SpooledRecord],
    unmentioned: Mapping[str, str],
    problems: list[Problem],
) -> tuple[dict[str, SpooledRecord], list[SpooledRecord], Collection[str]]:
    """Return the records by id, the stored records that lost their id to another record, and the sources of new records
    that can't have their id. For these, the last good version is used."""
    anew = {name_source(entry.head) for entry in stated if entry.head.feed in work.deltas}
    waiting = [record for source, record in before.items() if source not in anew]
    order = {feed.feed: number for number, feed in enumerate(work.feeds)}

    def find_place(entry: SpooledRecord) -> tuple[int, int, str]:
        # New and stored records of a delta feed are ordered together, by source id.
        head = entry.head
        return order[head.feed], _KINDS.index(head.type), head.source_id if head.feed in work.deltas else ""

    ordered = sorted([*stated, *waiting], key=find_place) if work.deltas else stated
    by_id = identify_records(ordered, problems, refused=work.refused, unmentioned=unmentioned, feeds=list(order))
    if len(by_id) == len(ordered):
        return by_id, [], ()
    won = {id(record) for record in by_id.values()}
    refused = dict.fromkeys(name_source(entry.head) for entry in stated if id(entry) not in won)
    for good in (before[source] for source in refused if source in before):
        row_id = assign_id(good.head)
        if row_id not in work.refused and row_id not in unmentioned:
            by_id.setdefault(row_id, good)
    return by_id, [record for record in waiting if id(record) not in won], refused


def _tell_stale(deltas: Collection[str], earlier_rows: Mapping[str, int]) -> Iterator[Problem]:
    """Yield a problem for each delta feed with rows whose record is not stored, because no change can update them."""
    for feed in sorted(earlier_rows.keys() & deltas):
        listings = f"{earlier_rows[feed]} listings"
        reason = f"stale: its records of {listings} are not stored: these stay as they are until it sends them again"
        yield Problem(feed=feed, line=0, source_id=None, field=None, reason=reason, quarantined=False)


def _list_last_good(
    feed: FeedResult, previous: PreviousSnapshot, good_ids: Collection[str], refused: Collection[str]
) -> tuple[datetime, ...]:
    """Return the stamps of published rows that stay because their new record can't be read or can't have its id
    (`refused`)."""
    named = (source.split("/", 2) for source in refused)
    lost = {*feed.list_unread(), *(source_id for name, _, source_id in named if name == feed.feed)}
    ids = {row_id for source_id in lost for row_id in previous.find_source(feed.feed, source_id) if row_id in good_ids}
    rows = (previous.get(row_id) for row_id in ids)
    stamps = (row["updated_at"] for row in rows if row is not None and row["status"] == PUBLISHED)
    return tuple(datetime.fromtimestamp(stamp, UTC) for stamp in sorted(stamps))
