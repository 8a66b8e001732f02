"""A queue in which keys take turns."""

from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)


class FairQueue(Generic[Item]):
    """A line of items for each key, with `places` for all lines together. Keys take turns, so a key waits for one item
    of each other key, however many items they have."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._lines: dict[str, deque[Item]] = {}  # the key whose turn is next comes first

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def add(self, item: Item, *, key_id: str) -> tuple[str, Item] | None:
        """Put the item at the end of its key's line, unless it is there. If that is one too many, remove the newest
        item of the longest line, of this key's where several are, and return it with its key."""
        line = self._lines.setdefault(key_id, deque())
        if item not in line:
            line.append(item)
        if len(self) <= self._places:
            return None
        longest = max(self._lines, key=lambda each: (len(self._lines[each]), each == key_id))
        refused = self._lines[longest][-1]
        self.discard(refused, key_id=longest)
        return longest, refused

    def discard(self, item: Item, *, key_id: str) -> None:
        """Remove the item from the key's line, if it is there."""
        line = self._lines.get(key_id, deque())
        if item in line:
            line.remove(item)
            if not line:
                del self._lines[key_id]

    def take(self) -> Item:
        """Remove and return the first item of the next key's line. The queue must not be empty."""
        key_id = next(iter(self._lines))
        line = self._lines.pop(key_id)
        item = line.popleft()
        if line:
            self._lines[key_id] = line
        return item
