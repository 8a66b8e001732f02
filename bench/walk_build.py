"""The walk of one feed row through a build: `python -m bench.walk_build [--files]`.

A feed of one event is built three times in this process: from nothing, with another description, and as it was. How
many files of the program each build enters, how many functions it calls there, and how often the next call is in
another file; then what ten events more add to the first. It walks through the program of the folder in which it runs,
an older checkout too: `PYTHONPATH=. python /path/to/bench/walk_build.py`.
"""

import argparse
import importlib
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from types import FrameType
from typing import Any

_ROOT = Path.cwd()
_ROOMS = tuple(f"{_ROOT}/{name}/" for name in ("pipeline", "outings", "command"))
_DAY = date(2026, 8, 10)
_CONFIG = """[[metros]]
slug = "seattle"
name = "Seattle"
timezone = "America/Los_Angeles"
center = { lat = 47.6, lng = -122.33 }
bounds = { south = 47.4, west = -122.5, north = 47.8, east = -122.2 }

[[feeds]]
name = "one"
format = "ndjson"
url = "feed.ndjson"
metro = "seattle"

[store]
url = "file:store"

[site]
enabled = false
"""

_EVENT = {
    "type": "event", "source_id": "a", "name": "Bird walk", "starts_local": "2026-08-12T10:00:00",
    "location": {"lat": 47.6, "lng": -122.33}, "organization": {"name": "Friends of birds"}, "price": {"type": "free"},
}  # fmt: skip


class Walk:
    """The files of the calls while it is walked, in order."""

    def __init__(self) -> None:
        self.files: list[str] = []

    def run(self, do: Callable[[], object]) -> "Walk":
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            do()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        return self

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(_ROOMS) and frame.f_code.co_name != "<module>":
            self.files.append(file.removeprefix(f"{_ROOT}/"))

    def describe(self) -> str:
        changes = sum(one != other for one, other in zip(self.files, self.files[1:], strict=False))
        return f"{len(set(self.files))} | {len(self.files)} | {changes}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.walk_build", description=__doc__)
    parser.add_argument("--files", action="store_true", help="name the files in order")
    options = parser.parse_args(arguments)
    modules = {name: importlib.import_module(name) for name in _list_modules()}
    executor = next(module.InlineExecutor for module in modules.values() if hasattr(module, "InlineExecutor"))
    for module in modules.values():
        if hasattr(module, "run_bounded"):  # else a feed is read in a child process, where nobody counts
            vars(module)["run_bounded"] = lambda work, _: work()
    build_release, plan = modules["pipeline.building"].build_release, importlib.import_module("pipeline.plan")
    as_of = importlib.import_module("pipeline.clock").AsOf(day=_DAY)
    read_configuration = importlib.import_module("outings.configuration").read_configuration
    stores = "outings.release.stores" if (_ROOT / "outings/release/stores.py").exists() else "outings.release.store"
    open_store = importlib.import_module(stores).open_configured_store
    print("| Build | files | calls | changes of file |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as name:
        folder = Path(name)
        (folder / "outings.toml").write_text(_CONFIG)

        def build() -> None:
            configuration = read_configuration(folder / "outings.toml", {})
            request = plan.Build(configuration=configuration, as_of=as_of)
            build_release(request, store=open_store(configuration.store), executor=executor())

        def write(*texts: str) -> None:
            events = ({**_EVENT, "source_id": str(n), "description": text} for n, text in enumerate(texts))
            (folder / "feed.ndjson").write_text("".join(json.dumps(event) + "\n" for event in events))

        write("A walk.")
        build()  # what is cached in the process is cached then
        (folder / "store").rename(folder / "first")
        walks: list[Walk] = []
        for what, text in (("from nothing", "A walk."), ("one row changed", "A talk."), ("nothing changed", "A talk.")):
            write(text)
            walks.append(Walk().run(build))
            print(f"| {what} | {walks[-1].describe()} |")
            if options.files:
                print("\n".join(f"  {file}" for file in dict.fromkeys(walks[-1].files)))
        (folder / "store").rename(folder / "second")
        write(*["A walk."] * 11)
        more = len(Walk().run(build).files) - len(walks[0].files)
        print(f"| each row more, from nothing | | {more / 10:.0f} | |")


def _list_modules() -> list[str]:
    paths = [*(_ROOT / "pipeline").glob("*.py"), *(_ROOT / "pipeline/executors").glob("*.py")]
    names = (path.relative_to(_ROOT).with_suffix("").as_posix().replace("/", ".") for path in paths)
    return [name for name in names if not name.endswith(("__init__", ".cluster"))]


if __name__ == "__main__":
    main()
