"""Every cache of the program is in the table of docs/performance.md, and the table names no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAKERS = {
    "cache", "lru_cache", "cached_property", "remember", "LruCache", "LRUCache", "FIFOCache", "TTLCache",
}  # fmt: skip
# They define how caches are made, and have none of their own.
DEFINITIONS = "outings/answers/cache.py"


def list_caches() -> set[str]:
    """List the files that make a cache, each with the names that they cache: `outings/texts/days.py: _read`."""
    paths = (path for folder in ("outings", "pipeline", "edge", "command") for path in ROOT.glob(f"{folder}/**/*.py"))
    found = set()
    for path in paths:
        name = str(path.relative_to(ROOT))
        if name != DEFINITIONS:
            found.update(f"{name}: {cached}" for cached in find_cached(ast.parse(path.read_text())))
    return found


def find_cached(tree: ast.AST) -> Iterator[str]:
    """Yield the functions with a cache as a decorator, and the names to which one is assigned or passed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(map(is_maker, node.decorator_list)):
            yield node.name
        elif isinstance(node, ast.FunctionDef):
            yield from (node.name for inner in node.body if isinstance(inner, ast.Return) and makes(inner.value))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and makes(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.attr if isinstance(target, ast.Attribute) else ast.unparse(target) for target in targets)
        elif isinstance(node, ast.keyword) and makes(node.value):
            yield str(node.arg)
        elif isinstance(node, ast.Dict):
            yield from (
                ast.unparse(key) for key, value in zip(node.keys, node.values, strict=True) if key and makes(value)
            )


def makes(value: ast.AST | None) -> bool:
    """Return True for a call of a maker, or of what a maker with a size returned, even as an argument of a call."""
    if not isinstance(value, ast.Call):
        return False
    return is_maker(value.func) or any(map(makes, value.args))


def is_maker(node: ast.AST) -> bool:
    """Return True for `cache`, `lru_cache(maxsize=8)`, `functools.cache` and the like."""
    while isinstance(node, ast.Call):
        node = node.func
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) in MAKERS


def list_named() -> set[str]:
    page = (ROOT / "docs/performance.md").read_text()
    section = page.split("\n## What is cached\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (.+?) \|", section, flags=re.MULTILINE)
    files = [re.fullmatch(r"`([^`]+)`: (.+)", cell) for row in rows for cell in row.split("; ")]
    return {f"{found[1]}: {name}" for found in files if found for name in re.findall(r"`([^`]+)`", found[2])}


def test_the_table_of_caches_names_each_cache_of_the_program() -> None:
    assert sorted(list_caches() - list_named()) == [], "add a row: key, bound, and what the cache saves; or delete it"


def test_each_cache_in_the_table_is_in_the_program() -> None:
    assert sorted(list_named() - list_caches()) == [], "these are gone: delete them from the table"


def test_a_cache_is_found_however_it_is_made() -> None:
    made = """
@cache
def a(): ...
@functools.lru_cache(maxsize=8)
def b(): ...
class C:
    def __init__(self):
        self.c = remember(self._c, size=1)
        self.d: LruCache[int, int] = LruCache(size=1)
e = lru_cache(4)(partial(read, 1))
f = Given(g=LRUCache(9))
h = {"i": cache(read)}
def j(reader):
    return LruCache(size=2)
k = cached(1)
"""
    assert set(find_cached(ast.parse(made))) == {"a", "b", "c", "d", "e", "g", "'i'", "j"}
