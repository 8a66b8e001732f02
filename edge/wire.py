"""HTTP off the wire, where uvicorn's own protocol would give up."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# The parser's numbers have 16 bits: a longer target is "no HTTP" to it. What the edge reads is far shorter.
MOST_TARGET_BYTES = 65_535


class Wire(HttpToolsProtocol):
    """A target of any length is taken, cut, and refused for its length in the contract's words; and held in bounds."""

    def on_url(self, url: bytes) -> None:
        self.url = (self.url + url)[:MOST_TARGET_BYTES]
