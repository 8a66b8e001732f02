"""A deployment in a folder: its configuration and its files as values, the commands of its operator, and all that its
readers get. What depends on when something was built is left out, so that two deployments can be compared."""

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
from click.testing import CliRunner, Result

from command import main
from outings.answers.routes import answer
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, open_release
from outings.release.store import Store, open_store
from outings.release.tables import PUBLISHED, read_columns

Answers = dict[str, Any]
# Members that say when a listing or a release was made, and those that follow from its bytes.
STAMPS = frozenset({
    "created_at", "updated_at", "changed_at", "built_at", "generated_at", "release", "version_id", "latest_version_id",
    "sha256", "size", "rows_hash", "freshness",
})  # fmt: skip
EVERYTHING = Entitlement(addons=frozenset({"source", "related"}))
_NOTHING = object()
_STAMPED_LINES = re.compile(r"^(DTSTAMP|CREATED|LAST-MODIFIED):.*\r?\n", re.MULTILINE)
_STAMPED_TAGS = re.compile(r"<(updated|published)>.*\n")
_TIMES = re.compile(r"<time .*?</time>|.*(data-label=\"Since\"|age-\d).*")


@dataclass
class Deployment:
    """`tables`: of `outings.toml`, without the store and the static tree; `files`: by their path."""

    folder: Path
    tables: dict[str, Any] = field(default_factory=dict)
    files: dict[str, bytes | None] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        return self.folder / "outings.toml"

    def write(self) -> None:
        """Write the configuration and the files; a file of None is not there."""
        self.folder.mkdir(exist_ok=True)
        self.config.write_text("".join(f"{name} = {write_toml(table)}\n" for name, table in self.tables.items()))
        for name, data in self.files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True) if data is None else path.write_bytes(data)

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(main, [*words, "-c", str(self.config)])

    def build(self, day: date, *words: str) -> Result:
        self.write()
        return self.run("build", "--as-of", day.isoformat(), "--workers", "1", *words)

    @property
    def store(self) -> Store:
        return open_store(f"file:{self.folder / 'var/store'}")

    def open(self) -> Release | None:
        listed = next(list_releases(self.store), None)
        return None if listed is None else open_release(self.store, listed, cache=self.folder / "var/cache")

    def list_ids(self, *kinds: str) -> list[str]:
        """List the ids of all published listings of these kinds."""
        release = self.open()
        tables = [] if release is None else [snapshot.tables["listings"] for snapshot in release.metros.values()]
        codes = [TYPES.index(kind) for kind in kinds]
        frames = [read_columns(table, "listings", ("id", "status", "type")) for table in tables]
        shown = [frame.filter(pl.col("status") == PUBLISHED, pl.col("type").is_in(codes)) for frame in frames]
        return [row_id for frame in shown for row_id in frame["id"].to_list()]

    def read_answers(self, day: date) -> Answers:
        """Read all files of the tree, and what the API answers to a reader of everything."""
        release = self.open()
        return {**self._read_tree(), **({} if release is None else dict(_ask_all(release, day)))}

    def _read_tree(self) -> Answers:
        tree = self.folder / "var/public"
        paths = (path for path in tree.rglob("*") if path.is_file())
        return {
            name: _read_file(name, path.read_bytes())
            for path in paths
            if not (name := path.relative_to(tree).as_posix()).startswith("v1/changes")
        }


def find_differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Yield the places in which two values differ, with both."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            yield from find_differences(one.get(name, _NOTHING), other.get(name, _NOTHING), f"{path} {name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from find_differences(*pair, f"{path} {number}")
    elif one != other:
        yield f"{path}: {str(one)[:200]} is not {str(other)[:200]}"


def write_toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(name)} = {write_toml(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(write_toml, value)) + "]"
    return json.dumps(value)


def _ask_all(release: Release, day: date) -> Iterator[tuple[str, Any]]:
    def ask(request: str) -> Any:
        path, _, query_string = request.partition("?")
        match = match_route(path)
        assert match is not None, request
        vocabulary = next(iter(release.metros.values())).vocabulary
        query = parse_query(match, query_string.encode(), vocabulary=vocabulary)
        dates = dict.fromkeys(release.metros, day)
        body = b"".join(answer(query, release=release, dates=dates, entitlement=EVERYTHING).parts)
        return json.loads(body)

    requests = ["/v1/metros"]
    for metro in release.metros:
        for collection in COLLECTIONS.values():
            path = f"/v1/{metro}/{collection}"
            listed = f"{path}?min_confidence=0&limit=200&audience=all"
            requests.append(listed)
            requests += [f"/v1/{collection}/{item['id']}?include=source" for item in ask(listed)["data"]]
        organizations = f"/v1/{metro}/organizations?min_count=0&limit=200"
        requests += [organizations, *(f"/v1/organizations/{item['id']}" for item in ask(organizations)["data"])]
        requests += [f"/v1/{metro}/coverage", f"/v1/{metro}/neighborhoods", f"/v1/{metro}/suggest?q=w"]
        requests += [f"/v1/{metro}/search?q={quote(words)}" for words in ("walk", "pine st")]
    for request in requests:
        yield request, _leave_out(ask(request))


def _read_file(name: str, data: bytes) -> Any:
    if name.endswith(".json"):
        return _leave_out(json.loads(data))
    if name.endswith(".jsonl"):
        return [_leave_out(json.loads(line)) for line in data.splitlines()]
    if name.endswith(".parquet"):
        frame = pl.read_parquet(io.BytesIO(data))
        return frame.drop(STAMPS & set(frame.columns)).rows()
    if name.endswith(".ics"):
        return _STAMPED_LINES.sub("", data.decode()).split("\r\n")
    if name.endswith("/feed.xml"):
        # The newest entry is first, and what is newest depends on when something was built.
        head, *entries = _STAMPED_TAGS.sub("", data.decode()).removesuffix("</feed>\n").split("<entry>")
        return [head, *sorted(entries)]
    return _TIMES.sub("", data.decode()).split("\n") if name.endswith(".html") else data


def _leave_out(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _leave_out(item) for name, item in value.items() if name not in STAMPS}
    return [_leave_out(item) for item in value] if isinstance(value, list) else value
