"""Refuses a web page or other XML in place of a feed: what a server sends where it has a problem."""

import re
from html import unescape

# The first bytes of a file, by which it is known.
HEAD = 4096
_MARKS = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


def refuse_markup(content: bytes) -> None:
    """Raise ValueError if a text begins as XML or a web page does, in UTF-8 or UTF-16."""
    start = content[:HEAD].lstrip(_MARKS)
    if not start.startswith(b"<"):
        return
    start = start.replace(b"\0", b"")
    if start[:5].lower() == b"<?xml" and b"<html" not in start.lower():
        raise ValueError("is XML, which is not read; ask its publisher for the data as CSV or JSON")
    title = _TITLE.search(start.decode("utf-8", "replace"))
    quote = f" (its title: “{' '.join(unescape(title[1]).split())[:80]}”)" if title else ""
    raise ValueError(
        f"is a web page{quote}, not the file itself. If it was the file before, its server has a problem; else open"
        " the address in a browser, and take the address of the download"
    )
