"""The S3 server of the stores' tests."""

from tests.release.conftest import s3_endpoint

__all__ = ["s3_endpoint"]
