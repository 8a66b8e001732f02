"""The layout of tests: tests are in files named `test_…`, and shared code is in modules beside them."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


# An import of modules of ours; parsing these alone takes a tenth of the time of whole files.
IMPORTS = re.compile(r"^[ \t]*((?:from|import) tests\b[^\n(]*(?:\([^)]*\))?)", flags=re.MULTILINE)


def list_imports(source: str) -> Iterator[str]:
    """Yield the full name of every module or name that the source imports from the tests."""
    for node in ast.walk(ast.parse("\n".join(IMPORTS.findall(source)))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def list_imported_tests(source: str) -> list[str]:
    """List imported names that are tests, or are in a test file of ours."""
    names = [name.split(".") for name in list_imports(source) if name.startswith("tests.")]
    return [".".join(parts) for parts in names if any(part.startswith("test_") for part in parts)]


def test_an_import_of_a_test_file_is_found_however_it_is_written() -> None:
    source = "from tests.edge.test_scopes import READS\nimport tests.edge.test_scopes\nfrom tests.edge import asking\n"
    assert list_imported_tests(source) == ["tests.edge.test_scopes.READS", "tests.edge.test_scopes"]


def test_no_file_imports_a_test_file() -> None:
    """A maker that two test files need is in a module beside them, and a fixture in the folder's conftest."""
    paths = [path for folder in ("tests", "bench", "tools") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(paths) > 300
    imports = {str(path.relative_to(ROOT)): list_imported_tests(path.read_text()) for path in paths}
    assert {path: names for path, names in imports.items() if names} == {}


def test_no_proxy_is_set() -> None:
    assert [name for name in os.environ if name.lower().endswith("_proxy")] == []


@pytest.mark.long
def test_a_callers_proxy_is_used_by_no_test() -> None:
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", f"{__file__}::test_no_proxy_is_set"]
    proxies = {
        "HTTP_PROXY": "http://127.0.0.1:1",
        "https_proxy": "http://127.0.0.1:1",
        "ALL_PROXY": "socks5://127.0.0.1:1",
    }
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **proxies}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
