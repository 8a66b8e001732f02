"""Which program answers: a body is made of a release and of the code that renders it, and an ETag is of both."""

from pathlib import Path

from outings import answers, contract, release
from outings.release.program_hash import hash_sources

_FILES = (contract.__file__, release.__file__, answers.__file__)
_FOLDERS = tuple(Path(file).parent for file in _FILES)

# Hashed when it is imported, before workers are forked: 12 ms.
RENDERER_VERSION = hash_sources(_FOLDERS)[:16]
