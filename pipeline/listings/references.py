"""Following a record's references to organizations and places of the same build."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from outings.contract.folding import fold_text
from pipeline.listings.identity import make_organization_id
from pipeline.records.record import Reference
from pipeline.records.spool import SpooledRecord


class ForeignReference(Struct, frozen=True, array_like=True, order=True):
    """A reference to an organization of another metro: by id, else by the `source_id` of one feed."""

    id: str = ""
    feed: str = ""
    source_id: str = ""


class ForeignOrganization(Struct, frozen=True, kw_only=True):
    """The record of an organization in another metro."""

    metro: str
    id: str
    entry: SpooledRecord


# What each reference of a metro leads to; None where no other metro has it.
ForeignResolution = Mapping[ForeignReference, ForeignOrganization | None]


class ReferenceTarget(Struct, frozen=True, kw_only=True):
    """An organization or a place that may be referred to; `slug` as it is published."""

    id: str
    type: str
    metro: str
    feed: str
    source_id: str
    slug: str
    name: str


class Resolution(Struct, frozen=True, kw_only=True):
    """The row that is meant, or neither: None.

    `made_name`: nobody has a record of this organization, its `id` is made of this name and its row is to be made.
    `problem`: why a reference that was given leads to nothing; `value` is what it said.
    """

    id: str | None = None
    made_name: str | None = None
    problem: str | None = None
    value: str | None = None


class Targets(Struct, frozen=True, kw_only=True):
    """What one metro's records may refer to, by each way of naming it. Keys begin with the type, here `kind`."""

    metro: str
    sources: dict[tuple[str, str, str], str]
    ids: dict[tuple[str, str], str]
    slugs: dict[tuple[str, str], str]
    names: dict[str, str]

    def resolve(self, reference: Reference | None, *, kind: str, feed: str) -> Resolution:
        """The first that leads to a row: `id`, `source_id` (of the same feed), `slug`, an organization's `name`."""
        if reference is None or reference == Reference():
            return Resolution()
        found = self._find(reference, kind=kind, feed=feed)
        if found is not None:
            return Resolution(id=found)
        name = reference.name if kind == "organization" else None
        if name is not None and fold_text(name):
            return Resolution(id=make_organization_id(self.metro, name), made_name=name)
        return Resolution(problem="unknown_reference", value=_describe_reference(reference))

    def list_asks(self, references: Iterable[tuple[str, Reference]]) -> Iterator[ForeignReference]:
        """Of references to organizations, by their feeds, those that lead to none of the metro's by `id` or
        `source_id`."""
        for feed, reference in references:
            row_id = (reference.id or "").lower()
            if ("organization", row_id) in self.ids:
                continue
            source_id = reference.source_id or ""
            if not source_id or ("organization", feed, source_id) in self.sources:
                feed, source_id = "", ""
            if row_id or source_id:
                yield ForeignReference(row_id, feed, source_id)

    def _find(self, reference: Reference, *, kind: str, feed: str) -> str | None:
        found = None
        if reference.id is not None:
            found = self.ids.get((kind, reference.id.lower()))
        if found is None and reference.source_id is not None:
            found = self.sources.get((kind, feed, reference.source_id))
        if found is None and reference.slug is not None:
            found = self.slugs.get((kind, reference.slug))
        if found is None and reference.name is not None and kind == "organization":
            found = self.names.get(fold_text(reference.name))
        return found


def index_targets(targets: Iterable[ReferenceTarget], *, metro: str) -> Targets:
    """`targets`: the metro's own, and organizations of other metros, which are found by id and source_id alone.

    Of several with the same folded name the one with the least id is meant.
    """
    index = Targets(metro=metro, sources={}, ids={}, slugs={}, names={})
    for target in sorted(targets, key=lambda target: (target.type, target.id)):
        here = target.metro == metro
        if not here and target.type != "organization":
            continue
        index.ids[target.type, target.id] = target.id
        index.sources.setdefault((target.type, target.feed, target.source_id), target.id)
        if here:
            index.slugs.setdefault((target.type, target.slug), target.id)
            if target.type == "organization":
                index.names.setdefault(fold_text(target.name), target.id)
    return index


def _describe_reference(reference: Reference) -> str:
    given = {
        "id": reference.id, "source_id": reference.source_id, "slug": reference.slug, "name": reference.name,
    }  # fmt: skip
    return ", ".join(f"{key} {value}" for key, value in given.items() if value is not None)
