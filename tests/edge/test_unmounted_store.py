"""A store in a folder that is not mounted yet, goes away, or comes back without its keys."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from outings.keys.registry import NAME as KEYS
from outings.release.folder import FolderStore
from tests.edge.asking import ask
from tests.edge.conftest import Service

LIST = "/v1/harbor/events"
MakeService = Callable[..., Service]


def read_ready(service: Service) -> Any:
    return ask(service.edge, "/readyz").read_json()


@pytest.fixture
def mounted(make_own: MakeService, tmp_path: Path) -> Service:
    """Make a service over a folder, such as a file system that another machine shares."""
    return make_own(store=FolderStore(tmp_path / "mount"))


def unmount(tmp_path: Path, *, leaves: str) -> None:
    (tmp_path / "mount").rename(tmp_path / "elsewhere")
    if leaves == "an empty folder":
        (tmp_path / "mount").mkdir()


def mount(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").replace(tmp_path / "mount")


@pytest.mark.parametrize("leaves", ["an empty folder", "nothing"])
def test_a_server_that_starts_before_its_folder_is_mounted_refuses_no_key(
    mounted: Service, tmp_path: Path, leaves: str
) -> None:
    unmount(tmp_path, leaves=leaves)
    service = mounted.start_another()
    ask_known = partial(ask, service.edge, LIST, key=service.keys["all"], client="203.0.113.7")
    answers = [ask_known() for _ in range(100)]  # more than may fail from one address
    assert {(answer.status, answer.headers["retry-after"]) for answer in answers} == {(503, "5")}
    ready = ask(service.edge, "/readyz")
    assert (ready.status, ready.error["details"]["problems"]) == (503, {"keys": "not read"})
    mount(tmp_path)
    service.edge.poll()
    assert ask_known().status == 200
    assert read_ready(service)["problems"] == {}
    assert ask(service.edge, LIST, key="ldk_of_somebody").status == 401


@pytest.mark.parametrize("hours", [0, -1])
@pytest.mark.parametrize("leaves", ["an empty folder", "nothing"])
def test_a_folder_that_is_unmounted_while_it_is_served_from_is_missed_until_it_is_back(
    mounted: Service, tmp_path: Path, leaves: str, hours: int
) -> None:
    unmount(tmp_path, leaves=leaves)
    mounted.edge.poll()
    assert mounted.get(f"{LIST}?limit=2").status == 200
    assert read_ready(mounted)["problems"] == {"release": "refused", "keys": "not read"}
    mount(tmp_path)
    mounted.clock.now += timedelta(hours=hours)
    mounted.edge.poll()
    assert read_ready(mounted)["problems"] == {}


def test_keys_that_are_gone_stay_in_force_and_are_missed(make_own: MakeService) -> None:
    service = make_own()
    registry = service.store.get(KEYS)
    service.store.delete(list(service.store.list(KEYS)))
    service.edge.poll()
    assert service.get(LIST).status == 200
    assert read_ready(service)["problems"] == {"keys": "not read"}
    service.store.put(KEYS, registry)
    service.edge.poll()
    assert read_ready(service)["problems"] == {}
