"""Packs: documents one after the other in a few objects, found by (pack, offset, length)."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

# A full pack is put away while documents are still coming: a build holds one in memory, and an edge fetches no giant.
PACK_SIZE = 64 * 1024 * 1024
# A build adds a pack of what changed, and an edge maps each: more small ones than this are joined.
MOST_PACKS = 32


class Pack(Struct, frozen=True, kw_only=True):
    """A pack of `size` bytes, of which `alive` belong to documents that some row still points to."""

    object: str
    size: int
    alive: int


class PackLocation(Struct, frozen=True):
    """The place of a document: the pack's index in the manifest, byte offset and length."""

    pack: int
    offset: int
    length: int


class PackWriter:
    """Append documents to new packs after the `kept` ones. `put` writes an object and returns its hash."""

    def __init__(self, *, kept: Sequence[Pack] = (), put: Callable[[bytes], str], size: int = PACK_SIZE) -> None:
        self._packs = list(kept)
        self._put = put
        self._size = size
        self._open = bytearray()

    def append(self, document: bytes) -> PackLocation:
        if self._open and len(self._open) + len(document) > self._size:
            self._close()
        offset = len(self._open)
        self._open += document
        return PackLocation(len(self._packs), offset, len(document))

    def finish(self) -> tuple[Pack, ...]:
        """Return all packs, the kept ones first, as the manifest lists them."""
        if self._open:
            self._close()
        return tuple(self._packs)

    def _close(self) -> None:
        size = len(self._open)
        self._packs.append(Pack(object=self._put(bytes(self._open)), size=size, alive=size))
        self._open = bytearray()


def choose_kept(packs: Sequence[Pack], alive: Sequence[int]) -> Mapping[int, int]:
    """Choose the packs that stay, old index to new, by how many bytes of each unchanged rows still point to.

    One less than half alive is written again (its documents are appended anew). Of small packs the largest half of
    `MOST_PACKS` stay when there are more than that, so that the next joining is many builds away.
    """
    worth = [at for at, pack in enumerate(packs) if alive[at] and 2 * alive[at] >= pack.size]
    small = [at for at in worth if 2 * packs[at].size < PACK_SIZE]
    if len(small) > MOST_PACKS:
        largest = sorted(small, key=lambda at: (-alive[at], at))[: MOST_PACKS // 2]
        worth = [at for at in worth if at not in small or at in largest]
    return {at: index for index, at in enumerate(worth)}
