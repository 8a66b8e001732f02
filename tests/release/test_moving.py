"""A store moves from a folder into a bucket by copying its files: releases, keys and the next build go on."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import boto3
import pytest
from click.testing import CliRunner, Result
from msgspec.json import decode

from command import main

pytestmark = pytest.mark.xdist_group("s3")

CITY = """
[[metros]]
slug = "town"
name = "Town"
timezone = "America/Chicago"
center = { lat = 41.9, lng = -87.6 }
bounds = { south = 41, west = -88, north = 42, east = -87 }

[[feeds]]
name = "parks"
metro = "town"
format = "ndjson"
url = "feed.ndjson"
"""
EVENT = '{{"type": "event", "source_id": "{0}", "name": "Walk {0}", "starts_local": "2026-12-05T10:00"}}\n'


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Result]:
    (tmp_path / "outings.toml").write_text(CITY)
    (tmp_path / "feed.ndjson").write_text(EVENT.format(1))

    def run_command(*words: str, **environ: str) -> Result:
        done = CliRunner().invoke(main, [*words, "-c", str(tmp_path / "outings.toml")], env=environ)
        assert done.exit_code == 0, done.output
        return done

    return run_command


def upload(folder: Path, client: object, bucket: str) -> None:
    """Upload as `aws s3 sync` does in the two lines of docs/releases.md: the pointer goes last."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    for path in sorted(files, key=lambda file: file.name == "current.json"):
        name = f"shop/{path.relative_to(folder).as_posix()}"
        client.upload_file(str(path), bucket, name)  # type: ignore[attr-defined]


@pytest.mark.long
def test_a_copied_folder_is_the_same_store_in_a_bucket(
    run: Callable[..., Result], s3_endpoint: str, tmp_path: Path
) -> None:
    run("build", "--as-of", "2026-12-01", "--workers", "1")
    made = decode(run("keys", "create", "--plan", "free", "--json").stdout)
    before = decode(run("releases", "list", "--json").stdout)
    client, bucket = boto3.client("s3", endpoint_url=s3_endpoint), f"moved-{uuid4().hex}"
    client.create_bucket(Bucket=bucket)
    upload(tmp_path / "var/store", client, bucket)
    moved = {"OUTINGS_STORE_URL": f"s3://{bucket}/shop", "OUTINGS_STORE_ENDPOINT_URL": s3_endpoint}
    assert decode(run("releases", "list", "--json", **moved).stdout) == before
    assert [key["id"] for key in decode(run("keys", "list", "--json", **moved).stdout)["keys"]] == [made["id"]]
    (tmp_path / "feed.ndjson").write_text(EVENT.format(1) + EVENT.format(2))
    words = ("build", "--as-of", "2026-12-02", "--workers", "1", "--json")
    built = decode(run(*words, **moved).stdout)
    assert built["changes"] == {"created": 1, "updated": 0, "removed": 0, "restored": 0}
    # The folder is as it was.
    assert decode(run("releases", "list", "--json").stdout) == before
