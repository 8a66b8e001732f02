"""Two builds at once on two machines: of two metros both are published, of one metro one; no version is lost, doubled
or reordered. On one machine a lock is before all that (test_lock.py)."""

import json
from pathlib import Path
from typing import Any

import pytest

from outings.release.folder import FolderStore
from tests.faults.commands import STORE, CommandResult, Meet, Meets, build, pause_at_swap, start
from tests.faults.readers import reading
from tests.faults.whole import Whole, check_current, list_published, read_whole, replay
from tests.faults.worlds import METROS, clock_of, copy_world, write_round

BUILD = ("build", "--json", "--workers", "1", "--as-of")
# A machine of its own is one with locks of its own.
ELSEWHERE = {"OUTINGS_BUILD_LOCK": "var/elsewhere"}


def build_beside(config: Path, slow: str, quick: str, *, number: int) -> tuple[CommandResult, CommandResult]:
    """The slow metro's build waits right before its swap until the quick one's is through."""
    pause = pause_at_swap()
    words = (*BUILD, clock_of(number), "--metro", slow)
    with start(*words, config=config, meets=Meets(operations=pause, environ=ELSEWHERE)) as waiting:
        assert pause.wait(waiting)
        through = build(config, "--metro", quick, as_of=clock_of(number))
        pause.end()
        return waiting.wait(), through


def read_current(config: Path) -> Whole:
    whole = read_whole(FolderStore(config.parent / "var/store"))
    assert whole is not None
    assert replay(whole.log) == list_published(whole)
    return whole


def name_versions(log: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(version["listing_id"], version["kind"], version["slug"]) for version in log]


@pytest.mark.long
@pytest.mark.parametrize("number", [1], ids=["second"])
def test_of_two_metros_both_are_published_and_the_loser_renders_nothing_again(
    number: int, unbuilt: Path, built: Path, tmp_path: Path
) -> None:
    origin = (unbuilt, built)[number]
    config = copy_world(origin, tmp_path / "at once")
    slow, quick = build_beside(config, "seattle", "new-york", number=number)
    assert (slow.code, quick.code) == (0, 0), slow.err + quick.err
    both = read_current(config)
    assert both.sequence == number + 2
    assert json.loads(slow.out)["release"].startswith(f"{both.sequence}-")

    lost = slow.trace.index("put_if")
    again = slow.trace[lost + 1 :]
    assert "put_if" in again
    # Pointer, root, tail, organizations, and what both metros and the site of before give to the site are read, once;
    # the tail, its index, the site with its pages and the root are written, then the pointer.
    assert [value for value in again if value in STORE and value != "get"] == ["read_versioned", "put_many", "put_if"]
    assert again.count("get") < 15
    assert again.count("write_file") == 5 + 1

    # The same as one after the other, each in its own order.
    config = copy_world(origin, tmp_path / "in turn")
    for metro in ("new-york", "seattle"):
        assert build(config, "--metro", metro, as_of=clock_of(number)).code == 0
    turned = read_current(config)
    assert name_versions(both.log) == name_versions(turned.log)
    assert both.listings.keys() == turned.listings.keys()
    assert both.root["parts"].keys() == turned.root["parts"].keys() == set(METROS)


@pytest.mark.long
@pytest.mark.parametrize("number", [1], ids=["second"])
def test_of_one_metro_one_is_published_and_the_other_is_exit_3(
    number: int, unbuilt: Path, built: Path, tmp_path: Path
) -> None:
    config = copy_world((unbuilt, built)[number], tmp_path / "world")
    slow, quick = build_beside(config, "seattle", "seattle", number=number)
    assert (slow.code, quick.code) == (3, 0), slow.err + quick.err
    assert slow.out == ""
    assert "published seattle first; nothing of this build was published" in slow.err
    assert "Traceback" not in slow.err
    assert read_current(config).sequence == number + 1
    # Nothing is left that a next build would stumble over.
    write_round(config, number + 1)
    assert build(config, as_of=clock_of(number + 1)).code == 0
    assert read_current(config).sequence == number + 2


@pytest.mark.long
def test_a_first_build_beside_one_that_is_about_to_publish_is_refused(unbuilt: Path, tmp_path: Path) -> None:
    """A root without a pointer may as well be a store that lost it."""
    config = copy_world(unbuilt, tmp_path / "world")
    slow, quick = build_beside(config, "seattle", "new-york", number=0)
    assert (slow.code, quick.code) == (0, 3), slow.err + quick.err
    assert "current.json" in quick.err
    assert build(config, "--metro", "new-york", as_of=clock_of(0)).code == 0


@pytest.mark.long
def test_a_build_of_all_metros_loses_to_one_of_any(built: Path, tmp_path: Path) -> None:
    config = copy_world(built, tmp_path / "world")
    pause = pause_at_swap()
    with start(*BUILD, clock_of(1), config=config, meets=Meets(operations=pause, environ=ELSEWHERE)) as everything:
        assert pause.wait(everything)
        assert build(config, "--metro", "new-york", as_of=clock_of(1)).code == 0
        pause.end()
        ended = everything.wait()
    assert (ended.code, ended.out) == (3, "")
    assert "new-york" in ended.err
    assert check_current(config.parent / "var/store") == 2


@pytest.mark.long
@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(("seattle", "new-york"), id="two"),
        pytest.param(("seattle", "seattle"), id="one", marks=pytest.mark.long),
    ],
)
def test_builds_that_begin_together_end_as_one_after_the_other(
    pair: tuple[str, str], built: Path, tmp_path: Path, cases: int
) -> None:
    """Both have read the pointer before either writes; from there on they run as the machine lets them. A reader of the
    store sees whole releases all along."""
    config = copy_world(built, tmp_path / "world")
    with reading(config.parent / "var/store"):
        race_builds(config, pair, rounds=max(2, cases // 8))


def race_builds(config: Path, pair: tuple[str, str], *, rounds: int) -> None:
    for number in range(1, 1 + rounds):
        write_round(config, number)
        before = read_current(config)
        meet = Meet("put_many", parties=2)
        here, there = Meets(operations=meet), Meets(operations=meet, environ=ELSEWHERE)
        with (
            start(*BUILD, clock_of(number), "--metro", pair[0], config=config, meets=here) as one,
            start(*BUILD, clock_of(number), "--metro", pair[1], config=config, meets=there) as other,
        ):
            endings = [one.wait(), other.wait()]
        expected = [0, 0] if pair[0] != pair[1] else [0, 3]
        assert sorted(ending.code for ending in endings) == expected, [ending.err for ending in endings]
        after = read_current(config)
        assert after.sequence == before.sequence + expected.count(0)
        assert after.log[: len(before.log)] == before.log
        assert {after.marks[metro] for metro in pair} == {number}
        added = [item["listing_id"] for item in after.log[len(before.log) :]]
        reports = [json.loads(ending.out) for ending in endings if ending.code == 0]
        assert len(added) == sum(sum(report["changes"].values()) for report in reports)
