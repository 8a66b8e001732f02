"""A function and a server over one bucket and one Redis."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import boto3
import pytest

from outings.release.s3 import S3Store
from tests.command.conftest import CONFIGURATION
from tests.edge.fronts.fronting import EdgeProcess
from tests.edge.fronts.fronting import ask as ask_server
from tests.edge.functions.runtime import Answer, FunctionProcess
from tests.edge.limits.conftest import make_redis
from tests.edge.publishing import add_keys, make_world, publish_worlds
from tests.release.conftest import s3_endpoint

__all__ = ["s3_endpoint"]

KINDS: dict[str, dict[str, Any]] = {
    "all": {"per_minute": 10**6},
    "few": {"per_minute": 4},
    "ended": {"per_minute": 10**6},
}
# Of hex digits, which gzip makes half as long.
LONG = 4_000_000


@dataclass
class Deployment:
    store: S3Store
    keys: dict[str, str]
    server: EdgeProcess
    function: FunctionProcess
    folder: Path

    def ask(self, way: str, target: str, *, method: str = "GET", **headers: str) -> Answer:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if way == "function":
            return self.function.ask(target, method=method, headers=sent)
        answer = ask_server(self.server.port, target, method=method, headers=sent)
        names = [name.lower() for name, _ in answer.headers]
        assert sorted({*names}) == sorted(names)
        return Answer(answer.status, {name.lower(): value for name, value in answer.headers}, answer.body)


@pytest.fixture(scope="session")
def deployment(tmp_path_factory: pytest.TempPathFactory, s3_endpoint: str) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("functions")
    bucket = f"bucket-{uuid4().hex}"
    boto3.client("s3", endpoint_url=s3_endpoint).create_bucket(Bucket=bucket)
    store = S3Store(bucket, "p", endpoint_url=s3_endpoint)
    large = make_world("lakeside", timezone="America/Los_Angeles")
    for number, listing in enumerate(large.listings[:3]):
        listing["description"] = f"{Random(number).getrandbits(4 * LONG):x}"
    publish_worlds(store, [make_world("harbor", timezone="America/New_York"), large], folder=folder)
    keys = add_keys(store, KINDS)
    redis = make_redis(folder)
    server = EdgeProcess(folder / "server", folder, redis.name_url())
    table = f'[edge]\nstate = "{os.devnull}/none"\nrate_storage = "{redis.name_url()}"\n'
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OUTINGS_STORE_URL", f"s3://{bucket}/p")
        patch.setenv("OUTINGS_STORE_ENDPOINT_URL", s3_endpoint)
        patch.setenv("OUTINGS_STORE_REGION", "us-east-1")
        server.start()
        function = FunctionProcess(folder / "function", CONFIGURATION + table)
    yield Deployment(store, keys, server, function, folder)
    function.stop()
    server.stop()
    redis.kill()
