"""A rollback goes forward: a new release, new versions, and a mirror that reads on ends with what the release has."""

import json
import signal
from pathlib import Path

import pytest

from outings.release.folder import FolderStore
from tests.faults.commands import STORE, CommandResult, Meets, build, pause_at_swap, run, start
from tests.faults.mirror import mirroring
from tests.faults.whole import Whole, check_current, check_listed, list_published, read_whole
from tests.faults.worlds import clock_of, copy_world, write_round
from tests.release.doubles import Nth, kill


def read_current(config: Path) -> Whole:
    whole = read_whole(FolderStore(config.parent / "var/store"))
    assert whole is not None
    return whole


def list_ids(config: Path) -> list[str]:
    """Releases, the oldest first."""
    ended = run("releases", "list", "--json", config=config)
    assert ended.code == 0, ended.err
    return [release["id"] for release in reversed(json.loads(ended.out)["releases"])]


def roll_back(config: Path, release_id: str, *, meets: Meets | None = None) -> CommandResult:
    return run("releases", "rollback", release_id, "--json", config=config, meets=meets)


def build_rounds(config: Path, *numbers: int) -> None:
    for number in numbers:
        write_round(config, number)
        ended = build(config, as_of=clock_of(number))
        assert ended.code == 0, ended.err


def check_rolled_back(config: Path, ended: CommandResult, *, before: Whole, wanted: Whole) -> None:
    assert ended.code == 0, ended.err
    after = read_current(config)
    assert json.loads(ended.out)["versions"] == len(after.log) - len(before.log) > 0
    assert after.sequence == before.sequence + 1
    assert after.log[: len(before.log)] == before.log
    assert (after.marks, list_published(after)) == (wanted.marks, list_published(wanted))
    last = max(listing.updated_at for listing in before.listings.values())
    for key, listing in after.listings.items():
        old = before.listings[key]
        assert listing.updated_at > last or (listing.updated_at, listing.slug) == (old.updated_at, old.slug)
    for slug, part in after.root["parts"].items():
        assert part["stamp"] > before.root["parts"][slug]["stamp"]


@pytest.mark.long
def test_a_mirror_that_reads_meanwhile_follows_builds_and_rollbacks(built: Path, tmp_path: Path) -> None:
    config = copy_world(built, tmp_path / "world")
    store = config.parent / "var/store"
    releases = [read_current(config)]
    with mirroring(store) as caught_up:
        for number in (1, 2):
            build_rounds(config, number)
            releases.append(read_current(config))
        for target in (1, 0, 3):
            ids, before = list_ids(config), read_current(config)
            ended = roll_back(config, ids[target])
            check_rolled_back(config, ended, before=before, wanted=releases[target])
            assert json.loads(ended.out)["of"] == ids[target]
            releases.append(read_current(config))
        # A build goes on from there, by its own clock.
        write_round(config, 3)
        assert run("build", "--workers", "1", config=config).code == 0
    assert caught_up[-1] == check_current(store) == 7
    assert caught_up == sorted(set(caught_up))
    assert len(check_listed(store)) == 7


@pytest.mark.long
def test_killed_before_any_write_the_release_before_stays(built: Path, tmp_path: Path) -> None:
    origin = copy_world(built, tmp_path / "origin")
    build_rounds(origin, 1)
    counted = roll_back(copy_world(origin, tmp_path / "counted"), list_ids(origin)[0])
    operations = [value for value in counted.trace if value in STORE]
    before = read_current(origin)
    for n in [at for at, operation in enumerate(operations) if operation in ("put", "put_many", "put_if")]:
        # A world of its own: what a killed rollback left in the cache is fetched no more, and the count is another.
        config = copy_world(origin, tmp_path / f"killed at {n}")
        ended = roll_back(config, list_ids(config)[0], meets=Meets(operations=Nth(n, kill)))
        assert (ended.code, ended.out) == (-signal.SIGKILL, "")
        assert read_current(config) == before
        ended = roll_back(config, list_ids(config)[0])
        assert ended.code == 0, ended.err
        assert read_current(config).sequence == 3


@pytest.mark.long
def test_beside_a_build_the_first_one_wins(built: Path, tmp_path: Path) -> None:
    origin = copy_world(built, tmp_path / "origin")
    build_rounds(origin, 1)
    write_round(origin, 2)
    oldest = list_ids(origin)[0]
    rollback = ("releases", "rollback", oldest, "--json")
    following = ("build", "--workers", "1", "--json", "--as-of", clock_of(2))
    names = {rollback: "rollback", following: "build"}
    for slow, quick, mark in ((rollback, following, 2), (following, rollback, 0)):
        config = copy_world(origin, tmp_path / f"slow {slow[0]}")
        pause = pause_at_swap()
        with start(*slow, config=config, meets=Meets(operations=pause)) as waiting:
            assert pause.wait(waiting)
            through = run(*quick, config=config)
            pause.end()
            lost = waiting.wait()
        assert through.code == 0, through.err
        assert (lost.code, lost.out) == (3, ""), lost.err
        assert f"nothing of this {names[slow]} was published, run it again" in lost.err
        after = read_current(config)
        assert (after.sequence, set(after.marks.values())) == (3, {mark})


def test_what_it_can_not_roll_back_to_is_exit_2(built: Path, tmp_path: Path) -> None:
    config = copy_world(built, tmp_path / "world")
    current = list_ids(config)[0]
    for wrong, message in (
        (current, "is already the current release"),
        ("9-00000000", "are kept"),
        ("x", "allowed: <"),
    ):
        ended = roll_back(config, wrong)
        assert (ended.code, ended.out) == (2, ""), ended.err
        assert wrong in ended.err
        assert message in ended.err
    assert check_current(config.parent / "var/store") == 1
