"""Decode text files of any encoding, refuse web pages, and repair JSON."""

import codecs
import json
import re
from contextlib import suppress
from html import unescape
from typing import Any

from msgspec import Struct

# Encodings of cities' files beside UTF-8, the most frequent first: Windows in the West, old Mac, old DOS.
CANDIDATES = ("cp1252", "mac_roman", "cp850")
# Signs of a wrong encoding: a symbol within a word, a capital or an opening quote after a small letter, and symbols
# that cities' texts hardly have.
_ODD = re.compile(
    r"(?<=[^\W\d_])[^\w\s’'·.,:;/&()+@*%#\"?!<>=~$|^`{}\[\]\\-]+(?=[^\W\d_])"
    r"|(?<=[^\W\d_])\xa0(?=[^\W\d_])"
    r"|(?<=[a-zß-öø-ÿ])[À-ÖØ-ÞŽŠŒŸ]"
    r"|(?<=[^\W\d_])[‚„¿¡“‘¨]"
    r"|[\x80-\x9f\xad¤¦§¨¬¯±²³´µ¶¸¹ƒˆ˜‡†‰‹›¢¥ÐÞðþÝýŸŽžŠš×÷∂∑∏π∫Ω≠∞≈∆√ˇ˘˙˚˝˛╔-╬─-▟◊ı]"
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Names that usually mean cp1252, which has letters in place of control characters.
_LATIN = frozenset({"latin-1", "iso8859-1", "ascii"})
# Lines with letters outside ASCII to look at.
_LOOKED_AT = 5_000
_OUTSIDE_ASCII = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_SIGN = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
# Valid UTF-8 characters for each invalid byte, from which on a file is damaged UTF-8.
_SIGNS_A_FAULT = 4


class DecodedText(Struct, frozen=True):
    """A decoded text. `how`: the evidence for `encoding`, empty for UTF-8. Invalid bytes become lone surrogates."""

    text: str
    encoding: str
    how: str = ""


def decode_text(content: bytes, *, stated: str = "auto", charset: str | None = None) -> DecodedText:
    """Decode a text. `stated`: the feed's setting `encoding`; `charset`: from the server's Content-Type. Raises
    ValueError for bytes that are not in the stated encoding."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            how = "" if encoding == "utf-8" else "its byte order mark"
            return DecodedText(content[len(mark) :].decode(encoding, "surrogateescape"), encoding, how)
    if stated != "auto":
        return _decode_stated(content, find_codec(stated))
    if (wide := _find_wide(content)) is not None:
        return DecodedText(content.decode(wide, "replace"), wide, "every second byte is 0")
    try:
        return DecodedText(content.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _decode_charset(content, charset) or _detect(content)


def encode_utf8(content: bytes) -> bytes:
    """Convert UTF-16 and UTF-32 to UTF-8. Only remove the byte order mark of other content."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            content = content[len(mark) :]
            return content if encoding == "utf-8" else content.decode(encoding, "replace").encode()
    wide = _find_wide(content)
    return content if wide is None else content.decode(wide, "replace").encode()


def find_codec(name: str) -> str:
    """Return the codec of a name, cp1252 for ASCII and Latin-1. Raises LookupError for an unknown one."""
    name = codecs.lookup(name).name
    return "cp1252" if name in _LATIN else name


def _decode_stated(content: bytes, encoding: str) -> DecodedText:
    try:
        return DecodedText(content.decode(encoding), encoding, "the setting encoding")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"line {line} is not {encoding}, which the setting encoding says: byte {content[error.start]:#04x} is no "
            'letter of it. Say encoding = "auto", or the right one'
        ) from error


def _find_wide(content: bytes) -> str | None:
    """Recognize UTF-16 without a byte order mark: in mostly ASCII text every second byte is 0."""
    sample = content[:4096]
    if len(sample) >= 4 and len(content) % 2 == 0:
        for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
            if sample[start::2].count(0) > len(sample) // 4 and sample[1 - start :: 2].count(0) == 0:
                return encoding
    return None


def _decode_charset(content: bytes, charset: str | None) -> DecodedText | None:
    """Decode by the server's `charset`. Return None if that fails, or for UTF-8, which was tried before."""
    try:
        codec = find_codec(charset) if charset else "utf-8"
        return None if codec == "utf-8" else DecodedText(content.decode(codec), codec, "what its server says")
    except (LookupError, UnicodeDecodeError):
        return None


def _detect(content: bytes) -> DecodedText:
    signs = len(_SIGN.findall(content))
    rest = _SIGN.sub(b"", content)
    faults = len(rest) - len(rest.translate(None, bytes(range(0x80, 0x100))))
    if signs >= _SIGNS_A_FAULT * faults:
        return DecodedText(content.decode("utf-8", "surrogateescape"), "utf-8", f"{faults} bytes are no letters of it")
    sample = b"\n".join(_OUTSIDE_ASCII.findall(content)[:_LOOKED_AT])
    oddities: dict[str, int] = {}
    for encoding in CANDIDATES:
        with suppress(UnicodeDecodeError):  # Windows' set has no letter for five bytes
            content.decode(encoding)
            oddities[encoding] = len(_ODD.findall(sample.decode(encoding)))
    encoding = min(oddities, key=lambda candidate: oddities[candidate])
    return DecodedText(content.decode(encoding), encoding, "its letters")


# Bytes at the start of a file that show its format.
HEAD = 4096
_BEFORE_MARKUP = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


def is_xml(content: bytes, *, is_named: bool = False) -> bool:
    """Return True if a file begins as XML does, in UTF-8 or UTF-16, and not as a web page. `is_named`: its name says
    that it is XML, so it may begin with any element."""
    start = content[:HEAD].lstrip(_BEFORE_MARKUP).replace(b"\0", b"").lower()
    begins = (b"<",) if is_named else (b"<?xml", b"<rss", b"<feed", b"<rdf:rdf")
    return start.startswith(begins) and not any(sign in start for sign in (b"<html", b"<!doctype html", b"<body"))


def refuse_markup(content: bytes) -> None:
    """Raise ValueError if a text begins as XML or a web page does, in UTF-8 or UTF-16."""
    start = content[:HEAD].lstrip(_BEFORE_MARKUP)
    if not start.startswith(b"<"):
        return
    if is_xml(content):
        raise ValueError('is XML, which only format = "table" reads')
    start = start.replace(b"\0", b"")
    title = _TITLE.search(start.decode("utf-8", "replace"))
    quote = f" (its title: “{' '.join(unescape(title[1]).split())[:80]}”)" if title else ""
    raise ValueError(
        f"is a web page{quote}, not the file itself. If it was the file before, its server has a problem; else open"
        " the address in a browser, and take the address of the download"
    )


_HALF = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|" + _HALF.pattern + rb"|\\.", re.DOTALL
)
_MOST_DEPTH = 100


def mend_signs(content: bytes) -> bytes:
    r"""Replace each half of a surrogate pair (`"\ud83d"`) in JSON by U+FFFD. Programs that cut a text within a
    character write such halves, and a JSON parser would refuse the whole record."""
    if _HALF.search(content) is None:
        return content
    return _ESCAPES.sub(lambda match: b"\\ufffd" if _HALF.fullmatch(match[0]) else match[0], content)


def mend_json(content: str | bytes) -> bytes:
    """Repair common errors in JSON: line ends within texts, NaN and Infinity (null), halves of surrogate pairs. Raises
    ValueError, RecursionError."""
    value = json.loads(content, strict=False, parse_constant=lambda _: None)
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def is_deep(value: Any) -> bool:
    """Return True if objects and lists are nested more than 100 deep, as by mistake."""
    level = [value]
    for _ in range(_MOST_DEPTH):
        containers = (
            entry.values() if isinstance(entry, dict) else entry for entry in level if isinstance(entry, dict | list)
        )
        level = [inner for entries in containers for inner in entries]
        if not level:
            return False
    return True
