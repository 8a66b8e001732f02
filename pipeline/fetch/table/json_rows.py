"""Read the rows of JSON files: a list of objects, a list inside other members, one object a line, or GeoJSON."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from duckdb import DuckDBPyConnection
from msgspec import Raw, Struct

from outings.configuration import FeedTable
from outings.sql_quoting import quote
from pipeline.fetch.table.xml_rows import convert_xml
from pipeline.fetch.text_files import decode_text, mend_signs
from pipeline.fetch.unpacking import TableFile


class Fault(NamedTuple):
    """A row that can't be read: the line where it begins, why, and how it begins."""

    line: int
    reason: str
    value: str


class Part(Struct, frozen=True, kw_only=True):
    """The rows of one file: a `query` with `parameters` that returns them in their order.

    `lines`: the line of each row; None if a row's number is its line, and then `count` is how many there are.
    `decided`: the choices made in reading them.
    """

    query: str
    parameters: tuple[Any, ...]
    lines: Sequence[int] | None = None
    count: int = 0
    faults: tuple[Fault, ...] = ()
    decided: str = ""


# The file, its feed's settings, the connection, and a path that the reader may write to. Raises ValueError.
OpenPart = Callable[[TableFile, FeedTable, DuckDBPyConnection, Path], Part]


def check_rows(count: int, feed: FeedTable) -> None:
    if count > feed.max_rows:
        raise ValueError(f"has more than the {feed.max_rows:,} rows that max_rows allows")


def check_columns(count: int, feed: FeedTable) -> None:
    if count > feed.max_columns:
        raise ValueError(f"has {count:,} columns, more than the {feed.max_columns:,} that max_columns allows")


def number_names(names: Sequence[str]) -> list[str]:
    """Return unique column names, whatever their case. An empty name becomes `column3`, a second `fee` becomes `fee
    (2)`."""
    given: dict[str, int] = {}
    numbered = []
    for place, name in enumerate(" ".join(name.split()) for name in names):
        unique = name = name or f"column{place}"
        while unique.casefold() in given:
            given[name.casefold()] += 1
            unique = f"{name} ({given[name.casefold()]})"
        given[unique.casefold()] = 1
        numbered.append(unique)
    return numbered


_GUESSED_TYPES = {"date", "timestamp", "timestamp with time zone", "time", "uuid"}
_SHOWN = 120
_T = TypeVar("_T")


def open_json(file: TableFile, feed: FeedTable, connection: DuckDBPyConnection, scratch: Path) -> Part:
    content = read_json(file, feed)
    if not feed.records and is_lines(content):
        return open_json_lines(file, feed, connection, scratch)
    if file.kind == "xml" and (features := parse_features(content)) is not None:  # a map (KML)
        return _make_part(features, feed, connection, scratch, lines=None, json_columns=("geometry",))
    rows = find_rows(content, feed)
    if rows is None and feed.map:
        raise ValueError(explain_wrapped(content))
    rows = [Raw(content)] if rows is None else rows
    return _make_part(rows, feed, connection, scratch, lines=_number_lines(rows, content))


def open_geojson(file: TableFile, feed: FeedTable, connection: DuckDBPyConnection, scratch: Path) -> Part:
    """Read a GeoJSON file with a row for each feature: its properties, `geometry` as JSON, and its `id`, which becomes
    `feature_id` if a property has that name."""
    content = read_json(file, feed)
    try:
        collection = msgspec.json.decode(content, type=_FeatureCollection)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not a GeoJSON FeatureCollection: {_explain_json(content, error)}") from error
    rows, lines = list(map(_parse_feature, collection.features)), _number_lines(collection.features, content)
    return _make_part(rows, feed, connection, scratch, lines=lines, json_columns=("geometry",))


def parse_features(content: bytes) -> list[Raw] | None:
    """Return the rows of a GeoJSON FeatureCollection, None for anything else.

    >>> parse_features(b'{"type": "FeatureCollection", "features": []}')
    []
    """
    try:
        if msgspec.json.decode(content, type=_TypeMember).type != "FeatureCollection":
            return None
        return list(map(_parse_feature, msgspec.json.decode(content, type=_FeatureCollection).features))
    except (ValueError, RecursionError):
        return None


def open_json_lines(file: TableFile, feed: FeedTable, connection: DuckDBPyConnection, scratch: Path) -> Part:
    """Read a file with one object a line. A line that is not JSON is reported as a fault."""
    content = read_json(file, feed)
    rows, lines, faults = list[Raw](), array("q"), list[Fault]()
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        if (error := _find_error(line)) is None:
            rows.append(Raw(line))
            lines.append(number)
        else:
            faults.append(Fault(number, f"unreadable: {error}", line[:_SHOWN].decode("utf-8", "replace")))
    if faults and not rows:
        raise ValueError(f"line {faults[0].line} {_explain_json(content, None)}: {faults[0].value}")
    part = _make_part(rows, feed, connection, scratch, lines=lines)
    return msgspec.structs.replace(part, faults=tuple(faults))


def _find_error(encoded: bytes) -> Exception | None:
    """Return the error in decoding JSON, None if it is valid."""
    try:
        msgspec.json.decode(encoded)
    except (ValueError, RecursionError) as error:
        return error
    return None


def read_json(file: TableFile, feed: FeedTable) -> bytes:
    """Return the file as UTF-8, with U+FFFD for half of a surrogate pair. XML is converted to JSON."""
    if file.kind == "xml":
        return convert_xml(file.path, records=feed.records)
    decoded = decode_text(file.path.read_bytes(), stated=feed.encoding, charset=file.charset)
    return mend_signs(decoded.text.encode("utf-8", "surrogateescape"))


def is_lines(content: bytes) -> bool:
    """Return True for one object a line: the first line is a whole object, and others follow."""
    first, _, rest = content.strip().partition(b"\n")
    return first.startswith(b"{") and bool(rest.strip()) and _find_error(first) is None


def find_rows(content: bytes, feed: FeedTable) -> Sequence[Raw] | None:
    """Return the entries of the list at the setting `records`, with what their `references` name. Return None for an
    object if `records` is empty."""
    rows = find_list(content, feed.records)
    return rows if rows is None or not feed.references else resolve_references(rows, content, feed.references)


def find_list(content: bytes, records: str) -> Sequence[Raw] | None:
    """Return the entries of the list at a path, or at the first of several (`upcoming|items`) that is there."""
    value = Raw(content)
    passed: list[str] = []
    for step in records.partition("|")[0].split(".") if records else ():
        where = ".".join(passed)
        members = _decode(value, dict[str, Raw], content)
        if members is None:
            raise ValueError(f"holds no object in {where or 'the file'}, through which records leads")
        if step not in members:
            if others := records.partition("|")[2]:
                return find_list(content, others)
            inside = f"“{where}”" if where else "the file"
            raise ValueError(f'has no member "{step}" in {inside}, as records says; there are: {", ".join(members)}')
        value = members[step]
        passed.append(step)
    rows = _decode(value, list[Raw], content)
    if rows is None and passed:
        raise ValueError(f'holds no list in "{".".join(passed)}", where records says that its rows are')
    return rows


def resolve_references(rows: Sequence[Raw], content: bytes, references: Mapping[str, str]) -> Sequence[Raw]:
    """Replace ids in rows by the entries of other lists of the same document. `references`: by the path of a member in
    a row ("" for the row itself), the path of the object that has the entries by id. An unknown id becomes null."""
    whole, resolved = msgspec.json.decode(content), [msgspec.json.decode(row) for row in rows]
    for path, target in references.items():
        entries = _walk_members(whole, target.split("."))
        known = entries if isinstance(entries, dict) else {}
        if not path:
            resolved = [_name_entry(value, known) for value in resolved]
            continue
        *above, last = path.split(".")
        for row in resolved:
            holder = _walk_members(row, above)
            if isinstance(holder, dict) and last in holder:
                stated = holder[last]
                many = isinstance(stated, list)
                holder[last] = [_name_entry(id_, known) for id_ in stated] if many else _name_entry(stated, known)
    return [Raw(msgspec.json.encode(row)) for row in resolved]


def _name_entry(id_: Any, entries: Mapping[str, Any]) -> Any:
    return {"id": str(id_), **entry} if isinstance(entry := entries.get(str(id_)), dict) else None


def _walk_members(value: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _decode(value: Raw, kind: type[_T], content: bytes) -> _T | None:
    """Decode a value, None if it is of another kind. Raises ValueError if it can't be decoded."""
    try:
        return msgspec.json.decode(value, type=kind)
    except msgspec.ValidationError:
        return None
    except (ValueError, RecursionError) as error:
        raise ValueError(_explain_json(content, error)) from error


def list_wrapped(content: bytes) -> dict[str, int]:
    """Return the lengths of the lists of objects inside a document, by their paths."""
    counts: dict[str, int] = {}

    def look(value: Any, path: str) -> None:
        if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            counts[path] = len(value)
        elif isinstance(value, dict) and path.count(".") < 3:
            for name, inner in value.items():
                look(inner, f"{path}.{name}" if path else name)

    try:
        look(msgspec.json.decode(content), "")
    except (ValueError, RecursionError):
        return {}
    return counts


def explain_wrapped(content: bytes) -> str:
    counts = list_wrapped(content)
    if not counts:
        return "is one object with no list of objects in it; expected rows"
    best = max(counts, key=lambda path: counts[path])
    lists = ", ".join(f"{path} ({count:,})" for path, count in counts.items())
    return f'is one object with its rows inside: {lists}. Say where they are, as in records = "{best}"'


def _explain_json(content: bytes, error: Exception | None) -> str:
    """Return a message that says what is wrong with a document, and where."""
    reason = str(error or "")
    if "truncated" in reason:
        return f"is cut off: it ends in the middle of its JSON, in line {content.count(10) + 1}. Fetch it again"
    if isinstance(error, RecursionError):
        return "is nested too deep"
    place = reason.rpartition("(byte ")[2].removesuffix(")")
    where = f" in line {content.count(10, 0, int(place)) + 1}" if place.isdigit() else ""
    begins = content[:60].decode("utf-8", "replace").strip()
    return f"is no JSON{where}: it begins with “{begins}”" + (f" ({reason})" if reason else "")


class _Feature(Struct):
    properties: dict[str, Raw] | None = None
    geometry: Raw = Raw(b"null")
    id: Raw = Raw(b"null")


class _TypeMember(Struct):
    type: str = ""


class _FeatureCollection(Struct):
    features: list[Raw]


def _parse_feature(raw: Raw) -> Raw:
    """Return a GeoJSON feature as a row. An invalid one becomes an empty row, so that only its record is
    quarantined."""
    try:
        feature = msgspec.json.decode(raw, type=_Feature)
    except ValueError:
        feature = _Feature()
    properties = feature.properties or {}
    # The number in the publisher's list, and that of the map it is drawn from, are two things.
    name = "feature_id" if "id" in properties else "id"
    own = {} if name == "feature_id" and feature.id == b"null" else {name: feature.id}
    return Raw(msgspec.json.encode({**own, **properties, "geometry": _add_point(feature.geometry)}))


def _add_point(geometry: Raw) -> Raw:
    """Add `point`, a position on the line or in the area, to a geometry."""
    import shapely  # for GeoJSON alone

    try:
        point = shapely.point_on_surface(shapely.from_geojson(bytes(geometry)))
    except (shapely.errors.ShapelyError, ValueError):
        return geometry
    if point is None or point.is_empty:
        return geometry
    return Raw(bytes(geometry).rstrip()[:-1] + f',"point":[{round(point.x, 7)},{round(point.y, 7)}]}}'.encode())


def _make_part(
    rows: Sequence[Raw], feed: FeedTable, connection: DuckDBPyConnection, scratch: Path, *,
    lines: Sequence[int] | None, json_columns: Iterable[str] = (),
) -> Part:  # fmt: skip
    """Write rows to `scratch`, and return a part with the query that selects them."""
    check_rows(len(rows), feed)
    objects, names = 0, set[str]()
    with scratch.open("wb") as target:
        for row in rows:
            encoded = write_line(row)
            if encoded is not None:
                objects += 1
                names.update(_list_names(encoded, feed))
                check_columns(len(names), feed)
            target.write((encoded or b"{}") + b"\n")
    if not objects:
        raise ValueError("has no objects; expected a list of objects, or one on each line")
    query, parameters = read_typed(connection, scratch, json_columns=json_columns)
    return Part(query=query, parameters=parameters, lines=lines, count=len(rows))


def _list_names(encoded: bytes, feed: FeedTable) -> Iterable[str]:
    """Yield the members of an object. If it may exceed `max_columns`, also yield the members of nested objects."""
    if encoded.count(b":") <= feed.max_columns:
        yield from msgspec.json.decode(encoded, type=dict[str, Raw])
        return
    ahead: list[tuple[str, Any]] = [("", msgspec.json.decode(encoded))]
    while ahead:
        path, value = ahead.pop()
        if isinstance(value, dict):
            for name, inner in value.items():
                yield path + name
                ahead.append((f"{path}{name}.", inner))
        elif isinstance(value, list):
            ahead += [(path, inner) for inner in value]


def write_line(row: Raw) -> bytes | None:
    """Return an object in one line, None for anything else. Line ends within JSON texts are escaped already."""
    encoded = bytes(row).strip()
    return encoded.replace(b"\n", b" ").replace(b"\r", b" ") if encoded.startswith(b"{") else None


def _number_lines(rows: Sequence[Raw], content: bytes) -> Sequence[int] | None:
    """Return the line on which each row begins, None if the file has fewer lines than rows."""
    if content.count(10) + 1 < len(rows):
        return None
    lines, line, at = array("q"), 1, 0
    for row in rows:
        place = content.find(bytes(row), at)
        line += content.count(10, at, place)
        lines.append(line)
        at = place
    return lines


def read_typed(
    connection: DuckDBPyConnection, path: Path, *, names: Sequence[str] = (), json_columns: Iterable[str] = ()
) -> tuple[str, tuple[Any, ...]]:
    """Return a query for the objects of `path`, one a line, with typed numbers and booleans. Texts stay texts. `names`:
    columns that may have no value in any row; `json_columns`: those to read as JSON."""
    guess = "SELECT * FROM read_json(?, format='newline_delimited', sample_size=-1, maximum_object_size=?)"
    source = connection.sql(guess, params=[str(path), _measure(path)])
    types = {name: _keep_text(kind) for name, kind in zip(source.columns, source.types, strict=True)}
    types = {**dict.fromkeys(names, "VARCHAR"), **types} | {name: "JSON" for name in json_columns if name in types}
    return read_columns(path, types)


def read_columns(path: Path, types: dict[str, str]) -> tuple[str, tuple[Any, ...]]:
    query = "SELECT * FROM read_json(?, format='newline_delimited', columns=?, maximum_object_size=?)"
    return query, (str(path), types, _measure(path))


def _measure(path: Path) -> int:
    """Return how many bytes a buffer needs to hold any line of the file: 16 MiB or more."""
    with path.open("rb") as file:
        return max(16 << 20, max(map(len, file), default=0) + 1)


def _keep_text(kind: Any) -> str:
    """Return the type that DuckDB found, but VARCHAR for dates, times and UUIDs that it recognized in texts."""
    if kind.id == "struct":
        members = [f"{quote(name)} {_keep_text(child)}" for name, child in kind.children]
        return f"STRUCT({', '.join(members)})"
    if kind.id == "list":
        return f"{_keep_text(kind.children[0][1])}[]"
    if kind.id == "map":
        return "JSON"
    return "VARCHAR" if kind.id in _GUESSED_TYPES else str(kind)
