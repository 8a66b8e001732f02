"""A deployment whose pages look unlike those of the sample cities: a city without a listing, names of 200 characters,
names from right to left, very many organizations and feeds, rows that were refused, builds that failed. It is built and
served by the commands that an operator has."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from command.sample_cities import write_world
from command.sample_cities.geography import METROS, SEATTLE, DemoMetro
from tests.edge.processes.serving import wait_until
from tests.pages.conftest import answers

Record = dict[str, Any]

LONG = ("The Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 3)[:200]
NAMES = {"empty": "Nowhere", "long": LONG[:120], "hebrew": "حيفا وعكا", "many": "Everything"}
FEEDS, CLUBS = 40, 8
# Of these listings' names, every other in another direction.
RIGHT_TO_LEFT = ("שעת סיפור לגיל הרך בספרייה העירונית", "ورشة رسم للأطفال (من 6 إلى 9 سنوات)")
MUSEUM = """
[[feeds]]
name = "museum"
metro = "many"
format = "ndjson"
url = "data/museum.ndjson"
max_shrink = 1.0
"""


# In the folder of the deployment: its pages as files, with those of the operator alone.
PAGES = "pages"


@contextmanager
def serve_states(folder: Path) -> Iterator[str]:
    """Yields the address of its server."""
    config = _write_feeds(folder)
    # Published, and failed: a feed without listings is told.
    _write_museum(folder, names=("Drawing", "Dinosaurs", "Night at the museum"))
    _run(config, "build", is_refused=True)
    _write_museum(folder, names=("Drawing", "Minerals"), wrong=3)
    _run(config, "build", is_refused=True)
    (folder / "data/museum.ndjson").rename(folder / "data/away.ndjson")
    _run(config, "build", is_refused=True)
    _run(config, "site", str(folder / PAGES), "--internal")
    with _serve(config) as url:
        yield url


@contextmanager
def serve_samples(folder: Path, *, language: str) -> Iterator[str]:
    """The sample cities, with pages in another language and another colour."""
    config = folder / "outings.toml"
    _write_world(config, METROS, size=400, more=f'language = "{language}"\ncolors = {{ accent = "#8a2be2" }}\n')
    _run(config, "build")
    with _serve(config) as url:
        yield url


@contextmanager
def _serve(config: Path) -> Iterator[str]:
    log = config.parent / "log"
    words = ["serve", "-c", str(config), "--port", "0", "--workers", "1"]
    with log.open("w") as lines:
        process = subprocess.Popen([sys.executable, "-m", "command", *words], stderr=lines)
    try:
        wait_until(lambda: "127.0.0.1:" in log.read_text())
        url = "http://127.0.0.1:" + log.read_text().partition("127.0.0.1:")[2].partition(",")[0]
        wait_until(lambda: answers(f"{url}/readyz"))
        yield url
    finally:
        process.terminate()
        process.wait(timeout=60)


def _write_world(config: Path, metros: Sequence[DemoMetro], *, size: int, more: str = "") -> None:
    """Write a world with a key for visitors, which needs a configuration first. `more` is added to the table
    `[site]`."""
    today = datetime.now(UTC).date()
    write_world(config, today=today, size=size, metros=metros)
    key = json.loads(_run(config, "keys", "create", "--client", "visitors", "--plan", "standard", "--json"))["key"]
    write_world(config, today=today, size=size, metros=metros, key=key)
    config.write_text(config.read_text().replace("[site]\n", f"[site]\n{more}"))


def _write_feeds(folder: Path) -> Path:
    config = folder / "outings.toml"
    metros = [replace(SEATTLE, slug=slug, name=name, alias=f"{slug}-city") for slug, name in NAMES.items()]
    _write_world(config, metros, size=120)
    (folder / "data/empty.ndjson").write_text("")
    _rename(folder / "data/long.ndjson", [LONG])
    _rename(folder / "data/hebrew.ndjson", RIGHT_TO_LEFT)
    with config.open("a") as lines:
        lines.write(MUSEUM)
        for number in range(FEEDS):
            lines.write(MUSEUM.replace("museum", f"feed-{number:02}"))
            records = (_make_event(f"{number}-{club}", club=f"Club {number}-{club}") for club in range(CLUBS))
            _write_lines(folder / f"data/feed-{number:02}.ndjson", records)
    return config


def _write_museum(folder: Path, *, names: Sequence[str], wrong: int = 0) -> None:
    """Write a museum's feed, in which `wrong` rows are refused and one value is left out."""
    records = [_make_event(name.lower(), name=name, image_url="ftp://museum.example/1.png") for name in names]
    records += [_make_event(f"wrong-{number}", price={"min": "about five"}) for number in range(wrong)]
    _write_lines(folder / "data/museum.ndjson", records)


def _make_event(source_id: str, *, club: str = "Museum of Everything", **members: Any) -> Record:
    starts = datetime.now(UTC).replace(hour=17, minute=0, second=0, microsecond=0, tzinfo=None) + timedelta(days=3)
    return {
        "type": "event",
        "source_id": source_id,
        "name": f"Open day {source_id}",
        "description": "A day for families.",
        "starts_local": starts.isoformat(),
        "organization": {"name": club},
        **members,
    }


def _rename(path: Path, names: Sequence[str]) -> None:
    """Give every named object one of these names. A name that must be unique keeps its own beside it."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for number, record in enumerate(records):
        own = names[number % len(names)]
        record["name"] = f"{record['name']} {own}"[:200] if record["type"] == "organization" else own
        if "name" in record.get("organization", {}):
            record["organization"]["name"] = own
        record["description"] = f"{own}. " * 5
    _write_lines(path, records)


def _write_lines(path: Path, records: Iterable[Record]) -> None:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


def _run(config: Path, *words: str, is_refused: bool = False) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "command", *words, "-c", str(config)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode != 0) is is_refused, done.stderr
    return done.stdout
