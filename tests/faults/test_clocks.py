"""A clock that is set back between builds: numbers, versions and stamps go on all the same."""

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from command.sample_cities import write_world
from outings.release.folder import FolderStore
from outings.release.publishing import make_deadline
from outings.release.root import explain_regress, read_root
from tests.faults.commands import CommandResult, Meets, run
from tests.faults.mirror import mirroring
from tests.faults.whole import Whole, check_current, check_listed, read_whole
from tests.faults.worlds import METROS, MONDAY, write_round

HOUR = timedelta(hours=1)


class _ShiftedClock(datetime):
    """`now` of a machine whose clock is wrong by `by`."""

    by = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) + cls.by


def set_clock(by: timedelta) -> None:
    """Set the clock of the process that builds or rolls back, for every read of the time."""
    from command import build, releases
    from command import build as build_recorder

    _ShiftedClock.by = by
    for module in (build, build_recorder, releases):
        module.datetime = _ShiftedClock  # type: ignore[attr-defined]
    now = time.time
    releases.time = SimpleNamespace(time=lambda: now() + by.total_seconds())  # type: ignore[assignment]


def act(config: Path, *words: str, by: timedelta) -> CommandResult:
    ended = run(*words, "--json", config=config, meets=Meets(prepare=partial(set_clock, by)))
    assert ended.code == 0, ended.err
    return ended


def build(config: Path, number: int, *, by: timedelta) -> Mapping[str, Any]:
    write_round(config, number)
    report: Mapping[str, Any] = json.loads(act(config, "build", "--workers", "1", by=by).out)
    return report


def read_current(config: Path) -> Whole:
    assert check_current(config.parent / "var/store")
    whole = read_whole(FolderStore(config.parent / "var/store"))
    assert whole is not None
    return whole


def check_follows(config: Path, before: Whole) -> Whole:
    """Check that times and numbers that readers and mirrors rely on follow those before. Every listing has changed."""
    after = read_current(config)
    store = FolderStore(config.parent / "var/store")
    assert explain_regress(read_root(store, before.sha), read_root(store, after.sha)) is None
    assert after.sequence == before.sequence + 1
    assert len(after.log) > len(before.log)
    assert after.log[: len(before.log)] == before.log
    last = max(listing.updated_at for listing in before.listings.values())
    assert after.log[len(before.log)]["changed_at"] > before.log[-1]["changed_at"]
    for slug in METROS:
        assert after.root["parts"][slug]["stamp"] > before.root["parts"][slug]["stamp"]
    for key, listing in after.listings.items():
        assert listing.updated_at > last or listing == before.listings[key]
    return after


@pytest.mark.long
def test_builds_and_a_rollback_go_on_whatever_the_clock_says(tmp_path: Path) -> None:
    config = write_world(tmp_path / "outings.toml", today=MONDAY, size=6)
    store = config.parent / "var/store"
    with mirroring(store) as caught_up:
        first = build(config, 0, by=timedelta())
        releases = [read_current(config)]
        build(config, 1, by=-HOUR)
        releases.append(check_follows(config, releases[-1]))
        act(config, "releases", "rollback", first["release"], by=-HOUR)
        releases.append(check_follows(config, releases[-1]))
        assert releases[-1].marks == releases[0].marks
        build(config, 2, by=-26 * HOUR)  # the local date goes back too
        releases.append(check_follows(config, releases[-1]))
        pruned = json.loads(act(config, "releases", "prune", by=-HOUR).out)
    assert pruned["releases"] == len(releases)
    assert caught_up[-1] == releases[-1].sequence
    dates = [release.root["built_at"] for release in releases]
    assert dates == sorted(dates)
    # Every stamp is a second after the one before, and not an hour.
    stamps = [datetime.fromisoformat(release.root["parts"]["seattle"]["stamp"]) for release in releases]
    assert stamps[-1] - stamps[0] < timedelta(minutes=1)
    assert stamps[-1] < datetime.now(UTC) + timedelta(minutes=1)


def test_a_clock_that_is_set_back_in_the_middle_of_a_build_ends_it_no_sooner() -> None:
    moments = iter([5_000.0, 1_400.0])
    make_deadline(clock=lambda: next(moments))()


def prune_at(config: Path, *words: str, by: timedelta) -> CommandResult:
    return run("releases", "prune", "--json", *words, config=config, meets=Meets(prepare=partial(set_clock, by)))


@pytest.mark.long
def test_a_clock_that_is_weeks_ahead_prunes_nothing_without_clock_is_right(tmp_path: Path) -> None:
    config = write_world(tmp_path / "outings.toml", today=MONDAY, size=6)
    ahead = timedelta(days=40)
    build(config, 0, by=timedelta())
    build(config, 1, by=timedelta())
    alone = prune_at(config, by=ahead)
    build(config, 2, by=ahead)
    after_a_build, back = prune_at(config, by=ahead), prune_at(config, by=timedelta())
    for refused, message in (
        (alone, "ahead of the store's"),
        (after_a_build, "ahead of the store's"),
        (back, "40 days"),
    ):
        assert (refused.code, refused.out) == (3, ""), refused.err
        assert message in refused.err
        assert "--clock-is-right" in refused.err
    assert len(check_listed(config.parent / "var/store")) == 3
    overruled = prune_at(config, "--clock-is-right", by=ahead)
    assert overruled.code == 0, overruled.err
    assert json.loads(overruled.out)["releases"] == 1
    assert check_current(config.parent / "var/store") == 3
