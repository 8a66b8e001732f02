from typing import Annotated, Any, get_args, get_origin

import msgspec
import pytest

from pipeline.clean.feed_read import decode_head, encode_record
from pipeline.records.record import HEADS, RECORDS, Source

# Of which a head knows less.
NARROWER = {"source": Source}


@pytest.mark.parametrize("kind", HEADS)
def test_a_head_has_the_members_of_its_record_with_their_types_and_defaults(kind: str) -> None:
    def strip(declared: Any) -> Any:
        """Return a declaration without how it is read."""
        return get_args(declared)[0] if get_origin(declared) is Annotated else declared

    own = {member.name: member for member in msgspec.structs.fields(RECORDS[kind])}
    members = {member.name: member for member in msgspec.structs.fields(HEADS[kind])}
    assert set(members) - set(own) <= {"place"}  # a place is at none
    for name in set(members) & set(own):
        assert members[name].required == own[name].required
        if name in NARROWER:
            assert issubclass(own[name].type, members[name].type)
        else:
            assert strip(members[name].type) == strip(own[name].type)
            assert members[name].default == own[name].default


@pytest.mark.parametrize("kind", HEADS)
def test_what_is_reported_of_a_record_is_what_it_says(kind: str) -> None:
    record = RECORDS[kind](
        feed="parks", line=7, type=kind, source_id="a", metro="oslo", status="draft", name="Zoo", confidence=0.5
    )
    head = decode_head(encode_record(record), kind, crawled=None)
    assert head.line == 7
    assert [getattr(head.head, name) for name in ("feed", "type", "source_id", "metro", "status", "name")] == [
        "parks", kind, "a", "oslo", "draft", "Zoo",
    ]  # fmt: skip
    assert head.read_record() == record
