"""Fixture policy.

- A fixture here is one that every folder may need; a folder's own are in its conftest. Makers and oracles that
  are no fixture are modules, imported by their full name: `from tests.release.worlds import …`.
- A test goes through the public door: values in, values or bytes out. No mocks: clock, store and randomness are
  arguments.
- Every test writes under `tmp_path` alone, picks free ports, talks to loopback only, and runs in any order and beside
  any other (xdist). Servers and built worlds are session fixtures and are read-only; who writes makes an own one.
  A world that several files need is built once for all workers (`tests/built_once.py`); who writes to it copies it.
- What is expected is written out, or computed by an oracle that shares no code with what it judges.
- One setting bounds the time: OUTINGS_TEST_CASES, how many cases a generated test tries and how often a crash test
  kills, save for a floor where a kill is cheap. No test sets `max_examples` itself; who counts rounds asks for the
  fixture `cases`. Both kinds are marked `generated` here.
- A test that takes more than a second of the processor becomes quicker, or is marked `slow` with the reason.
- A test that takes many seconds however few its cases is marked `long`. `make test` leaves it out; `make test-long`
  runs it, and the generated tests with more cases. To run one by its name, add `-m ""`.
- `tests/pipeline/test_older_program.py` takes an older commit out of the repository; a shallow clone lacks it, and the
  file is not collected there.
- Where ICAL_JS names the folder of the npm package `ical.js`, Thunderbird's reader subscribes to calendars too.
- Tests on the real cities are in `tests/examples/` and read the folder in CITY_DATA. Where it is
  not set they are not collected; nothing is ever skipped. Under OUTINGS_NO_SKIPS=1, as in CI, a skip or an expected
  failure is a failure.
"""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]

from tests.built_once import FOLDER

# A newcomer waits for `make test`; `make test-long` tries 20.
CASES = int(os.environ.get("OUTINGS_TEST_CASES") or 3)

settings.register_profile(
    "outings",
    max_examples=CASES,
    deadline=None,  # two cores shared by all workers: a slow case is no failure
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],  # worlds are large and slow to make
)
settings.load_profile("outings")

collect_ignore = [] if os.environ.get("CITY_DATA") else ["examples"]

# Each worker has a core: more threads only wait for each other, and take a seventh of a small build's processor time.
os.environ.setdefault("POLARS_MAX_THREADS", "1")

# The caller's own settings are no part of a test's input.
for name in [name for name in os.environ if name.startswith("OUTINGS_")]:
    if name not in ("OUTINGS_TEST_CASES", "OUTINGS_NO_SKIPS"):
        del os.environ[name]


ROOT = Path(__file__).parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """A release has pages, and pages have styles and scripts: they are built before any worker asks for them. What they
    are built with may come by the caller's proxy; nothing that a test asks does."""
    build = ROOT / "tools/build_site"
    if not hasattr(config, "workerinput"):
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="outings-built-")
        if build.exists():
            subprocess.run([build, sys.prefix], cwd=ROOT, check=True)
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is imported and collected is garbage: looking through it takes seconds of each worker."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000)  # as in a build: tests make many objects and hardly a cycle
        gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


@pytest.fixture(scope="session")
def cases() -> int:
    """Return how many cases a generated test tries: OUTINGS_TEST_CASES."""
    return CASES


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark generated tests before `-m` chooses among them."""
    for item in items:
        test = getattr(item, "obj", None)
        if getattr(test, "is_hypothesis_test", False) or "cases" in getattr(item, "fixturenames", ()):
            item.add_marker("generated")


class FileScheduler(LoadGroupScheduling):  # type: ignore[misc]
    """A file's tests go to one worker, as those of a group do: the worlds that they share are built once."""

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if scope == nodeid else scope


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> FileScheduler:
    return FileScheduler(config, log)


def pytest_xdist_auto_num_workers() -> int:
    """Twice the cores. Tests also wait, for processes above all: with half as many workers again as cores, 28 % of the
    cores' time was idle."""
    return len(os.sched_getaffinity(0)) * 2


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get("OUTINGS_NO_SKIPS") == "1" and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped or expected to fail, which OUTINGS_NO_SKIPS=1 does not allow: {report.longrepr}"
        vars(report).pop("wasxfail", None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_skip(report)
    return report
