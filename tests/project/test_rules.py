"""The index of rules (`docs/rules.md`) leads from every heading of the users' pages to what there is in the program."""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/rules.md"
FOLDERS = sorted(
    {path.parent.relative_to(ROOT).as_posix() for name in ("outings", "edge", "pipeline")
     for path in (ROOT / name).rglob("*.py")}
)  # fmt: skip
_ROW = re.compile(
    r"\| (?P<behaviour>.+) \| \[(?P<path>[^]]+)\]\((?P<link>[^)]+)\) \| `(?P<name>[^`]+)` \| ?(?P<promised>.*) \|"
)
_PROMISE = re.compile(r"\[[^]]+\]\((?P<page>[^)#]+\.md)#(?P<anchor>[^)]+)\)")
_HEAD = re.compile(r"\| Behaviour \| File \| Read first \| Promised in \||\|(-+\|)+")

# What users read: the pages that promise something. The others are for contributors, lists of pages, or measurements.
USERS = sorted(
    {ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/guides/*.md")}
    - {PAGE, ROOT / "docs/README.md", ROOT / "docs/guides/README.md", ROOT / "docs/architecture.md"}
    - {ROOT / "docs/dependencies.md", *ROOT.glob("docs/performance*.md")}
)
# Headings whose text states no rule of the program: it shows what other headings state, or is about other programs. The
# heading at the top of a page needs no row.
WITHOUT_RULES = {
    "README.md": {"read-on", "what-it-can-do"},
    "docs/cloudflare.md": {"what-was-not-tried"},
    "docs/delivery.md": {"renew-the-certificate"},
    "docs/guides/builds.md": {"a-small-city-to-follow-along"},
    "docs/guides/errors.md": {"handle-them"},
    "docs/guides/feed.md": {"1-take-your-file"},
    "docs/guides/first-steps.md": {"the-same-from-python", "the-same-from-javascript"},
    "docs/operators.md": {"publish-your-first-release", "find-the-page-you-need"},
    "docs/other-fronts.md": {"varnish", "cloudfront-before-servers", "cloudfront-before-s3-and-a-function", "fastly"},
    "docs/ways.md": {"what-a-request-costs"},
}

# Pages whose tables list in their first column what there is of a kind: parameters, members, settings. A table
# elsewhere begins with examples, files to copy or readers' words.
LISTING = [
    ROOT / "docs" / f"{name}.md"
    for name in (
        "addons", "calendars", "commands", "confidence", "configuration", "guides/errors", "guides/limits",
        "guides/search", "json-ld", "keys", "near", "presets", "readers", "records", "servers", "web-feeds",
    )
]  # fmt: skip
_EXAMPLES = {"OUTINGS_STORE_URL", "OUTINGS_FEEDS_LIBRARY_URL"}


@dataclass(frozen=True)
class Rule:
    behaviour: str
    path: str
    name: str
    promised: tuple[tuple[Path, str], ...] = ()


def parse_rules(lines: Sequence[str]) -> Iterator[Rule]:
    for line in lines:
        if not line.startswith("|") or _HEAD.fullmatch(line):
            continue
        match = _ROW.fullmatch(line)
        form = "| behaviour | [file](../file) | `name` | [page](page.md#heading) |"
        assert match, f"{PAGE.name}: write this row as {form!r}: {line}"
        assert match["link"] == f"../{match['path']}", f"{PAGE.name}: the link is to another file than its text: {line}"
        links = _PROMISE.findall(match["promised"])
        promised = tuple(((PAGE.parent / page).resolve(), anchor) for page, anchor in links)
        yield Rule(behaviour=match["behaviour"], path=match["path"], name=match["name"], promised=promised)


RULES = tuple(parse_rules(PAGE.read_text().splitlines()))


def list_headings(text: str) -> Iterator[str]:
    """The anchors of a page's headings, as a code host makes them; not that at its top."""
    written = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^##+ (.*)$", written, flags=re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def find_unruled(page: Path, *, promised: Collection[str], without_rules: Collection[str]) -> list[str]:
    """What is missing in the index for a page, with what to do about it."""
    headings = set(list_headings(page.read_text()))
    return [
        *(
            f"{page.name}#{anchor} has no row in docs/rules.md. For each rule under this heading add a row whose last "
            "column links to it, or add the link to a row that has it. If it states none, say so in WITHOUT_RULES."
            for anchor in sorted(headings - {*promised, *without_rules})
        ),
        *(
            f"{page.name}#{anchor} is in WITHOUT_RULES, and has a row in docs/rules.md or is gone. Take it out."
            for anchor in sorted({*without_rules} - (headings - {*promised}))
        ),
    ]


@cache
def list_names(path: Path) -> frozenset[str]:
    """The functions, classes, methods and constants of a Python file; a method as `Class.method`."""
    return frozenset(walk_names(ast.parse(path.read_text()).body, prefix=""))


def walk_names(body: Sequence[ast.stmt], *, prefix: str) -> Iterator[str]:
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield prefix + name
                yield from walk_names(node.body, prefix=f"{prefix}{name}.")
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield prefix + name
            case ast.Assign(targets=targets):
                bound = [each for target in targets for each in ast.walk(target)]
                yield from (prefix + each.id for each in bound if isinstance(each, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield prefix + name


def explain_missing(rule: Rule, root: Path) -> str | None:
    """What is wrong with a row and what to do about it, or None."""
    path = root / rule.path
    where = f"docs/rules.md, row {rule.behaviour!r}"
    if not path.is_file():
        return f"{where}: there is no {rule.path}. Name the file that has the rule now, or delete the row."
    has_name = rule.name in (list_names(path) if path.suffix == ".py" else path.read_text())
    if has_name:
        return None
    return f"{where}: {rule.path} has no `{rule.name}`. Name what has the rule now, in that file or another."


def test_each_rule_is_in_the_file_and_under_the_name_that_the_index_says() -> None:
    missing = [text for rule in RULES if (text := explain_missing(rule, ROOT)) is not None]
    assert missing == [], "\n".join(missing)


def test_no_behaviour_is_twice_in_the_index() -> None:
    counts = Counter(rule.behaviour.casefold() for rule in RULES)
    twice = [behaviour for behaviour, count in counts.items() if count > 1]
    assert twice == [], f"docs/rules.md has these twice; keep the row that is right: {twice}"


@pytest.mark.parametrize("page", USERS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_each_heading_of_a_page_for_users_leads_to_a_rule(page: Path) -> None:
    promised = {anchor for rule in RULES for promising, anchor in rule.promised if promising == page}
    without_rules = WITHOUT_RULES.get(page.relative_to(ROOT).as_posix(), ())
    assert (missing := find_unruled(page, promised=promised, without_rules=without_rules)) == [], "\n".join(missing)


def test_a_heading_without_a_row_is_named_with_what_to_do(tmp_path: Path) -> None:
    page = tmp_path / "near.md"
    page.write_text("# Near\n\n## In a circle\n\n```sh\n## no heading\n```\n\n## What is `hidden`?\n\n## Notes\n")
    (text,) = find_unruled(page, promised={"in-a-circle"}, without_rules={"notes"})
    assert text.startswith("near.md#what-is-hidden has no row in docs/rules.md. For each rule")
    assert find_unruled(page, promised={"in-a-circle", "what-is-hidden"}, without_rules={"notes"}) == []
    (text,) = find_unruled(page, promised={"in-a-circle", "what-is-hidden", "notes"}, without_rules={"notes"})
    assert text == "near.md#notes is in WITHOUT_RULES, and has a row in docs/rules.md or is gone. Take it out."


def list_listed(text: str) -> set[str]:
    """What the first cells of a page's tables name in code, without the arguments of a command."""
    cells = re.findall(r"^\| (.+?) \|", text, flags=re.MULTILINE)
    codes = [code for cell in cells for code in re.findall(r"`([^`]+)`", cell)]
    names = {re.sub(r"( [A-Z]+)+$|=$", "", code) for code in codes} - _EXAMPLES
    return {name for name in names if re.fullmatch(r"(outings )?[\w./{}*-]+( \w+)?", name) and not name.isdecimal()}


@pytest.mark.parametrize("page", LISTING, ids=lambda page: page.stem)
def test_each_name_that_a_page_lists_is_in_a_row(page: Path) -> None:
    written = {code for rule in RULES for code in re.findall(r"`([^`]+)`", rule.behaviour)}
    parts = {part for code in written for part in re.split(r"[\s=()\[\].,:]+", code)}
    missing = sorted(list_listed(page.read_text()) - written - parts)
    assert missing == [], f"name these of {page.name} in the rows of docs/rules.md that have their rules: {missing}"


def test_a_name_that_a_page_lists_is_the_first_of_its_row() -> None:
    rows = ("| Key | Meaning |", "| `lat`, `lng` | `degrees` |", "| `outings keys show ID` | |", "| `my son is 5` | |")
    table = "\n".join(rows)
    assert list_listed(table) == {"lat", "lng", "outings keys show"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_folder_of_the_program_has_a_rule_in_the_index(folder: str) -> None:
    named = {Path(rule.path).parent.as_posix() for rule in RULES}
    assert folder in named, f"add to docs/rules.md what somebody would look for in {folder}/, with its file"


@pytest.mark.parametrize(
    ("path", "name", "message"),
    [
        ("gone.py", "read", "there is no gone.py"),
        ("there.py", "gone", "there.py has no `gone`"),
        ("there.py", "There.gone", "there.py has no `There.gone`"),
        ("there.js", "gone", "there.js has no `gone`"),
        ("there.py", "There.read", None),
        ("there.py", "MOST", None),
        ("there.js", "read", None),
    ],
)
def test_a_row_of_something_that_is_gone_is_named_with_what_to_do(
    tmp_path: Path, path: str, name: str, message: str | None
) -> None:
    (tmp_path / "there.py").write_text("MOST: int = 1\n\n\nclass There:\n    def read(self) -> None: ...\n")
    (tmp_path / "there.js").write_text("export function read() {}\n")
    text = explain_missing(Rule(behaviour="How long", path=path, name=name), tmp_path)
    assert (text is None) if message is None else (text is not None and message in text and "'How long'" in text)
