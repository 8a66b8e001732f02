"""A file's bytes → the JSON documents in it: a page's script elements, the file itself, or each of its lines."""

import re
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pipeline.feeds.jsonld.pages import parse_page
from pipeline.feeds.ndjson import MAX_LINE_BYTES, is_deep, mend_json

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# What is round the JSON of a script element: comments and sections that kept it from browsers of long ago, a semicolon.
_BEFORE = ("<!--", "<![CDATA[", "//", "/*", "*/")
_BEHIND = ("-->", "]]>", "//", "/*", "*/", ";")
_COMMENTS = {"/*": "*/", "<!--": "-->", "//": "\n"}
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


def count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") + 1


def parse_content(content: bytes, *, charset: str | None = None) -> Content:
    """ValueError for a file that is neither a page nor JSON: half a file would remove what is in the other half."""
    text = _decode(content, charset)
    if text.lstrip().startswith("<"):
        page = parse_page(text)
        # A script that is no JSON is one document that can't be read, and the page's others are.
        documents = (_parse_script(script, line=line) for line, script in page.scripts)
        return Content([each for each in documents if each is not None], page.address)
    try:
        return Content([Document(1, _load_within(text))])
    except ValueError as error:
        lines = _parse_lines(text)
        if lines is None:
            raise ValueError(f"is neither a page nor JSON: {error}") from None
        return Content(lines)


def _decode(content: bytes, charset: str | None) -> str:
    """By its mark, as UTF-8, by what the server or the page calls it, else as Windows' Latin."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.removeprefix(mark).decode(encoding, errors="replace")
    try:
        return content.decode()
    except UnicodeDecodeError:
        named = _CHARSET.search(content[:4096])
        for encoding in (charset or "utf-8", named[1].decode() if named else "utf-8", "cp1252"):
            try:
                return content.decode(encoding, errors="replace" if encoding == "cp1252" else "strict")
            except (LookupError, ValueError):
                continue
    return content.decode("latin-1")


def _parse_script(text: str, *, line: int) -> Document | None:
    """None for an empty one."""
    inner = text.strip().strip("\ufeff").strip()
    if not _unwrap(inner):
        return None
    if len(inner) > _MOST_SCRIPT:
        return Document(line, inner[:_SHOWN], f"too_long: a script element has at most {_MOST_SCRIPT} characters")
    try:
        return Document(line, _load_within(inner))
    except ValueError as error:
        return Document(line, inner[:_SHOWN], f"unreadable: {error}")


def _load_within(text: str) -> Any:
    """What stands within comments and their signs: `/* of today */ {…}`, `<!-- {…} -->`. ValueError."""
    try:
        return _load(_unwrap(text))
    except ValueError:
        inner = _drop_comments(text)
        if inner == text:
            raise
        return _load(_unwrap(inner))


def _drop_comments(text: str) -> str:
    """Without whole comments round it. One that is all there is may have its text in it."""
    text = text.strip()
    for _ in range(_MOST_SIGNS):
        opens = next((sign for sign in _COMMENTS if text.startswith(sign)), None)
        ends = text.find(_COMMENTS[opens], len(opens)) if opens else -1
        if opens is None or ends < 0:
            break
        text = text[ends + len(_COMMENTS[opens]) :].strip() or text.removeprefix(opens).strip()
    for _ in range(_MOST_SIGNS):
        last = text.rfind("\n") + 1
        if text[last:].lstrip().startswith("//"):
            starts = last
        else:
            signs = [opens for opens, closes in _COMMENTS.items() if closes.strip() and text.endswith(closes)]
            starts = text.rfind(signs[0]) if signs else -1
        if starts <= 0:
            break
        text = text[:starts].strip()
    return text


def _unwrap(text: str) -> str:
    for _ in range(_MOST_SIGNS):
        before = next((sign for sign in _BEFORE if text.startswith(sign)), "")
        behind = next((sign for sign in _BEHIND if text.endswith(sign)), "")
        if not before and not behind:
            break
        text = text.removeprefix(before).removesuffix(behind).strip()
    return text


def _parse_lines(text: str) -> list[Document] | None:
    """A document a line, where the first line is one by itself; else None."""
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
    """JSON, forgiven what pages get wrong: line ends within texts, commas before a bracket, quotes as entities."""
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
