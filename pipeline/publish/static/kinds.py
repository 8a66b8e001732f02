"""The kinds of files that a static tree has, one table. To add files to a tree, add a kind with the function that makes
them: it yields files or, if only some of them move at a time, smaller parts with inputs of their own."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from msgspec import Struct

from outings.contract.vocabulary import COLLECTIONS
from pipeline.publish.static.answers import make_answers, make_changes, make_coverage, renew_coverage
from pipeline.publish.static.hosts import HostFile
from pipeline.publish.static.pages import make_host_files, make_listing_pages, make_metro_pages, make_site_pages
from pipeline.publish.static.parts import Item, Part
from pipeline.publish.static.requests import (
    list_calendars,
    list_days,
    list_details,
    list_exports,
    list_neighborhoods,
    list_organizations,
    list_overviews,
    list_relations,
)
from pipeline.publish.static.tree import StaticMetro, Tree


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of files.

    Attributes:
        name: as the build names it if there is no room for it.
        of_metro: makes the files of one metro.
        of_all: makes the files of no metro.
        crosses_metros: whether a metro's files depend on other metros, too.
        renew: makes the only file of a metro of its bytes, if nothing that `of_metro` depends on moved.
    """

    name: str
    of_metro: Callable[[Tree, StaticMetro], Iterable[Item]] | None = None
    of_all: Callable[[Tree], Iterable[Item]] | None = None
    crosses_metros: bool = False
    renew: Callable[[Tree, StaticMetro, bytes], HostFile] | None = None


def _answer(
    list_requests: Callable[[StaticMetro], Iterable[str]], *, keeps_empty: bool = True
) -> Callable[[Tree, StaticMetro], Iterable[Item]]:
    return lambda tree, metro: make_answers(tree, list_requests(metro), metro, keeps_empty=keeps_empty)


_ALL = tuple(COLLECTIONS.values())
_DATED = tuple(collection for listing_type, collection in COLLECTIONS.items() if listing_type != "place")
# Those that answer requests come in this order until there is no room, so that what is requested most comes first.
KINDS = (
    Kind(
        name="default lists",
        of_metro=_answer(lambda metro: metro.list_lists("", of=_ALL)),
        of_all=lambda tree: make_answers(tree, ["/v1/metros"]),
    ),
    Kind(name="overviews", of_metro=_answer(list_overviews)),
    Kind(name="coverage", of_metro=make_coverage, renew=renew_coverage),
    Kind(
        name="requests of the configuration",
        of_metro=_answer(lambda metro: metro.requests),
        of_all=lambda tree: make_answers(tree, tree.requests.get("", ())),
        crosses_metros=True,
    ),
    Kind(name="details by id", of_metro=_answer(list_details)),
    Kind(name="details of organizations", of_metro=_answer(list_organizations), crosses_metros=True),
    Kind(name="lists by day", of_metro=_answer(list_days)),
    Kind(
        name="lists of what is free", of_metro=_answer(lambda metro: metro.list_lists("?free=true", of=_DATED))
    ),
    Kind(name="changes", of_all=make_changes),
    Kind(name="calendar files", of_metro=_answer(list_calendars)),
    Kind(name="exports", of_metro=_answer(list_exports), crosses_metros=True),  # the position in the log
    Kind(
        name="lists by category",
        of_metro=_answer(
            lambda metro: metro.list_lists("?category=", metro.vocabulary.categories, of=_ALL), keeps_empty=False
        ),
    ),
    Kind(name="lists by neighborhood", of_metro=_answer(list_neighborhoods, keeps_empty=False)),
    Kind(
        name="lists of places and organizations", of_metro=_answer(list_relations, keeps_empty=False),
        crosses_metros=True,
    ),
    Kind(name="pages", of_metro=make_metro_pages, of_all=make_site_pages),
    Kind(name="pages of listings", of_metro=make_listing_pages),
    Kind(name="settings of hosts", of_all=make_host_files),
)  # fmt: skip


def list_parts(tree: Tree) -> Iterator[tuple[str, Part]]:
    """Yield each part of the tree with the slug of its metro, empty for those of no metro."""
    for kind in KINDS:
        if kind.of_all is not None:
            yield "", Part(name=kind.name, inputs=tree.inputs, make=partial(kind.of_all, tree))
        for metro in tree.metros if kind.of_metro is not None else ():
            assert kind.of_metro is not None
            renew = None if kind.renew is None else partial(kind.renew, tree, metro)
            inputs = tree.inputs if kind.crosses_metros else metro.inputs
            make = partial(kind.of_metro, tree, metro)
            yield metro.slug, Part(name=f"{metro.slug}: {kind.name}", inputs=inputs, make=make, renew=renew)
