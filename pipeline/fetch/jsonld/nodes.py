"""The JSON documents of a page or a file, and their objects by schema.org's own names, whatever prefix they are written
with, their references followed.

A `@context` is never fetched: names are read as schema.org's, with or without its address or a usual prefix.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import msgspec
from lxml import etree

from outings.contract.vocabulary import Vocabulary
from pipeline.fetch.ndjson import MAX_LINE_BYTES
from pipeline.fetch.source import PART
from pipeline.fetch.text_files import decode_text, is_deep, mend_json

# Of texts that are not found again in the page, as lxml had to mend them: each costs a search to its end.
_MOST_MISSES = 20
_KIND = "application/ld+json"


class Page(NamedTuple):
    """`scripts`: each with the line where its text begins, from 1. `address`: by its `<link rel="canonical">`."""

    scripts: list[tuple[int, str]]
    address: str | None


class _Reader:
    """A parser's target, whose methods lxml calls."""

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

    def close(self) -> "_Reader":
        self.end("script")  # one that breaks off with the page
        return self


def parse_page(text: str) -> Page:
    """Parse a page. Raises ValueError if it can't be read to its end."""
    text = text.replace("\r\n", "\n")
    reader = _Reader()
    parser = etree.HTMLParser(target=reader, encoding="utf-8", huge_tree=True, no_network=True)
    try:
        etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"can't be read to its end: {error}") from None
    fatal = next((error for error in parser.error_log if error.level_name == "FATAL"), None)
    if fatal is not None:
        raise ValueError(f"can't be read to its end: {fatal.message} (line {fatal.line})")
    return Page([*_number_lines(reader.scripts, text)], reader.address)


def _number_lines(scripts: list[str], text: str) -> Iterator[tuple[int, str]]:
    """Find each script's line, which lxml does not tell: it stands in the page as it is, behind the `>` of its tag."""
    at, line, misses = 0, 1, 0
    for script in scripts:
        place = text.find(f">{script}", at) if misses < _MOST_MISSES else -1
        if place >= 0:
            line += text.count("\n", at, place)
            at = place + 1
        else:
            misses += 1
        yield line, script


# The signs round the JSON that kept it from browsers of long ago, and a semicolon.
_BEFORE = ("<!--", "<![CDATA[", "//", "/*", "*/")
_BEHIND = ("-->", "]]>", "//", "/*", "*/", ";")
_MOST_SIGNS = 20
_MOST_SCRIPT = 16 * MAX_LINE_BYTES
# A text without an end is one to the end: it is not looked for from each of its quotes again.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})""", re.IGNORECASE)
_SHOWN = 200


class Document(NamedTuple):
    """`line`: where it begins in its file, from 1. `reason`: why it can't be read; then `value` is how it begins."""

    line: int
    value: Any
    reason: str | None = None


class Content(NamedTuple):
    """`address`: the page's own, by its `<link rel="canonical">`."""

    documents: list[Document]
    address: str | None = None


def parse_content(content: bytes, *, charset: str | None = None) -> Content:
    """Parse a file. Raises ValueError for anything else, as half a file: it would remove the other half."""
    named = _CHARSET.search(content[:4096])
    text = decode_text(content, charset=charset or (named[1].decode() if named else None)).text
    if text.lstrip().startswith("<"):
        page = parse_page(text)
        # A script that is no JSON is one document that can't be read, and the page's others are.
        documents = (_parse_script(script, line=line) for line, script in page.scripts)
        return Content([document for document in documents if document is not None], page.address)
    try:
        return Content([Document(1, _load(text))])
    except ValueError as error:
        lines = _parse_lines(text)
        if lines is None:
            raise ValueError(f"is neither a page nor JSON: {error}") from None
        return Content(lines)


def _parse_script(text: str, *, line: int) -> Document | None:
    """Parse a script element, None for an empty one."""
    inner = _unwrap(text.strip().strip("\ufeff").strip())
    if not inner:
        return None
    if len(inner) > _MOST_SCRIPT:
        return Document(line, inner[:_SHOWN], f"too_long: a script element has at most {_MOST_SCRIPT} characters")
    try:
        return Document(line, _load(inner))
    except ValueError as error:
        return Document(line, inner[:_SHOWN], f"unreadable: {error}")


def _unwrap(text: str) -> str:
    for _ in range(_MOST_SIGNS):
        before = next((sign for sign in _BEFORE if text.startswith(sign)), "")
        behind = next((sign for sign in _BEHIND if text.endswith(sign)), "")
        if not before and not behind:
            break
        text = text.removeprefix(before).removesuffix(behind).strip()
    return text


def _parse_lines(text: str) -> list[Document] | None:
    """Parse a document a line, None if the first line is none by itself."""
    documents: list[Document] = []
    # Not `splitlines`: other signs that end lines stand in texts.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            documents.append(Document(number, _load(line)))
        except ValueError as error:
            if not documents:
                return None
            documents.append(Document(number, line[:_SHOWN], f"unreadable: {error}"))
    return documents or None


def _load(text: str) -> Any:
    """Parse JSON, and forgive what pages get wrong: line ends within texts, commas before a bracket, quotes as
    entities."""
    try:
        value = msgspec.json.decode(text.encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("is nested too deep") from None
    except msgspec.MsgspecError as error:
        value = _load_forgiving(text, error)
    if is_deep(value):
        raise ValueError("is nested too deep")
    return value


def _load_forgiving(text: str, first: Exception) -> Any:
    tries = [text, _TRAILING_COMMA.sub(lambda match: match[1] or "", text)]
    if "&quot;" in text or "&#34;" in text:
        tries.append(unescape(text))
    for attempt in tries:
        try:
            return msgspec.json.decode(mend_json(attempt))
        except RecursionError:
            raise ValueError("is nested too deep") from None
        except (ValueError, msgspec.MsgspecError):
            continue
    raise ValueError(str(first)) from None


# Events whose dates are those of what they are made of.
SERIES = frozenset({"EventSeries", "SessionSeries", "HeadlineEvent"})
_EVENT_TYPES = SERIES | {
    "Event", "ScheduledSession", "Festival", "Hackathon", "CourseSession",
}  # fmt: skip
_CLASSES = frozenset({"Course", "CourseInstance"})
# What a place's type is in our vocabulary; None: a place, of no kind that we have.
_PLACES: dict[str, str | None] = {
    "Place": None, "CivicStructure": None, "LocalBusiness": None, "LandmarksOrHistoricalBuildings": "attraction",
    "TouristAttraction": "attraction", "TouristDestination": "attraction", "AmusementPark": "attraction",
    "EventVenue": None, "Museum": "museum", "ArtGallery": "museum", "Library": "library", "Park": "park",
    "Beach": "park", "BodyOfWater": None, "Landform": None, "Campground": "park", "RVPark": None,
    "Playground": "playground", "Zoo": "zoo_aquarium", "Aquarium": "zoo_aquarium", "PerformingArtsTheater": "theater",
    "MovieTheater": "theater", "MusicVenue": "theater", "ComedyClub": "theater", "PublicSwimmingPool": "pool",
    "SportsActivityLocation": "sports_center", "StadiumOrArena": "sports_center", "BowlingAlley": "sports_center",
    "ExerciseGym": "sports_center", "HealthClub": "sports_center", "GolfCourse": "sports_center",
    "SkiResort": "sports_center", "SportsClub": "sports_center", "TennisComplex": "sports_center",
    "EntertainmentBusiness": None, "AdultEntertainment": None, "Casino": None, "NightClub": None,
    "FoodEstablishment": "store_cafe", "Bakery": "store_cafe", "BarOrPub": "store_cafe", "Brewery": "store_cafe",
    "CafeOrCoffeeShop": "store_cafe", "FastFoodRestaurant": "store_cafe", "IceCreamShop": "store_cafe",
    "Restaurant": "store_cafe", "Winery": "store_cafe", "Distillery": "store_cafe", "Store": "store_cafe",
    "BookStore": "store_cafe", "ToyStore": "store_cafe", "HobbyShop": "store_cafe", "ChildCare": None,
    "TouristInformationCenter": None, "PlaceOfWorship": None, "BuddhistTemple": None, "Church": None,
    "CatholicChurch": None, "HinduTemple": None, "Mosque": None, "Synagogue": None, "CityHall": None,
    "GovernmentBuilding": None, "LodgingBusiness": None, "FacilityUse": "sports_center",
    "IndividualFacilityUse": "sports_center",
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
    """Return the type of a node's record, None if it is no listing. An event wins over a place, a place over who keeps
    it."""
    names = set(types)
    if names & _CLASSES:
        return "class"
    if names & _EVENT_TYPES or any(name.endswith("Event") for name in names):
        return "event"
    if names & _PLACES.keys():
        return "place"
    return "organization" if names & _ORGANIZATIONS else None


def find_passed(types: Iterable[str]) -> str | None:
    """Return the type of a node that is no listing and may have been meant as one, unlike what every page has."""
    named = (name for name in types if name not in _FURNITURE and not name.endswith(("Page", "Action", "Object")))
    return next(named, None)


def find_type_hint(types: Iterable[str], vocabulary: Vocabulary) -> str | None:
    hints = [_PLACES.get(name) for name in types]
    return next((hint for hint in hints if hint in vocabulary.type_hints), None)


def list_type_categories(types: Iterable[str], vocabulary: Vocabulary) -> list[str]:
    categories = [_CATEGORIES.get(name) for name in types]
    return [name for name in categories if name is not None and name in vocabulary.categories]


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
    """Return a term without its vocabulary: `http://schema.org/Event` and `schema:Event` are `Event`."""
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
        """Return what is known of a node that states no more than its id (and its type)."""
        if not all(name.lstrip("@") in _ID_KEYS for name in value):
            return value
        name, identifier = _find_id(value), _find_identifier(value)
        known = self.find(name) if name is not None else None
        if known is None and identifier is not None:
            known = self.find(identifier, by="identifier")
        return value if known is None else known

    def find(self, text: str, *, by: str = "@id") -> Mapping[str, Any] | None:
        """Return the fuller node, here or beside: a reference states no more than a name."""
        own = self._known.get((by, text))
        other = None if self._beside is None else self._beside.find(text, by=by)
        return max((own, other), key=lambda known: -1 if known is None else len(known))

    def resolve(self, text: str) -> str:
        """Return an address as a whole one, if it can be made whole."""
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
        return tuple(shorten_name(name.strip()) for name in listed if isinstance(name, str))

    @property
    def id(self) -> str | None:
        """Return the absolute id, None for none or a blank one (`_:…`), which means nothing outside the file."""
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
        """Return texts, and numbers as texts; of several languages English ones first."""
        values = [value for value in self.get_all(name) if not isinstance(value, Node | bool)]
        return [text for value in values if (text := str(value).strip())]

    def get_text(self, name: str) -> str | None:
        return next(iter(self.get_texts(name)), None)

    def get_words(self, name: str) -> list[str]:
        """Return words of schema.org's own lists, stated as texts or by their ids: `EventCancelled`."""
        values = self.get_all(name)
        texts = [
            (value.id or value.get_text("name") or "") if isinstance(value, Node) else str(value) for value in values
        ]
        return [shorten_name(text.strip()) for text in texts]

    def get_nodes(self, name: str) -> list["Node"]:
        """Return nodes, also those that are only named by their id."""
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
        """Return the first whole address, of a text or of a node."""
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
    """Yield the nodes that stand for themselves: a document's own, those of its `@graph`, the entries of a list, what a
    page is about, the events of a place."""
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
    """Rank texts in English and those of no language before others."""
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
    """Name each node by its id. Add its hash if others with the same id differ, as where each event of a page has the
    page's address; use the hash alone if it has no id."""
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
    """Hash a node's types, name, start and place: when one of these changes it is another."""
    places = [place.get_text("name") or "" for place in node.get_nodes("location")]
    parts = [*sorted(node.types), *(node.get_text(name) or "" for name in ("name", "startDate")), *places]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _tidy(text: str) -> str:
    return " ".join(text.split())
