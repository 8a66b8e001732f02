"""A body as it is sent → its bytes, piece by bounded piece: a bomb is met at its first one."""

import zlib
from collections.abc import Iterator

# Of what was unpacked, at once in memory.
_PIECE = 1 << 18
# 16 more than the window's bits: with gzip's own header and check sum.
_GZIP = zlib.MAX_WBITS | 16


class CorruptBody(ValueError):  # noqa: N818 - the name says it
    """The body is not gzip, or it is cut off."""


class Unpacker:
    """Takes the pieces of a body in order."""

    def __init__(self, coding: str) -> None:
        """ValueError for a coding that was not asked for."""
        coding = coding.strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip"):
            raise ValueError(f'has the encoding "{coding[:50]}", which was not requested')
        self._is_packed = coding in ("gzip", "x-gzip")
        self._stream = zlib.decompressobj(_GZIP)
        self._is_begun = False

    def unpack(self, piece: bytes) -> Iterator[bytes]:
        if not self._is_packed:
            yield piece
            return
        try:
            while piece:
                if self._stream.eof:
                    # A member after a member is one file; what else follows is padding.
                    if not piece.startswith(b"\x1f"):
                        return
                    self._stream = zlib.decompressobj(_GZIP)
                self._is_begun = True
                yield self._stream.decompress(piece, _PIECE)
                piece = self._stream.unconsumed_tail or self._stream.unused_data
        except zlib.error as error:
            raise CorruptBody(f"is not gzip: {error}") from error

    def finish(self) -> None:
        """Raises CorruptBody where more should have come."""
        if self._is_begun and not self._stream.eof:
            raise CorruptBody("ends in the middle of its gzip")
