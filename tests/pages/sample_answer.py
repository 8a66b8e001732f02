"""The answer on the home page is the program's own: asked of the sample cities as they are on one day.

`python -m tests.pages.sample_answer` writes it again, after a change of what events look like.
"""

import json
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

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


def make_answer(folder: Path) -> bytes:
    configuration = read_configuration(write_world(folder / "outings.toml", today=TODAY, size=400), {})
    store = open_store(configuration.store.url)
    build_release(Build(configuration=configuration, as_of=AsOf(day=TODAY)), store=store, executor=InlineExecutor())
    return City(folder).ask_bytes(f"/v1/{SAMPLE_METRO}/{SAMPLE_QUERY}", day=TODAY.isoformat())


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        FILE.write_text(json.dumps(json.loads(make_answer(Path(made))), indent=1, ensure_ascii=False) + "\n")
