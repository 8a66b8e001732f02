"""Whether `If-None-Match` names the answer that would be sent. Then the answer is 304.

Callers: `middleware/answer_endpoint.py`, `middleware/fast_path.py` for answers from memory, and `public/openapi.py`.
"""


def matches_etag(if_none_match: bytes | None, etag: bytes) -> bool:
    """Weakly (RFC 9110, 13.1.2): lists are taken, and `*`, which names whatever there is."""
    if if_none_match is None:
        return False
    wanted = etag.removeprefix(b"W/")
    tags = [tag.strip() for tag in if_none_match.split(b",")]
    return tags == [b"*"] or any(tag.removeprefix(b"W/") == wanted for tag in tags)
