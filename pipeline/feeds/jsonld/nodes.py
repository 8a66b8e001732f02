"""Objects of JSON-LD by schema.org's own names, whatever prefix they are written with, their references followed.

A `@context` is never fetched: names are read as schema.org's, with or without its address or a usual prefix.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from pipeline.feeds.jsonld.kinds import find_kind

# As the values of a member come: a text, a number, a truth value, or a node.
Scalar = str | int | float | bool

_VOCABULARY = re.compile(
    r"https?://(?:www\.)?schema\.org/|https?://(?:www\.)?openactive\.io/(?:ns#)?|(?:schema|sdo|s|oa|skos):(?!//)",
    re.IGNORECASE,
)
# By the kind of listing that a node is: members with nodes that stand for themselves all the same.
_HOLDING: dict[str | None, tuple[str, ...]] = {
    None: ("@graph", "itemListElement", "item", "mainEntity", "about", "event", "events"),
    "place": ("@graph", "event", "events"),
    "organization": ("@graph", "event", "events"),
}
_EVENTS = ("event", "events")
# What an event that stands within a listing need not say.
_SAYING: dict[str | None, str] = {"place": "location", "organization": "organizer"}
_ID_KEYS = frozenset({"id", "identifier", "type", "context"})


def shorten_name(text: str) -> str:
    """A term without its vocabulary: `http://schema.org/Event` and `schema:Event` are `Event`."""
    return _VOCABULARY.sub("", text, count=1) if ":" in text and _VOCABULARY.match(text) else text


class Graph:
    """The nodes of one file, by their `@id` and by their `identifier`. `address`: what relative ids are relative to;
    `beside`: where else to look."""

    def __init__(self, values: Iterable[Any], *, address: str | None = None, beside: "Graph | None" = None) -> None:
        self.address = address
        self._beside = beside
        self._known: dict[tuple[str, str], dict[str, Any]] = {}
        ahead = list(values)
        while ahead:
            value = ahead.pop()
            if isinstance(value, list):
                ahead += value
            elif isinstance(value, dict):
                ahead += value.values()
                for by, name in (("@id", _find_id(value)), ("identifier", _find_identifier(value))):
                    if name is not None and len(value) > len(self._known.get((by, name), ())):
                        self._known[by, name] = value

    def follow(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is known of a node that says no more than its id (and its type)."""
        if not all(name.lstrip("@") in _ID_KEYS for name in value):
            return value
        name, identifier = _find_id(value), _find_identifier(value)
        known = self.find(name) if name is not None else None
        if known is None and identifier is not None:
            known = self.find(identifier, by="identifier")
        return value if known is None else known

    def find(self, text: str, *, by: str = "@id") -> Mapping[str, Any] | None:
        """What says more, here or beside: a reference says no more than a name."""
        own = self._known.get((by, text))
        other = None if self._beside is None else self._beside.find(text, by=by)
        return max((own, other), key=lambda known: -1 if known is None else len(known))

    def resolve(self, text: str) -> str:
        """An address as a whole one, where it can be made whole."""
        text = text.strip()
        if text.startswith("//"):
            return f"https:{text}"
        if self.address is None:
            return text
        try:
            return urljoin(self.address, text)
        except ValueError:
            return text


class Node:
    """One object. What it states is a list of values, none of them empty; one value is a list of one."""

    def __init__(self, raw: Mapping[str, Any], graph: Graph) -> None:
        self.graph = graph
        self._members: dict[str, Any] = {}
        for name, value in raw.items():
            short = shorten_name(name)
            if value is not None and short not in self._members:
                self._members[short] = value

    @property
    def types(self) -> tuple[str, ...]:
        named = self._members.get("@type", self._members.get("type"))
        listed = named if isinstance(named, list) else [named]
        return tuple(shorten_name(each.strip()) for each in listed if isinstance(each, str))

    @property
    def id(self) -> str | None:
        """The absolute id. None if there is none, or if the node is blank (`_:…`): such an id means nothing outside the
        file."""
        id_ = _find_id(self._members)
        if id_ is None or id_.startswith("_:"):
            return None
        return self.graph.resolve(id_)

    def get_all(self, name: str) -> list["Scalar | Node"]:
        value = self._members.get(name)
        if value is None:  # most are not stated, of some sixty
            return []
        return list(self._walk(value))

    def get(self, name: str) -> "Scalar | Node | None":
        return next(iter(self.get_all(name)), None)

    def get_texts(self, name: str) -> list[str]:
        """Numbers as texts; of texts in several languages English ones first."""
        values = [value for value in self.get_all(name) if not isinstance(value, Node | bool)]
        return [text for value in values if (text := str(value).strip())]

    def get_text(self, name: str) -> str | None:
        return next(iter(self.get_texts(name)), None)

    def get_words(self, name: str) -> list[str]:
        """Words of schema.org's own lists, as texts or as what is only named by its id: `EventCancelled`."""
        values = self.get_all(name)
        texts = [
            (value.id or value.get_text("name") or "") if isinstance(value, Node) else str(value) for value in values
        ]
        return [shorten_name(text.strip()) for text in texts]

    def get_nodes(self, name: str) -> list["Node"]:
        """Also those that are only named by their id."""
        nodes = []
        for value in self.get_all(name):
            if isinstance(value, Node):
                nodes.append(value)
            elif isinstance(value, str) and (known := self.graph.find(value.strip())) is not None:
                nodes.append(Node(known, self.graph))
        return nodes

    def get_node(self, name: str) -> "Node | None":
        return next(iter(self.get_nodes(name)), None)

    def get_url(self, name: str) -> str | None:
        """The first whole address, of a text or of what a node says is its own."""
        for value in self.get_all(name):
            text = (value.get_text("url") or value.id) if isinstance(value, Node) else value
            if isinstance(text, str) and is_web(whole := self.graph.resolve(text)):
                return whole
        return None

    def is_true(self, name: str) -> bool:
        value = self.get(name)
        return value is True or (isinstance(value, str) and shorten_name(value.strip()).lower() == "true")

    def _walk(self, value: Any) -> Iterator["Scalar | Node"]:
        if isinstance(value, list):
            for each in sorted(value, key=_rank_language):
                yield from self._walk(each)
        elif isinstance(value, dict):
            for inner in ("@value", "@list", "@set"):
                if inner in value:
                    yield from self._walk(value[inner])
                    return
            if value:
                yield Node(self.graph.follow(value), self.graph)
        elif isinstance(value, str):
            if value.strip():
                yield value
        elif value is not None:
            yield value


def list_roots(value: Any, graph: Graph) -> Iterator[Node]:
    """The nodes of a document that stand for themselves: its own, those of its `@graph`, the entries of a list, what a
    page is about, the events of a place."""
    if isinstance(value, list):
        for each in value:
            yield from list_roots(each, graph)
    elif isinstance(value, dict):
        node = Node(value, graph)
        yield node
        kind = find_kind(node.types)
        for name in _HOLDING.get(kind, ()):
            inner = value.get(name, value.get(f"schema:{name}"))
            if name in _EVENTS and (member := _SAYING.get(kind)) is not None:
                inner = [{member: value} | each for each in _list_objects(inner)]
            if isinstance(inner, dict | list):
                yield from list_roots(inner, graph)


def _list_objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]


def is_web(text: str) -> bool:
    try:
        return urlsplit(text).scheme in ("http", "https") and bool(urlsplit(text).hostname)
    except ValueError:
        return False


def _find_id(raw: Mapping[str, Any]) -> str | None:
    for name in ("@id", "id"):
        value = raw.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def _find_identifier(raw: Mapping[str, Any]) -> str | None:
    value = raw.get("identifier")
    return str(value).strip() or None if isinstance(value, str | int) and not isinstance(value, bool) else None


def _rank_language(value: Any) -> int:
    """Texts in English and those of no language before others; the order stays else."""
    language = value.get("@language") if isinstance(value, dict) else None
    return int(isinstance(language, str) and not language.lower().startswith("en"))
