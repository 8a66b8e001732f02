"""The guides do what they show: every block is run, in order, and every answer is compared."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import msgspec
import pytest
from pyarrow.parquet import ParquetFile

from tests.pages.conftest import Demo
from tests.pages.guides.comparison import find_difference, match_text, parse_shown
from tests.pages.guides.reader import SHOWN_SERVER, Block, Reader, read_blocks

pytestmark = pytest.mark.xdist_group("guides")  # one worker starts the demo

FOLDER = Path(__file__).parents[3] / "docs/guides"
GUIDES = {path.stem: read_blocks(path.read_text()) for path in FOLDER.glob("*.md")}
# These publish cities of their own, or start ten programs, which takes many seconds.
SLOW = {"feed", "builds", "mirror", "questions"}
# What the fixture has done already.
STARTS_DEMO = "make run\n"


@pytest.fixture
def reader(demo: Demo, tmp_path: Path) -> Iterator[Reader]:
    (tmp_path / "var").mkdir()
    (tmp_path / "var/demo").symlink_to(demo.folder / "var")  # where `make run` has it
    following = Reader(tmp_path, server=demo.url, key=demo.key)
    yield following
    following.stop()


def compare(block: Block, came: str) -> str | None:
    """Return None if the guide shows this output or none."""
    if block.answer is None:
        return None
    if block.answer_language == "json":
        return find_difference(parse_shown(block.answer), json.loads(came), is_moving=block.is_moving)
    is_alike = (
        len(block.answer.splitlines()) == len(came.splitlines()) if block.is_moving else match_text(block.answer, came)
    )
    return None if is_alike else f"the guide shows\n{block.answer}\nand this came\n{came}"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if name in SLOW else ())
        for name, blocks in sorted(GUIDES.items())
        if blocks
    ],
)
def test_every_block_of_a_guide_works_and_answers_what_the_guide_shows(name: str, reader: Reader, demo: Demo) -> None:
    for block in GUIDES[name]:
        if block.language == "toml":
            continue  # a piece of a configuration; tests/project/test_documents.py holds its settings
        if block.code == STARTS_DEMO:
            came = (demo.folder / "output.txt").read_text().replace(demo.url, SHOWN_SERVER)
        else:
            came = reader.run(block)
        difference = compare(block, came)
        assert difference is None, f"docs/guides/{name}.md, line {block.line}: {difference}"


# What DuckDB itself says of the requests that it sent: the method and the part.
LOGS_REQUESTS = "import duckdb\nduckdb.sql(\"CALL enable_logging('HTTP')\")\n"
PRINTS_REQUESTS = """
requests = duckdb.sql("SELECT request.type, coalesce(request.headers['Range'], '') FROM duckdb_logs_parsed('HTTP')")
print(*(" ".join(request) for request in requests.fetchall()), sep="\\n")
"""


def test_a_reader_s_own_duckdb_fetches_the_end_of_a_file_and_the_columns_that_the_guide_names(
    reader: Reader, demo: Demo
) -> None:
    (block,) = (block for block in GUIDES["ask-anything"] if block.language == "python")
    code = LOGS_REQUESTS + block.code + PRINTS_REQUESTS
    printed = reader.run(msgspec.structs.replace(block, code=code)).splitlines()
    _, end, *ranges = [line for line in printed if line.startswith(("HEAD", "GET"))]
    target = Request(f"{demo.url}/v1/seattle/export/events.parquet", headers={"X-API-Key": demo.key})
    with urlopen(target) as answer:
        whole = answer.read()
    group = ParquetFile(io.BytesIO(whole)).metadata.row_group(0)
    columns = {group.column(number).path_in_schema: group.column(number) for number in range(group.num_columns)}
    named = [columns["name"], columns["price.max"], columns["starts_at"]]
    starts = {column.dictionary_page_offset or column.data_page_offset: column for column in named}
    ends = {start + column.total_compressed_size - 1 for start, column in starts.items()}
    requested = [tuple(map(int, line.removeprefix("GET bytes=").split("-"))) for line in ranges]
    assert end == f"GET bytes={len(whole) - 16_384}-{len(whole) - 1}"
    assert min(first for first, _ in requested) == min(starts)
    assert {last for _, last in requested} <= ends
    assert max(last for _, last in requested) == max(ends)
    # What lies between two columns is read with them if it is less than a request is worth.
    read = sum(last - first + 1 for first, last in requested)
    assert read <= sum(column.total_compressed_size for column in named) + 16_384
