"""Make the answers of a static tree by the code of the API. An answer's ETag is known before it is rendered: one whose
ETag did not move is not rendered again."""

import re
from collections.abc import Iterable, Iterator
from functools import partial

from outings.contract.errors import ApiError
from outings.release.store import hash_of
from pipeline.publish.static.parts import Item, LeftOut, Part, StaticRequest
from pipeline.publish.static.tree import PlannedRequest, StaticMetro, Tree

# The release's id in the file of a metro's coverage.
_RELEASE = re.compile(rb'(?<="release":{"id":")[^"]+')


def make_answers(
    tree: Tree, requests: Iterable[str], metro: StaticMetro | None = None, *, keeps_empty: bool = True
) -> Iterator[Item]:
    """Yield a part for each request. `keeps_empty`: an empty list gets a file, too."""
    for request in requests:
        try:
            planned = tree.plan(request, metro)
        except ApiError as error:
            yield LeftOut(f"{request}: {error}")
            continue
        make = partial(_make_answer, tree, planned, keeps_empty=keeps_empty)
        yield Part(name=planned.request, inputs=planned.plan.etag, make=make)


def _make_answer(tree: Tree, planned: PlannedRequest, *, keeps_empty: bool = True) -> Iterator[Item]:
    names = list[str]()
    try:
        for file, page in tree.read_pages(planned):
            if not (page.meta.count or names or keeps_empty):
                return
            names.append(file.name)
            yield file
    except (ApiError, ValueError) as error:
        yield LeftOut(f"{planned.request}: {error}")
    if names:
        yield StaticRequest(planned.request, tuple(names))


def make_changes(tree: Tree) -> Iterator[Item]:
    """Yield the log, a part for each page. One that is full is made again only if its content without `meta` moves."""
    planned, names = tree.plan("/v1/changes"), list[str]()
    for file, page in tree.read_pages(planned):
        content = page.meta.scope.encode() + bytes(page.data) if page.meta.has_more else file.data
        names.append(file.name)
        yield Part(name=file.name, inputs=hash_of(content), make=partial(iter, [file]))
    yield StaticRequest(planned.request, tuple(names))


def make_coverage(tree: Tree, metro: StaticMetro) -> Iterator[Item]:
    """Yield the metro's coverage, which names the release: if nothing else moves, this does."""
    return _make_answer(tree, tree.plan(f"/v1/{metro.slug}/coverage"))


def renew_coverage(tree: Tree, data: bytes) -> bytes:
    """Return a metro's coverage with the id of this release."""
    return _RELEASE.sub(tree.id.encode(), data)
