"""Ids that stay the same from build to build. Expected uuids were made with sha1sum, as RFC 9562 lays version 5 out."""

import pytest

from pipeline.records.ids import assign_id, make_id, make_organization_id, make_part_id
from pipeline.records.record import EventRecord


def make_event(own_id: str | None = None) -> EventRecord:
    return EventRecord(feed="spl", line=1, type="event", source_id="storytime-1", id=own_id, name="Storytime")


def test_without_an_id_it_is_made_of_feed_type_and_source_id() -> None:
    assert assign_id(make_event()) == "9690cb3b-6c39-557f-a6f4-87a0548eb926"
    assert make_id("spl", "event", "storytime-1") == "9690cb3b-6c39-557f-a6f4-87a0548eb926"


def test_a_record_keeps_its_own_id() -> None:
    assert assign_id(make_event("0f0e0d0c-0b0a-4908-8706-050403020100")) == "0f0e0d0c-0b0a-4908-8706-050403020100"


@pytest.mark.parametrize(
    "name", ["The Seattle Public Library", "the seattle public library", " THE  Seattle Públic Library! "]
)
def test_an_organization_known_by_name_is_one_however_its_name_is_written(name: str) -> None:
    assert make_organization_id("seattle", name) == "06d9b519-0185-5372-b718-1b606f2ee576"


def test_the_same_name_in_two_metros_is_two_organizations() -> None:
    assert make_organization_id("new-york", "Y") != make_organization_id("seattle", "Y")


def test_a_section_without_an_id_has_one_made_of_its_place_in_the_class() -> None:
    assert make_part_id("0f0e0d0c-0b0a-4908-8706-050403020100", "section", 0) == "8811e1de-7dde-5ce4-857a-5a5170f591ec"
