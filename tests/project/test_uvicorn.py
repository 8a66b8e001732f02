"""The server rests on insides of uvicorn, which may move in any version: its version is capped, and so is this test's.

When uvicorn is raised and a test here fails, change `edge/serving` to what uvicorn has now, then the cap.
"""

import ast
import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from uvicorn import _subprocess
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors.multiprocess import Multiprocess

from edge.serving import http_protocol, server
from edge.serving.http_protocol import HttpProtocol
from edge.serving.server import Supervisor, WorkerSlot

ROOT = Path(__file__).parents[2]
# Each class of ours, the class of uvicorn that it extends, and what it adds to it for others to call.
EXTENDED = [
    (HttpProtocol, HttpToolsProtocol, {"leave"}),
    (Supervisor, Multiprocess, set()),
    (WorkerSlot, Multiprocess, set()),
]


def list_own_attributes(source: str, of: str = "self") -> dict[str, set[str]]:
    """List the attributes of `self` that a class's source reads, and those that it assigns."""
    names: dict[str, set[str]] = {"read": set(), "assigned": set()}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == of:
            names["read" if isinstance(node.ctx, ast.Load) else "assigned"].add(node.attr)
    return names


def test_uvicorn_is_capped_below_its_next_minor_version() -> None:
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    [requirement] = [dependency for dependency in dependencies if dependency.startswith("uvicorn")]
    major, minor, *_ = map(int, version("uvicorn").split("."))
    assert requirement == f"uvicorn>={major}.{minor},<{major}.{minor + 1}", (
        f"uvicorn {version('uvicorn')} is installed: run tests/edge/processes with it, then say so in pyproject.toml"
    )


@pytest.mark.parametrize(("own", "base", "added"), EXTENDED, ids=lambda text: getattr(text, "__name__", ""))
def test_each_method_that_is_replaced_is_one_of_uvicorns_with_its_parameters(
    own: type, base: type, added: set[str]
) -> None:
    replaced = {name for name, value in vars(own).items() if inspect.isfunction(value) and not name.startswith("_")}
    assert replaced - added == {name for name in replaced - added if hasattr(base, name)}
    for name in replaced - added:
        theirs, ours = (list(inspect.signature(getattr(value, name)).parameters) for value in (base, own))
        assert ours == theirs, f"uvicorn calls {base.__name__}.{name} with {theirs}"


def test_each_attribute_of_a_connection_that_is_read_is_one_of_uvicorns() -> None:
    ours = list_own_attributes(inspect.getsource(http_protocol))
    theirs = list_own_attributes(inspect.getsource(HttpToolsProtocol))["assigned"] | set(dir(HttpToolsProtocol))
    assert ours["read"] - set(vars(HttpProtocol)) - theirs == set()


def test_each_attribute_of_a_supervisor_that_is_set_is_one_of_uvicorns() -> None:
    ours = list_own_attributes(inspect.getsource(server))["assigned"]
    theirs = list_own_attributes(inspect.getsource(Multiprocess))["assigned"]
    assert {name for name in ours if not name.startswith("_")} <= theirs


def test_workers_are_made_by_the_context_that_the_server_puts_in_place() -> None:
    assert "spawn.Process(" in inspect.getsource(_subprocess.get_subprocess)
