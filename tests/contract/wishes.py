"""Generated requests for the tests of the contract: a route's path, and values spelt as clients spell them."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from urllib.parse import quote

from hypothesis import strategies as st

from outings.contract.routes import ROUTES, Match, Route, match_route
from outings.contract.values import Parameter
from outings.contract.vocabulary import Vocabulary

VOCABULARY = Vocabulary()
READS = [route for route in ROUTES if route.parameters]

_ID = "3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"


def match_of(route: Route, *, metro: str = "seattle") -> Match:
    match = match_route(route.path.format(metro=metro, id=_ID, slug="story-time-at-the-library", file="events.jsonl"))
    assert match is not None
    return match


def _whole(row: Parameter) -> st.SearchStrategy[str]:
    least = 1 if row.name == "limit" else int(row.minimum or 0)
    return st.integers(least, min(int(row.maximum or 0), 10**9)).map(str)


def _number(row: Parameter) -> st.SearchStrategy[str]:
    # Thousandths, so that every value has one exact decimal text.
    thousandths = st.integers(round((row.minimum or 0) * 1000), round((row.maximum or 0) * 1000))
    return thousandths.map(lambda n: f"{'-' if n < 0 else ''}{abs(n) // 1000}.{abs(n) % 1000:03}")


_BESIDE_IDS = ("ids", "audience", "min_confidence", "fields", "expand", "metro")

_days = st.dates(date(2024, 1, 1), date(2027, 12, 31)).map(date.isoformat)
_clocks = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
_texts = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)

_BY_KIND: Mapping[str, st.SearchStrategy[str]] = {
    "text": _texts.filter(lambda text: "," not in text),
    "boolean": st.sampled_from(["true", "false"]),
    "date": _days,
    "date-time": st.datetimes(allow_imaginary=False).map(lambda at: at.replace(year=2025).isoformat()[:19] + "Z"),
    "moment": st.just("now") | st.datetimes(allow_imaginary=False).map(lambda at: f"{at.replace(year=2025):%FT%H:%M}"),
    "clock": _clocks,
    "minute": _clocks,
    "uuid": st.uuids().map(str),
    "cursor": st.just("AAAA"),
    "group-cursor": st.just("places:10"),
}


def texts_of(row: Parameter, *, paths: Sequence[str] = ("name", "slug", "id")) -> st.SearchStrategy[list[str]]:
    """Valid values of a parameter: one, or several for an array."""
    words = getattr(VOCABULARY, row.vocabulary) if row.vocabulary else row.allowed
    one: st.SearchStrategy[str]
    if row.name == "q":
        one = _texts.filter(lambda text: any(sign.isalnum() for sign in text))
    elif row.kind == "path":
        one = st.sampled_from(list(paths))
    elif row.kind == "word":
        one = st.sampled_from(list(words or ()))
    elif row.kind in ("integer", "number"):
        one = _whole(row) if row.kind == "integer" else _number(row)
    else:
        one = _BY_KIND[row.kind]
    return st.lists(one, min_size=1, max_size=4) if row.array else one.map(lambda text: [text])


@st.composite
def wishes(draw: st.DrawFn, route: Route) -> dict[str, list[str]]:
    """Draw parameters that a client may send to a route: name → values. Rules on combinations hold."""
    names = [
        name
        for name, row in route.parameters.items()
        if not row.is_optional
        and row.grant is None
        and row.kind != "cursor"
        and row.allowed != ()  # there is no value that it takes on this route
        and name not in ("place_type", "lng", "starts_to")
    ]
    chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=6)) if names else []
    wish = {name: draw(texts_of(route.parameters[name])) for name in chosen}
    if route.sets in wish:
        wish[route.sets] = [_ID]
    if "ids" in wish:
        wish = {name: wish[name] for name in wish if name in _BESIDE_IDS or name == route.sets}
    if "changed_since" in wish:
        wish = {name: wish[name] for name in wish if name not in ("page", "occurrences")}
    if "age" in wish or "age_min" in wish:
        wish.pop("age_max", None)
    if "age" in wish:
        wish.pop("age_min", None)
    if "lat" in wish:
        wish["lng"] = draw(texts_of(route.parameters["lng"]))
    else:
        wish.pop("radius_m", None)
    if "from" in wish and "to" in wish:
        wish["to"] = [(date.fromisoformat(wish["from"][0]) + timedelta(days=draw(st.integers(0, 30)))).isoformat()]
    return wish


@st.composite
def spellings(draw: st.DrawFn, route: Route, wish: Mapping[str, Sequence[str]]) -> bytes:
    """Draw a query string with the meaning of `wish`: in any order, with commas or repeats, duplicates, encoding and
    explicit defaults."""
    pairs: list[tuple[str, str]] = []
    for name, texts in wish.items():
        row = route.parameters[name]
        if row.ordered or not row.array:
            pairs.append((name, ",".join(texts)))
            continue
        shuffled = draw(st.permutations([*texts, *(draw(st.booleans()) * [texts[0]])]))
        cut = draw(st.integers(0, len(shuffled)))
        pairs += [(name, text) for text in shuffled[:cut]]
        if shuffled[cut:]:
            pairs.append((name, ",".join(shuffled[cut:])))
    limit = "200" if route.name == "changes" else "50"
    for name, default in (("limit", limit), ("page", "1"), ("include_archived", "false")):
        paged = name in ("limit", "page") and wish.keys() & {"ids", "changed_since"}
        if name in route.parameters and name not in wish and not paged and draw(st.booleans()):
            pairs.append((name, default))
    encode = draw(st.sampled_from([_encode_least, _encode_all]))
    return "&".join(f"{encode(name)}={encode(text)}" for name, text in draw(st.permutations(pairs))).encode()


def _encode_least(text: str) -> str:
    return quote(text, safe=",:/@!$'()*;~[]")


def _encode_all(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())
