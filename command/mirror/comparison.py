"""Whether a mirror has what the API has: the rolling hash of each metro's types, here and in the export's list."""

from collections.abc import Mapping

from msgspec import Struct

from command.mirror.client import ApiClient, MirrorError
from command.mirror.mirror_file import MirrorFile
from command.mirror.sync import catch_up
from outings.release.manifest import NO_ROWS, add_rows

# A release that comes while it is compared makes it begin again.
ATTEMPTS = 10

Hashes = Mapping[tuple[str, str], str]


class Difference(Struct, frozen=True, kw_only=True):
    """A hash is null where one side has no such rows to tell of."""

    metro: str
    type: str
    here: str | None
    there: str | None


def check_mirror(client: ApiClient, file: MirrorFile, *, url: str) -> list[Difference]:
    """Of one release, up to which the mirror was brought before. Organizations are in no export, and are not compared.
    MirrorError."""
    for _ in range(ATTEMPTS):
        caught = catch_up(client, file, url=url)
        there = _read_hashes(client, release=caught.release)
        if there is not None:
            return _compare(_add_up(file), there)
    raise MirrorError(f"{ATTEMPTS} releases were published while the mirror was compared; try again")


def _read_hashes(client: ApiClient, *, release: str | None) -> Hashes | None:
    """None where another release answers."""
    metros = client.ask("/v1/metros")
    hashes: dict[tuple[str, str], str] = {}
    for metro in metros.body["data"]:
        if not metro["accessible"]:
            continue
        answer = client.ask(f"/v1/{metro['slug']}/export", format="jsonl")
        if answer.status != 200 or answer.release != release:
            return None
        hashes |= {(metro["slug"], each["type"]): each["rows_hash"] for each in answer.body["data"]}
    return hashes


def _add_up(file: MirrorFile) -> Hashes:
    return {
        (metro, listing_type): add_rows(NO_ROWS, file.walk_rows(metro, listing_type))
        for metro, listing_type in file.list_kinds()
    }


def _compare(here: Hashes, there: Hashes) -> list[Difference]:
    return [
        Difference(metro=kind[0], type=kind[1], here=here.get(kind), there=there.get(kind))
        for kind in sorted({*here, *there})
        if here.get(kind, NO_ROWS) != there.get(kind, NO_ROWS)
    ]
