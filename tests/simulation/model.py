"""A model of a year of feeds, computed with dicts alone: without the program's code, hashes or tables."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from tests.simulation.feeds import Feed, Line

# An id, its kind, and the reason of what was removed.
Change = tuple[str, str, str | None]


@dataclass(frozen=True)
class ReportedCounts:
    """Counts of records that `build --json` reports over all feeds."""

    read: int
    listings: int
    merged: int
    quarantined: int


def count_lines(lines: Collection[Line]) -> ReportedCounts:
    """Count lines. The last good line of a source id counts, and the others are merged into it."""
    good = [line.id for line in lines if line.kind in ("good", "deleted")]
    spoilt = len(lines) - len(good)
    return ReportedCounts(read=len(lines), listings=len({*good}), merged=len(good) - len({*good}), quarantined=spoilt)


@dataclass
class Model:
    """`rows`: of each feed and id, what readers see, and `active` or why it is archived. `counted`: of each feed, what
    the last release that read it counted. `histories`: of each id its kinds, in order."""

    rows: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    counted: dict[str, ReportedCounts] = field(default_factory=dict)
    histories: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def expect_exit(self, feeds: Collection[Feed], *, allow_shrink: bool) -> int:
        """Return the exit code of a build that reads these feeds: 1 if one can't be read, 3 if one lost more than
        half, 4 if one has only lines that are set aside, and earlier versions of them stay."""
        if any(feed.lines is None for feed in feeds):
            return 1
        if not allow_shrink and any(feed.mode == "full" and self._has_shrunk(feed) for feed in feeds):
            return 3
        return 4 if any(self._stays(feed) for feed in feeds) else 0

    def _stays(self, feed: Feed) -> bool:
        assert feed.lines is not None
        published = {row_id for (name, row_id), row in self.rows.items() if name == feed.name and row[1] == "active"}
        return {line.kind for line in feed.lines} <= {"bad", "torn"} and any(
            line.kind == "bad" and line.id in published for line in feed.lines
        )

    def _has_shrunk(self, feed: Feed) -> bool:
        """Return True if more than half of the feed's visible listings would be withdrawn."""
        assert feed.lines is not None
        shown = {row_id for (name, row_id), row in self.rows.items() if name == feed.name and row[1] == "active"}
        now = self._read(feed, feed.lines)
        return 2 * sum(now[row_id][1] == "withdrawn" for row_id in shown if row_id in now) > len(shown)

    def publish(self, feeds: Collection[Feed]) -> Counter[Change]:
        """Publish the feeds, and return the changes."""
        changes: Counter[Change] = Counter()
        for feed in feeds:
            assert feed.lines is not None
            self.counted[feed.name] = count_lines(feed.lines)
            for row_id, after in self._read(feed, feed.lines).items():
                before = self.rows.get((feed.name, row_id))
                kind = compare(before, after)
                if kind is not None:
                    changes[row_id, kind, after[1] if kind == "removed" else None] += 1
                    self.histories[row_id].append(kind)
                self.rows[feed.name, row_id] = after
        return changes

    def _read(self, feed: Feed, lines: Collection[Line]) -> Mapping[str, tuple[str, str]]:
        """Return the state of every id that the feed states or leaves out."""
        known = {row_id: row for (name, row_id), row in self.rows.items() if name == feed.name}
        # Nobody can tell whose a torn line was; of a bad one the last good version stays.
        spoilt = {line.id for line in lines if line.kind == "bad"}
        now = {}
        if feed.mode == "full":
            now = {row_id: (text, "withdrawn") for row_id, (text, _) in known.items() if row_id not in spoilt}
        for line in lines:
            if line.kind == "good":
                now[line.id] = line.content
            elif line.kind == "deleted":
                now.pop(line.id, None)
                if line.id in known:
                    now[line.id] = (known[line.id][0], "withdrawn")
        return now

    def list_published(self) -> dict[str, str]:
        """The text of each that readers see."""
        return {row_id: text for (_, row_id), (text, status) in self.rows.items() if status == "active"}


def compare(before: tuple[str, str] | None, after: tuple[str, str]) -> str | None:
    """The kind of change that readers are told of."""
    was, is_ = before is not None and before[1] == "active", after[1] == "active"
    if was and is_:
        return "updated" if before != after else None
    if was:
        return "removed"
    if is_:
        return "created" if before is None else "restored"
    return None
