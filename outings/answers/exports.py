"""`/v1/{metro}/export`: the list of a metro's files, and each file."""

import zlib

import msgspec

from outings.answers.plan import AnswerContext, AnswerPlan, PlannedFile, forbidden_types, make_tag
from outings.contract.did_you_mean import find_nearest
from outings.contract.envelope import encode_list
from outings.contract.errors import not_found
from outings.contract.query import Query
from outings.contract.resources.meta import ExportMeta
from outings.contract.resources.sync import EXPORT_TYPES, EXPORTS, ExportFile, ExportLinks
from outings.contract.values import format_instant
from outings.release.manifest import Export
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()
_GZIP = 31  # the `wbits` of data with the header of gzip


def name_file(collection: str, file_format: str) -> str:
    return f"{collection}.{file_format}"


def plan_export(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    version = context.release.latest_version_id
    tag = make_tag("export", snapshot.hash, snapshot.exports, version, query.text, context.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_export(query, snapshot, context), is_quick=True)


def plan_file(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    name = query.match.values["file"]
    collection, _, file_format = name.partition(".")
    export = snapshot.exports.get(name)
    if export is None:
        problem = f"There is no file {name[:100]!r} in this export."
        raise not_found(problem, did_you_mean=find_nearest(name, snapshot.exports))
    scope = EXPORTS[collection].scope
    if scope is not None and not context.entitlement.allows_type(scope):
        raise forbidden_types(context, [scope])

    def render() -> list[bytes]:
        data = context.release.read_object(export.object)[:]
        return [zlib.decompress(data, wbits=_GZIP) if export.coding else data]

    return AnswerPlan(
        # Lines and calendars are also sent compressed, under the same tag. Parquet files always have the same bytes.
        make_tag("file", export.sha256) if export.coding else f'"{export.sha256}"',
        render,
        reads_store=True,
        media=EXPORT_TYPES[file_format],
        file=PlannedFile(export, lambda: context.release.read_object(export.object)),
    )


def answer_export(query: Query, snapshot: Snapshot, context: AnswerContext) -> list[bytes]:
    """Return the list of the files whose types the key may read, as chunks of the body."""
    wanted, only = query.get_words("types") or EXPORTS, query.get_as("format", str)
    items = [
        _encoder.encode(_show_file(snapshot, collection, file_format, export=export))
        for collection, kind in EXPORTS.items()
        if collection in wanted and (kind.scope is None or context.entitlement.allows_type(kind.scope))
        for file_format in kind.formats
        if only in (None, file_format)
        and (export := snapshot.exports.get(name_file(collection, file_format))) is not None
    ]
    meta = ExportMeta(
        metro=snapshot.metro.slug, count=len(items), latest_version_id=context.release.latest_version_id,
        generated_at=format_instant(snapshot.stamp),
    )  # fmt: skip
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)


def _show_file(snapshot: Snapshot, collection: str, file_format: str, *, export: Export) -> ExportFile:
    return ExportFile(
        type=EXPORTS[collection].type,
        format=file_format,
        content_type=EXPORT_TYPES[file_format],
        rows=export.rows,
        size=export.size,
        sha256=export.sha256,
        rows_hash=export.rows_hash,
        links=ExportLinks(self=f"/v1/{snapshot.metro.slug}/export/{name_file(collection, file_format)}"),
    )
