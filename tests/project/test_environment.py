"""The steps that `make` runs first, and our own checks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def make_project(folder: Path) -> Path:
    """A folder with what `install_environment` reads, and an environment that says it was made from it."""
    (folder / "pyproject.toml").write_text("[project]\n")
    (folder / "constraints.txt").write_text("")
    (folder / "environment").mkdir()
    (folder / "environment/installed").write_text(f"[project]\n{folder}\n")
    return folder


def test_an_environment_that_is_up_to_date_is_left_alone(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    done = run(str(ROOT / "tools/install_environment"), "environment", folder=project, PYTHON="no-such-python")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_another_pin_makes_it_install_again(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (project / "constraints.txt").write_text("click==1\n")
    done = run(str(ROOT / "tools/install_environment"), "environment", folder=project, PYTHON="no-such-python")
    assert done.returncode == 1
    assert "Python 3.11 or newer is needed (tried: no-such-python)" in done.stderr


def test_no_package_to_install_needs_no_rights(tmp_path: Path) -> None:
    done = run(str(ROOT / "tools/install_packages"), folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("arguments", "environment"), [(["PORT=8001"], {}), ([], {"PORT": "8001"})])
def test_the_demos_port_is_taken_before_and_behind_make(arguments: list[str], environment: dict[str, str]) -> None:
    shown = run("make", "--dry-run", "run", *arguments, folder=ROOT, **environment)
    assert "outings demo --port 8001" in shown.stdout


def test_a_file_over_600_lines_fails_the_check(tmp_path: Path) -> None:
    run("git", "init", "--quiet", folder=tmp_path)
    (tmp_path / "short.py").write_text("pass\n" * 600)
    check = (sys.executable, str(ROOT / "tools/check_sizes.py"))
    assert run(*check, folder=tmp_path).returncode == 0
    (tmp_path / "long.py").write_text("pass\n" * 601)
    failed = run(*check, folder=tmp_path)
    assert (failed.returncode, failed.stderr) == (1, "over 600 lines:\n601 long.py\n")


@pytest.mark.long
def test_a_skip_and_an_expected_failure_fail_where_nothing_may_be_skipped(tmp_path: Path) -> None:
    """The skipped test is in the text of another suite, which must fail."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (tmp_path / "test_case.py").write_text(
        "import pytest\n"
        "def test_passes(): pass\n"
        "def test_skips(): pytest.skip('no server')\n"
        "@pytest.mark.xfail\n"
        "def test_is_expected_to_fail(): raise ValueError\n"
    )
    (tmp_path / "test_module.py").write_text("import pytest\npytest.importorskip('no_such_module')\n")
    pytest = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--continue-on-collection-errors")
    lenient = run(*pytest, folder=tmp_path, OUTINGS_NO_SKIPS="")
    assert lenient.returncode == 0
    assert "1 passed, 2 skipped, 1 xfailed" in lenient.stdout
    strict = run(*pytest, folder=tmp_path, OUTINGS_NO_SKIPS="1")
    assert strict.returncode == 1
    assert "2 failed, 1 passed, 1 error" in strict.stdout
    assert "no server" in strict.stdout


@pytest.mark.long
def test_tests_on_the_cities_are_collected_only_where_the_cities_are(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/test_case.py").write_text("def test_passes(): pass\n")
    pytest = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only")
    assert "no tests collected" in run(*pytest, folder=tmp_path, CITY_DATA="").stdout
    assert "1 test collected" in run(*pytest, folder=tmp_path, CITY_DATA=str(tmp_path)).stdout


def test_make_without_a_word_says_what_there_is() -> None:
    printed = run("make", folder=ROOT)
    assert printed.returncode == 0
    for word in ("run", "test", "test-long", "check", "bench", "install", "clean"):
        assert f"make {word} " in printed.stdout


@pytest.mark.parametrize(("params", "message"), [("", "the program"), ("test", "test")])
def test_each_command_asks_for_its_own_libraries(tmp_path: Path, params: str, message: str) -> None:
    """The interpreter of this environment writes what it is told to install in place of installing it."""
    project = make_project(tmp_path)
    (project / "environment/installed").unlink()
    (project / "environment/bin").mkdir()
    python = project / "environment/bin/python"
    python.write_text('#!/bin/sh\n[ "$1" = -c ] || echo "$*" >> installs\n')
    python.chmod(0o755)
    done = run(str(ROOT / "tools/install_environment"), "environment", *params.split(), folder=project)
    assert (done.returncode, done.stderr) == (
        0,
        f"Installing the libraries of {message}, which takes half a minute to a few minutes …\n",
    )
    assert (project / "installs").read_text().splitlines()[-1].endswith(f"--editable .{params and f'[{params}]'}")
    again = run(str(ROOT / "tools/install_environment"), "environment", *params.split(), folder=project)
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.long
def test_generated_tests_are_marked_and_long_ones_left_out(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (tmp_path / "test_case.py").write_text(
        "import pytest\n"
        "from hypothesis import given, strategies\n"
        "def test_plain(): pass\n"
        "def test_counted(cases): pass\n"
        "@given(strategies.integers())\n"
        "def test_generated(number): pass\n"
        "@pytest.mark.long\n"
        "def test_long(): pass\n"
    )
    pytest = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", "--strict-markers")
    markers = (ROOT / "pyproject.toml").read_text().split("[tool.pytest]")[1]
    (tmp_path / "pyproject.toml").write_text("[tool.pytest]" + markers)
    collected = run(*pytest, "-n0", ".", folder=tmp_path).stdout
    assert "test_plain" in collected
    assert "test_counted" in collected
    assert "test_long" not in collected
    longer = run(*pytest, "-n0", "-m", "long or generated", ".", folder=tmp_path).stdout
    assert "test_plain" not in longer
    assert re.findall(r"::(test_\w+)", longer) == ["test_counted", "test_generated", "test_long"]


def test_files_of_a_command_lie_where_tmpdir_says_and_are_removed_else(tmp_path: Path) -> None:
    command = (str(ROOT / "tools/run_in_memory"), "sh", "-c", 'echo "$TMPDIR"; exit 3')
    own = run(*command, folder=tmp_path, TMPDIR=str(tmp_path))
    assert (own.returncode, own.stdout) == (3, f"{tmp_path}\n")
    other = run(*command, folder=tmp_path, TMPDIR="")
    assert other.returncode == 3
    assert other.stdout.strip() == "" or not Path(other.stdout.strip()).exists()
