"""Runs a build from feeds to a release. This module decides the order of the stages and does nothing else."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from outings.configuration import FORMATS
from outings.failures import GuardRefusal
from outings.pages.assets import explain_no_assets
from outings.release.log import Version
from outings.release.manifest import list_objects, read_manifest
from outings.release.pointer import read_current
from outings.release.publishing import Publication, make_deadline, publish
from outings.release.root import Part, Root, format_release_id
from outings.release.store import Store
from outings.release.trust import ANYBODY, Trust
from pipeline.clean.feed_read import locate_problems, put_problems, read_problems
from pipeline.clock import explain_ahead
from pipeline.fetch.reader import open_sources
from pipeline.fetch.source import FeedSource
from pipeline.plan import Build, BuildPlan, choose_feeds, choose_metros, find_uncovered, plan_build, widen_plan
from pipeline.publish.metro_plan import MetroBuild
from pipeline.publish.objects.object_writer import WriteCounts
from pipeline.publish.objects.site import compose_site
from pipeline.records.record import Problem
from pipeline.resolve.claims import Claims, find_refused
from pipeline.resolve.foreign_organizations import ForeignOrganizations, MetroOrganizations, read_shared_state
from pipeline.resolve.shrink_guard import refuse_shrink
from pipeline.scratch import open_scratch, sweep_scratch
from pipeline.tables.versions import Change, list_organizations, list_versions
from pipeline.task_runner import lend_organizations, run_feed_task, run_metro_task
from pipeline.tasks import FeedResult, FeedTask, MetroResult, MetroTask
from pipeline.workload import measure_feed, measure_metro

T = TypeVar("T")
R = TypeVar("R")
Progress = Callable[[str], None]
TellFeeds = Callable[[Sequence[FeedResult]], None]
TellRelease = Callable[[str, Sequence[Problem]], None]
# A stage's name, and how much work each of its tasks is.
Expect = Callable[[str, Sequence[float]], None]


class BuildResult(Struct, frozen=True, kw_only=True):
    """`carried` are the slugs of metros whose inputs did not change, so that they were not built. `problems` belong to
    no feed: polygons that were repaired or left out. `uncovered`: of each metro, what its language leaves unread."""

    published: Publication
    feeds: tuple[FeedResult, ...]
    problems: tuple[Problem, ...]
    metros: tuple[MetroBuild, ...]
    carried: tuple[str, ...]
    changes: Mapping[str, int]
    objects: WriteCounts
    seconds: Mapping[str, float]
    uncovered: Mapping[str, Sequence[str]] = {}


def build_release(
    build: Build,
    *,
    store: Store,
    executor: Executor,
    expect: Expect = lambda *_: None,
    progress: Progress = lambda _: None,
    tell_feeds: TellFeeds = lambda _: None,
    tell_release: TellRelease = lambda *_: None,
    trust: Trust = ANYBODY,
) -> BuildResult:
    """Builds and publishes one release. `tell_feeds` gets what was read before anything can be refused because of it.
    `tell_release` gets the release's id and all problems before the release takes effect, so that they are known even
    if the build is killed right afterwards.

    `expect` is called before each stage's tasks are submitted to `executor`.

    Raises FeedError, SelectError, ModelError, SiteSettingsError, ShrinkRefusal, ConcurrentPublication, BuildTooLong,
    UntrustedRelease, Corrupt and StoreError. Then nothing was published.
    """
    check_deadline, started = make_deadline(), perf_counter()
    current = read_current(store, trust=trust, is_new=build.is_new_store)
    if build.is_new_store and current is not None:
        release_id = format_release_id(current.root.sequence, current.pointer.pointer.root)
        raise GuardRefusal(
            f"--new-store: release {release_id} is in force in store {store}; to begin anew, name another store in "
            "[store] url, or move this one away"
        )
    base = None if current is None else current.root
    sweep_scratch()
    with open_scratch() as scratch:
        sources = _open_sources(build, base, store=store, scratch=scratch / ".sources", progress=progress)
        opened = perf_counter()
        plan = plan_build(build, base=base, store=store, sources=sources)
        planned = perf_counter()
        instants = [build.as_of.read_instant(metro.timezone) for metro in choose_metros(build)]
        if (ahead := explain_ahead(plan.stamp, instants=instants)) is not None:
            progress(ahead)
        if (left_out := _explain_no_pages(build)) is not None:
            progress(left_out)
        dropped = _list_dropped(build, base)
        for name in dropped:
            progress(f"feed {name}: no longer in the configuration, so all of its listings leave")
        plan, done, lenders = _read_all(
            build, plan, sources, base, store=store, spool=scratch, executor=executor, expect=expect, progress=progress
        )
        tell_feeds(done)
        read = perf_counter()
        works = [replace(each, lenders=lenders) for each in _make_works(build, plan, done, spool=scratch)]
        metros = _build_metros(works, base, store=store, executor=executor, expect=expect, progress=progress)
    if not build.allow_shrink:
        allowed = _list_guarded(build, done)
        refuse_shrink(allowed, [each.losses for each in metros], claims=[each.claims for each in metros])
    built = [each.built for each in metros]
    made = perf_counter()
    feeds = [_add_problems(feed, metros, store=store) for feed in done]
    parts: dict[str, Part | None] = {each.slug: each.part for each in built}
    # All that is told in the end is read before the swap: once it is done, nothing may fail.
    feeds += _remember_feeds(plan, base, sources, store=store)
    carried = _tally_carried(plan)
    changes = {each.slug: each.changes for each in built}
    problems = tuple(p for metro in metros for p in metro.problems if p.feed not in {feed.feed for feed in done})
    published = publish(
        store,
        base=base,
        parts=parts,
        changes=list_versions(changes, stamp=plan.stamp),
        feeds={
            **dict.fromkeys(dropped),
            **{e.feed: e.memory for e in feeds if e.feed not in plan.remembered or sources[e.feed].has_moved},
        },
        now=plan.stamp,
        find_changes=partial(_compare_organizations, build, plan, changes, parts=parts, store=store),
        make_site=None if plan.site is None else compose_site(store, plan.site),
        check_deadline=check_deadline,
        tell_id=lambda id_: tell_release(id_, [*(p for feed in feeds for p in feed.problems), *problems]),
        trust=trust,
    )
    ended = perf_counter()
    return BuildResult(
        published=published,
        feeds=tuple(feeds),
        problems=problems,
        metros=tuple(built),
        carried=tuple(plan.carried),
        changes=Counter(version.kind for version in published.changes),
        objects=sum((each.tally for each in built), carried),
        seconds={
            "fetch": opened - started, "plan": planned - opened, "feeds": read - planned, "metros": made - read,
            "publish": ended - made, "all": ended - started,
        },
        uncovered=find_uncovered(build.configuration),
    )  # fmt: skip


def _explain_no_pages(build: Build) -> str | None:
    """Return why this release has no pages, or None where it has some or they are turned off."""
    table = build.configuration.site
    return explain_no_assets() if table is None or table.enabled else None


def _list_dropped(build: Build, base: Root | None) -> list[str]:
    """Feeds of the build's metros that the release before has, and the configuration no more."""
    metros = {metro.slug for metro in choose_metros(build)}
    configured = {feed.name for feed in build.configuration.feeds}
    known = {} if base is None else base.feeds
    return [name for name, memory in known.items() if memory.metro in metros and name not in configured]


def _open_sources(
    build: Build, base: Root | None, *, store: Store, scratch: Path, progress: Progress
) -> dict[str, FeedSource]:
    """A walk's place is that of its metro's rows: where those are not, it begins anew."""
    feeds = choose_feeds(build)
    remembered, parts = ({}, {}) if base is None else (base.feeds, base.parts)
    memories = {
        feed.name: remembered[feed.name]
        for feed in feeds
        if feed.name in remembered and (not FORMATS[feed.format].is_walk or feed.metro in parts)
    }
    now = max((build.as_of.read_instant(metro.timezone) for metro in choose_metros(build)), default=None)
    return open_sources(
        feeds, build.configuration, scratch=scratch, memories=memories, store=store, now=now, tell=progress
    )


def _run_tasks(
    run: Callable[[T], R], works: Sequence[T], *, executor: Executor, progress: Progress, describe: Callable[[R], str]
) -> list[R]:
    """In the order of the works. `describe`: what is told of each once it is done."""
    waiting = [executor.submit(run, work) for work in works]
    for number, future in enumerate(as_completed(waiting), start=1):
        progress(f"{describe(future.result())} ({number} of {len(waiting)})")
    return [future.result() for future in waiting]


def _read_all(
    build: Build,
    plan: BuildPlan,
    sources: Mapping[str, FeedSource],
    base: Root | None,
    *,
    store: Store,
    spool: Path,
    executor: Executor,
    expect: Expect,
    progress: Progress,
) -> tuple[BuildPlan, list[FeedResult], tuple[MetroOrganizations, ...]]:
    """The plan with the metros that what was read concerns by reference alone, the feeds of all, and who lends what."""
    known: dict[str, FeedResult] = {}
    while True:
        works = [
            FeedTask(
                feed=feed, source=sources[feed.name], configuration=build.configuration, spool=spool,
                withdrawals={} if base is None else base.withdrawals,
            )
            for feed in plan.feeds
            if feed.name not in known
        ]  # fmt: skip
        expect("feeds to read", [measure_feed(work) for work in works])
        read = _run_tasks(
            run_feed_task, works, executor=executor, progress=progress,
            describe=lambda read: f"feed {read.feed}: {read.memory.read} records read",
        )  # fmt: skip
        known |= {each.feed: each for each in read}
        done = [known[feed.name] for feed in plan.feeds]
        lenders = _list_lenders(build, plan, done, base, store=store, spool=spool)
        touched = _find_touched(build, plan, lenders, store=store)
        if not touched:
            return plan, done, lenders
        plan = widen_plan(build, plan, touched)


def _list_lenders(
    build: Build, plan: BuildPlan, feeds: Sequence[FeedResult], base: Root | None, *, store: Store, spool: Path
) -> tuple[MetroOrganizations, ...]:
    """Of every metro, what it is to be: built now, or as the release before has it."""
    built = [lend_organizations(work) for work in _make_works(build, plan, feeds, spool=spool)]
    parts = {} if base is None else base.parts
    known = {each.metro.slug: each.base.manifest for each in plan.unchanged if each.base is not None}
    others = {metro.slug for metro in build.configuration.metros} - {each.metro for each in built}
    stand = {slug: known.get(slug) or read_manifest(store, parts[slug].manifest) for slug in others & parts.keys()}
    return (*built, *(MetroOrganizations(metro=slug, object=manifest.lent) for slug, manifest in stand.items()))


def _find_touched(build: Build, plan: BuildPlan, lenders: Sequence[MetroOrganizations], *, store: Store) -> list[str]:
    """The metros to which nothing new was said, but of what they asked of others."""
    opened = ForeignOrganizations(lenders, store=store, vocabulary=build.configuration.vocabulary)
    touched = []
    for each in plan.unchanged:
        slug, base = each.metro.slug, each.base
        if base is not None and base.manifest.foreign is not None:
            references = read_shared_state(store, base.manifest).foreign
            if references is None or opened.has_moved(references, metro=slug):
                touched.append(slug)
    return touched


def _make_works(build: Build, plan: BuildPlan, feeds: Sequence[FeedResult], *, spool: Path) -> Iterator[MetroTask]:
    slugs = frozenset(each.metro.slug for each in plan.metros)
    for each in plan.metros:
        speaking = {feed.name: feed for feed in plan.feeds if feed.metro in (None, each.metro.slug)}
        yield MetroTask(
            plan=each,
            configuration=build.configuration,
            feeds=tuple(feed for feed in feeds if feed.feed in speaking),
            deltas=frozenset(name for name, feed in speaking.items() if feed.mode == "delta"),
            others=slugs - {each.metro.slug},
            spool=spool,
        )


def _build_metros(
    works: Sequence[MetroTask],
    base: Root | None,
    *,
    store: Store,
    executor: Executor,
    expect: Expect,
    progress: Progress,
) -> list[MetroResult]:
    """Builds each metro, and again those that claimed an id of another's, without it."""
    latest = {work.plan.metro.slug: work for work in works}
    built: dict[str, MetroResult] = {}
    waiting = works
    while waiting:
        expect("metros to build", [measure_metro(work) for work in waiting])
        results = _run_tasks(
            run_metro_task, waiting, executor=executor, progress=progress,
            describe=lambda metro: f"metro {metro.built.slug}: built",
        )  # fmt: skip
        built |= {each.built.slug: each for each in results}
        refused = find_refused(
            {slug: each.claims for slug, each in built.items()},
            feeds=[feed.name for feed in works[0].configuration.feeds],
            find_standing=partial(_read_standing, base, built.keys(), store=store, cache=works[0].plan.cache),
        )
        # Without inputs it is built next time too: by then the other metro may have let go of the id.
        latest |= {
            slug: replace(
                latest[slug], refused={**latest[slug].refused, **ids}, plan=replace(latest[slug].plan, inputs="")
            )
            for slug, ids in refused.items()
        }
        waiting = [latest[slug] for slug in refused]
    return [built[slug] for slug in latest]


def _read_standing(
    base: Root | None, built: Collection[str], ids: Collection[str], *, store: Store, cache: Path
) -> Mapping[str, Claims]:
    parts = {} if base is None else {slug: part for slug, part in base.parts.items() if slug not in built}
    if not parts:
        return {}
    # It reads tables: with it comes Polars, which a build without a new listing has no other use for.
    from pipeline.resolve.standing_claims import read_standing_claims

    return read_standing_claims(store, parts, ids, cache=cache)


def _list_guarded(build: Build, feeds: Sequence[FeedResult]) -> dict[str, float]:
    """Return `max_shrink` by name, of the feeds that stated all of their listings."""
    whole = {read.feed for read in feeds if read.is_whole}
    return {
        feed.name: feed.max_shrink for feed in build.configuration.feeds if feed.mode == "full" or feed.name in whole
    }


def _compare_organizations(
    build: Build,
    plan: BuildPlan,
    changes: Mapping[str, Sequence[Change]],
    current_parts: Mapping[str, Part],
    *,
    parts: Mapping[str, Part | None],
    store: Store,
) -> list[Version]:
    if not list_organizations(changes):
        return []
    # It reads tables: with it comes Polars, which a build without a change has no other use for.
    from pipeline.publish.organization_changes import compare_organizations

    cache = build.configuration.edge.cache
    return compare_organizations(
        store, changes, current_parts=current_parts, parts=parts, stamp=plan.stamp, cache=cache
    )


def _add_problems(feed: FeedResult, metros: Sequence[MetroResult], *, store: Store) -> FeedResult:
    """What became of the feed's records when the metros were put together counts as its own; then it is kept."""
    own = [problem for metro in metros for problem in metro.problems if problem.feed == feed.feed]
    problems = (*feed.problems, *locate_problems(own, feed.files))
    feed = feed.set_aside(sum(problem.quarantined for problem in own))
    stamps = [stamp for metro in metros for stamp in metro.last_good.get(feed.feed, ())]
    memory = replace(
        feed.memory, problems=put_problems(store, problems), last_good=len(stamps),
        last_good_since=min(stamps, default=None),
    )  # fmt: skip
    return replace(feed, memory=memory, problems=problems)


def _remember_feeds(
    plan: BuildPlan, base: Root | None, sources: Mapping[str, FeedSource], *, store: Store
) -> Iterator[FeedResult]:
    """Feeds that were not read again, as the release before remembers them, with what their servers say by now."""
    for name in plan.remembered:
        assert base is not None
        source = sources[name]
        memory = replace(
            base.feeds[name], etag=source.etag, last_modified=source.last_modified, next=source.next,
            walked_at=source.walked_at,
        )  # fmt: skip
        yield FeedResult(
            feed=name, memory=memory, problems=read_problems(store, memory.problems), unknown={}, crawled=None
        )


def _tally_carried(plan: BuildPlan) -> WriteCounts:
    """Objects of metros that were not built again are named by the release, and none is written. By metro, as a build
    counts: two metros may name the same object, an empty table's."""
    bases = [each.base for each in plan.unchanged if each.base is not None]
    return WriteCounts(total=sum(len({base.sha, *list_objects(base.manifest)}) for base in bases))
