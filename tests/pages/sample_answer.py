"""The answer on the home page is the program's own: asked of the sample cities as they are on one day.

`python -m tests.pages.sample_answer` writes it again, after a change of what events look like.
"""

import json
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from command.sample_cities import write_world
from outings.configuration import read_configuration
from outings.pages.site import SAMPLE_METRO, SAMPLE_QUERY
from outings.release.store import open_store
from pipeline.building import build_release
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build
from tests.pipeline.city import City

FILE = Path(__file__).parents[2] / "site/templates/sample_answer.json"
TODAY = date(2026, 11, 20)
# The columns of the answer as the home page shows it.
_WIDTH = 64
_STEP = "  "


def make_answer(folder: Path) -> bytes:
    configuration = read_configuration(write_world(folder / "outings.toml", today=TODAY, size=400), {})
    store = open_store(configuration.store.url)
    build_release(Build(configuration=configuration, as_of=AsOf(day=TODAY)), store=store, executor=InlineExecutor())
    return City(folder).ask_bytes(f"/v1/{SAMPLE_METRO}/{SAMPLE_QUERY}", day=TODAY.isoformat())


def format_json(value: Any, *, indent: str = "", taken: int = 0) -> str:
    """Format JSON so that a value that fits on a line is on one. `indent`: the blanks before further lines; `taken`:
    how many columns of the first line are used already."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(indent) + taken + len(flat) <= _WIDTH:
        return flat
    inner = indent + _STEP
    if isinstance(value, dict):
        names = [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
        lines = [
            name + format_json(entry, indent=inner, taken=len(name))
            for name, entry in zip(names, value.values(), strict=True)
        ]
    else:
        lines = [format_json(entry, indent=inner) for entry in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n" + ",\n".join(inner + line for line in lines) + f"\n{indent}{last}"


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        FILE.write_text(format_json(json.loads(make_answer(Path(made)))) + "\n")
