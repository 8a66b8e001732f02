"""A year of builds, some of them killed or raced, with mirrors that read when they please; each step is judged."""

import json
import os
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from command.mirror.client import ApiClient, HttpResponse
from command.mirror.sync import MirrorFile, catch_up, check_mirror
from edge.app import Edge
from outings.release.folder import FolderStore
from tests.edge.asking import ask
from tests.edge.publishing import add_keys
from tests.faults.commands import CommandResult, Meet, Meets, run, start
from tests.faults.whole import check_listed
from tests.release.doubles import Act, Watch, kill, kill_after
from tests.release.worlds import read_checked, read_current, read_log
from tests.simulation.feeds import METROS, Feed, make_feeds, name_of, write_configuration
from tests.simulation.model import Change, Model

URL = "http://api.example"
COLLECTIONS = {
    "event": "events",
    "class": "classes",
    "camp": "camps",
    "place": "places",
    "organization": "organizations",
}
# What moves with the day or other records, and is no change of the record (docs/guides/mirror.md).
MOVING = {"event": {"occurrence"}, "organization": {"counts", "categories", "metros"}}
BUILD = ("build", "--json", "--workers", "1")
# Exit codes of builds that published.
PUBLISHED = (0, 4)
ELSEWHERE = {"OUTINGS_BUILD_LOCK": "var/elsewhere"}


class Death:
    """A watch that kills at the n-th operation of a store, or at the swap if that comes first."""

    def __init__(self, n: int, *, kill: Watch) -> None:
        self._left = n
        self._kill = kill

    def __call__(self, operation: str, act: Act) -> Any:
        self._left -= 1
        return self._kill(operation, act) if self._left < 0 or operation == "put_if" else act()


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 15, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class Year:
    """`fates`: what befell the builds, by what it was; `exits`: by exit code."""

    def __init__(self, folder: Path, *, builds: int, seed: int, size: int = 18) -> None:
        self.random = Random(seed)
        self.feeds = make_feeds(size)
        self.config = write_configuration(folder, self.feeds)
        self.folder = folder
        self.store = FolderStore(folder / "var/store")
        self.clock = Clock()
        self.step = timedelta(days=365) / builds
        self.model = Model()
        self.fates: Counter[str] = Counter()
        self.exits: Counter[int] = Counter()
        self.sequence = 0
        self.logged: list[dict[str, Any]] = []
        self.expected: Counter[Change] = Counter()
        self.edge = Edge(self.store, cache=folder / "edge", clock=self.clock)
        self.key = add_keys(self.store, {"all": {}})["all"]
        self.mirrors = {name: MirrorFile(folder / f"{name}.sqlite") for name in ("prompt", "lazy", "racing")}

    def live(self, fate: str) -> None:
        """One step: feeds move, a build befalls, and all that can be seen of it is judged."""
        for feed in self.feeds:
            feed.move(self.random)
            if fate != "let be":  # what befalls it shall not find it ended already
                feed.come_back(self.random)
            feed.write(self.folder)
        # Now and then a clock is an hour behind the last one.
        self.clock.now += timedelta(hours=-1) if self.random.random() < 0.03 else self.step
        self.fates[fate] += 1
        metros = self.choose_metros()
        if fate == "raced":
            self.race(metros)
        elif fate == "killed":
            self.kill(metros)
        else:
            self.build(metros)
        self.judge()

    def choose_metros(self) -> tuple[str, ...]:
        return (self.random.choice(list(METROS)),) if self.random.random() < 0.35 else tuple(METROS)

    def list_feeds(self, metros: tuple[str, ...]) -> list[Feed]:
        return [feed for feed in self.feeds if feed.metro in metros]

    def list_words(self, metros: tuple[str, ...]) -> list[str]:
        named = [] if len(metros) == len(METROS) else [word for slug in metros for word in ("--metro", slug)]
        return [*BUILD, "--as-of", self.clock.now.isoformat(), *named]

    def build(self, metros: tuple[str, ...]) -> None:
        feeds = self.list_feeds(metros)
        allows = self.random.random() < 0.5
        expected = self.model.expect_exit(feeds, allow_shrink=allows)
        ended = run(*self.list_words(metros), *["--allow-shrink"] * allows, config=self.config)
        assert ended.code == expected, (expected, ended.err)
        self.exits[ended.code] += 1
        if ended.code in PUBLISHED:
            self.sequence += 1
            self.judge_report(ended, [feed.name for feed in feeds], self.publish(feeds))

    def kill(self, metros: tuple[str, ...]) -> None:
        """Kill a build at some operation of its store, at the latest when it replaces the pointer. The release is whole
        in any case."""
        death = Death(self.random.choice([3, 10, 30, 1_000]), kill=self.random.choice([kill, kill_after]))
        words = (*self.list_words(metros), "--allow-shrink")
        ended = run(*words, config=self.config, meets=Meets(operations=death))
        assert ended.code == -signal.SIGKILL
        self.exits[ended.code] += 1
        current = read_current(self.store)
        if current is not None and current["sequence"] > self.sequence:
            self.fates["killed once published"] += 1
            self.sequence += 1
            self.publish(self.list_feeds(metros))
        if current is not None:
            check_listed(self.folder / "var/store")

    def race(self, metros: tuple[str, ...]) -> None:
        """Two at once, on two machines, over the same feeds; a mirror reads meanwhile."""
        others = self.choose_metros()
        meet = Meet("put_many", parties=2)
        here, there = Meets(operations=meet), Meets(operations=meet, environ=ELSEWHERE)
        with (
            start(*self.list_words(metros), "--allow-shrink", config=self.config, meets=here) as one,
            start(*self.list_words(others), "--allow-shrink", config=self.config, meets=there) as two,
        ):
            while one.is_alive or two.is_alive:
                self.catch_up("racing")
                time.sleep(0.05)
            endings = [(one.wait(), metros), (two.wait(), others)]
        losers = [ended.code for ended, _ in endings if ended.code not in PUBLISHED]
        assert losers in ([], [3]), [ended.err for ended, _ in endings]
        assert not losers or {*metros} & {*others}
        for ended, built in endings:
            self.exits[ended.code] += 1
            if ended.code in PUBLISHED:
                self.sequence += 1
                self.publish(self.list_feeds(built))

    def publish(self, feeds: list[Feed]) -> Counter[Change]:
        changes = self.model.publish(feeds)
        self.expected = self.expected + changes
        return changes

    def judge_report(self, ended: CommandResult, feeds: list[str], changes: Counter[Change]) -> None:
        """`--json`: what was read adds up and is what was written; what changed is what should have."""
        report = json.loads(ended.out)
        records = report["records"]
        assert records["read"] == records["listings"] + records["merged"] + records["quarantined"]
        counted = [self.model.counted[name] for name in feeds]
        assert records == {name: sum(getattr(value, name) for value in counted) for name in records}
        kinds = Counter(kind for _, kind, _ in changes.elements())
        assert report["changes"] == {kind: kinds[kind] for kind in report["changes"]}

    def judge(self) -> None:
        """The log and the prompt mirror, against the model."""
        self.judge_log()
        if self.sequence == 0:
            return
        self.catch_up("prompt")
        if self.random.random() < 0.2:
            self.catch_up("lazy")
        self.judge_mirror("prompt")
        if self.fates.total() % 10 == 0:
            assert check_mirror(self.open_client(), self.mirrors["prompt"], url=URL) == []
            self.prune()

    def judge_log(self) -> None:
        """Ids rise by one, what was said stays, times never go back, and what is new is what should be."""
        current = read_current(self.store)
        assert (current or {"sequence": 0})["sequence"] == self.sequence
        log = [] if current is None else read_log(self.store, json.loads(read_checked(self.store, current["root"])))
        assert [version["version_id"] for version in log] == [*range(1, len(log) + 1)]
        assert log[: len(self.logged)] == self.logged
        assert [version["changed_at"] for version in log] == sorted(version["changed_at"] for version in log)
        added = Counter(
            (version["listing_id"], version["kind"], version["reason"]) for version in log[len(self.logged) :]
        )
        assert added == self.expected, (added - self.expected, self.expected - added)
        self.logged, self.expected = log, Counter()

    def open_client(self) -> ApiClient:
        self.edge.poll()

        def send(target: str) -> HttpResponse:
            got = ask(self.edge, target, key=self.key)
            return HttpResponse(status=got.status, headers=got.headers, data=got.read_body())

        return ApiClient(send, wait=lambda _: None)

    def catch_up(self, name: str) -> None:
        client = self.open_client()
        if self.sequence:
            catch_up(client, self.mirrors[name], url=URL)

    def judge_mirror(self, name: str) -> None:
        """Check that a mirror's records are those of the model, and that each is what its detail answers."""
        with closing(sqlite3.connect(self.folder / f"{name}.sqlite")) as database:
            rows = database.execute("SELECT id, document FROM records").fetchall()
        mirrored: Mapping[str, Any] = {row_id: json.loads(document) for row_id, document in rows}
        published = self.model.list_published()
        assert {row_id: value["name"] for row_id, value in mirrored.items()} == {
            row_id: name_of(row_id, text) for row_id, text in published.items()
        }
        for row_id, document in mirrored.items():
            kind = document["type"]
            got = ask(self.edge, f"/v1/{COLLECTIONS[kind]}/{row_id}", key=self.key)
            detail = got.read_json()["data"]
            assert document == {name: detail[name] for name in detail if name not in MOVING.get(kind, ())}

    def prune(self) -> None:
        """Prune with everything old enough to be deleted, so that only kept releases remain. Weeks without a build are
        no fault."""
        for path in (self.folder / "var/store").rglob("*"):
            os.utime(path, (path.stat().st_mtime - 2 * 86_400,) * 2)
        assert run("releases", "prune", "--clock-is-right", config=self.config).code == 0

    def end(self) -> None:
        """All mirrors catch up; every listing's versions are its history."""
        for name in self.mirrors:
            self.catch_up(name)
            self.judge_mirror(name)
            assert check_mirror(self.open_client(), self.mirrors[name], url=URL) == []
        assert len(self.logged) == sum(map(len, self.model.histories.values()))
        for row_id, history in self.model.histories.items():
            assert [version["kind"] for version in self.walk_versions(row_id)] == history

    def walk_versions(self, row_id: str) -> Iterator[Any]:
        cursor = ""
        while True:
            body = ask(self.edge, f"/v1/listings/{row_id}/versions?order=asc{cursor}", key=self.key).read_json()
            yield from body["data"]
            if body["meta"]["next_cursor"] is None:
                return
            cursor = f"&cursor={body['meta']['next_cursor']}"

    def close(self) -> None:
        for mirror in self.mirrors.values():
            mirror.close()
