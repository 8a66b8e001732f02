"""Synchronization with the feed of changes: each page and its records are one transaction. A stopped one continues."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import orjson
from msgspec import Struct

from command.mirror.client import ApiClient, ApiResponse, MirrorError
from command.mirror.mirror_file import MirroredRecord, MirrorFile, Progress
from outings.contract.vocabulary import COLLECTIONS

_PAGE = 200
_IDS = 100
_ORGANIZATION = "organization"
# What moves with the day or with other records, and so is no change of the record.
_MOVING = {"event": ("occurrence",), _ORGANIZATION: ("categories", "metros", "counts")}

# Told after each page: the last version in the file, and the latest that there is.
Tell = Callable[[int, int], None]


class SyncResult(Struct, frozen=True, kw_only=True):
    """The number of changes read, and the release that had no more of them."""

    changes: int
    release: str | None


def catch_up(client: ApiClient, file: MirrorFile, *, url: str, tell: Tell = lambda *_: None) -> SyncResult:
    """Until there is nothing new. MirrorError where the API is another than the file's, or can't be asked."""
    progress, changes = _begin(file, url), 0
    while True:
        answer = client.ask("/v1/changes", cursor=progress.cursor, limit=_PAGE)
        meta = _check_page(answer, progress)["meta"]
        if progress.scope not in (None, meta["scope"]):
            # What the key may read now has changes that it was not shown then.
            progress = Progress(url=url, scope=meta["scope"])
            file.clear(progress)
            continue
        page = answer.body["data"]
        progress = Progress(url=url, scope=meta["scope"], cursor=meta["next_cursor"])
        _apply_page(client, file, page, progress=progress)
        changes += len(page)
        tell(progress.cursor, meta["latest_version_id"])
        if not meta["has_more"]:
            return SyncResult(changes=changes, release=answer.release)


def _begin(file: MirrorFile, url: str) -> Progress:
    progress = file.read_progress()
    if progress is None:
        return Progress(url=url)
    if progress.url != url:
        raise MirrorError(f"this file is a mirror of {progress.url}, not of {url}: give another file")
    return progress


def _check_page(answer: ApiResponse, progress: Progress) -> Mapping[str, Any]:
    if answer.status == 200:
        body: Mapping[str, Any] = answer.body
        return body
    error = answer.body["error"]
    if error.get("details", {}).get("reason") == "cursor_ahead":
        raise MirrorError(
            f"version {progress.cursor} no longer exists there: the API has other releases. Start with a new file"
        )
    raise MirrorError(f"/v1/changes: {answer.status} {error['message']}")


def _apply_page(client: ApiClient, file: MirrorFile, page: Sequence[Any], *, progress: Progress) -> None:
    """A record is of its id and metro: it may have gone to another. The last that a page says of it holds."""
    last = {(each["listing_id"], _name_home(each)): each for each in page}
    wanted = [each for each in last.values() if each["kind"] != "removed"]
    put = {record.id: record for record in _fetch(client, wanted)}
    missing = [each for each in last.values() if each["listing_id"] not in put]
    dropped = [each["listing_id"] for each in missing if file.find_metro(each["listing_id"]) == _name_home(each)]
    file.apply(put=put.values(), dropped=dropped, progress=progress)


def _name_home(change: Mapping[str, Any]) -> str | None:
    """An organization is one, whatever metros it has."""
    metro: str | None = change["metro"]
    return None if change["type"] == _ORGANIZATION else metro


def _fetch(client: ApiClient, changes: Sequence[Mapping[str, Any]]) -> Iterator[MirroredRecord]:
    """Those that there still are, as they are now."""
    by_list: defaultdict[str, list[str]] = defaultdict(list)
    for each in changes:
        if each["type"] == _ORGANIZATION:
            answer = client.ask(each["links"]["self"])
            if answer.status == 200:
                yield _make_record(answer.body["data"], metro=None)
        else:
            by_list[f"/v1/{each['metro']}/{COLLECTIONS[each['type']]}"].append(each["listing_id"])
    for path, ids in by_list.items():
        for at in range(0, len(ids), _IDS):
            answer = client.ask(path, ids=",".join(ids[at : at + _IDS]))
            if answer.status == 200:
                yield from (_make_record(item, metro=item["metro"]) for item in answer.body["data"])


def _make_record(item: dict[str, Any], *, metro: str | None) -> MirroredRecord:
    moving = _MOVING.get(item["type"], ())
    kept = {name: value for name, value in item.items() if name not in moving}
    return MirroredRecord(
        id=item["id"],
        type=item["type"],
        metro=metro,
        updated_at=item["updated_at"],
        document=orjson.dumps(kept).decode(),
    )
