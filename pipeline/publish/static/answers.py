"""Make the answers of a static tree by the code of the API. An answer's ETag is known before it is rendered: one whose
ETag did not move is not rendered again."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from outings.contract.errors import ApiError
from outings.contract.routes import match_route
from outings.contract.static_files import name_file, name_media
from outings.release.store import hash_of
from pipeline.publish.static.hosts import DETAILS, LISTS, HostFile
from pipeline.publish.static.parts import Item, LeftOut, Part, StaticRequest
from pipeline.publish.static.tree import AnswerPage, PlannedRequest, StaticMetro, Tree


def make_answers(
    tree: Tree, requests: Iterable[str], metro: StaticMetro | None = None, *, keeps_empty: bool = True
) -> Iterator[Item]:
    """Yield a part for each request. `keeps_empty`: an empty list gets a file, too."""
    for request in requests:
        try:
            planned = tree.plan_in(request, metro)
        except ApiError as error:
            yield LeftOut(f"{request}: {error}")
            continue
        make = partial(_make_answer, tree, planned, keeps_empty=keeps_empty)
        yield Part(name=planned.request, inputs=planned.plan.etag, make=make)


def _make_answer(tree: Tree, planned: PlannedRequest, *, keeps_empty: bool) -> Iterator[Item]:
    names = []
    try:
        for page in tree.read_pages(planned):
            if page.is_empty and not keeps_empty:
                return
            file = _make_file(planned, page)
            names.append(file.name)
            yield file
    except (ApiError, ValueError) as error:
        yield LeftOut(f"{planned.request}: {error}")
    if names:
        yield StaticRequest(planned.request, tuple(names))


def _make_file(planned: PlannedRequest, page: AnswerPage) -> HostFile:
    name, route = name_file(page.request), planned.query.match.route
    step = DETAILS if route.is_one or route.name == "export.file" else LISTS
    return HostFile(name, page.body, route.max_age, name_media(name), step)


def make_changes(tree: Tree) -> Iterator[Item]:
    """Yield the log, a part for each page. One that is full is made again only if its content without `meta` moves."""
    planned = tree.plan("/v1/changes")
    names = []
    for page in tree.read_pages(planned):
        file = _make_file(planned, page)
        names.append(file.name)
        yield Part(
            name=file.name, inputs=hash_of(page.content if page.has_more else page.body), make=partial(iter, [file])
        )
    yield StaticRequest(planned.request, tuple(names))


def make_coverage(tree: Tree, metro: StaticMetro) -> Iterator[Item]:
    """Yield the metro's coverage, which names the release: if nothing else moves, this does."""
    planned = tree.plan(_locate_coverage(metro))
    for page in tree.read_pages(planned):
        file = _make_file(planned, page)
        yield file
        yield StaticRequest(planned.request, (file.name,))


def renew_coverage(tree: Tree, metro: StaticMetro, data: bytes) -> HostFile:
    """Return a metro's coverage with the id of this release."""
    answer = _read_members(data)
    measures = _read_members(answer["data"])
    measures["release"] = msgspec.Raw(msgspec.json.encode({**msgspec.json.decode(measures["release"]), "id": tree.id}))
    answer["data"] = msgspec.Raw(msgspec.json.encode(measures))
    match = match_route(_locate_coverage(metro))
    assert match is not None
    return HostFile(name_file(_locate_coverage(metro)), msgspec.json.encode(answer), match.route.max_age, step=DETAILS)


_read_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _locate_coverage(metro: StaticMetro) -> str:
    return f"/v1/{metro.slug}/coverage"
