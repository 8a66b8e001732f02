"""Parse the JSON documents of a page or file, and read their objects (nodes) by schema.org's names, with references
followed.

A `@context` is never fetched: names are read as schema.org's, with or without its address or a usual prefix.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import msgspec
from lxml import etree

from outings.contract.vocabulary import Vocabulary
from pipeline.fetch.jsonld.microdata import read_microdata
from pipeline.fetch.ndjson import MAX_LINE_BYTES
from pipeline.fetch.source import PART
from pipeline.fetch.text_files import decode_text, is_deep, mend_json

# The signs round the JSON that kept it from browsers of long ago, and a semicolon.
_BEFORE = ("<!--", "<![CDATA[", "//", "/*", "*/")
_BEHIND = ("-->", "]]>", "//", "/*", "*/", ";")
_MOST_SIGNS = 20
_MOST_SCRIPT = 16 * MAX_LINE_BYTES
# A text without an end is one to the end: it is not looked for from each of its quotes again.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})""", re.IGNORECASE)
_SHOWN = 200
_KIND = "application/ld+json"
# Texts that lxml repaired can't be found in the page, and each costs a search to its end.
_MOST_MISSES = 20


class Document(NamedTuple):
    """A JSON document. `line`: its first, from 1. `reason`: why it can't be read; then `value` is its beginning."""

    line: int
    value: Any
    reason: str | None = None


def parse_content(content: bytes, *, charset: str | None = None) -> tuple[list[Document], str | None]:
    """Parse a page, a JSON file or JSON lines. Return documents and the page's address (`<link rel="canonical">`).

    Raises ValueError for anything else, also for a cut file: the listings that it lacks would be removed.

    >>> documents, _ = parse_content(b'{"@type": "Event"}')
    >>> documents[0].value
    {'@type': 'Event'}
    """
    named = _CHARSET.search(content[:4096])
    text = decode_text(content, charset=charset or (named[1].decode() if named else None)).text
    if text.lstrip().startswith("<"):
        return _parse_page(text)
    document = _parse_document(text, line=1)
    if document.reason is None:
        return [document], None
    # Not `splitlines`: texts may have other line separators.
    numbered = ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())
    lines = [_parse_document(line, line=number) for number, line in numbered]
    if not lines or lines[0].reason is not None:
        raise ValueError(f"is neither a page nor JSON: {document.reason.partition(': ')[2]}")
    return lines, None


class _ScriptCollector:
    """A target of lxml's parser that collects JSON-LD scripts. Tags that never close would make a tree too deep."""

    def __init__(self) -> None:
        self.scripts: list[str] = []
        self.address: str | None = None
        self._parts: list[str] | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "script" and (attributes.get("type") or "").partition(";")[0].strip().lower() == _KIND:
            self._parts = []
        elif tag == "link" and self.address is None and "canonical" in (attributes.get("rel") or "").lower().split():
            address = (attributes.get("href") or "").strip()
            self.address = address if address.startswith("http") else None

    def data(self, text: str) -> None:
        if self._parts is not None:
            self._parts.append(text)

    def end(self, tag: str) -> None:
        if tag == "script" and self._parts is not None:
            self.scripts.append("".join(self._parts))
            self._parts = None

    def close(self) -> None:
        self.end("script")  # one that breaks off with the page


def _parse_page(text: str) -> tuple[list[Document], str | None]:
    text = text.replace("\r\n", "\n")
    page = _ScriptCollector()
    parser = etree.HTMLParser(target=page, encoding="utf-8", huge_tree=True, no_network=True)
    try:
        etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"can't be read to its end: {error}") from None
    fatal = next((error for error in parser.error_log if error.level_name == "FATAL"), None)
    if fatal is not None:
        raise ValueError(f"can't be read to its end: {fatal.message} (line {fatal.line})")
    documents, at, line, misses = list[Document](), 0, 1, 0
    for script in page.scripts:
        # lxml does not know the line. The script is in the page unchanged, after the `>` of its tag.
        place = text.find(f">{script}", at) if misses < _MOST_MISSES else -1
        misses += place < 0
        if place >= 0:
            line += text.count("\n", at, place)
            at = place + 1
        inner = _unwrap(script.strip().strip("\ufeff").strip())
        if len(inner) > _MOST_SCRIPT:
            reason = f"too_long: a script element has at most {_MOST_SCRIPT} characters"
            documents.append(Document(line, inner[:_SHOWN], reason))
        elif inner:
            documents.append(_parse_document(inner, line=line))
    if not documents and "itemscope" in text:
        documents = [Document(1, item) for item in read_microdata(text) if not is_deep(item)]
    return documents, page.address


def _unwrap(text: str) -> str:
    for _ in range(_MOST_SIGNS):
        before = next((sign for sign in _BEFORE if text.startswith(sign)), "")
        behind = next((sign for sign in _BEHIND if text.endswith(sign)), "")
        if not before and not behind:
            break
        text = text.removeprefix(before).removesuffix(behind).strip()
    return text


def _parse_document(text: str, *, line: int) -> Document:
    """Parse JSON, and repair common errors of pages: line ends within texts, commas before a bracket, quotes as
    entities."""
    attempts: list[Callable[[], bytes]] = [
        lambda: text.encode("utf-8", "replace"),
        lambda: mend_json(_TRAILING_COMMA.sub(lambda match: match[1] or "", text)),
    ]
    if "&quot;" in text or "&#34;" in text:
        attempts.append(lambda: mend_json(unescape(text)))
    reason = ""
    for mend in attempts:
        try:
            if not is_deep(value := msgspec.json.decode(mend())):
                return Document(line, value)
        except ValueError as error:
            reason = reason or str(error)  # that of the text as it stands
            continue
        except RecursionError:
            pass
        reason = "is nested too deep"
        break
    return Document(line, text[:_SHOWN], f"unreadable: {reason}")


# Events whose dates are those of what they are made of.
SERIES = frozenset({"EventSeries", "SessionSeries", "HeadlineEvent"})
_EVENT_TYPES = SERIES | {
    "Event", "ScheduledSession", "Festival", "Hackathon", "CourseSession",
}  # fmt: skip
_CLASSES = frozenset({"Course", "CourseInstance"})
# A place's type in our vocabulary by schema.org's types; None: a place, of no kind that we have.
_PLACES: dict[str, str | None] = {
    name: hint
    for hint, names in (
        (None, "Place CivicStructure LocalBusiness EventVenue BodyOfWater Landform RVPark EntertainmentBusiness"),
        (None, "AdultEntertainment Casino NightClub ChildCare TouristInformationCenter PlaceOfWorship BuddhistTemple"),
        (None, "Church CatholicChurch HinduTemple Mosque Synagogue CityHall GovernmentBuilding LodgingBusiness"),
        ("attraction", "LandmarksOrHistoricalBuildings TouristAttraction TouristDestination AmusementPark"),
        ("museum", "Museum ArtGallery"), ("library", "Library"), ("park", "Park Beach Campground"),
        ("playground", "Playground"), ("zoo_aquarium", "Zoo Aquarium"), ("pool", "PublicSwimmingPool"),
        ("theater", "PerformingArtsTheater MovieTheater MusicVenue ComedyClub"),
        ("sports_center", "SportsActivityLocation StadiumOrArena BowlingAlley ExerciseGym HealthClub GolfCourse"),
        ("sports_center", "SkiResort SportsClub TennisComplex FacilityUse IndividualFacilityUse"),
        ("store_cafe", "FoodEstablishment Bakery BarOrPub Brewery CafeOrCoffeeShop FastFoodRestaurant IceCreamShop"),
        ("store_cafe", "Restaurant Winery Distillery Store BookStore ToyStore HobbyShop"),
    )
    for name in names.split()
}  # fmt: skip
_ORGANIZATIONS = frozenset(
    {
        "Organization", "Corporation", "EducationalOrganization", "School", "CollegeOrUniversity", "ElementarySchool",
        "HighSchool", "MiddleSchool", "Preschool", "GovernmentOrganization", "LibrarySystem", "NGO",
        "NewsMediaOrganization", "PerformingGroup", "DanceGroup", "MusicGroup", "TheaterGroup", "SportsOrganization",
        "SportsTeam", "OnlineBusiness", "OnlineStore", "Consortium", "WorkersUnion",
    }
)  # fmt: skip
# Of a page and its navigation, and what holds listings.
_FURNITURE = frozenset(
    {
        "WebSite", "BreadcrumbList", "ItemList", "ListItem", "DataFeed", "DataFeedItem", "Dataset", "DataCatalog",
        "WebPageElement", "SiteNavigationElement", "WPHeader", "WPFooter", "WPSideBar", "Person", "PostalAddress",
        "GeoCoordinates", "Offer", "AggregateOffer", "AggregateRating", "Rating", "Review",
    }
)  # fmt: skip
_CATEGORIES = {
    "MusicEvent": "music_movement", "DanceEvent": "dance_gymnastics", "TheaterEvent": "theater_shows",
    "ComedyEvent": "theater_shows", "ScreeningEvent": "theater_shows", "PerformingArtsEvent": "theater_shows",
    "VisualArtsEvent": "arts_creative", "ExhibitionEvent": "museums_exhibits", "Festival": "festivals_seasonal",
    "LiteraryEvent": "storytime_books", "FoodEvent": "food_cooking", "SportsEvent": "sports_active_play",
}  # fmt: skip
READ = "Event, EventSeries, Course, CourseInstance, Place, Organization and their subtypes"


def find_kind(types: Iterable[str]) -> str | None:
    """Return the record type for a node's types, None if it is no listing. A class wins over an event, this over a
    place, and this over an organization."""
    names = set(types)
    if names & _CLASSES:
        return "class"
    if names & _EVENT_TYPES or any(name.endswith("Event") for name in names):
        return "event"
    if names & _PLACES.keys():
        return "place"
    return "organization" if names & _ORGANIZATIONS else None


def find_passed(types: Iterable[str]) -> str | None:
    """Return the first type that may have been meant as a listing, unlike the parts of any page; else None."""
    named = (name for name in types if name not in _FURNITURE and not name.endswith(("Page", "Action", "Object")))
    return next(named, None)


def find_type_hint(types: Iterable[str], vocabulary: Vocabulary) -> str | None:
    return next((hint for hint in map(_PLACES.get, types) if hint in vocabulary.type_hints), None)


def list_type_categories(types: Iterable[str], vocabulary: Vocabulary) -> list[str]:
    return [category for category in map(_CATEGORIES.get, types) if category and category in vocabulary.categories]


# As the values of a member come: a text, a number, a truth value, or a node.
Scalar = str | int | float | bool

_VOCABULARY = re.compile(
    r"https?://(?:www\.)?schema\.org/|https?://(?:www\.)?openactive\.io/(?:ns#)?|(?:schema|sdo|s|oa|skos):(?!//)",
    re.IGNORECASE,
)
# Members whose nodes are listings of their own, by the kind of the outer listing.
_HOLDING: dict[str | None, tuple[str, ...]] = {
    None: ("@graph", "itemListElement", "item", "mainEntity", "about", "event", "events"),
    "place": ("@graph", "event", "events"),
    "organization": ("@graph", "event", "events"),
}
_EVENTS = ("event", "events")
# Members that an event inside a listing may leave out.
_SAYING: dict[str | None, str] = {"place": "location", "organization": "organizer"}
_ID_KEYS = frozenset({"id", "identifier", "type", "context"})


def shorten_name(text: str) -> str:
    """Return a term without its vocabulary: `http://schema.org/Event` and `schema:Event` are `Event`."""
    return _VOCABULARY.sub("", text, count=1) if ":" in text and _VOCABULARY.match(text) else text


class Graph:
    """The nodes of one file, by their `@id` and by their `identifier`. `address`: the base of relative ids."""

    def __init__(self, values: Iterable[Any], *, address: str | None = None) -> None:
        self.address = address
        self._nodes: dict[tuple[str, str | None], dict[str, Any]] = {}
        ahead = list(values)
        while ahead:
            value = ahead.pop()
            if isinstance(value, list):
                ahead += value
            elif isinstance(value, dict):
                ahead += value.values()
                for by, name in (("@id", _find_id(value)), ("identifier", _find_identifier(value))):
                    if name is not None and len(value) > len(self._nodes.get((by, name), ())):
                        self._nodes[by, name] = value

    def follow(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the full object of a node that states only its id (and type), if the file has it."""
        if not all(name.lstrip("@") in _ID_KEYS for name in value):
            return value
        named = (("@id", _find_id(value)), ("identifier", _find_identifier(value)))
        return next((self._nodes[key] for key in named if key in self._nodes), value)

    def find(self, id_: str) -> Mapping[str, Any] | None:
        return self._nodes.get(("@id", id_))

    def resolve(self, text: str) -> str:
        """Return an address as an absolute one, if possible."""
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
    """A JSON-LD object. `get_all` returns a member's values as a list, also a single one, without empty ones."""

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
        return tuple(shorten_name(name.strip()) for name in listed if isinstance(name, str))

    @property
    def id(self) -> str | None:
        """Return the absolute id, None for none or a blank one (`_:…`), which means nothing outside the file."""
        id_ = _find_id(self._members)
        return None if id_ is None or id_.startswith("_:") else self.graph.resolve(id_)

    def get_all(self, name: str) -> list["Scalar | Node"]:
        value = self._members.get(name)
        if value is None:  # most are not stated, of some sixty
            return []
        return list(self._walk(value))

    def get(self, name: str) -> "Scalar | Node | None":
        return next(iter(self.get_all(name)), None)

    def get_texts(self, name: str) -> list[str]:
        """Return a member's texts, and numbers as texts; of several languages English ones first."""
        values = [value for value in self.get_all(name) if not isinstance(value, Node | bool)]
        return [text for value in values if (text := str(value).strip())]

    def get_text(self, name: str) -> str | None:
        return next(iter(self.get_texts(name)), None)

    def get_words(self, name: str) -> list[str]:
        """Return a member's values as terms of schema.org (`EventCancelled`), stated as texts or by their ids."""
        values = self.get_all(name)
        texts = [
            (value.id or value.get_text("name") or "") if isinstance(value, Node) else str(value) for value in values
        ]
        return [shorten_name(text.strip()) for text in texts]

    def get_linked(self, name: str) -> Iterator["Scalar | Node"]:
        """Yield a member's values. A text that is the id of a node becomes that node."""
        for value in self.get_all(name):
            target = self.graph.find(value.strip()) if isinstance(value, str) else None
            yield value if target is None else Node(target, self.graph)

    def get_nodes(self, name: str) -> list["Node"]:
        return [value for value in self.get_linked(name) if isinstance(value, Node)]

    def get_node(self, name: str) -> "Node | None":
        return next(iter(self.get_nodes(name)), None)

    def get_url(self, name: str) -> str | None:
        """Return the first absolute web address of a member, from a text or a node."""
        for value in self.get_all(name):
            text = (value.get_text("url") or value.id) if isinstance(value, Node) else value
            if isinstance(text, str) and is_web(whole := self.graph.resolve(text)):
                return whole
        return None

    def get_link(self, name: str) -> str | None:
        """Return a member's web address, otherwise its text as it is, so that cleaning reports it."""
        return self.get_url(name) or self.get_text(name)

    def is_true(self, name: str) -> bool:
        value = self.get(name)
        return value is True or (isinstance(value, str) and shorten_name(value.strip()).lower() == "true")

    def _walk(self, value: Any) -> Iterator["Scalar | Node"]:
        if isinstance(value, list):
            for entry in sorted(value, key=_rank_language):
                yield from self._walk(entry)
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
    """Yield the nodes that may be listings of their own: a document's, those of its `@graph`, the entries of a list,
    what a page is about, the events of a place."""
    if isinstance(value, list):
        for entry in value:
            yield from list_roots(entry, graph)
    elif isinstance(value, dict):
        node = Node(value, graph)
        yield node
        kind = find_kind(node.types)
        for name in _HOLDING.get(kind, ()):
            inner = value.get(name, value.get(f"schema:{name}"))
            if name in _EVENTS and (member := _SAYING.get(kind)) is not None:
                listed = inner if isinstance(inner, list) else [inner]
                inner = [{member: value} | entry for entry in listed if isinstance(entry, dict)]
            if isinstance(inner, dict | list):
                yield from list_roots(inner, graph)


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
    """Return a key that sorts texts in English and without a language before others."""
    language = value.get("@language") if isinstance(value, dict) else None
    return int(isinstance(language, str) and not language.lower().startswith("en"))


WITHOUT_ID = "without-id-"


def find_own_id(node: Node) -> str | None:
    """Return a node's `@id`, else its `identifier`, else its `url`."""
    if own := node.id:
        return _tidy(own)
    for value in node.get_all("identifier"):
        text = value.get_text("value") if isinstance(value, Node) else str(value)
        if text and text.strip():
            return _tidy(text)
    url = node.get_url("url")
    return None if url is None else _tidy(url)


def name_nodes(nodes: Iterable[Node]) -> list[str]:
    """Return an id for each node. Different nodes with the same id, as where each event of a page has the page's
    address, have their hash appended; a node without an id has the hash alone."""
    listed = list(nodes)
    own = [find_own_id(node) for node in listed]
    hashes = [hash_node(node) for node in listed]
    counts = Counter(name for name, _ in set(zip(own, hashes, strict=True)))
    return [
        f"{WITHOUT_ID}{digest}" if name is None else name if counts[name] == 1 else f"{name}{PART}{digest}"
        for name, digest in zip(own, hashes, strict=True)
    ]


def hash_node(node: Node) -> str:
    """Hash a node's types, name, start and place: if one of these changes, it is another listing."""
    places = [place.get_text("name") or "" for place in node.get_nodes("location")]
    parts = [*sorted(node.types), *(node.get_text(name) or "" for name in ("name", "startDate")), *places]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _tidy(text: str) -> str:
    return " ".join(text.split())
