"""Three cities' feeds over a year: they change, shrink, break, come back and are put in another order.

A feed is a list of lines that say what they mean; `write` makes JSON of them for the program, the model reads them as
they are.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

METROS = {"seattle": "America/Los_Angeles", "boston": "America/New_York", "tucson": "America/Phoenix"}
TYPES = ("event", "series", "class", "camp", "place", "organization")

_METRO = """
[[metros]]
slug = "{slug}"
name = "{slug}"
timezone = "{timezone}"
center = {{ lat = 47.6, lng = -122.3 }}
bounds = {{ south = 47.0, west = -123.0, north = 48.0, east = -122.0 }}
"""
_FEED = """
[[feeds]]
name = "{name}"
metro = "{metro}"
format = "ndjson"
url = "{name}.ndjson"
mode = "{mode}"
on_error = "stop"
"""


# What a feed does, and how often: lose some, get them back, lose most at once, be spoilt in some lines, not be there.
ACTS = {
    "rest": 15, "change": 35, "archive": 8, "lose": 10, "regain": 12, "reorder": 10, "shrink": 4, "spoil": 9,
    "vanish": 3,
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """`kind`: good, deleted (of a delta), bad (a member that makes it be set aside), torn (no JSON).
    `content`: the text that readers see, and `active` or why it is archived."""

    kind: str
    id: str
    content: tuple[str, str] = ("", "active")


@dataclass
class Feed:
    """`pool`: of each id, the version of its text and its status; `lines`: what is published of it now, None where the
    file is gone."""

    name: str
    metro: str
    mode: str
    pool: dict[str, list[Any]] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    lines: list[Line] | None = field(default_factory=list)

    def move(self, random: Random) -> None:
        """One step of its life."""
        act = random.choices([*ACTS], [*ACTS.values()])[0]
        self._move_pool(act, random)
        if act != "rest" or self.lines is None:
            self.lines = _spoil_lines(act, self._list_lines(random), random)

    def come_back(self, random: Random) -> None:
        """Bring the feed's file back."""
        if self.lines is None:
            self.lines = self._list_lines(random)

    def _move_pool(self, act: str, random: Random) -> None:
        for key in random.sample(sorted(self.pool), random.randrange(1, 6)):
            if act == "change":
                self.pool[key][0] += 1
            elif act == "archive":
                self.pool[key][1] = random.choice(["active", "active", "cancelled"])
            elif act == "lose":
                self.absent.add(key)
        if act == "regain":
            self.absent -= set(random.sample(sorted(self.absent), len(self.absent) * 2 // 3))

    def _list_lines(self, random: Random) -> list[Line]:
        lines = [Line("good", key, (f"v{version}", status)) for key, (version, status) in self.pool.items()]
        if self.mode == "full":
            return [line for line in lines if line.id not in self.absent]
        chosen = random.sample(lines, random.randrange(6))
        return [Line("deleted", line.id) if random.random() < 0.3 else line for line in chosen]

    def write(self, folder: Path) -> None:
        path = folder / f"{self.name}.ndjson"
        if self.lines is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text("".join(f"{write_line(line)}\n" for line in self.lines))


def _spoil_lines(act: str, lines: list[Line], random: Random) -> list[Line] | None:
    if act == "vanish":
        return None
    if act == "shrink":
        return lines[: len(lines) // 5]
    if act == "reorder":
        lines += random.sample(lines, min(3, len(lines)))
        random.shuffle(lines)
    elif act == "spoil":
        for at in random.sample(range(len(lines)), min(4, len(lines))):
            lines[at] = Line(random.choice(["bad", "torn"]), lines[at].id)
    return lines


def make_feeds(size: int) -> list[Feed]:
    feeds = [Feed(f"{slug}-full", slug, "full") for slug in METROS] + [Feed("tucson-delta", "tucson", "delta")]
    for at, feed in enumerate(feeds):
        feed.pool = {str(UUID(int=(at << 96) | (8 << 76) | (8 << 60) | n)): [0, "active"] for n in range(size)}
    return feeds


def write_configuration(folder: Path, feeds: list[Feed]) -> Path:
    path = folder / "outings.toml"
    text = "[store]\nkeep_days = 1\n"
    text += "".join(_METRO.format(slug=slug, timezone=zone) for slug, zone in METROS.items())
    text += "".join(_FEED.format(name=feed.name, metro=feed.metro, mode=feed.mode) for feed in feeds)
    path.write_text(text)
    return path


def name_of(line_id: str, text: str) -> str:
    return f"Outing {line_id[-6:]} of {line_id[:8]} {text}"


def write_line(line: Line) -> str:
    kind = TYPES[int(line.id[-4:], 16) % len(TYPES)]
    record: dict[str, Any] = {"type": "event" if kind == "series" else kind, "source_id": line.id, "id": line.id}
    text, status = line.content
    if line.kind == "deleted":
        return json.dumps({**record, "deleted": True})
    record |= {"name": name_of(line.id, text)}
    if status != "active":
        record |= {"status": "archived", "reason": status}
    if kind in ("event", "series"):
        record |= {"starts_local": "2026-03-12T10:00:00", "confidence": 0.9}
    if kind == "series":
        record |= {"rrule": "FREQ=WEEKLY"}
    elif kind == "class":
        record |= {"confidence": 0.9, "sections": [{"id": "a", "name": f"Section {text}"}]}
    elif kind == "camp":
        session = {"id": "a", "name": "Week", "starts_on": "2026-07-06", "ends_on": "2026-07-10"}
        record |= {"confidence": 0.9, "sessions": [session]}
    elif kind == "place":
        record |= {"confidence": 0.9, "location": {"lat": 47.61, "lng": -122.33}}
    if line.kind == "bad":
        record |= {"name": 7}
    encoded = json.dumps(record)
    return encoded[: len(encoded) // 2] if line.kind == "torn" else encoded
