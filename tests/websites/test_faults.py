"""Faults of websites' servers: each keeps the last good version of its feed alone, and says what happened."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.new_cities.exporting import run
from tests.pipeline.fetch.web import Page
from tests.settings import format_metro
from tests.websites import systems
from tests.websites.internet import Internet

LIBRARIES = "gateway.bibliocommons.com/v2/libraries"
FULL = systems.make_bibliocommons([systems.make_biblio_event(number) for number in range(1, 7)])


def make_empty(_: str) -> Page:
    pagination = {"count": 0, "limit": 2, "page": 1, "pages": 1}
    return systems.make_json({"events": {"items": [], "pagination": pagination}, "entities": {"events": {}}})


def skip_a_page(target: str) -> Page:
    """Serve a list whose third page refuses."""
    return Page(b"", status=403) if "page=3" in target else FULL(target)


FAULTS: dict[str, tuple[Page | Callable[[str], Page], str]] = {
    "challenge": (systems.make_html("", head="<title>Wait…</title>"), "is a web page (its title: “Wait…”)"),
    "refusing": (Page(b"", status=403), "answers 403, as it refuses this program"),
    "busy": (Page(b"", status=429), "answers 429, as it was asked too often (4 times)"),
    "blank": (Page(b"", headers={"Content-Type": "application/json"}), "is empty"),
    "pausing": (Page(b"", status=429, headers={"Retry-After": "7200"}), "asks for a pause of 7200 s"),
    "empty": (make_empty, "6 of its 6 listings would leave"),
    "endless": (lambda _: FULL("/?page=1"), "has the same rows as a page before it"),
    "torn": (skip_a_page, "answers 403"),
}  # fmt: skip


@pytest.mark.long
def test_each_fault_keeps_the_last_good_version_and_says_what_happened(internet: Internet, tmp_path: Path) -> None:
    config = tmp_path / "outings.toml"
    feeds = "".join(
        f'[[feeds]]\nname = "{name}"\nmetro = "seattle"\npreset = "bibliocommons"\n'
        f'url = "https://{name}.bibliocommons.com"\n'
        for name in [*FAULTS, "well"]
    )
    config.write_text(format_metro("seattle") + feeds)
    for name in [*FAULTS, "well"]:
        internet.pages[f"{LIBRARIES}/{name}/events"] = FULL
    built = run("build", "--as-of", "2026-11-30", "--workers", "1", "-c", str(config))
    assert built.exit_code == 0, built.output
    for name, (answer, _) in FAULTS.items():
        internet.pages[f"{LIBRARIES}/{name}/events"] = answer
    built = run("build", "--as-of", "2026-11-30", "--workers", "1", "-c", str(config))
    assert built.exit_code == 4, built.output
    for name, (_, message) in FAULTS.items():
        (told,) = [line for line in built.output.splitlines() if line.startswith(f"feed {name}: ") and "stays" in line]
        assert message in told
    counted = run("query", "SELECT count(*) AS n FROM events", "--format", "csv", "-c", str(config))
    assert counted.stdout.split() == ["n", str(6 * len([*FAULTS, "well"]))]


def test_a_calendar_that_ends_at_five_hundred_is_read_with_a_warning(internet: Internet, tmp_path: Path) -> None:
    events = [(f"Storytime {number}", "20261205T100000", "20261205T110000") for number in range(500)]
    internet.pages["city.libcal.com/ical_subscribe.php"] = systems.make_calendar(events)
    feed = '[[feeds]]\nname = "city"\nmetro = "seattle"\npreset = "libcal-calendar"\n'
    feed += 'url = "https://city.libcal.com/ical_subscribe.php?src=p&cid=4"\n'
    (tmp_path / "outings.toml").write_text(format_metro("seattle") + feed)
    checked = run("check", "-c", str(tmp_path / "outings.toml"))
    assert "rows = '< 500', and there are 500" in checked.output
