"""The kinds of files that a static tree has, one table. To add files to a tree, add a kind with the function that makes
them: it yields files or, if only some of them move at a time, smaller parts with inputs of their own."""

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import partial

from msgspec import Struct

from outings.contract.languages.language import ENGLISH, SHIPPED
from outings.contract.resources.sync import EXPORTS
from outings.contract.routes import LISTS
from outings.contract.vocabulary import COLLECTIONS
from pipeline.publish.objects.precomputed_pages import list_months
from pipeline.publish.static.answers import make_answers, make_changes, make_coverage, renew_coverage
from pipeline.publish.static.pages import make_host_files, make_listing_pages, make_metro_pages, make_site_pages
from pipeline.publish.static.parts import Item, Part
from pipeline.publish.static.tree import StaticMetro, Tree


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of files.

    Attributes:
        name: as the build names it if there is no room for it.
        of_metro: makes the files of one metro.
        of_all: makes the files of no metro.
        crosses_metros: whether a metro's files depend on other metros, too.
        renew: changes the bytes of a metro's only file, if nothing that `of_metro` depends on moved.
    """

    name: str
    of_metro: Callable[[Tree, StaticMetro], Iterable[Item]] | None = None
    of_all: Callable[[Tree], Iterable[Item]] | None = None
    crosses_metros: bool = False
    renew: Callable[[Tree, bytes], bytes] | None = None


_ALL = tuple(COLLECTIONS.values())
_DATED = tuple(collection for listing_type, collection in COLLECTIONS.items() if listing_type != "place")
_SATURDAY = 5
_VOCABULARIES = ("/v1/vocabulary", *(f"/v1/vocabulary?language={code}" for code in SHIPPED if code != ENGLISH))


def _list_lists(metro: StaticMetro, query: str, values: Iterable[object] = ("",), *, of: Iterable[str]) -> list[str]:
    """Return `/v1/{metro}/{collection}{query}{value}` for each collection in `of` and each value."""
    values = [*values]
    return [f"/v1/{metro.slug}/{collection}{query}{value}" for collection in of for value in values]


def _list_overviews(metro: StaticMetro) -> Iterator[str]:
    for listing_type, collection in COLLECTIONS.items():
        facets = LISTS[listing_type].parameters["facets"].allowed or ()
        values = [f"{facet}&limit=0" for facet in (",".join(facets), *facets)]
        yield from _list_lists(metro, "?facets=", values, of=[collection])
    yield from _list_lists(metro, "", of=list_months(metro.today))
    yield from _list_lists(metro, "", of=("organizations", "neighborhoods", "neighborhoods?sort=count"))


def _list_details(metro: StaticMetro) -> Iterator[str]:
    listed = [(collection, row_id) for collection, ids in metro.listings.items() for row_id in ids]
    listed += [(COLLECTIONS[item.type], item.id) for item in metro.named if item.id and item.type in COLLECTIONS]
    return (f"/v1/{collection}/{row_id}" for collection, row_id in dict.fromkeys(listed))


def _list_organizations(metro: StaticMetro) -> Iterator[str]:
    ids = [item.id for item in metro.read_items("organizations")]
    for rows in metro.shown.values():
        ids += rows["organization_id"].drop_nulls().to_list()
    ids += [item.organization.id for item in metro.named if item.organization is not None]
    return (f"/v1/organizations/{row_id}" for row_id in filter(None, dict.fromkeys(ids)))


def _list_days(metro: StaticMetro) -> Iterator[str]:
    base, today = f"/v1/{metro.slug}/events", metro.today
    for day in (today + timedelta(days=number) for number in range(metro.days)):
        yield f"{base}?from={day}&to={day}"
    weekday = today.weekday()
    if weekday <= _SATURDAY:  # on a Sunday, what is left of the weekend is the day itself
        saturday = today + timedelta(days=_SATURDAY - weekday)
        yield f"{base}?from={saturday}&to={saturday + timedelta(days=1)}"


def _list_exports(metro: StaticMetro) -> Iterator[str]:
    base = f"/v1/{metro.slug}/export"
    yield base
    for collection, kind in EXPORTS.items():
        yield from (f"{base}/{collection}.{file_format}" for file_format in kind.formats)


def _list_calendars(metro: StaticMetro) -> Iterator[str]:
    categories = [f"?category={word}" for word in metro.vocabulary.categories]
    return iter(_list_lists(metro, "", ("", "?free=true", *categories), of=["events.ics"]))


def _list_neighborhoods(metro: StaticMetro) -> list[str]:
    return _list_lists(metro, "?neighborhood=", [item.slug for item in metro.read_items("neighborhoods")], of=_ALL)


def _list_relations(metro: StaticMetro) -> Iterator[str]:
    for kind, column in (("places", "place_id"), ("organizations", "organization_id")):
        for collection, rows in metro.shown.items():
            ids = rows[column].drop_nulls().unique(maintain_order=True)
            yield from (f"/v1/{kind}/{row_id}/{collection}" for row_id in ids)


def _answer(
    list_requests: Callable[[StaticMetro], Iterable[str]], *, keeps_empty: bool = True
) -> Callable[[Tree, StaticMetro], Iterable[Item]]:
    return lambda tree, metro: make_answers(tree, list_requests(metro), metro, keeps_empty=keeps_empty)


# Those that answer requests come in this order until there is no room, so that what is requested most comes first.
KINDS = (
    Kind(
        name="default lists",
        of_metro=_answer(lambda metro: _list_lists(metro, "", of=_ALL)),
        of_all=lambda tree: make_answers(tree, ["/v1/metros", *_VOCABULARIES]),
    ),
    Kind(name="overviews", of_metro=_answer(_list_overviews)),
    Kind(name="coverage", of_metro=make_coverage, renew=renew_coverage),
    Kind(
        name="requests of the configuration",
        of_metro=_answer(lambda metro: metro.requests),
        of_all=lambda tree: make_answers(tree, tree.requests.get("", ())),
        crosses_metros=True,
    ),
    Kind(name="details by id", of_metro=_answer(_list_details)),
    Kind(name="details of organizations", of_metro=_answer(_list_organizations), crosses_metros=True),
    Kind(name="lists by day", of_metro=_answer(_list_days)),
    Kind(
        name="lists of what is free", of_metro=_answer(lambda metro: _list_lists(metro, "?free=true", of=_DATED))
    ),
    Kind(name="changes", of_all=make_changes),
    Kind(name="calendar files", of_metro=_answer(_list_calendars)),
    Kind(name="exports", of_metro=_answer(_list_exports), crosses_metros=True),  # the position in the log
    Kind(
        name="lists by category",
        of_metro=_answer(
            lambda metro: _list_lists(metro, "?category=", metro.vocabulary.categories, of=_ALL), keeps_empty=False
        ),
    ),
    Kind(name="lists by neighborhood", of_metro=_answer(_list_neighborhoods, keeps_empty=False)),
    Kind(
        name="lists of places and organizations", of_metro=_answer(_list_relations, keeps_empty=False),
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
            renew = None if kind.renew is None else partial(kind.renew, tree)
            inputs = tree.inputs if kind.crosses_metros else metro.inputs
            make = partial(kind.of_metro, tree, metro)
            yield metro.slug, Part(name=f"{metro.slug}: {kind.name}", inputs=inputs, make=make, renew=renew)
