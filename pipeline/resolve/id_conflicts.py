"""Decide which record gets an id that several records claim."""

from collections.abc import Mapping, Sequence

from pipeline.clean.feed_read import SpooledRecord
from pipeline.records.ids import assign_id, derives_id, make_id
from pipeline.records.record import Head, Problem


def identify_records(
    records: Sequence[SpooledRecord],
    problems: list[Problem],
    *,
    refused: Mapping[str, str],
    unmentioned: Mapping[str, str],
    feeds: Sequence[str],
) -> dict[str, SpooledRecord]:
    """Return the first record of each id. The others become problems, since only one can be published.

    Stored records (line 0) take part like those that were read now.

    Args:
        records: in the order in which they may have an id.
        problems: gets a problem for each record that can't have its id.
        refused: the ids that the metro may not have, with the reason.
        unmentioned: the source by id of rows that stay without a record.
        feeds: the names of the feeds, in the configuration's order.
    """
    ids = [assign_id(record.head) for record in records]
    heads = [record.head for record in records]
    derived: dict[str, str] = {}
    if any(head.id is not None for head in heads):  # each derived id has one record, so only a stated one can conflict
        derived = {row_id: head.feed for row_id, head in zip(ids, heads, strict=True) if derives_id(head)}

    def explain(row_id: str, head: Head) -> str | None:
        if row_id in refused:
            return refused[row_id]
        owner = derived.get(row_id, head.feed)
        if row_id in unmentioned and owner == head.feed:
            feed, kind, source_id = unmentioned[row_id].split("/", 2)
            if row_id == make_id(feed, kind, source_id) or feeds.index(feed) < feeds.index(head.feed):
                owner = feed
        return None if owner == head.feed else f"duplicate_id: {owner} has it too"

    by_id: dict[str, SpooledRecord] = {}
    for row_id, record in zip(ids, records, strict=True):
        reason = explain(row_id, record.head)
        if reason is None:
            first = by_id.setdefault(row_id, record)
            if first is record:
                continue
            reason = f"duplicate_id: {first.head.feed} line {first.line} has it too"
        problems.append(
            Problem(
                feed=record.head.feed, line=record.line, source_id=record.head.source_id, field="id", reason=reason,
                value=row_id, quarantined=record.line > 0,
            )
        )  # fmt: skip
    return by_id
