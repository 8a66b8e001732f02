"""`If-None-Match`, RFC 9110, 13.1.2."""

import pytest

from edge.response_headers import matches_etag


@pytest.mark.parametrize(
    ("header", "matched"),
    [
        (None, False),
        ('W/"a1"', True),
        ('"a1"', True),
        ('W/"b2"', False),
        ('W/"b2", W/"a1"', True),
        ('"b2","a1"', True),
        (' \tW/"a1" ', True),
        ("*", True),
        (" * ", True),
        ('*, "b2"', False),
        ("a1", False),
        ('"a1', False),
        ('""', False),
        ("", False),
        (",", False),
        ('w/"a1"', False),
        ('W/"a11"', False),
    ],
)
def test_a_tag_matches_weakly_alone_or_in_a_list(header: str | None, matched: bool) -> None:
    assert matches_etag(None if header is None else header.encode(), b'W/"a1"') is matched
