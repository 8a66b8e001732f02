"""Open the store that an address names."""

from pathlib import Path

from outings.configuration.tables import StoreTable
from outings.release.folder import FolderStore
from outings.release.store import Store


def open_store(url: str, *, endpoint_url: str | None = None, region: str | None = None) -> Store:
    """Open `file:PATH` or `s3://bucket/prefix`. Raises ValueError if `url` is neither."""
    scheme, _, rest = url.partition(":")
    if scheme == "file" and rest:
        return FolderStore(Path(rest.removeprefix("//")))
    if scheme == "s3":
        from outings.release.s3 import S3Store  # boto3 takes a second to import

        bucket, _, prefix = rest.removeprefix("//").partition("/")
        if bucket:
            return S3Store(bucket, prefix, endpoint_url=endpoint_url, region=region)
    raise ValueError(f"store url {url!r}: allowed: file:PATH and s3://BUCKET/PREFIX")


def open_configured_store(table: StoreTable) -> Store:
    return open_store(table.url, endpoint_url=table.endpoint_url, region=table.region)
