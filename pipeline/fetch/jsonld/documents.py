"""Finds the JSON documents in a file: in a page's script elements, the file itself, or each of its lines."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, NamedTuple

import msgspec
from lxml import etree

from pipeline.fetch.ndjson import MAX_LINE_BYTES
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
    fatal = next((each for each in parser.error_log if each.level_name == "FATAL"), None)
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
        return Content([each for each in documents if each is not None], page.address)
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
    for each in tries:
        try:
            return msgspec.json.decode(mend_json(each))
        except RecursionError:
            raise ValueError("is nested too deep") from None
        except (ValueError, msgspec.MsgspecError):
            continue
    raise ValueError(str(first)) from None
