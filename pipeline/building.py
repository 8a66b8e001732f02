"""Run a build from feeds to a release. Only `build_release` knows the order of its stages."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from functools import partial, wraps
from pathlib import Path
from time import perf_counter
from typing import Concatenate, NoReturn, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from outings.configuration import FeedTable
from outings.failures import GuardRefusal, OperatorError
from outings.pages.assets import explain_no_assets
from outings.release.log import Version
from outings.release.manifest import FeedAccount, add_accounts
from outings.release.pointer import read_current
from outings.release.publishing import Publication, SiteObjects, make_deadline, publish
from outings.release.root import FeedMemory, Part, leave_out_texts
from outings.release.store import Store
from outings.release.trust import ANYBODY, Trust
from pipeline.address_service import AddressService
from pipeline.clean.feed_read import locate_problems, put_problems, read_problems
from pipeline.clean.withdrawn_records import WithdrawalMatcher
from pipeline.clock import explain_ahead
from pipeline.feed_failures import date_version, find_failure, keep_version, make_last_good
from pipeline.fetch.opening import open_sources
from pipeline.fetch.source import FeedError, FeedSource, SettingError
from pipeline.plan import Build, BuildPlan, choose_feeds, choose_metros, find_uncovered, plan_build
from pipeline.previous_release import PreviousRelease, read_previous_release
from pipeline.publish.metro_plan import MetroBuild
from pipeline.publish.objects.object_writer import WriteCounts
from pipeline.publish.objects.site import compose_site
from pipeline.records.record import Problem
from pipeline.resolve.foreign_organizations import ForeignOrganizations, MetroOrganizations, read_shared_state
from pipeline.resolve.metro_claims import find_refused, read_unbuilt_claims
from pipeline.resolve.shrink_guard import ShrinkRefusal, find_shrunk
from pipeline.scratch import open_scratch, sweep_scratch
from pipeline.tables.versions import Change, list_organizations, list_versions
from pipeline.tasks import (
    FeedResult,
    FeedTask,
    MetroResult,
    MetroTask,
    make_metro_task,
    run_metro_task,
    search_metro_addresses,
    store_organizations,
    try_feed_task,
)

Task = TypeVar("Task", FeedTask, MetroTask)
R = TypeVar("R")
P = ParamSpec("P")
Progress = Callable[[str], None]
TellFeeds = Callable[[Sequence[FeedResult]], None]
TellRelease = Callable[[str, Sequence[Problem]], None]
# Called with a stage's name and the estimated work of each of its tasks.
Expect = Callable[[str, Sequence[float]], None]
_LEAVING = (
    "a metro with a new slug takes over an old one that its aliases name; if the metro is really gone, publish with "
    "--allow-shrink; to build only others, name them with --metro"
)
_STAGES = ("fetch", "plan", "feeds", "metros", "publish")


class BuildResult(Struct, frozen=True, kw_only=True):
    """The result of a build. `unchanged`: the slugs of metros that were not built because their inputs did not change.
    `problems` belong to no feed: polygons that were repaired or left out. `uncovered`: by metro, the parts of search
    that its language has no words for. `accounts`: by feed, what readers see of it in all metros."""

    published: Publication
    feeds: tuple[FeedResult, ...]
    problems: tuple[Problem, ...]
    metros: tuple[MetroBuild, ...]
    unchanged: tuple[str, ...]
    changes: Mapping[str, int]
    objects: WriteCounts
    seconds: Mapping[str, float] = {}
    uncovered: Mapping[str, Sequence[str]] = {}
    accounts: Mapping[str, FeedAccount]


class _Run(Struct, frozen=True, kw_only=True):
    """Everything that the stages of a build share. `scratch`: a folder for fetched files, and for records until metros
    are built from them. `read`: the results of feeds by name; `errors`: the error because of which a feed's last good
    version stays. `seconds`: the time of each stage. `left`: the removals of metros that leave."""

    build: Build
    previous: PreviousRelease
    store: Store
    trust: Trust
    scratch: Path
    executor: Executor
    expect: Expect
    progress: Progress
    address_service: AddressService
    read: dict[str, FeedResult] = {}
    errors: dict[str, OperatorError] = {}
    seconds: dict[str, float]
    left: Mapping[str, tuple[Change, ...]] = {}


class _Records(Struct, frozen=True, kw_only=True):
    """The result of reading feeds. `plan`: the build's plan, with metros added that must be built only because they
    refer to something that changed; `organizations`: where each metro's organizations are stored."""

    plan: BuildPlan
    feeds: Sequence[FeedResult]
    organizations: tuple[MetroOrganizations, ...]


class _FeedRefusals(Exception):  # noqa: N818 - the name says it
    """Feeds can't be published as they are now. `errors`: the reason for each of them."""

    def __init__(self, errors: Mapping[str, OperatorError]) -> None:
        super().__init__(errors)
        self.errors = errors


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
    """Build and publish one release. `tell_feeds` gets the feeds that were read before anything can be refused because
    of them. `tell_release` gets the release's id and all problems before the release takes effect, so that they are
    known even if the build is killed right afterwards.

    `expect` is called before each stage's tasks are submitted to `executor`.

    Raises FeedError, SelectError, SiteSettingsError, ShrinkRefusal, ConcurrentPublication, BuildTooLong,
    UntrustedRelease, Corrupt and StoreError. Then nothing was published.
    """
    check_deadline, started = make_deadline(), perf_counter()
    sweep_scratch()
    with open_scratch() as scratch:
        run = _Run(
            build=build, previous=_read_previous(build, store, trust), store=store, trust=trust, scratch=scratch,
            executor=executor, expect=expect, progress=progress, seconds=dict.fromkeys(_STAGES, 0.0),
            address_service=AddressService(build.configuration.geocoder),
        )  # fmt: skip
        run = replace(run, left=_withdraw_metros(run))
        sources = _fetch(run)
        plan = _plan(run, sources)
        _warn(run, plan)
        while True:
            try:
                records = _clean(run, plan, sources)
                tell_feeds(records.feeds)
                # Of each metro: resolve, tables, and what is published of it.
                metros = _build_metros(run, records)
                break
            except _FeedRefusals as refused:
                # With the last good versions in place of these feeds, other metros may be unchanged.
                sources |= _keep_versions(run, refused.errors, sources)
                plan = _plan(run, sources)
    result = _publish(run, records, sources, metros, check_deadline=check_deadline, tell_release=tell_release)
    return replace(result, seconds={**run.seconds, "all": perf_counter() - started})


def _timed(stage: str) -> Callable[[Callable[Concatenate[_Run, P], R]], Callable[Concatenate[_Run, P], R]]:
    """Decorate a stage: add the time that it takes to `run.seconds`, also if it fails."""

    def decorate(do: Callable[Concatenate[_Run, P], R]) -> Callable[Concatenate[_Run, P], R]:
        @wraps(do)
        def do_timed(run: _Run, /, *args: P.args, **kwargs: P.kwargs) -> R:
            started = perf_counter()
            try:
                return do(run, *args, **kwargs)
            finally:
                run.seconds[stage] += perf_counter() - started

        return do_timed

    return decorate


def _read_previous(build: Build, store: Store, trust: Trust) -> PreviousRelease:
    current = read_current(store, trust=trust, is_new=build.is_new_store)
    if build.is_new_store and current is not None:
        release_id = current.listed.id
        raise GuardRefusal(
            f"--new-store: release {release_id} is in force in store {store}; to start again, name another store in "
            "[store] url, or move this one away"
        )
    previous = read_previous_release(store, None if current is None else current.root)
    return previous.follow(build.configuration.metros, chosen=choose_metros(build), is_whole=build.metros is None)


def _withdraw_metros(run: _Run) -> dict[str, tuple[Change, ...]]:
    """Return the removals of the metros that are no longer configured. Raise ShrinkRefusal if that is not allowed."""
    left = {}
    for slug, metro in run.previous.leaving.items():
        from pipeline.publish.metro import withdraw_metro  # the engine, which few builds need in this process

        left[slug] = withdraw_metro(run.store, metro, cache=run.build.configuration.edge.cache)
    reasons = [
        f"metro {slug}: no longer in the configuration, so its {len(gone):,} listings leave"
        for slug, gone in left.items()
    ]
    if not run.build.allow_shrink and any(left.values()):
        raise ShrinkRefusal("\n".join([*reasons, _LEAVING]))
    for reason in reasons:
        run.progress(reason)
    return left


@_timed("fetch")
def _fetch(run: _Run) -> dict[str, FeedSource]:
    build, feeds = run.build, choose_feeds(run.build)
    now = max((build.as_of.read_instant(metro.timezone) for metro in choose_metros(build)), default=None)
    return open_sources(
        feeds, build.configuration, scratch=run.scratch / ".sources", memories=run.previous.list_memories(feeds),
        store=run.store, now=now, tell=run.progress, recover=partial(_keep_version, run),
    )  # fmt: skip


@_timed("plan")
def _plan(run: _Run, sources: Mapping[str, FeedSource]) -> BuildPlan:
    return plan_build(run.build, previous=run.previous, sources=sources)


def _warn(run: _Run, plan: BuildPlan) -> None:
    """Tell the operator of surprises in this release: a date in the future, no pages, feeds that lose all their
    listings."""
    instants = [run.build.as_of.read_instant(metro.timezone) for metro in choose_metros(run.build)]
    site = run.build.configuration.site
    no_pages = explain_no_assets() if site is None or site.enabled else None
    for warning in filter(None, (explain_ahead(plan.stamp, instants=instants), no_pages)):
        run.progress(warning)
    for name in _list_dropped(run):
        run.progress(f"feed {name}: no longer in the configuration, so all of its listings leave")


def _list_dropped(run: _Run) -> list[str]:
    """Return the feeds that are in the previous release of the build's metros, but no longer in the configuration."""
    metros = {metro.slug for metro in choose_metros(run.build)} | run.previous.renamed.keys()
    dropped = run.previous.feeds.keys() - {feed.name for feed in run.build.configuration.feeds}
    return [name for name in sorted(dropped) if run.build.metros is None or run.previous.feeds[name].metro in metros]


@_timed("feeds")
def _clean(run: _Run, plan: BuildPlan, sources: Mapping[str, FeedSource]) -> _Records:
    """Read the plan's feeds, and those of other metros that must be built because of what they refer to. Raise
    _FeedRefusals if some can't be read, or miss their expectations."""
    while True:
        _read_feeds(run, plan, sources)
        feeds = [run.read[feed.name] for feed in plan.feeds]
        organizations = _locate_organizations(run, plan, feeds)
        touched = _find_touched(run, plan, organizations)
        if not touched:
            return _Records(plan=plan, feeds=feeds, organizations=organizations)
        plan = replace(plan, built=plan.built.union(touched))


def _read_feeds(run: _Run, plan: BuildPlan, sources: Mapping[str, FeedSource]) -> None:
    """Add the results of the plan's feeds to `run.read`, unless they are there already."""
    tasks = []
    for feed in plan.feeds:
        source, memory = sources[feed.name], run.previous.feeds.get(feed.name)
        if feed.name in run.read:
            continue
        if source.failure is not None and source.unchanged is None:
            problems = read_problems(run.store, None if memory is None else memory.problems)
            run.read[feed.name] = make_last_good(feed, memory, problems=problems)
        else:
            tasks.append(
                FeedTask(
                    feed=feed, source=source, configuration=run.build.configuration, spool=run.scratch,
                    taken=WithdrawalMatcher(run.previous.withdrawals, run.previous.first_slugs),
                )
            )  # fmt: skip
    errors: dict[str, OperatorError] = {}
    results = _run_tasks(run, "feeds to read", try_feed_task, tasks, describe=_describe_reading)
    for task, result in zip(tasks, results, strict=True):
        if isinstance(result, OperatorError):
            errors[task.feed.name] = result
        else:
            run.read[task.feed.name] = result
    memories = {name: run.previous.feeds[name] for name in plan.remembered}
    memories |= {name: result.memory for name, result in run.read.items()}
    for feed in choose_feeds(run.build):
        if feed.name in memories and sources[feed.name].failure is None:
            refusal = find_failure(feed, memories[feed.name], now=plan.stamp)
            if refusal is not None:
                errors[feed.name] = refusal
    if errors:
        raise _FeedRefusals(errors)


def _run_tasks(
    run: _Run, what: str, do: Callable[[Task], R], tasks: Sequence[Task], *, describe: Callable[[R], str]
) -> list[R]:
    """Run `do` on each task with the build's executor, and return the results in the order of the tasks. `what` names
    the tasks, and `describe` makes the message to report when a task is done."""
    run.expect(what, [task.measure() for task in tasks])
    waiting = [run.executor.submit(do, task) for task in tasks]
    for number, future in enumerate(as_completed(waiting), start=1):
        run.progress(f"{describe(future.result())} ({number} of {len(waiting)})")
    return [future.result() for future in waiting]


def _describe_reading(result: FeedResult | OperatorError) -> str:
    if not isinstance(result, FeedResult):
        return f"feed {result.feed}: failed" if isinstance(result, (FeedError, SettingError)) else "a feed failed"
    return f"feed {result.feed}: {result.memory.read:,} {'record' if result.memory.read == 1 else 'records'} read"


def _keep_versions(
    run: _Run, errors: Mapping[str, OperatorError], sources: Mapping[str, FeedSource]
) -> dict[str, FeedSource]:
    """Return for each refused feed the source of its last good version. Raise the errors of feeds that stop a build."""
    feeds = {feed.name: feed for feed in choose_feeds(run.build)}
    # The listings of a feed that this build does not read, because it is another metro's by now, have no version.
    stopping = [error for name, error in errors.items() if name not in feeds or feeds[name].on_error == "stop"]
    if len(stopping) > 1 and isinstance(stopping[0], GuardRefusal):
        raise type(stopping[0])("\n".join(map(str, stopping)))
    if stopping:
        _raise_first(run, stopping)
    for name in errors:
        run.read.pop(name, None)
    return {name: _keep_version(run, feeds[name], error, sources.get(name)) for name, error in errors.items()}


def _raise_first(run: _Run, errors: Sequence[OperatorError]) -> NoReturn:
    """Raise the first error, and report the others."""
    for error in errors[1:]:
        run.progress(str(error))
    raise errors[0]


def _keep_version(run: _Run, feed: FeedTable, error: OperatorError, source: FeedSource | None = None) -> FeedSource:
    kept = keep_version(feed, error, source=source, memory=run.previous.feeds.get(feed.name))
    run.errors.setdefault(feed.name, error)
    return kept


def _locate_organizations(run: _Run, plan: BuildPlan, feeds: Sequence[FeedResult]) -> tuple[MetroOrganizations, ...]:
    """Return where each metro's organizations are stored: in a file of this build or by the previous release."""
    built = [store_organizations(task) for task in _make_tasks(run, plan, feeds)]
    others = {metro.slug for metro in run.build.configuration.metros} - {stored.metro for stored in built}
    unchanged = {slug: run.previous.metros[slug].manifest for slug in others & run.previous.metros.keys()}
    return (*built, *(MetroOrganizations(metro=slug, object=manifest.lent) for slug, manifest in unchanged.items()))


def _find_touched(run: _Run, plan: BuildPlan, organizations: Sequence[MetroOrganizations]) -> list[str]:
    """Return the metros whose own inputs did not change, but whose references to other metros' organizations now
    resolve differently."""
    index = ForeignOrganizations(organizations, store=run.store, vocabulary=run.build.configuration.vocabulary)
    touched = []
    for metro_plan in plan.unchanged:
        slug, previous = metro_plan.metro.slug, metro_plan.previous
        if previous is not None and previous.manifest.foreign is not None:
            references = read_shared_state(run.store, previous.manifest).foreign
            if references is None or index.has_moved(references, metro=slug):
                touched.append(slug)
    return touched


def _make_tasks(
    run: _Run, plan: BuildPlan, feeds: Sequence[FeedResult], organizations: tuple[MetroOrganizations, ...] = ()
) -> list[MetroTask]:
    slugs = frozenset(metro_plan.metro.slug for metro_plan in plan.metros)
    return [
        make_metro_task(
            metro_plan, run.build.configuration, feeds, others=slugs, spool=run.scratch, organizations=organizations
        )
        for metro_plan in plan.metros
    ]


@_timed("metros")
def _build_metros(run: _Run, records: _Records) -> list[MetroResult]:
    """Build each metro, and build those again that claimed an id which another metro got. Raise _FeedRefusals if feeds
    lost too many listings."""
    configuration = run.build.configuration
    tasks = _add_addresses(run, _make_tasks(run, records.plan, records.feeds, records.organizations))
    latest = {task.plan.metro.slug: task for task in tasks}
    built: dict[str, MetroResult] = {}
    waiting = list(latest)
    while waiting:
        again = [latest[slug] for slug in waiting]
        results = _run_tasks(run, "metros to build", run_metro_task, again, describe=_describe_metro)
        built |= {result.metro: result for result in results}
        unbuilt = {slug: metro.manifest for slug, metro in run.previous.metros.items() if slug not in built}
        refused = find_refused(
            {slug: result.claims for slug, result in built.items()},
            feeds=[feed.name for feed in configuration.feeds],
            find_unbuilt=partial(read_unbuilt_claims, run.store, unbuilt, cache=configuration.edge.cache),
        )
        for slug, ids in refused.items():
            # With empty inputs it is built next time too: then the other metro may no longer have the id.
            plan = replace(latest[slug].plan, inputs="")
            latest[slug] = replace(latest[slug], refused={**latest[slug].refused, **ids}, plan=plan)
        waiting = list(refused)
    if not run.build.allow_shrink:
        # A metro that is refused an id keeps its previous listing, so losses are known only now.
        whole = {read.feed for read in records.feeds if read.is_whole}
        allowed = {
            feed.name: feed.max_shrink for feed in configuration.feeds if feed.mode == "full" or feed.name in whole
        }
        losses, claims = [result.losses for result in built.values()], [result.claims for result in built.values()]
        if shrunk := find_shrunk(allowed, losses, claims=claims):
            raise _FeedRefusals(shrunk)
    return [built[slug] for slug in latest]


def _add_addresses(run: _Run, tasks: list[MetroTask]) -> list[MetroTask]:
    """Add coordinates for addresses that have none to the tasks, if the configuration tells builds to find them."""
    if not run.build.configuration.geocoder.build:
        return tasks
    searches = _run_tasks(
        run, "metros to search for addresses", search_metro_addresses, tasks,
        describe=lambda search: f"{len(search.points):,} addresses found",
    )  # fmt: skip
    searched = []
    for task, search in zip(tasks, searches, strict=True):
        metro = task.plan.metro
        addresses = run.address_service.settle(search, metro=metro.slug, bounds=metro.bounds)
        # With empty inputs the metro is built next time too, when more addresses are known.
        plan = task.plan if addresses.is_whole else replace(task.plan, inputs="")
        searched.append(replace(task, addresses=addresses, plan=plan))
    if (reason := run.address_service.explain()) is not None:
        run.progress(reason)
    return searched


def _describe_metro(result: MetroResult) -> str:
    if result.built.pictures is None:
        return f"metro {result.metro}: built"
    had, missing = result.built.pictures
    return f"metro {result.metro}: built; pictures: {had:,}, and {missing:,} that could not be fetched"


@_timed("publish")
def _publish(
    run: _Run,
    records: _Records,
    sources: Mapping[str, FeedSource],
    metros: Sequence[MetroResult],
    *,
    check_deadline: Callable[[], None],
    tell_release: TellRelease,
) -> BuildResult:
    if sources and not any(source.hash for source in sources.values()):
        # No feed has anything to publish, not even a last good version.
        _raise_first(run, list(run.errors.values()))
    plan, store, built = records.plan, run.store, tuple(metro.built for metro in metros)
    # Read everything for the report before the pointer changes: after that nothing may fail.
    feeds = _finish_feeds(run, records, sources, metros)
    names = {feed.feed for feed in records.feeds}
    problems = tuple(problem for metro in metros for problem in metro.problems if problem.feed not in names)
    site, unchanged = run.build.configuration.site, _count_unchanged(plan)
    renamed = run.previous.renamed
    parts: dict[str, Part | None] = {
        **dict.fromkeys([*renamed, *run.left]),
        **{metro.slug: metro.part for metro in built},
    }
    changes = {**run.left, **{metro.slug: metro.changes for metro in built}}
    accounts = {slug: metro.manifest.account for slug, metro in run.previous.metros.items()}
    accounts |= {metro.slug: metro.account for metro in built}

    def find_organization_changes(current_parts: Mapping[str, Part]) -> list[Version]:
        if not list_organizations(changes):
            return []
        # Imported here because it imports Polars, which a build without a change does not need.
        from pipeline.publish.organization_changes import compare_organizations

        cache = run.build.configuration.edge.cache
        named = {renamed.get(slug, slug): part for slug, part in current_parts.items()}
        return compare_organizations(store, changes, current_parts=named, parts=parts, stamp=plan.stamp, cache=cache)

    published = publish(
        store,
        base=run.previous.root,
        parts=parts,
        changes=list_versions(changes, stamp=plan.stamp),
        feeds={**dict.fromkeys(_list_dropped(run)), **{feed.feed: _leave_out_texts(feed.memory) for feed in feeds}},
        now=plan.stamp,
        find_changes=find_organization_changes,
        make_site=(lambda *_: SiteObjects(site=None, objects=()))
        if plan.site is None
        else compose_site(store, plan.site, basemap=None if site is None else site.basemap),
        check_deadline=check_deadline,
        tell_id=lambda id_: tell_release(id_, [*(p for feed in feeds for p in feed.problems), *problems]),
        trust=run.trust,
    )
    return BuildResult(
        published=published,
        feeds=tuple(feeds),
        problems=problems,
        metros=built,
        unchanged=tuple(metro_plan.metro.slug for metro_plan in plan.unchanged),
        changes=Counter(version.kind for version in published.changes),
        objects=sum((metro.tally for metro in built), unchanged),
        uncovered=find_uncovered(run.build.configuration),
        accounts=add_accounts(accounts.values()),
    )


def _leave_out_texts(memory: FeedMemory) -> FeedMemory:
    return replace(memory, unread=leave_out_texts(memory.unread))


def _finish_feeds(
    run: _Run, records: _Records, sources: Mapping[str, FeedSource], metros: Sequence[MetroResult]
) -> list[FeedResult]:
    """Return what the release remembers of each feed: first of those that were read, then of the others."""
    plan, tables = records.plan, {feed.name: feed for feed in choose_feeds(run.build)}
    results = [_add_problems(feed, metros, store=run.store) for feed in records.feeds]
    for name in plan.remembered:
        source, memory = sources[name], run.previous.feeds[name]
        # Its records are as they were, but its server may have answered anew.
        memory = replace(
            memory, etag=source.etag, last_modified=source.last_modified, next=source.next, walked_at=source.walked_at
        )
        problems = read_problems(run.store, memory.problems)
        results.append(FeedResult(feed=name, memory=memory, problems=problems, unknown={}, crawled=None))
    earlier, now = run.previous.feeds, plan.stamp
    return [
        date_version(tables[result.feed], result, sources[result.feed], earlier=earlier.get(result.feed), now=now)
        for result in results
    ]


def _add_problems(feed: FeedResult, metros: Sequence[MetroResult], *, store: Store) -> FeedResult:
    """Add the problems found while metros were built to those of the feed, and store them."""
    own = [problem for metro in metros for problem in metro.problems if problem.feed == feed.feed]
    problems = (*feed.problems, *locate_problems(own, feed.files))
    feed = feed.set_aside(sum(problem.quarantined for problem in own))
    stamps = [stamp for metro in metros for stamp in metro.last_good.get(feed.feed, ())]
    memory = replace(
        feed.memory, problems=put_problems(store, problems), last_good=len(stamps),
        last_good_since=min(stamps, default=None),
    )  # fmt: skip
    return replace(feed, memory=memory, problems=problems)


def _count_unchanged(plan: BuildPlan) -> WriteCounts:
    """Count the objects of metros that were not built again. Objects that two metros share, such as an empty table's,
    count for each, as when metros are built."""
    metros = [metro_plan.previous for metro_plan in plan.unchanged if metro_plan.previous is not None]
    return WriteCounts(total=sum(len(metro.list_objects()) for metro in metros))
