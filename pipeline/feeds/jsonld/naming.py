"""What a node is known by, from one build to the next."""

import hashlib
from collections.abc import Iterable

from pipeline.feeds.jsonld.nodes import Node
from pipeline.feeds.source_ids import PART

WITHOUT_ID = "without-id-"


def find_own_id(node: Node) -> str | None:
    """Its `@id`, else its `identifier`, else its `url`."""
    if own := node.id:
        return _tidy(own)
    for value in node.get_all("identifier"):
        text = value.get_text("value") if isinstance(value, Node) else str(value)
        if text and text.strip():
            return _tidy(text)
    url = node.get_url("url")
    return None if url is None else _tidy(url)


def name_nodes(nodes: Iterable[Node]) -> list[str]:
    """Of each: its own id; with its hash where others that say something else have the same, as where each event of a
    page has the page's address; its hash alone where it has none."""
    listed = list(nodes)
    own = [find_own_id(node) for node in listed]
    hashes = [hash_node(node) for node in listed]
    saying: dict[str | None, set[str]] = {}
    for name, digest in zip(own, hashes, strict=True):
        saying.setdefault(name, set()).add(digest)
    return [
        f"{WITHOUT_ID}{digest}" if name is None else name if len(saying[name]) == 1 else f"{name}{PART}{digest}"
        for name, digest in zip(own, hashes, strict=True)
    ]


def hash_node(node: Node) -> str:
    """Of its types, name, start and place: when one of these changes it is another."""
    places = [place.get_text("name") or "" for place in node.get_nodes("location")]
    parts = [*sorted(node.types), *(node.get_text(name) or "" for name in ("name", "startDate")), *places]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _tidy(text: str) -> str:
    return " ".join(text.split())
