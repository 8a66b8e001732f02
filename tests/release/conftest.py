"""Stores to run the contract over: each test has an empty one of its own; the S3 server is one a worker."""

import contextlib
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import boto3
import pytest

from outings.release.folder import FolderStore
from outings.release.s3 import S3Store
from outings.release.store import Store
from tests.ports import find_free_port
from tests.release.memory import MemoryStore


@pytest.fixture(scope="session")
def s3_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an S3 server that enforces conditional writes; AWS's own settings point nowhere else."""
    port = find_free_port()
    folder = tmp_path_factory.mktemp("s3")
    settings = {
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "SERVICES": "s3",
        "LOG_LEVEL": "ERROR",
        "TMPDIR": str(folder),
        "S3_DATA_DIR": str(folder / "data"),
    }
    endpoint = f"http://127.0.0.1:{port}"
    with (folder / "output").open("wb") as output, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_CONFIG_FILE", os.devnull)
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        server = subprocess.Popen(
            [sys.executable, "-m", "ministack"], env={**os.environ, **settings}, stdout=output, stderr=output
        )
        try:
            wait_for(endpoint, server)
            yield endpoint
        finally:
            server.terminate()
            server.wait(timeout=30)


def wait_for(endpoint: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert server.poll() is None, "the S3 server ended at once"
        with contextlib.suppress(OSError):
            urllib.request.urlopen(endpoint, timeout=5).close()
            return
        time.sleep(0.05)
    raise AssertionError("the S3 server did not start within a minute")


@pytest.fixture
def s3_store(s3_endpoint: str) -> S3Store:
    bucket = f"bucket-{uuid4().hex}"
    boto3.client("s3", endpoint_url=s3_endpoint).create_bucket(Bucket=bucket)
    return S3Store(bucket, "some/prefix", endpoint_url=s3_endpoint)


# One worker has the S3 server: it takes seconds to start.
S3 = pytest.param("s3", marks=pytest.mark.xdist_group("s3"))


@pytest.fixture(params=["memory", "folder", S3])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "memory":
        return MemoryStore()
    if request.param == "folder":
        return FolderStore(tmp_path / "store")
    s3: S3Store = request.getfixturevalue("s3_store")
    return s3
