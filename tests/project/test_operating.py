"""The files in `build/` that operators copy: their commands are ours, and each file is valid."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from command import main
from edge.metrics import Counts
from outings.configuration.tables import Configuration, StoreTable
from pipeline.reports.metrics import METRICS, PREFIX

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build"
WORKFLOWS = ("github/build.yml", "github/pages.yml")
COMPOSE_FILES = ("container/compose.yaml", "nginx/compose.yaml")
UNITS = sorted((BUILD / "systemd").iterdir())
PAGE = (ROOT / "docs/operations.md").read_text()


def read_yaml(name: str) -> Any:
    return yaml.safe_load((BUILD / name).read_text())


def list_words() -> Iterator[tuple[str, list[str]]]:
    """The words after `outings` of every command that a file of `build/` runs."""
    for unit in UNITS:
        for line in re.findall(r"^ExecStart=(.*)$", unit.read_text(), flags=re.MULTILINE):
            yield unit.name, shlex.split(line)[1:]
    for line in re.findall(
        r"^[*\d].* outings +outings (.*)$", (BUILD / "cron/outings").read_text(), flags=re.MULTILINE
    ):
        yield "cron", shlex.split(re.split(r" \d?>", line)[0])
    for file in COMPOSE_FILES:
        for name, words in list_services(file):
            yield f"{file}: {name}", words[2:] if words[0] == "every" else words
    (default,) = re.findall(r"^CMD (.*)$", (BUILD / "container/Containerfile").read_text(), flags=re.MULTILINE)
    yield "Containerfile", yaml.safe_load(default)
    yield from list_workflow_words()
    for block in re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL):
        for line in re.findall(r"^outings (.*?)(?: +#.*)?$", block, flags=re.MULTILINE):
            yield "operations.md", shlex.split(line)


def list_workflow_words() -> Iterator[tuple[str, list[str]]]:
    for file in WORKFLOWS:
        for step in list_steps(file):
            if step.get("run", "").startswith("outings "):
                line = step["run"].splitlines()[0].partition(" ||")[0]
                yield file, shlex.split(line.replace("$ALLOW_SHRINK", "--allow-shrink").replace("$TAKEDOWN", "ID"))[1:]


def list_steps(file: str) -> list[dict[str, Any]]:
    return [step for job in read_yaml(file)["jobs"].values() for step in job["steps"]]


def list_services(file: str) -> Iterator[tuple[str, list[str]]]:
    """List the services of a compose file that run our program, with their arguments."""
    for name, service in read_yaml(file)["services"].items():
        if service["image"] == "outings" and "entrypoint" not in service:
            yield name, service["command"]


WORDS = list(list_words())


def test_the_commands_of_every_file_are_found() -> None:
    assert {name for name, _ in WORDS} == {
        "outings-build.service", "outings-prune.service", "outings-serve.service", "cron",
        "Containerfile", "operations.md", *WORKFLOWS,
        *(f"container/compose.yaml: {name}" for name in ("build", "prune", "serve")),
        *(f"nginx/compose.yaml: {name}" for name in ("build", "prune", "one", "two")),
    }  # fmt: skip


@pytest.mark.parametrize(("name", "words"), WORDS, ids=[f"{name}: {' '.join(words)}" for name, words in WORDS])
def test_every_command_is_one_of_ours(name: str, words: list[str]) -> None:
    command: click.Command = main
    context = None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context, **command.context_settings)
        inner = command.get_command(context, words[0])
        assert inner is not None, words
        command, words = inner, words[1:]
    command.make_context(name, list(words), parent=context)  # raises where a word or an option is none


def test_every_setting_in_the_environment_is_one() -> None:
    tables = set(Configuration.__struct_fields__)
    named = {
        name
        for path in BUILD.rglob("*")
        if path.is_file() and "node_modules" not in path.parts
        for name in re.findall(r"\bOUTINGS_([A-Z_]+)\b", path.read_text())
    }
    assert named - {"SOURCE"} == {
        "BUILD_REPORT", "BUILD_METRICS", "BUILD_LOCK", "BUILD_QUARANTINE", "STORE_URL", "STORE_ENDPOINT_URL",
        "STORE_REGION", "EDGE_CACHE", "EDGE_STATE", "EDGE_RATE_STORAGE",
    }  # fmt: skip
    for name in named - {"SOURCE"}:
        table, _, setting = name.lower().partition("_")
        assert table in tables
        assert setting in Configuration.__annotations__[table].__struct_fields__


@pytest.fixture(scope="session")
def units(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the units, with the program's path replaced by one that exists."""
    folder = tmp_path_factory.mktemp("units")
    program = Path(sys.executable).with_name("outings")
    assert program.exists()
    for unit in UNITS:
        (folder / unit.name).write_text(unit.read_text().replace("/opt/outings/bin/outings", str(program)))
    return sorted(folder.iterdir())


def test_systemd_finds_nothing_wrong_with_the_units(units: list[Path]) -> None:
    done = subprocess.run(["systemd-analyze", "verify", *map(str, units)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_services_are_hardened(units: list[Path]) -> None:
    for unit in units:
        if unit.suffix == ".service":
            done = subprocess.run(
                ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(unit)],
                capture_output=True, text=True,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout[-400:]


def test_a_timer_that_was_missed_is_made_up_for() -> None:
    for unit in UNITS:
        if unit.suffix == ".timer":
            assert "\nPersistent=yes\n" in unit.read_text()
            assert unit.with_suffix(".service") in UNITS
            for calendar in re.findall(r"^OnCalendar=(.*)$", unit.read_text(), flags=re.MULTILINE):
                subprocess.run(["systemd-analyze", "calendar", calendar], check=True, capture_output=True)


@pytest.mark.parametrize("file", WORKFLOWS)
def test_a_workflow_builds_one_at_a_time_reports_always_and_shows_no_secret(file: str) -> None:
    workflow = read_yaml(file)
    # YAML 1.1 reads the word `on` as true.
    assert workflow[True]["schedule"]
    assert workflow["concurrency"] == {"group": f"outings-{workflow['name']}", "cancel-in-progress": False}
    assert workflow["permissions"] == {"contents": "read"}
    steps = list_steps(file)
    assert sum(step.get("if", "").startswith("always()") for step in steps) == 2
    assert "${{" not in "".join(step.get("run", "") for step in steps)
    # What a tag names may be another program tomorrow.
    assert [step["uses"] for step in steps if not re.search(r"@[0-9a-f]{40}$", step.get("uses", "@" + "0" * 40))] == []


@pytest.mark.parametrize("file", WORKFLOWS)
def test_a_workflow_is_as_its_schema_says(file: str) -> None:
    check = [str(Path(sys.executable).with_name("check-jsonschema")), "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*check, str(BUILD / file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("code", "deployed", "failed"), [(0, True, False), (4, True, True), (1, False, True), (3, False, True)]
)
def test_the_workflow_of_pages_deploys_what_was_published_and_fails_if_a_feed_is_as_it_was(
    tmp_path: Path, code: int, deployed: bool, failed: bool
) -> None:
    entry = Entrypoint(tmp_path, f"exit {code}")
    environ = {**entry.environ, "GITHUB_OUTPUT": str(tmp_path / "output"), "ALLOW_SHRINK": ""}

    def run(name: str) -> int:
        [script] = [step["run"] for step in list_steps("github/pages.yml") if step.get("name") == name]
        return subprocess.run(["bash", "-e", "-c", script], env=environ, cwd=tmp_path, check=False).returncode

    assert (run("Build") == 0) is deployed
    assert entry.calls.read_text() == "build --report report\n"
    environ["CODE"] = (tmp_path / "output").read_text().strip().removeprefix("code=")
    assert (run("Fail if a feed is as it was") != 0) is failed


def test_the_workflow_of_pages_keeps_the_store_and_the_files_and_refuses_to_go_on_without_them() -> None:
    jobs = read_yaml("github/pages.yml")["jobs"]
    assert jobs["deploy"]["needs"] == "build"
    assert jobs["deploy"]["permissions"] == {"pages": "write", "id-token": "write"}
    steps = {step.get("name") or step["uses"].partition("@")[0]: step for step in jobs["build"]["steps"]}
    restored, saved = (steps[f"actions/cache/{verb}"]["with"] for verb in ("restore", "save"))
    assert restored["path"].split() == saved["path"].split() == [StoreTable().url.removeprefix("file:"), "public"]
    assert restored["key"] == saved["key"]
    assert saved["key"].startswith(restored["restore-keys"])
    order = list(steps)
    assert order.index("Refuse to go on without the store") < order.index("Build") < order.index("actions/cache/save")
    assert steps["Refuse to go on without the store"]["if"] == (
        "steps.store.outputs.cache-matched-key == '' && !inputs.new_store"
    )
    assert steps["actions/upload-pages-artifact"]["with"] == {"path": "public"}


@pytest.mark.parametrize("file", COMPOSE_FILES)
def test_a_compose_file_is_as_its_schema_says(file: str) -> None:
    """Schemas are checked without running a container."""
    check = [str(Path(sys.executable).with_name("check-jsonschema")), "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*check, str(BUILD / file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_example_of_nginx_is_what_the_command_writes_for_the_addresses_of_its_compose_file() -> None:
    text = (BUILD / "nginx/compose.yaml").read_text()
    [line] = re.findall(r"^# +outings (front nginx .*)$", text, flags=re.MULTILINE)
    written = CliRunner().invoke(main, shlex.split(line))
    assert (BUILD / "nginx/outings.conf").read_text() == written.stdout, f"write build/nginx/outings.conf by: {line}"
    services = read_yaml("nginx/compose.yaml")["services"]
    addresses = [services[name]["networks"]["default"]["ipv4_address"] for name in ("one", "two")]
    assert re.findall(r"--edge (\S+):8000", line) == addresses
    assert f'trusted_proxies = ["{services["nginx"]["networks"]["default"]["ipv4_address"]}"]' in text


@pytest.mark.parametrize("folder", ["container", "lambda"])
def test_an_image_is_made_of_what_there_is(folder: str) -> None:
    text = (BUILD / folder / "Containerfile").read_text()
    for line in re.findall(r"^COPY (?!--from)(?:--\S+ )?(.*)$", text, flags=re.MULTILINE):
        *sources, _ = line.split()
        assert [source for source in sources if not (ROOT / source).exists()] == []
    extras = yaml.safe_load(re.findall(r"'\.(\[.*\])'", text)[0])
    project = (ROOT / "pyproject.toml").read_text()
    assert [extra for extra in extras if f"\n{extra} = [" not in project] == []


def list_our_metrics() -> set[str]:
    edge = {f"{family.name}_total" for family in Counts().registry.collect()}
    return {PREFIX + name for name in METRICS} | edge | {
        "outings_release_number", "outings_release_published_timestamp_seconds"
    }  # fmt: skip


def test_every_alert_is_over_metrics_that_there_are_and_says_what_to_do() -> None:
    rules = [rule for group in read_yaml("prometheus/alerts.yml")["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) > 8
    used = {name for rule in rules for name in re.findall(r"\boutings_\w+", rule["expr"])}
    assert used <= list_our_metrics()
    assert {"outings_last_build_exit_code", "outings_last_build_success_timestamp_seconds"} < used
    for rule in rules:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"].keys() == {"summary", "description"}


def test_operators_find_every_metric_of_builds() -> None:
    named = re.findall(r"^\| `(outings_last_build_\w+)`", PAGE, flags=re.MULTILINE)
    assert named == [PREFIX + name for name in METRICS]


class Entrypoint:
    """The image's entry point over an `outings` that notes its words and does what it is told; `trap`: what it sets
    before that."""

    def __init__(self, folder: Path, does: str, *, trap: str = "") -> None:
        self.calls = folder / "calls"
        self.calls.touch()
        program = folder / "outings"
        program.write_text(f'#!/bin/sh\n{trap}\necho "$*" >> {self.calls}\n{does}\n')
        program.chmod(0o755)
        self.environ = {"PATH": f"{folder}:{os.environ['PATH']}"}
        shutil.copy(BUILD / "container/entrypoint", folder / "entrypoint")
        self._command = str(folder / "entrypoint")

    @contextlib.contextmanager
    def start(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """Start the service, and end all of it after the block."""
        with subprocess.Popen(
            [self._command, *words], env=self.environ, stderr=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            try:
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def wait_for_calls(self, count: int) -> None:
        until = time.monotonic() + 30
        while len(self.calls.read_text().splitlines()) < count:
            assert time.monotonic() < until
            time.sleep(0.02)


def test_the_entry_point_becomes_the_command(tmp_path: Path) -> None:
    entry = Entrypoint(tmp_path, "exit 3")
    with entry.start("build", "--metro", "seattle") as running:
        assert running.wait(30) == 3
    assert entry.calls.read_text() == "build --metro seattle\n"


def test_the_entry_point_goes_on_whatever_comes_of_a_build_until_it_is_stopped(tmp_path: Path) -> None:
    entry = Entrypoint(tmp_path, "exit 1")
    with entry.start("every", "0", "build") as running:
        entry.wait_for_calls(3)
        running.terminate()
        assert running.wait(30) == 0
        assert running.stderr is not None
        assert "outings build ended with 1" in running.stderr.read()


def test_the_entry_point_lets_the_build_under_way_end_and_begins_no_other(tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    entry = Entrypoint(tmp_path, "sleep 30 & wait", trap=f"trap 'sleep 0.3; touch {ended}; exit 143' TERM")
    with entry.start("every", "0", "build") as running:
        entry.wait_for_calls(1)
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 0
    assert ended.exists()
    assert entry.calls.read_text() == "build\n"


def test_a_build_that_has_just_begun_is_reported_to_end_too(tmp_path: Path) -> None:
    """The signal may come before the entry point knows the number of the build's process."""
    late = tmp_path / "late"
    entry = Entrypoint(tmp_path, f"kill -TERM $PPID\nsleep 30 & wait\ntouch {late}", trap="trap 'exit 143' TERM")
    for _ in range(40):
        with entry.start("every", "0", "build") as running:
            assert running.wait(60) == 0
        assert not late.exists()


def test_the_entry_point_refuses_what_is_no_number(tmp_path: Path) -> None:
    with Entrypoint(tmp_path, "").start("every", "soon", "build") as running:
        assert running.wait(30) == 2
