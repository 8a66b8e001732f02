"""Write the golden answers again: after RENDERER_VERSION was raised, or when the world or the requests are others.

`--requests` also makes the list of requests anew; otherwise those of the file stay.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from outings.answers.renderer_version import RENDERER_VERSION
from tests.edge.sample_edge import add_client
from tests.golden.answers import FILE, Golden, explain_difference, hash_answers, list_changed, read_golden, write_golden
from tests.golden.requests import list_requests
from tests.golden.world import hash_world, make_edge


def main() -> int:
    """Write the file, unless bodies changed under the same number or the number changed alone."""
    stored = read_golden(FILE.read_text()) if FILE.exists() else None
    with TemporaryDirectory() as folder:
        edge = make_edge(Path(folder))
        key = add_client(Path(folder), edge, plan="partner")
        requests = list_requests(edge, key) if stored is None or "--requests" in sys.argv else list(stored.hashes)
        current = Golden(RENDERER_VERSION, hash_world(Path(folder)), hash_answers(edge, key, requests))
        edge.close()
    if stored is not None:
        changed = list_changed(stored, current)
        print("\n".join(changed[:40]), f"{len(changed)} of {len(requests)} bodies changed", sep="\n", file=sys.stderr)
        if changed and (stored.version, stored.world) == (current.version, current.world):
            print(explain_difference(stored, current), file=sys.stderr)
            return 1
        if not changed and stored.version != current.version:
            print(explain_difference(stored, current), file=sys.stderr)
            return 1
    FILE.write_text(write_golden(current))
    return 0


sys.exit(main())
