"""Read schema.org's microdata in a page (`itemscope`, `itemprop`) as the JSON-LD that says the same."""

from collections.abc import Mapping
from typing import Any

from lxml import etree

# The attribute that has the value of a property, by the element.
_VALUES = {
    "meta": "content", "a": "href", "area": "href", "link": "href", "img": "src", "iframe": "src", "source": "src",
    "time": "datetime", "data": "value", "meter": "value",
}  # fmt: skip
Item = dict[str, Any]


class _ItemCollector:
    """A target of lxml's parser that collects items. Each open element has the item that it begins, and the names and
    texts of the properties whose value is its text."""

    def __init__(self) -> None:
        self.roots: list[Item] = []
        self._items: list[Item] = []
        self._open: list[tuple[bool, list[str], list[str]]] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        names, texts = (attributes.get("itemprop") or "").split(), list[str]()
        is_item = "itemscope" in attributes
        if is_item:
            kinds = [kind.rstrip("/").rpartition("/")[2] for kind in (attributes.get("itemtype") or "").split()]
            item: Item = {"@context": "https://schema.org", "@type": kinds}
            if attributes.get("itemid"):
                item["@id"] = attributes["itemid"]
            self._add(names, item)
            if not names or not self._items:
                self.roots.append(item)
            self._items.append(item)
            names = []
        else:
            stated = attributes.get("content") or attributes.get(_VALUES.get(tag, "content"))
            if stated is not None:
                self._add(names, stated)
                names = []
        self._open.append((is_item, names, texts))

    def data(self, text: str) -> None:
        for _, names, texts in self._open:
            if names:
                texts.append(text)

    def end(self, tag: str) -> None:  # noqa: ARG002
        if not self._open:
            return
        is_item, names, texts = self._open.pop()
        if is_item:
            self._items.pop()
        self._add(names, " ".join("".join(texts).split()))

    def close(self) -> None:
        pass

    def _add(self, names: list[str], value: Any) -> None:
        for name in names if self._items and value else ():
            self._items[-1].setdefault(name, []).append(value)


def read_microdata(text: str) -> list[Item]:
    """Return the items of a page that lie in no other one.

    >>> read_microdata('<p itemscope itemtype="https://schema.org/Event"><b itemprop="name">Fair</b></p>')
    [{'@context': 'https://schema.org', '@type': ['Event'], 'name': ['Fair']}]
    """
    collector = _ItemCollector()
    parser = etree.HTMLParser(target=collector, encoding="utf-8", huge_tree=True, no_network=True)
    etree.fromstring(text.encode("utf-8", "replace"), parser)
    return collector.roots
