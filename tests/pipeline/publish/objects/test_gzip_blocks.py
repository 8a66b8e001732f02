"""A file of blocks is gzip that any reader takes, and only blocks that changed are compressed again."""

import gzip
import hashlib
import random
import zlib
from collections.abc import Sequence

import pytest

from pipeline.publish.objects.gzip_blocks import LEAST_SIZE, GzipFile, pack_pieces, split_blocks

_WORDS = random.Random(1).choices(["clay", "river", "lantern", "dance", "noon", "story", "garden"], k=60_000)


def make_piece(number: int, text: str = "") -> bytes:
    words = " ".join(_WORDS[number * 97 % 50_000 :][:300])
    return f'{{"id": "{number}", "text": "{text}{words}"}}\n'.encode()


PIECES = [make_piece(number) for number in range(400)]


def pack(pieces: Sequence[bytes], before: GzipFile | None = None) -> GzipFile:
    known = {} if before is None else split_blocks(before.data, before.blocks)
    return pack_pieces(pieces, known)


def count_made(file: GzipFile, before: GzipFile) -> int:
    return len({each.key for each in file.blocks} - {each.key for each in before.blocks})


@pytest.mark.parametrize("pieces", [[], [b""], PIECES[:1], PIECES[:3], PIECES, [b"x" * 6 * LEAST_SIZE, *PIECES[:9]]])
def test_a_file_is_one_member_of_gzip_with_all_pieces(pieces: list[bytes]) -> None:
    file, whole = pack(pieces), b"".join(pieces)
    unpacking = zlib.decompressobj(wbits=31)
    assert unpacking.decompress(file.data) + unpacking.flush() == whole
    assert unpacking.eof
    assert unpacking.unused_data == b""
    assert gzip.decompress(file.data) == whole
    assert (file.size, file.sha256) == (len(whole), hashlib.sha256(whole).hexdigest())


def test_a_block_knows_what_stands_before_it() -> None:
    """Else a file would be half as large again."""
    file, whole = pack(PIECES), b"".join(PIECES)
    assert len(file.blocks) > 5
    assert len(file.data) < 1.1 * len(gzip.compress(whole, compresslevel=6))


@pytest.mark.parametrize(
    "pieces",
    [
        [*PIECES[:200], make_piece(200, "new "), *PIECES[201:]],
        [*PIECES[:200], *PIECES[201:]],
        [*PIECES[:200], make_piece(900), *PIECES[200:]],
    ],
    ids=["one changed", "one gone", "one more"],
)
def test_where_a_piece_is_another_most_blocks_stay(pieces: list[bytes]) -> None:
    before = pack(PIECES)
    file = pack(pieces, before)
    assert 1 <= count_made(file, before) <= 4
    # Whatever was there before.
    assert file == pack(pieces)


def test_blocks_of_a_file_that_is_not_put_together_of_them_are_none() -> None:
    file = pack(PIECES)
    assert len(split_blocks(file.data, file.blocks)) == len(file.blocks)
    assert split_blocks(file.data[:-1], file.blocks) == {}
    assert split_blocks(file.data, file.blocks[1:]) == {}
    assert split_blocks(b"", file.blocks) == {}
