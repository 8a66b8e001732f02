"""Content codings: chooses one that the client accepts, and encodes bodies. One weak ETag stands for all codings."""

import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import brotli
import zstandard
from isal import isal_zlib

from outings.release.objects import Bytes

GZIP = b"gzip"
IDENTITY = b""

# Below one packet a coding saves nothing.
LEAST_CODED_BYTES = 860

# Microseconds, and the share of the bytes that is left, of 3 kB and 60 kB of listings: isal 0: 5, 48 (0.42, 0.15);
# isal 1: 18, 46 (0.35, 0.12); isal 3: 22, 259 (0.37, 0.14); zlib 6: 37, 589 (0.33, 0.09);
# zstd 1: 23, 71 (0.37, 0.11); zstd 3: 26, 100 (0.36, 0.10); brotli 4: 54, 382 (0.34, 0.10); 5: 68, 550 (0.33, 0.09).
GZIP_LEVEL = 1
ZSTD_LEVEL = 3
BROTLI_QUALITY = 4

# zlib's word for "with gzip's header".
_GZIP_WINDOW = 31
# Of a file that is sent as it is read.
_PIECE_BYTES = 65_536


def encode_gzip(body: bytes) -> bytes:
    """Equal bodies give equal bytes: the header carries no time."""
    return isal_zlib.compress(body, GZIP_LEVEL, wbits=_GZIP_WINDOW)


def encode_brotli(body: bytes) -> bytes:
    coded: bytes = brotli.compress(body, mode=brotli.MODE_TEXT, quality=BROTLI_QUALITY)
    return coded


def encode_zstd(body: bytes) -> bytes:
    # A compressor is not to be shared among threads, and making one costs a microsecond.
    return zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(body)


def decode_gzip(coded: bytes) -> bytes:
    return isal_zlib.decompress(coded, wbits=_GZIP_WINDOW)


def cut_pieces(data: Bytes) -> Iterator[bytes]:
    """Small enough to be sent between two other answers."""
    return (data[at : at + _PIECE_BYTES] for at in range(0, len(data), _PIECE_BYTES))


def unpack_pieces(packed: Bytes) -> Iterator[bytes]:
    """Yield the unpacked bytes of gzip, never holding more than one piece."""
    unpacking = zlib.decompressobj(wbits=_GZIP_WINDOW)
    for piece in cut_pieces(packed):
        while piece:
            unpacked = unpacking.decompress(piece, _PIECE_BYTES)
            if unpacked:
                yield unpacked
            piece = unpacking.unconsumed_tail
    rest = unpacking.flush()
    if rest:
        yield rest


# In our order of choice among codings that a client weighs the same: gzip is what is stored.
CODINGS: Mapping[bytes, Callable[[bytes], bytes]] = {
    GZIP: encode_gzip,
    b"zstd": encode_zstd,
    b"br": encode_brotli,
}


def encode_body(body: bytes, coding: bytes) -> bytes:
    """`body` in one of `CODINGS`, or as it is (`IDENTITY`)."""
    return CODINGS[coding](body) if coding else body


@lru_cache(maxsize=512)
def choose_coding(accepted: bytes, offered: tuple[bytes, ...] = tuple(CODINGS)) -> bytes:
    """Return the coding that an `Accept-Encoding` weighs highest (RFC 9110, 12.5.3), or IDENTITY. Of equal weights the
    first of `offered` wins.

    A client that refuses every coding gets identity all the same: better than a 406 that nobody expects.
    """
    weights = _read_weights(accepted)
    rest = weights.get(b"*", 0.0)
    chosen, highest = IDENTITY, weights.get(b"identity", 0.0)
    for coding in offered:
        weight = weights.get(coding, rest)
        if weight > 0 and (weight > highest or (weight == highest and chosen == IDENTITY)):
            chosen, highest = coding, weight
    return chosen


def _read_weights(accepted: bytes) -> Mapping[bytes, float]:
    """Return the weight of each named coding, from 0 to 1. Skip items that are no valid coding."""
    weights = {}
    for part in accepted.lower().split(b","):
        name, _, parameter = part.partition(b";")
        weight = _read_weight(parameter.strip())
        if name.strip() and weight is not None:
            weights[name.strip()] = weight
    return weights


def _read_weight(parameter: bytes) -> float | None:
    if not parameter:
        return 1.0
    name, _, value = parameter.partition(b"=")
    digits = value.strip()
    if name.strip() != b"q" or not digits.replace(b".", b"", 1).isdigit():
        return None
    weight = float(digits)
    return weight if weight <= 1 else None
