"""The index of rules (`docs/rules/`) leads from every heading of the users' pages to what there is in the program."""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/rules"
GUIDE = FOLDER / "README.md"
PAGES = sorted({*FOLDER.glob("*.md")} - {GUIDE})
FOLDERS = sorted(
    {path.parent.relative_to(ROOT).as_posix() for name in ("command", "outings", "edge", "pipeline")
     for path in (ROOT / name).rglob("*.py")}
)  # fmt: skip
MOST_ROWS = 25
MOST_BYTES = 40_000
FORM = "| behaviour | [file](../../file) | `name` | [page](../page.md#heading) |"
_ROW = re.compile(r"\| (?P<behaviour>.+) \| (?P<files>\[.+\)) \| (?P<names>[^|]*`) \| ?(?P<promised>.*) \|")
_FILE = re.compile(r"\[(?P<path>[^]]+)\]\((?P<link>[^)]+)\)")
_NAME = re.compile(r"`(?P<name>[^`]+)`")
_PART = re.compile(r"[^:`]+: `(?P<name>[^`]+)`")
_PROMISE = re.compile(r"\[[^]]+\]\((?P<page>[^)#]+\.md)#(?P<anchor>[^)]+)\)")
_HEAD = re.compile(r"\| Behaviour \| File \| Read first \| Promised in \||\|(-+\|)+")

# What users read: the pages that promise something. The others are for contributors, lists of pages, or measurements.
USERS = sorted(
    {ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/guides/*.md")}
    - {ROOT / "docs/README.md", ROOT / "docs/guides/README.md", ROOT / "docs/architecture.md"}
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
    "docs/scale.md": {"what-one-machine-carries", "a-thousand-metros-of-30000-listings", "money"},
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
class Place:
    path: str
    name: str


@dataclass(frozen=True)
class Rule:
    page: str
    behaviour: str
    places: tuple[Place, ...]
    promised: tuple[tuple[Path, str], ...] = ()


def parse_rules(page: Path, lines: Sequence[str]) -> Iterator[Rule]:
    for line in lines:
        if not line.startswith("|") or _HEAD.fullmatch(line):
            continue
        match = _ROW.fullmatch(line)
        assert match, f"{page.name}: write this row as {FORM!r}: {line}"
        links = _PROMISE.findall(match["promised"])
        promised = tuple(((page.parent / promising).resolve(), anchor) for promising, anchor in links)
        places = tuple(parse_places(page, files=match["files"], names=match["names"]))
        yield Rule(page=page.name, behaviour=match["behaviour"], places=places, promised=promised)


def parse_places(page: Path, *, files: str, names: str) -> Iterator[Place]:
    """The files of a row with their names: one, or the parts of a rule that several places have."""
    parts = names.split("; ")
    paths = files.split("; ")
    paths = paths * len(parts) if len(paths) == 1 else paths
    assert len(paths) == len(parts), f"{page.name}: name one file, or one for each of {names}: {files}"
    for path, part in zip(paths, parts, strict=True):
        file = _FILE.fullmatch(path)
        assert file is not None, f"{page.name}: write this as {FORM!r}: {path}"
        assert file["link"] == f"../../{file['path']}", f"{page.name}: the link is to another file: {path}"
        name = (_NAME if len(parts) == 1 else _PART).fullmatch(part)
        assert name, f"{page.name}: write what to read first as `name`, or as 'filter: `name`; order: `name`': {names}"
        yield Place(path=file["path"], name=name["name"])


RULES = tuple(rule for page in PAGES for rule in parse_rules(page, page.read_text().splitlines()))


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
            f"{page.name}#{anchor} has no row in docs/rules/. For each rule under this heading add a row whose last "
            "column links to it, or add the link to a row that has it. If it states none, say so in WITHOUT_RULES."
            for anchor in sorted(headings - {*promised, *without_rules})
        ),
        *(
            f"{page.name}#{anchor} is in WITHOUT_RULES, and has a row in docs/rules/ or is gone. Take it out."
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


def explain_missing(rule: Rule, root: Path) -> list[str]:
    """What is wrong with a row and what to do about it."""
    where = f"docs/rules/{rule.page}, row {rule.behaviour!r}"
    return [f"{where}: {text}" for place in rule.places if (text := explain_place(place, root)) is not None]


def explain_place(place: Place, root: Path) -> str | None:
    path = root / place.path
    if not path.is_file():
        return f"there is no {place.path}. Name the file that has the rule now, or delete the row."
    has_name = place.name in (list_names(path) if path.suffix == ".py" else path.read_text())
    if has_name:
        return None
    return f"{place.path} has no `{place.name}`. Name what has the rule now, in that file or another."


def test_each_rule_is_in_the_file_and_under_the_name_that_the_index_says() -> None:
    missing = [text for rule in RULES for text in explain_missing(rule, ROOT)]
    assert missing == [], "\n".join(missing)


def _is_row(line: str) -> bool:
    return _ROW.fullmatch(line) is not None and _HEAD.fullmatch(line) is None


def list_oversized(page: Path) -> list[str]:
    """What of a page is too long to be read, with what to do about it."""
    text = page.read_text()
    headings = [section.splitlines() for section in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]]
    counts = {lines[0]: sum(1 for line in lines if _is_row(line)) for lines in headings}
    size = len(text.encode())
    return [
        *(
            f"{page.name}, {heading!r} has {count} rows, of at most {MOST_ROWS}. Divide it under two headings."
            for heading, count in counts.items()
            if count > MOST_ROWS
        ),
        *([f"{page.name} has {size} bytes, of at most {MOST_BYTES}. Divide it."] if size > MOST_BYTES else []),
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_of_rules_is_short_enough_to_be_read(page: Path) -> None:
    assert (oversized := list_oversized(page)) == [], "\n".join(oversized)


def test_what_is_too_long_on_a_page_is_named_with_what_to_do(tmp_path: Path) -> None:
    page = tmp_path / "near.md"
    row = "| How far | [near.py](../../near.py) | `RADIUS` | |\n"
    page.write_text(f"# Near\n\n## Around\n\n{row * 26}\n### Nearby\n\n{row * 25}")
    assert list_oversized(page) == ["near.md, 'Around' has 26 rows, of at most 25. Divide it under two headings."]
    page.write_text("# Near\n" + "x" * 40_000)
    assert list_oversized(page) == ["near.md has 40007 bytes, of at most 40000. Divide it."]


def test_the_guide_leads_to_every_page_of_rules_in_forty_lines() -> None:
    guide = GUIDE.read_text()
    missing = [page.name for page in PAGES if f"]({page.name})" not in guide]
    assert missing == [], f"add to the table of docs/rules/README.md what these are about: {missing}"
    assert len(guide.splitlines()) <= 40


def test_no_behaviour_is_twice_in_the_index() -> None:
    counts = Counter(rule.behaviour.casefold() for rule in RULES)
    twice = [behaviour for behaviour, count in counts.items() if count > 1]
    assert twice == [], f"docs/rules/ has these twice; keep the row that is right: {twice}"


@pytest.mark.parametrize("page", USERS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_each_heading_of_a_page_for_users_leads_to_a_rule(page: Path) -> None:
    promised = {anchor for rule in RULES for promising, anchor in rule.promised if promising == page}
    without_rules = WITHOUT_RULES.get(page.relative_to(ROOT).as_posix(), ())
    assert (missing := find_unruled(page, promised=promised, without_rules=without_rules)) == [], "\n".join(missing)


def test_a_heading_without_a_row_is_named_with_what_to_do(tmp_path: Path) -> None:
    page = tmp_path / "near.md"
    page.write_text("# Near\n\n## In a circle\n\n```sh\n## no heading\n```\n\n## What is `hidden`?\n\n## Notes\n")
    (text,) = find_unruled(page, promised={"in-a-circle"}, without_rules={"notes"})
    assert text.startswith("near.md#what-is-hidden has no row in docs/rules/. For each rule")
    assert find_unruled(page, promised={"in-a-circle", "what-is-hidden"}, without_rules={"notes"}) == []
    (text,) = find_unruled(page, promised={"in-a-circle", "what-is-hidden", "notes"}, without_rules={"notes"})
    assert text == "near.md#notes is in WITHOUT_RULES, and has a row in docs/rules/ or is gone. Take it out."


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
    assert missing == [], f"name these of {page.name} in the rows of docs/rules/ that have their rules: {missing}"


def test_a_name_that_a_page_lists_is_the_first_of_its_row() -> None:
    rows = ("| Key | Meaning |", "| `lat`, `lng` | `degrees` |", "| `outings keys show ID` | |", "| `my son is 5` | |")
    table = "\n".join(rows)
    assert list_listed(table) == {"lat", "lng", "outings keys show"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_folder_of_the_program_has_a_rule_in_the_index(folder: str) -> None:
    named = {Path(place.path).parent.as_posix() for rule in RULES for place in rule.places}
    assert folder in named, f"add to a page of docs/rules/ what somebody would look for in {folder}/, with its file"


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
    rule = Rule(page="near.md", behaviour="How long", places=(Place(path=path, name=name),))
    expected = [] if message is None else [f"docs/rules/near.md, row 'How long': {message}"]
    assert [text.partition(". Name")[0] for text in explain_missing(rule, tmp_path)] == expected


def test_a_row_names_each_place_of_a_rule_with_its_part() -> None:
    page = FOLDER / "near.md"
    files = "[a.py](../../a.py); [b.py](../../b.py)"
    (rule,) = parse_rules(page, [f"| Near | {files} | filter: `keep`; order: `sort` | [near](../near.md#around) |"])
    assert rule.places == (Place("a.py", "keep"), Place("b.py", "sort"))
    assert rule.promised == ((ROOT / "docs/near.md", "around"),)
    (rule,) = parse_rules(page, ["| Near | [a.py](../../a.py) | filter: `keep`; order: `sort` | |"])
    assert rule.places == (Place("a.py", "keep"), Place("a.py", "sort"))
    with pytest.raises(AssertionError, match="write what to read first as"):
        list(parse_rules(page, ["| Near | [a.py](../../a.py) | `keep`; `sort` | |"]))
    with pytest.raises(AssertionError, match="name one file, or one for each"):
        list(parse_rules(page, [f"| Near | {files} | `keep` | |"]))
