"""One file of the site, before it is stored."""

from msgspec import Struct

HTML = "text/html; charset=utf-8"


class Page(Struct, frozen=True, kw_only=True):
    """`path` is what stands behind the first slash of its address: the empty text is the home page, `reference/` a
    folder with a page, `assets/site.1f3a.css` a file."""

    path: str
    media: str = HTML
    data: bytes

    @property
    def as_file(self) -> tuple[str, str, bytes]:
        """As `pack_files` takes it."""
        return self.path, self.media, self.data
