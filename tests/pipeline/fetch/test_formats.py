"""A format is a row of one table and a folder; what is forgotten is named with what to add."""

import re
from pathlib import Path

import pytest

from outings.configuration import FORMATS
from pipeline.fetch.formats import Reader, load_reader

ROOT = Path(__file__).parents[3]
TABLE = "outings/configuration/formats.py"


def find_module(name: str) -> Path | None:
    candidates = (ROOT / f"pipeline/fetch/{name}/__init__.py", ROOT / f"pipeline/fetch/{name}.py")
    return next((path for path in candidates if path.exists()), None)


def list_reading_modules() -> list[str]:
    feeds = ROOT / "pipeline/fetch"
    paths = [path for path in (*feeds.glob("*.py"), *feeds.glob("*/__init__.py")) if path.name != "formats.py"]
    modules = [path for path in paths if re.search(r"^READER = ", path.read_text(), re.MULTILINE)]
    return sorted(path.parent.name if path.name == "__init__.py" else path.stem for path in modules)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_of_the_table_has_a_reader(name: str) -> None:
    assert find_module(name), f"{TABLE} has a row {name}: add pipeline/fetch/{name}/__init__.py with its READER"
    assert name in list_reading_modules(), f"{find_module(name)} says no READER: add READER = Reader(…)"
    reader = load_reader(name)
    assert (reader.read is None) != (reader.read_together is None), f"{name}: give its READER one of both"
    assert isinstance(reader, Reader)


@pytest.mark.parametrize("name", list_reading_modules())
def test_every_reader_is_of_a_format_of_the_table(name: str) -> None:
    assert name in FORMATS, f'pipeline/fetch/{name} has a READER: add "{name}": FeedFormat(…) to FORMATS in {TABLE}'


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_that_a_server_gives_page_after_page_says_how_it_is_opened(name: str) -> None:
    has_open = load_reader(name).open is not None
    assert has_open == FORMATS[name].is_paged, f"{name}: is_paged in {TABLE} and `open` of its READER go together"


@pytest.mark.parametrize("name", FORMATS)
def test_the_operators_documents_name_every_format(name: str) -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")]
    assert any(f"`{name}`" in page for page in pages), f"no page of docs/ names `{name}`: add it to docs/feeds.md"
