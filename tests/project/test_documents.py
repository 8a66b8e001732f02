"""The documents name what exists, and what exists is documented."""

import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from msgspec import structs

from command import main
from outings.configuration import read_configuration
from outings.configuration.tables import DERIVED, Configuration
from outings.contract.errors import CODES, REASONS
from outings.contract.parameters import PARAMETERS
from outings.contract.routes import ROUTES, Route
from outings.contract.vocabulary import COLLECTIONS, Vocabulary

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
READERS = (ROOT / "docs/readers.md").read_text()
GUIDES = sorted((ROOT / "docs/guides").glob("*.md"))
ERRORS = (ROOT / "docs/guides/errors.md").read_text()
CONFIGURATION = (ROOT / "docs/configuration.md").read_text()
COMMAND_PAGE = (ROOT / "docs/commands.md").read_text()
LISTS = [route for route in ROUTES if route.name in [f"{collection}.list" for collection in COLLECTIONS.values()]]


def read_section(page: str, heading: str) -> str:
    """The text under a heading, up to the next one of its level or above."""
    level = len(heading) - len(heading.lstrip("#"))
    assert f"\n{heading}\n" in page
    rest = page.split(f"\n{heading}\n", 1)[1]
    return re.split(rf"^#{{1,{level}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def list_first_cells(section: str) -> list[str]:
    """List the names in backticks in the first column of a section's tables."""
    cells = re.findall(r"^\| (.*?) \|", section, flags=re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def list_names(route: Route) -> set[str]:
    """A deprecated spelling is told beside the name that replaced it."""
    return {name for name, row in route.parameters.items() if not row.replaced_by}


@cache
def list_anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*ROOT.glob("docs/*.md"), *GUIDES], ids=lambda page: page.stem)
def test_every_page_says_first_who_it_is_for_and_what_they_can_do_after_it(page: Path) -> None:
    index = page.parent / "README.md"
    if page == ROOT / "docs/README.md":
        return
    _, opening, *_ = page.read_text().split("\n\n")
    assert opening.startswith("For "), f"begin {page} with 'For operators.' or whoever it is for"
    assert "After this page you" in opening.replace("\n", " "), f"say in {page} what they can do after it"
    assert page == index or f"]({page.name})" in index.read_text(), f"add {page} to {index}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", page.read_text())
    assert [name for name, _ in links if not (page.parent / name).exists()] == []
    anchored = [(page.parent / name if name else page, anchor) for name, anchor in links if anchor]
    assert [f"{to.name}#{anchor}" for to, anchor in anchored if anchor not in list_anchors(to)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_of_ours_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(
        r"[`\[]((?:command|outings|pipeline|edge|tests|bench|tools|site)/[\w./-]+)[`\]]", page.read_text()
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_page_of_the_architecture_links_every_step_to_its_file() -> None:
    rows = re.findall(r"^\| (\d+\..*)$", (ROOT / "docs/architecture.md").read_text(), flags=re.MULTILINE)
    assert len(rows) > 20
    assert [row for row in rows if "](../" not in row] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs/decisions").glob("[0-9]*.md")), ids=lambda page: page.stem)
def test_a_decision_is_context_choice_and_cost_on_one_screen(page: Path) -> None:
    lines = page.read_text().splitlines()
    headings = [line for line in lines if line.startswith("## ")]
    assert headings == ["## Context", "## Choice", "## What it costs"]
    assert len(lines) <= 45, f"{page.name}: shorten it to what somebody needs before they undo the choice"


def test_no_two_decisions_have_the_same_number() -> None:
    numbers = Counter(path.name[:4] for path in (ROOT / "docs/decisions").glob("[0-9]*.md"))
    assert [number for number, uses in numbers.items() if uses > 1] == []


def test_readers_find_every_parameter_of_the_lists_that_answers() -> None:
    answering = set().union(*(list_names(route) for route in LISTS))
    differing = set(list_first_cells(read_section(READERS, "## Lists"))) ^ answering
    assert not differing, f"{sorted(differing)}: not both taken by a list and in the table of Lists in docs/readers.md"


@pytest.mark.parametrize("route", LISTS, ids=lambda route: route.name)
def test_readers_find_which_list_takes_which_parameter(route: Route) -> None:
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", read_section(READERS, "## Lists"), flags=re.MULTILINE)
    collection = route.path.rpartition("/")[2]
    taken = {
        name
        for cell, lists in rows
        if lists.startswith("all") or collection in lists
        for name in re.findall(r"`([^`]+)`", cell)
    }
    assert taken == list_names(route)


def test_readers_find_every_route_that_answers() -> None:
    section = read_section(READERS, "## Routes")
    named = {re.sub(r"^(?!/v1)", "/v1/{metro}", path) for path in list_first_cells(section)}
    slugs = {f"/v1/{collection}/slug/{{slug}}" for collection in ("events", "classes", "camps", "places")}
    answering = {route.path for route in ROUTES if route.group != "service"}
    differing = (named | slugs) ^ answering
    assert not differing, f"{sorted(differing)}: not both in the table of routes and under Routes in docs/readers.md"


def test_readers_find_every_status_that_is_sent() -> None:
    section = read_section(ERRORS, "## What each code means")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", section, flags=re.MULTILINE)
    sent = {code: value.status for code, value in CODES.items()}
    assert {code: int(status) for status, code in rows} == sent


def test_readers_find_every_reason_of_a_bad_request() -> None:
    assert list_first_cells(read_section(ERRORS, "## What a wrong request can be")) == ["reason", *REASONS]


def test_readers_are_not_told_of_unknown_parameters() -> None:
    texts = [path.read_text() for path in (ROOT / "README.md", ROOT / "docs/readers.md", *GUIDES)]
    queries = re.findall(r"/v1/[^\s\"']*\?([^\s\"'`{}$]+)", "\n".join(texts))
    names = {pair.partition("=")[0] for query in queries for pair in query.split("&")}
    assert names
    mistaken = {"categry"}  # the guide to errors shows what a mistake gets
    assert names - mistaken <= set(PARAMETERS)


@pytest.mark.parametrize("table", ["store", "metros", "feeds", "build", "edge", "weather", "search", "signing", "site"])
def test_operators_find_every_setting(table: str) -> None:
    brackets = "[[{}]]" if table in ("metros", "feeds") else "[{}]"
    named = set(list_first_cells(read_section(CONFIGURATION, f"## `{brackets.format(table)}`")))
    declared = {field.name: field for field in structs.fields(Configuration)}[table].type
    settings = {field.name for field in structs.fields(getattr(declared, "__args__", [declared])[0])}
    assert named == settings


@pytest.mark.parametrize("name", Vocabulary.__struct_fields__)
def test_operators_find_the_default_words_of_the_vocabulary(name: str) -> None:
    listed = ", ".join(f"`{word}`" for word in getattr(Vocabulary(), name))
    assert f"| `{name}` | {listed} |" in CONFIGURATION


def test_operators_find_every_table() -> None:
    tables = {field.name for field in structs.fields(Configuration)} - {*DERIVED}
    assert tables <= set(re.findall(r"^## `\[+(\w+)\]+`$", CONFIGURATION, flags=re.MULTILINE))


def list_toml() -> Iterator[tuple[str, dict[str, Any]]]:
    for page in PAGES:
        for block in re.findall(r"```toml\n(.*?)```", page.read_text(), flags=re.DOTALL):
            yield page.name, tomllib.loads(block)


@pytest.mark.parametrize(("page", "document"), list(list_toml()))
def test_every_table_in_an_example_of_toml_has_settings_that_there_are(page: str, document: dict[str, Any]) -> None:
    declared = {field.name: field.type for field in structs.fields(Configuration)}
    for table, value in document.items():
        rows = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
        for row in rows if table in declared else []:
            settings = structs.fields(getattr(declared[table], "__args__", [declared[table]])[0])
            assert row.keys() <= {field.name for field in settings}, page


def test_the_configuration_page_begins_with_a_configuration_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "outings.toml"
    path.write_text(re.findall(r"```toml\n(.*?)```", CONFIGURATION, flags=re.DOTALL)[0])
    assert [feed.name for feed in read_configuration(path, {}).feeds] == ["library"]


def list_commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by the words that call it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            yield from list_commands(f"{name} {word}", inner)
    else:
        yield name, command


COMMANDS = dict(list_commands("outings", main))


def test_operators_find_every_command() -> None:
    named = list_first_cells(COMMAND_PAGE)
    called = {name: [cell for cell in named if re.fullmatch(rf"{name}( [A-Z]+)*", cell)] for name in COMMANDS}
    assert [name for name, cells in called.items() if len(cells) != 1] == []
    assert len([cell for cell in named if cell.startswith("outings")]) == len(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_operators_find_every_option(name: str) -> None:
    row = next(line for line in COMMAND_PAGE.splitlines() if line.startswith(f"| `{name}"))
    heading = f"### Options of `{name}`"
    section = read_section(COMMAND_PAGE, heading) if f"\n{heading}\n" in COMMAND_PAGE else row
    options = {
        option
        for param in COMMANDS[name].params
        for option in (*param.opts, *param.secondary_opts)
        if option.startswith("--")
    }
    assert options - {"--config", "--json"} == set(re.findall(r"`(--[a-z-]+)", section))


def list_calls() -> Iterator[tuple[str, str]]:
    """Every call of the program in the pages' shell blocks, with its page."""
    for page in PAGES:
        for block in re.findall(r"```(?:sh)?\n(.*?)```", page.read_text(), flags=re.DOTALL):
            for line in re.findall(r"^outings (.*?)(?: +[#<].*)?$", block, flags=re.MULTILINE):
                yield page.name, line


@pytest.mark.parametrize(("page", "line"), list(list_calls()))
def test_every_command_on_a_page_is_one_of_ours(page: str, line: str) -> None:
    command: click.Command = main
    words = shlex.split(line)
    context = None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context, **command.context_settings)
        inner = command.get_command(context, words[0])
        assert inner is not None, page
        command, words = inner, words[1:]
    command.make_context(page, words, parent=context)  # raises for a word or an option that does not exist


def test_every_threat_names_tests_that_there_are() -> None:
    rows = re.findall(r"^\| (?!Threat \|).*$", (ROOT / "docs/threats.md").read_text(), flags=re.MULTILINE)
    assert len(rows) > 30
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)`", row)
        assert named, row
        assert [path for path in named if not (ROOT / path).exists()] == []
