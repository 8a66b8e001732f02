"""Workers on Unix sockets of their own, behind nginx."""

import json
from pathlib import Path

import pytest

from outings.release.folder import FolderStore
from tests.edge.fronts.fronting import EdgeProcess, ask, start_nginx
from tests.edge.limits.conftest import RedisServer
from tests.edge.processes.serving import PATIENCE, wait_until
from tests.edge.publishing import add_keys, make_worlds, publish_worlds

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("fronts")]


def test_nginx_asks_both_workers_also_after_their_server_was_killed(tmp_path: Path, own_redis: RedisServer) -> None:
    store = FolderStore(tmp_path / "store")
    publish_worlds(store, make_worlds(), folder=tmp_path)
    key = add_keys(store, {"all": {}})["all"]
    socket = tmp_path / "edge"
    edge = EdgeProcess(tmp_path / "one", tmp_path / "store", own_redis.name_url(), socket=socket)
    front = start_nginx(tmp_path / "nginx", "--edge", f"unix:{socket}.0", "--edge", f"unix:{socket}.1")

    def list_servers() -> list[str]:
        """Send a request, and return the worker of each that was answered at the first try so far."""
        ask(front.port, "/v1/harbor/events?from=2026-08-10", headers={"X-API-Key": key})
        lines = [json.loads(line) for line in front.log.splitlines()]
        return [line["server"] for line in lines if line["tries"] == "200"]

    both = {f"unix:{socket}.0", f"unix:{socket}.1"}
    try:
        edge.start()
        wait_until(lambda: set(list_servers()) == both, seconds=PATIENCE * 2)
        edge.kill()
        earlier = len(list_servers())
        edge.start()  # it finds the files of the one that was killed
        wait_until(lambda: set(list_servers()[earlier:]) == both, seconds=PATIENCE * 2)
        edge.stop()
        assert list(tmp_path.glob("edge.*")) == []
    finally:
        edge.stop()
        front.stop()
