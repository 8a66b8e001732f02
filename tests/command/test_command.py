"""The command line as a whole: help, wrong words, wrong configurations, faults."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from command import COMMANDS, main
from command.sample_cities import write_world
from tests.command.conftest import Run

ENGINES = ("duckdb", "polars", "numpy", "uvicorn", "starlette", "shapely", "boto3", "rich", "msgspec")


def test_the_process_that_makes_workers_imports_no_engine() -> None:
    program = """
import sys
import edge.limits.limiter, edge.serving.server, edge.usage, outings.remote.fetcher, outings.release.trust
print([name for name in ("duckdb", "polars", "numpy") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help_names_every_command_and_imports_no_engine() -> None:
    program = f"""
import sys
from command import main
try:
    main(["--help"])
except SystemExit as ended:
    assert ended.code == 0
print([name for name in {ENGINES!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    *lines, imported = done.stdout.splitlines()
    assert imported == "[]"
    assert [line.split()[0] for line in lines[lines.index("Commands:") + 1 :]] == list(COMMANDS)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("", sorted(COMMANDS)), ("che", ["check"]), ("check --str", ["--strict"]), ("keys ro", ["rotate"])],
    ids=["nothing", "a command's beginning", "an option's", "a command of a command"],
)
def test_a_shell_completes_commands_and_options(typed: str, offered: list[str]) -> None:
    environment = {"_OUTINGS_COMPLETE": "bash_complete", "COMP_WORDS": f"outings {typed}"}
    environment["COMP_CWORD"] = str(len(typed.split()) or 1)
    program = f"""
import sys
from command import main
try:
    main(prog_name="outings")
finally:
    print([name for name in {ENGINES!r} if name in sys.modules], file=sys.stderr)
"""
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=os.environ | environment)
    assert sorted(line.removeprefix("plain,") for line in done.stdout.splitlines()) == offered
    if " " not in typed:
        assert done.stderr == "[]\n"


def test_what_publishes_and_what_serves_import_boto3_only_for_a_store_on_s3() -> None:
    program = """
import sys
import edge.serving.server, command.sample_cities, pipeline.building
from outings.release.store import open_store
open_store("file:var/store")
before = "boto3" in sys.modules
open_store("s3://bucket", endpoint_url="http://127.0.0.1:9", region="us-east-1")
print(before, "boto3" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"


def test_a_build_of_files_starts_without_an_http_client_and_formats_that_it_does_not_read() -> None:
    rare = {"httpx2", "stamina", "duckdb", "lxml", "markdown_it", "python_calamine"}
    program = f"import sys, pipeline.feed_task, pipeline.metro_task; print(sorted({rare!r} & {{*sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("settings", ["", '[static]\nurl = "file:var/public"\n'], ids=["", "with static files"])
def test_a_build_that_finds_no_change_imports_no_engine(config: Path, settings: str) -> None:
    config.write_text(config.read_text() + settings)
    assert "polars" in _list_engines(config)
    assert _list_engines(config) == "[]"


@pytest.mark.long
def test_a_build_whose_workers_do_its_work_imports_no_engine_itself(tmp_path: Path) -> None:
    config = write_world(tmp_path / "outings.toml", today=date(2026, 8, 10), size=20)
    _list_engines(config)
    for feed in (tmp_path / "data").glob("*.ndjson"):
        *records, listing = feed.read_text().splitlines()
        changed = listing.replace('"description":"', '"description":"Now: ')
        assert changed != listing
        feed.write_text("\n".join([*records, changed]))
    assert _list_engines(config, "--workers", "2") == "[]"


def _list_engines(config: Path, *options: str) -> str:
    """List the engines that a build has imported when it ends."""
    program = f"""
import sys
from command import main
try:
    main(["build", "--as-of", "2026-08-10", "-c", {str(config)!r}, *{options!r}])
except SystemExit as ended:
    assert ended.code == 0
engines = {{"polars", "numpy", "pyarrow", "shapely", "duckdb", "jinja2", "prometheus_client"}}
print(sorted(engines & {{*sys.modules}}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_takes_a_configuration(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0, result.stderr
    command = main.get_command(None, name)  # type: ignore[arg-type]  # no command reads its context
    leaves = command.commands.values() if hasattr(command, "commands") else [command]
    for leaf in leaves:
        assert "--config" in [option for parameter in leaf.params for option in parameter.opts], leaf.name


def test_a_command_that_is_none_is_exit_2() -> None:
    result = CliRunner().invoke(main, ["publish"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "publish" in result.stderr


def test_a_mistyped_command_is_answered_with_the_one_that_was_meant() -> None:
    result = CliRunner().invoke(main, ["biuld"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Did you mean 'build'?" in result.stderr


def test_a_reader_that_closes_early_is_no_error(config: Path) -> None:
    """A pipe like `outings releases list | head` closes early; here it is closed before anything is read."""
    program = """
import os, sys
from command import main
read, write = os.pipe()
os.close(read)
os.dup2(write, 1)
main(sys.argv[1:])
"""
    words = ["keys", "create", "--plan", "free", "-c", str(config)]
    done = subprocess.run([sys.executable, "-c", program, *words], stderr=subprocess.PIPE, text=True, check=False)
    assert done.stderr == ""


def test_a_full_disk_behind_standard_output_is_named(config: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "command", "releases", "list", "--json", "-c", str(config)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: standard output can't be written: No space left on device")


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "1999-12-31T00:00:00Z"])
def test_a_build_of_another_age_is_refused(run: Run, day: str) -> None:
    refused = run("build", "--as-of", day)
    assert refused.exit_code == 2
    assert f"--as-of {day!r}: allowed: a date" in refused.stderr
    assert refused.stderr.endswith("from 2000 to 2200\n")


def test_a_configuration_that_is_not_there_is_exit_2_in_one_line(run: Run, config: Path) -> None:
    config.unlink()
    result = run("keys", "list")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert str(config) in result.stderr


def test_every_problem_of_a_configuration_is_reported_at_once(run: Run, config: Path) -> None:
    config.write_text(config.read_text().replace("America/New_York", "Atlantis").replace('"seattle"', '"events"'))
    result = run("keys", "list")
    assert result.exit_code == 2
    assert "Atlantis" in result.stderr
    assert "events" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_environment_is_laid_over_the_configuration(
    run: Run, config: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OUTINGS_STORE_URL", f"file:{tmp_path / 'elsewhere'}")
    assert run("keys", "create", "--plan", "free").exit_code == 0
    assert (tmp_path / "elsewhere" / "keys.json").exists()
    assert not (tmp_path / "store").exists()
