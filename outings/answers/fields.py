"""`fields`: the members of a document that its reader asked for, in the order in which they stand there."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

# A path's tree: member → what is kept of it; an empty tree keeps all of it.
Tree = Mapping[str, "Tree"]


def keep_fields(document: bytes, paths: Iterable[str]) -> bytes:
    """`paths`: dotted, as the contract settled them (`id` and `type` among them). A path goes through arrays."""
    return msgspec.json.encode(_keep(msgspec.json.decode(document), _grow_tree(paths)))


def _grow_tree(paths: Iterable[str]) -> Tree:
    tree: dict[str, Any] = {}
    for path in paths:
        branch = tree
        for member in path.split("."):
            branch = branch.setdefault(member, {})
    return tree


def _keep(value: Any, tree: Tree) -> Any:
    if not tree:
        return value
    if isinstance(value, list):
        return [_keep(each, tree) for each in value]
    if isinstance(value, dict):
        return {member: _keep(each, tree[member]) for member, each in value.items() if member in tree}
    return value
