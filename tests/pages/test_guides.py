"""The guides as pages: each can be found, and every link and heading in them leads somewhere."""

import html
import re
from functools import cache
from pathlib import Path
from posixpath import join, normpath

import pytest

from outings.pages.guides import INDEX, parse_guides, render_guides
from outings.pages.highlighting import highlight_code
from outings.release.site import SiteSettings

FOLDER = Path(__file__).parents[2] / "docs/guides"
PATHS = ["guides/", *(f"guides/{path.stem}/" for path in sorted(FOLDER.glob("*.md")) if path.stem != INDEX)]


@cache
def render_pages() -> dict[str, str]:
    """When the first test needs them: every worker imports this file, and one of them runs it."""
    return {page.path: page.data.decode() for page in render_guides(SiteSettings())}


def list_guides() -> list[str]:
    return [path for path in render_pages() if path != "guides/"]


def list_links(page: str) -> list[str]:
    (content,) = re.findall(r"<main.*?</main>", page, flags=re.DOTALL)
    return re.findall(r'<a [^>]*?href="([^"]*)"', content)


def read_index(text: str) -> dict[str, str]:
    return {INDEX: f"# Guides\n\nFor you.\n\n{text}\n"}


def test_every_document_is_a_page() -> None:
    assert sorted(render_pages()) == PATHS
    assert len(PATHS) > 11


@pytest.mark.parametrize("path", PATHS)
def test_every_link_leads_to_a_page_and_a_heading_of_it(path: str) -> None:
    links = list_links(render_pages()[path])
    assert links
    for link in [link for link in links if not link.startswith("https://")]:
        folder, _, anchor = link.partition("#")
        target = normpath(join(path, folder)) + "/" if folder else path
        assert target in render_pages(), link
        assert not anchor or f'id="{anchor}"' in render_pages()[target], link


def test_who_follows_next_from_the_first_guide_reads_all_of_them_and_goes_back_the_same_way() -> None:
    guides = list_guides()
    for path, after in zip(guides, [*guides[1:], None], strict=True):
        following = re.findall(r'rel="next" href="([^"]*)"', render_pages()[path])
        assert [normpath(join(path, link)) + "/" for link in following] == ([after] if after else [])
        if after:
            (previous,) = re.findall(r'rel="prev" href="([^"]*)"', render_pages()[after])
            assert normpath(join(after, previous)) + "/" == path


@pytest.mark.parametrize("path", PATHS[1:])
def test_the_outline_names_every_main_heading(path: str) -> None:
    outline = re.findall(r'<li><a href="#([^"]*)">', render_pages()[path])
    assert outline == re.findall(r'<h2 id="([^"]*)">', render_pages()[path])
    assert len(outline) >= 3


@pytest.mark.parametrize("path", PATHS)
def test_a_page_has_no_style_and_no_script_of_its_own(path: str) -> None:
    assert not re.search(r"\sstyle=|<style|<script(?! (type=\"module\" )?src=)", render_pages()[path])


def test_code_is_shown_as_it_is_written() -> None:
    code = 'if a < b && c:  # "why"\n    url = "http://127.0.0.1:8000/?a=1&b=2"\n'
    shown = str(highlight_code(code, "python", origin=""))
    assert html.unescape(re.sub(r"<[^>]*>", "", shown)) == code
    assert '<span class="code-comment"># &#34;why&#34;</span>' in shown


def test_the_address_of_the_server_in_an_example_is_marked_for_the_script_that_replaces_it() -> None:
    named = [
        html.unescape(text) for text in re.findall(r"(<[^<]*)http://127.0.0.1:8000", render_pages()["guides/caching/"])
    ]
    assert len(named) >= 2
    assert [text for text in named if 'data-origin="http://127.0.0.1:8000"' not in text] == []


def test_the_address_of_a_server_that_the_reader_starts_stays() -> None:
    assert "http://127.0.0.1:8000/v1/santa-fe" in render_pages()["guides/feed/"]
    assert "data-origin" not in render_pages()["guides/feed/"]


def test_html_in_a_document_is_text() -> None:
    index = parse_guides(read_index("Not <b>bold</b>."))[0]
    assert "&lt;b&gt;bold&lt;/b&gt;" in index.document.body


def test_a_link_to_a_document_that_is_no_page_is_its_text() -> None:
    index = parse_guides(read_index("See [the table](../readers.md#lists) or [it](https://example.org/)."))[0]
    assert index.document.body == '<p>See the table or <a href="https://example.org/">it</a>.</p>\n'


def test_a_guide_that_the_index_does_not_name_is_refused() -> None:
    with pytest.raises(ValueError, match="lost"):
        parse_guides(read_index("Nothing.") | {"lost": "# Lost\n\nFor nobody.\n"})
