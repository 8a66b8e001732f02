"""Golden answers: a hash of each body, in one file, with the number of the renderer that made them.

`RENDERER_VERSION` is in every ETag. It has to rise when the bytes of an answer change, so that nobody takes an old
body for a new one. It may not rise otherwise, since every reader then fetches everything again.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from edge.app import Edge
from tests.edge.asking import Response, ask

FILE = Path(__file__).with_name("answers.txt")
COMMAND = "python -m tests.golden"
_DIGITS = 16
# Not the renderer's: they follow from the release's bytes, which those of libraries are part of, or are random.
_MASKED = re.compile(rb'"(request_id|next_cursor)":"[^"]*"|"release":\{"id":"[^"]*"|"(sha256|rows_hash)":"[^"]*"')


class Golden(NamedTuple):
    """The answers of one renderer: its number, the hash of the world's feeds, and a hash of each request's answer."""

    version: int
    world: str
    hashes: Mapping[str, str]


def read_golden(text: str) -> Golden:
    """Parse the file of golden answers."""
    head, _, rest = text.partition("\n\n")
    version, world = (line.partition(": ")[2] for line in head.splitlines()[-2:])
    hashes = dict(reversed(line.split(" ", 1)) for line in rest.splitlines())
    return Golden(int(version), world, hashes)


def write_golden(golden: Golden) -> str:
    """Format golden answers as the text of their file."""
    lines = [f"{hash_} {request}" for request, hash_ in golden.hashes.items()]
    return "\n".join(
        [f"# Written by `{COMMAND}`.", f"renderer: {golden.version}", f"world: {golden.world}", "", *lines, ""]
    )


def hash_answers(edge: Edge, key: str, requests: Sequence[str]) -> dict[str, str]:
    """Request each, and hash its status and its body."""
    return {request: _hash_answer(ask(edge, request, key=key)) for request in requests}


def _hash_answer(response: Response) -> str:
    # No cache keeps an error, so its words may change.
    body = _MASKED.sub(b"", response.read_body()) if response.status == 200 else b""
    return hashlib.sha256(b"%d\n%b" % (response.status, body)).hexdigest()[:_DIGITS]


def list_changed(old: Golden, new: Golden) -> list[str]:
    """Return the requests whose answer is another now. Requests that only one of them has are not compared."""
    return [request for request, hash_ in new.hashes.items() if old.hashes.get(request, hash_) != hash_]


def explain_difference(stored: Golden, current: Golden) -> str | None:
    """Return what is wrong and what to do, or None if the stored answers are those of this program."""
    changed = list_changed(stored, current)
    if changed and stored.version == current.version and stored.world == current.world:
        return (
            f"{len(changed)} bodies changed and RENDERER_VERSION is still {current.version}. If that is intended, "
            f"raise it in outings/answers/renderer_version.py and run `{COMMAND}`.\n" + "\n".join(changed[:20])
        )
    if not changed and stored.version != current.version:
        return (
            f"RENDERER_VERSION is {current.version}, and no body differs from those of {stored.version}. Set it back "
            "in outings/answers/renderer_version.py, or every reader fetches everything again for nothing."
        )
    if stored != current:
        return f"The golden answers are not those of this program: run `{COMMAND}`, and commit {FILE.name}."
    return None
