"""Requests of a hostile client: each kind with its share, drawn at random from one seed."""

import contextlib
import os
import random
import re
import socket
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

from msgspec import Struct

from outings.contract.cursor import Cursor, encode_cursor
from outings.contract.parameters import PARAMETERS

# How many connections with half a head each attacker keeps, and how much it sends of what has no end.
MOST_OPEN = 60
MOST_SENT = 1 << 20
PATIENCE = 60.0

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_LATER = re.compile(rb"\r\nretry-after: *[1-9]", re.IGNORECASE)
_ENDS = re.compile(rb"\r\nconnection: *close|\r\ntransfer-encoding:", re.IGNORECASE)

Tally = Counter[tuple[str, str]]

# Of a cursor that names no open release nobody can tell who made it, so it may be answered.
FORGED, FORGED_GONE = "forged cursor", "forged cursor, of no open release"
# Every place or queue is taken: the client is told when to come again.
LATER = "503, later"


class Target(Struct, frozen=True):
    """The knowledge of an attacker: the port, a key, the stamps of the open releases' metros, and cursors with the
    requests that they belong to."""

    port: int
    key: str
    stamps: tuple[str, ...]
    cursors: tuple[tuple[str, str], ...]


class Attacker:
    """One process: a connection that is asked on, and others that are held."""

    def __init__(self, target: Target, seed: int) -> None:
        self._target = target
        self._random = random.Random(seed)
        self._socket: socket.socket | None = None
        self._open: deque[socket.socket] = deque()
        self.tally: Tally = Counter()

    def attack(self, count: int, only: Sequence[str]) -> Tally:
        """Gives how often each kind had each status; `cut` where the connection ended without one."""
        shares: Mapping[str, tuple[int, Callable[[str], None]]] = {
            FORGED: (30, lambda _: self._ask(*self._forge())),
            "changed cursor": (10, lambda kind: self._ask(kind, self._change())),
            "walk in an old release": (20, lambda kind: self._ask(kind, self._follow_pages())),
            "new condition": (4, lambda kind: self._ask(kind, self._put_condition())),
            "random parameters": (20, lambda kind: self._ask(kind, self._mix())),
            "random path": (8, lambda kind: self._ask(kind, self._wander())),
            "wrong key": (4, lambda kind: self._ask(kind, "/v1/metros", key="ldk_" + "a" * 44)),
            "half a head": (4, self._hold),
            "head without end": (1, self._send_head),
            "body of 200 MB": (2, self._send_body),
            "a hundred at once": (1, self._send_many),
        }
        chosen = {kind: share for kind, (share, _) in shares.items() if not only or kind in only}
        kinds = self._random.choices(list(chosen), weights=list(chosen.values()), k=count)
        for kind in kinds:
            shares[kind][1](kind)
        return self.tally

    def _ask(self, kind: str, path: str, *, key: str | None = None) -> None:
        """A connection that the server closed between two requests is opened anew, as clients do."""
        request = self._write(path, key=key)
        for _ in range(2):
            try:
                if self._socket is None:
                    self._socket = self._connect()
                self._socket.sendall(request)
                status, stays = read_status(self._socket)
            except OSError:
                status, stays = "cut", False
            if not stays and self._socket is not None:
                self._socket.close()
                self._socket = None
            if status != "cut":
                break
        self.tally[kind, status] += 1

    def _write(self, path: str, *, key: str | None = None) -> bytes:
        sent = path.encode("latin-1", "replace").replace(b" ", b"+")
        return b"GET %b HTTP/1.1\r\nHost: a\r\nX-API-Key: %b\r\n\r\n" % (sent, (key or self._target.key).encode())

    def _connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._target.port), timeout=PATIENCE)

    def _hold(self, kind: str) -> None:
        with contextlib.suppress(OSError):
            connection = self._connect()
            connection.sendall(b"GET /v1/metros HTTP/1.1\r\nX-Slow: "[: self._random.randrange(34)])
            self._open.append(connection)
        while len(self._open) > MOST_OPEN:
            self._open.popleft().close()
        self.tally[kind, "held"] += 1

    def _send_head(self, kind: str) -> None:
        again = self._random.choice([b"a: b\r\n" * 1_000, b"a" * 8_192, b"\r\n" * 4_000])
        self._send(kind, b"GET /v1/metros HTTP/1.1\r\n", again)

    def _send_body(self, kind: str) -> None:
        framing = self._random.choice([b"Content-Length: 200000000", b"Transfer-Encoding: chunked"])
        head = self._write("/v1/metros").removesuffix(b"\r\n") + framing + b"\r\n\r\n"
        self._send(kind, head, b"2000\r\n" + b"a" * 8_192 + b"\r\n")

    def _send(self, kind: str, beginning: bytes, again: bytes) -> None:
        status, sent = "cut", 0
        with contextlib.suppress(OSError), self._connect() as connection:
            with contextlib.suppress(OSError):
                connection.sendall(beginning)
                while sent < MOST_SENT:
                    sent += connection.send(again)
            status, _ = read_status(connection)
        self.tally[kind, status] += 1

    def _send_many(self, kind: str) -> None:
        """Send all of them on one connection."""
        with contextlib.suppress(OSError), self._connect() as connection:
            connection.sendall(b"".join(self._write(self._mix()) for _ in range(100)))
            received = bytearray()
            for _ in range(100):
                status, stays = read_status(connection, received)
                self.tally[kind, status] += 1
                if not stays:
                    break

    def _forge(self) -> tuple[str, str]:
        """The kind that it is, and the request."""
        route, path, position = self._random.choice(WALKS)
        fields: list[Any] = [
            route,
            self._random.choice([*self._target.stamps, "2026-01-01T00:00:00Z"]),
            TODAY,
            position,
        ]
        at = self._random.randrange(5)
        if at == 4:
            place = self._random.randrange(len(position))
            fields[3] = [*position[:place], self._random.choice(ODD), *position[place + 1 :]]
        else:
            fields[at] = self._random.choice(ODD)
        cursor = Cursor(route=fields[0], release=fields[1], date=fields[2], position=cast(Any, fields[3]))
        kind = FORGED if fields[1] in self._target.stamps else FORGED_GONE
        return kind, f"{path}&cursor={encode_cursor(cursor, path, snapshot='0' * 64)}"

    def _change(self) -> str:
        path, cursor = self._random.choice(self._target.cursors)
        at = self._random.randrange(len(cursor))
        other = "B" if cursor[at] == "A" else "A"
        return f"{path}&cursor={cursor[:at]}{other}{cursor[at + 1 :]}"

    def _follow_pages(self) -> str:
        path, cursor = self._random.choice(self._target.cursors)
        return f"{path}&cursor={cursor}"

    def _mix(self) -> str:
        pairs = (
            f"{self._random.choice(NAMES)}={self._random.choice(VALUES)}" for _ in range(self._random.randrange(1, 5))
        )
        return f"{self._random.choice(PATHS)}?{'&'.join(pairs)}"

    def _put_condition(self) -> str:
        where = self._random.choice(CONDITIONS).format(self._random.randrange(10**9))
        return f"{METRO}/{self._random.choice(LISTS[:4])}?where={quote(where)}"

    def _wander(self) -> str:
        words = (self._random.choice(WORDS) for _ in range(self._random.randrange(1, 6)))
        return "/" + "/".join(words)


def read_status(connection: socket.socket, received: bytearray | None = None) -> tuple[str, bool]:
    """Return the status of the next answer, and if another request can follow on the connection. `cut`: there is no
    answer. `received`: what came of it already; what came behind it is left there."""
    received = bytearray() if received is None else received
    while b"\r\n\r\n" not in received:
        if not _receive(connection, received):
            return "cut", False
    head = bytes(received[: received.index(b"\r\n\r\n")])
    status, length = head[9:12].decode("latin-1"), _LENGTH.search(head)
    end = len(head) + 4 + (int(length[1]) if length is not None and status != "304" else 0)
    while len(received) < end:
        if not _receive(connection, received):
            return "cut", False
    del received[:end]
    return LATER if status == "503" and _LATER.search(head) else status, not _ENDS.search(head)


def _receive(connection: socket.socket, received: bytearray) -> bool:
    data = connection.recv(65_536)
    received += data
    return bool(data)


def run_attack(target: Target, seed: int, count: int, only: Sequence[str]) -> Tally:
    """`only` of these kinds; of all where it is empty."""
    os.nice(10)
    return Attacker(target, seed).attack(count, only)


TODAY: Any = "2026-11-22"
EVENT = "0a000000-0000-4000-8000-000000000001"
METRO = "/v1/seattle"
LISTS = ("events", "classes", "camps", "places", "organizations", "neighborhoods")
PATHS: Sequence[str] = [
    "/v1/metros", "/v1/changes", *(
        f"{METRO}/{name}"
        for name in (*LISTS, "coverage", "search", "nearby", "around", "activity", "events/calendar", "events.ics",
                     "export")
    ),
]  # fmt: skip
# Route, request and a position of each walk.
WALKS: Sequence[tuple[str, str, list[Any]]] = [
    ("events.list", f"{METRO}/events?limit=5", [1_786_500_000, EVENT]),
    ("events.list", f"{METRO}/events?changed_since=1970-01-01T00:00:00Z&limit=5", [1_786_500_000, EVENT]),
    ("classes.list", f"{METRO}/classes?limit=5", ["clay", EVENT]),
    ("camps.list", f"{METRO}/camps?limit=5", ["2026-12-01", EVENT]),
    ("places.list", f"{METRO}/places?limit=5", ["library", EVENT]),
    ("organizations.list", f"{METRO}/organizations?limit=5", [1, 0, "club", EVENT]),
    ("neighborhoods", f"{METRO}/neighborhoods?limit=5", [1, 0, "dock", "dock"]),
    ("search", f"{METRO}/search?limit=5&q=music", ["lexical", 5]),
    ("nearby", f"{METRO}/nearby?lat=47.6&limit=5&lng=-122.3", [29_000_000, 1 << 60, "event", EVENT]),
]  # fmt: skip
ODD: Sequence[Any] = [
    None, True, 0, -1, 1.5, 1 << 31, 1 << 62, (1 << 64) - 1, "", "x", "\x00", "zz" * 300, "2026-02-30", "9999-12-31",
    "0001-01-01", b"\xff", [], [1], {}, EVENT.upper(), "0x" + EVENT[2:], "events.list", "2026-11-22T00:00:00Z",
    "9999-12-31T23:59:59Z",
]  # fmt: skip
NAMES: Sequence[str] = [*PARAMETERS, "nonsense", "", "q[]"]
VALUES: Sequence[str] = [
    "", "1", "0", "-1", "1e999", "NaN", "9" * 400, "2026-02-30", "2026-12-01", "9999-12-31", "%00", "%ff", "%", "a,,b",
    "seattle", "47.6", "-122.3", "kids", "all", "id", "name.first", "music", "storytime", "true", "50", "monday",
    "x" * 5_000, "18:30", "source,forecast", "category,age_band,weekday", "98101", "events,places", "soonest",
]  # fmt: skip
# Of `where=`, each new by its number: what reads much text, what joins dates, what fails, and what is refused.
CONDITIONS: Sequence[str] = [
    "strip_accents(lower(description)) LIKE '%a%b%c%{0}%' OR upper(description) ILIKE '%q%z%{0}'",
    "length(trim(lower(upper(description)))) % 97 = {} % 97", "occurrence.index > {} AND description LIKE '%x%y%'",
    "CAST(name AS INTEGER) = {}", "EXISTS (SELECT {})", "regexp_matches(name, '(a*)*b{}')", "lower(" * 60 + "name",
]  # fmt: skip
WORDS: Sequence[str] = [
    "v1", "seattle", "new-york", "events", "classes", "places", "slug", "calendar", "listings", "versions", EVENT,
    "..", "%2e%2e", "%00", "", "a" * 3_000, "metros", "healthz", "readyz", "metrics", "openapi.json", "\xe9", "%ff",
]  # fmt: skip


def list_walks() -> Iterator[str]:
    """The requests whose cursors an attacker gets honestly."""
    for _, path, _ in WALKS:
        yield path
