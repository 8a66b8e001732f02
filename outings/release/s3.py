"""A store in an S3 bucket, or on a compatible server with conditional writes."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property, partial
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
)

from outings.release.store import REQUESTS, NotFound, Outcome, Reply, StoreEntry, StoreError, VersionedBytes, run_all

# How often a swap is tried again after 409: two writers met, and possibly neither won.
CONFLICTS = 8
CONFLICT_SECONDS = 0.05
# How often a request is sent in all, except swaps.
ATTEMPTS = 5
# How long an attempt waits.
CONNECT_SECONDS = 5.0
READ_SECONDS = 60.0

_GONE = ("404", "NoSuchKey", "NotFound")
_ADVICE = {
    "AccessDenied": "the credentials need s3:GetObject, PutObject, DeleteObject and ListBucket here",
    "403": "the credentials need s3:GetObject, PutObject, DeleteObject and ListBucket here",
    "NoSuchBucket": "create the bucket first",
    "InvalidAccessKeyId": "check AWS_ACCESS_KEY_ID",
    "SignatureDoesNotMatch": "check AWS_SECRET_ACCESS_KEY",
}
# Errors after which a request certainly had no effect, because it was never sent.
_UNSENT = (NoCredentialsError, PartialCredentialsError, NoRegionError, EndpointConnectionError, ConnectTimeoutError)


class S3Store:
    """A store in a bucket. Endpoint, region and credentials default to the AWS settings. Thread-safe."""

    def __init__(
        self, bucket: str, prefix: str = "", *, endpoint_url: str | None = None, region: str | None = None
    ) -> None:
        self._bucket = bucket
        self._prefix = prefix.strip("/") + "/" if prefix.strip("/") else ""

        def connect(attempts: int) -> Any:
            # Checksums only where S3 requires them, because older compatible servers refuse those after a body.
            config = Config(
                retries={"total_max_attempts": attempts, "mode": "standard"},
                max_pool_connections=REQUESTS,
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                # The default for signed addresses is an older signature.
                signature_version="s3v4",
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            )
            return boto3.session.Session().client("s3", endpoint_url=endpoint_url, region_name=region, config=config)

        self._connect = connect
        self._client = self._ask("open", "the bucket", lambda: connect(ATTEMPTS))

    @cached_property
    def _client_once(self) -> Any:
        """Return a client that never retries: a retry would take the success of its first attempt for a lost race."""
        return self._ask("open", "the bucket", lambda: self._connect(1))

    def __str__(self) -> str:
        return f"s3://{self._bucket}/{self._prefix}"

    def get(self, name: str) -> bytes:
        return self._get(name).data

    def read_versioned(self, name: str) -> VersionedBytes | None:
        try:
            return self._get(name)
        except NotFound:
            return None

    def _get(self, name: str) -> VersionedBytes:
        def ask() -> VersionedBytes:
            for attempt in range(1, ATTEMPTS + 1):
                reply = self._client.get_object(**self._at(name))
                try:
                    return VersionedBytes(reply["Body"].read(), reply["ETag"])
                except BotoCoreError:
                    # The client itself does not retry once an answer has begun.
                    if attempt == ATTEMPTS:
                        raise
            raise AssertionError("the last attempt raises")

        return self._ask("get", name, ask)

    def sign_address(self, name: str, *, media: str, coding: str, seconds: int) -> str:
        """Return a URL by which anybody can read the object for `seconds`, served with this `media` type and `coding`
        ("" for none)."""
        entity = {"ResponseContentType": media, **({"ResponseContentEncoding": coding} if coding else {})}
        parameters = {**self._at(name), **entity}
        sign = partial(self._client.generate_presigned_url, "get_object", Params=parameters, ExpiresIn=seconds)
        address: str = self._ask("sign", name, sign)
        return address

    def exists(self, name: str) -> bool:
        return self._find(name) is not None

    def _find(self, name: str) -> StoreEntry | None:
        try:
            head = self._ask("look for", name, lambda: self._client.head_object(**self._at(name)))
        except NotFound:
            return None
        return StoreEntry(name, head["ContentLength"], _whole_seconds(head["LastModified"]))

    def list(self, prefix: str) -> Iterator[StoreEntry]:
        paginator = self._client.get_paginator("list_objects_v2")
        pages = iter(paginator.paginate(Bucket=self._bucket, Prefix=self._prefix + prefix))
        while (page := self._ask("list", prefix, lambda: next(pages, None))) is not None:
            for entry in page.get("Contents", ()):
                name = entry["Key"].removeprefix(self._prefix)
                yield StoreEntry(name, entry["Size"], _whole_seconds(entry["LastModified"]))

    def put(self, name: str, data: bytes, headers: Mapping[str, str] = {}) -> None:
        self._ask("put", name, lambda: self._client.put_object(**self._at(name), Body=data, **headers))

    def put_many(self, items: Iterable[tuple[str, bytes] | tuple[str, bytes, Mapping[str, str]]]) -> None:
        """Write objects. Public files have headers behind their name and bytes, in boto3's spelling."""
        run_all(lambda item: self.put(*item), items)

    def delete_names(self, names: Iterable[str]) -> None:
        """Delete the objects with these names, even if they were written again since they were listed."""
        run_all(lambda name: self._ask("delete", name, lambda: self._client.delete_object(**self._at(name))), names)

    def put_if(self, name: str, data: bytes, *, expected: str | None) -> Outcome:
        condition = {"IfNoneMatch": "*"} if expected is None else {"IfMatch": expected}
        for attempt in range(CONFLICTS):
            try:
                self._client_once.put_object(**self._at(name), Body=data, **condition)
            except ClientError as error:
                status = error.response["ResponseMetadata"]["HTTPStatusCode"]
                if status == 412 or (status == 404 and _code(error) in _GONE):
                    return Outcome.LOST
                if status >= 500:
                    return Outcome.UNKNOWN
                if status != 409:
                    raise self._explain("swap", name, error) from error
                time.sleep(CONFLICT_SECONDS * (attempt + 1))
            except _UNSENT as error:
                raise self._explain("swap", name, error) from error
            except BotoCoreError:
                return Outcome.UNKNOWN
            else:
                return Outcome.WON
        cause = f"it answered 409 to {CONFLICTS} attempts; other programs write there too; run the command again"
        raise StoreError(store=str(self), operation="swap", name=name, cause=cause)

    def delete(self, entries: Iterable[StoreEntry]) -> Sequence[StoreEntry]:
        """Delete the entries that were not written again, and return these. S3 has no such conditional delete, so each
        is compared right before its deletion."""

        def remove(entry: StoreEntry) -> StoreEntry | None:
            if self._find(entry.name) != entry:
                return None
            self._ask("delete", entry.name, lambda: self._client.delete_object(**self._at(entry.name)))
            return entry

        return [entry for entry in run_all(remove, entries) if entry is not None]

    def read_clock(self) -> float:
        """Return the time in the header of a response."""
        look = partial(self._client.list_objects_v2, Bucket=self._bucket, Prefix=self._prefix, MaxKeys=1)
        reply = self._ask("read the time of", "the bucket", look)
        date = reply["ResponseMetadata"]["HTTPHeaders"].get("date", "")
        try:
            return parsedate_to_datetime(date).timestamp()
        except ValueError:
            cause = f'its answer has no date but "{date}"'
            raise StoreError(store=str(self), operation="read the time of", name="the bucket", cause=cause) from None

    def _at(self, name: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": self._prefix + name}

    def _ask(self, operation: str, name: str, ask: Callable[[], Reply]) -> Reply:
        try:
            return ask()
        except (BotoCoreError, ClientError) as error:
            raise self._explain(operation, name, error) from error

    def _explain(self, operation: str, name: str, error: BotoCoreError | ClientError) -> StoreError:
        if not isinstance(error, ClientError):
            return StoreError(store=str(self), operation=operation, name=name, cause=str(error))
        code = _code(error)
        if code in _GONE:
            return NotFound(store=str(self), operation=operation, name=name, cause="it does not exist")
        text = error.response.get("Error", {}).get("Message") or "no reason given"
        advice = f" ({_ADVICE[code]})" if code in _ADVICE else ""
        return StoreError(store=str(self), operation=operation, name=name, cause=f"{code}: {text}{advice}")


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "no code"))


def _whole_seconds(moment: datetime) -> float:
    """Cut the fraction of a second, which a listing has and a HEAD has not, so that both times are equal."""
    return float(int(moment.timestamp()))
