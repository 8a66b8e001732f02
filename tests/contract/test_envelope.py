import json

from outings.contract.envelope import (
    Notice,
    deprecated_parameter,
    encode_detail,
    encode_error,
    encode_list,
    ignored_parameter,
)
from outings.contract.errors import bad_request, internal

_META = b'{"count":2}'


def _read(parts: list[bytes]) -> dict[str, object]:
    body: dict[str, object] = json.loads(b"".join(parts))
    return body


def test_a_list_is_its_items_and_its_meta_and_nothing_that_is_not_stated():
    assert b"".join(encode_list([b'{"id":1}', b'{"id":2}'], meta=_META)) == (
        b'{"data":[{"id":1},{"id":2}],"meta":{"count":2}}'
    )


def test_an_empty_list_has_an_empty_array():
    assert _read(encode_list([], meta=_META)) == {"data": [], "meta": {"count": 2}}


def test_meta_is_the_last_member_and_data_the_first():
    notice = Notice(code="parameter_ignored", message="free was ignored.")
    body = _read(encode_list([], meta=_META, notices=[notice], facets=b'{"total":0}'))
    assert list(body) == ["data", "notices", "facets", "meta"]


def test_a_detail_holds_the_document_as_it_is():
    assert b"".join(encode_detail(b'{"id":"x"}')) == b'{"data":{"id":"x"}}'


def test_a_detail_with_a_notice_has_it_beside_the_data():
    body = _read(encode_detail(b"{}", notices=[Notice(code="related_unavailable", message="Not now.")]))
    assert body == {"data": {}, "notices": [{"code": "related_unavailable", "message": "Not now."}]}


def test_notices_of_parameters_name_them():
    ignored, deprecated = (
        ignored_parameter("free", collection="places"),
        deprecated_parameter("place_type", replaced_by="type_hint"),
    )
    notices = _read(encode_detail(b"{}", notices=[ignored, deprecated]))["notices"]
    assert notices == [
        {
            "code": "parameter_ignored",
            "message": "free does not apply to places and was ignored.",
            "param": "free",
        },
        {
            "code": "parameter_deprecated",
            "message": "place_type is the old spelling of type_hint.",
            "param": "place_type",
            "details": {"replaced_by": "type_hint"},
        },
    ]


def test_an_error_has_its_code_message_details_and_request_id():
    error = bad_request(param="lng", reason="missing_parameter", message="lat was sent without lng.")
    assert json.loads(encode_error(error, "r-1")) == {
        "error": {
            "code": "bad_request",
            "message": "lat was sent without lng.",
            "details": {"param": "lng", "reason": "missing_parameter"},
            "request_id": "r-1",
        }
    }


def test_an_error_without_details_leaves_them_out():
    assert set(json.loads(encode_error(internal(), "r-2"))["error"]) == {"code", "message", "request_id"}
