"""Servers that answer as the documents of open-data portals say: their limits, their orders, their errors."""

from collections.abc import Callable
from typing import Any

from tests.pipeline.fetch.pages.paged_rows import make_json, read_query
from tests.pipeline.fetch.web import Page

Answer = Callable[[str], Page]
TITLES = ["Swim", "Story", "Chess", "Craft", "Hike"]


def make_socrata_rows() -> list[dict[str, Any]]:
    """A member without a value is not there."""
    rows = [
        {
            ":id": f"row-{title.lower()}", ":updated_at": "2026-11-20T08:00:00.000Z", "title": title,
            "begins": f"2026-12-0{number}T10:00:00.000", "fee": f"{number}.50",
        }
        for number, title in enumerate(TITLES, start=1)
    ]  # fmt: skip
    del rows[2]["fee"]
    return rows


def serve_socrata(target: str) -> Page:
    """SODA 2: without an order every page has its own; system fields are given where they are selected."""
    params = read_query(target)
    rows = make_socrata_rows()
    begin, limit = int(params.get("$offset", 0)), int(params.get("$limit", 1000))
    if "$order" not in params:
        rows = rows[begin:] + rows[:begin]
    if params.get("$select") != ":*,*":
        rows = [{name: value for name, value in row.items() if not name.startswith(":")} for row in rows]
    return make_json(rows[begin : begin + min(limit, 50_000)], etag=f'"{target}"')


def serve_soda_3(target: str) -> Page:
    """Pages have numbers and an order, and rows their system fields."""
    params = read_query(target)
    if set(params) - {"pageNumber", "pageSize", "query", "app_token"}:
        return make_json({"message": "Unrecognized arguments"}, status=400)
    size, number = int(params.get("pageSize", 100)), int(params.get("pageNumber", 1))
    return make_json(make_socrata_rows()[(number - 1) * size : number * size])


def make_arcgis(*, limit: int, has_pages: bool = True) -> Answer:
    """A layer gives as many as its own limit and says where more follow. What is wrong is said with status 200."""

    def answer(target: str) -> Page:
        params = read_query(target)
        if "f" not in params:
            return Page(b"<html><title>Query: Parks (ID: 0)</title></html>", headers={"Content-Type": "text/html"})
        if "where" not in params:
            return _refuse_arcgis("Unable to perform query. Invalid query parameters.")
        if not has_pages and {"resultOffset", "resultRecordCount"} & set(params):
            return _refuse_arcgis("Pagination is not supported.")
        begin = int(params.get("resultOffset", 0))
        titles, exceeds = TITLES[begin : begin + limit], begin + limit < len(TITLES)
        if params["f"] == "geojson":
            return make_json(_write_geojson(titles, begin, exceeds=exceeds))
        members: dict[str, Any] = {"objectIdFieldName": "OBJECTID", "features": _list_features(titles, begin, params)}
        return make_json(members | ({"exceededTransferLimit": True} if exceeds else {}))

    return answer


def _refuse_arcgis(message: str) -> Page:
    return make_json({"error": {"code": 400, "message": "Unable to complete operation.", "details": [message]}})


def _list_features(titles: list[str], begin: int, params: dict[str, str]) -> list[dict[str, Any]]:
    """The second is a polygon. Without outSR points are in the layer's own system, metres."""
    at = (-122.3, 47.6) if params.get("outSR") == "4326" else (-13614000.0, 6040000.0)
    features = []
    for number, title in enumerate(titles, start=begin):
        features.append({"attributes": {"OBJECTID": number, "NAME": title}, "geometry": {"x": at[0], "y": at[1]}})
        if number == 1:
            features[-1]["geometry"] = {"rings": [[[0, 0], [0, 1], [1, 1], [0, 0]]]}
            if params.get("returnCentroid") == "true":
                features[-1]["centroid"] = {"x": at[0], "y": at[1]}
    return features


def _write_geojson(titles: list[str], begin: int, *, exceeds: bool) -> dict[str, Any]:
    features: list[dict[str, Any]] = [
        {
            "type": "Feature", "id": number, "properties": {"OBJECTID": number, "NAME": title},
            "geometry": {"type": "Point", "coordinates": [-122.3, 47.6]},
        }
        for number, title in enumerate(titles, start=begin)
    ]  # fmt: skip
    if features and begin == 0:
        features[0]["geometry"] = {"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [0, 0]]]}
    members: dict[str, Any] = {"type": "FeatureCollection", "features": features}
    return members | ({"properties": {"exceededTransferLimit": True}} if exceeds else {})


def _make_fields() -> list[dict[str, Any]]:
    return [
        {"uid": f"e{number}", "title": title, "begins": f"2026-12-0{number}T17:00:00+00:00"}
        for number, title in enumerate(TITLES, start=1)
    ]


def serve_opendatasoft_export(target: str) -> Page:
    return make_json([{**row, "geo_point_2d": {"lon": -122.3, "lat": 47.6}} for row in _make_fields()])


def make_opendatasoft(version: str, *, count: int = 5) -> Answer:
    """Records end where offset and limit reach 10,000, and a page has 100 at most."""

    def answer(target: str) -> Page:
        params = read_query(target)
        first, size = ("start", "rows") if version == "1.0" else ("offset", "limit")
        begin, limit = int(params.get(first, 0)), int(params.get(size, 10))
        if limit > 100 or begin + limit > 10_000:
            message = "Invalid value for limit API parameter"
            return make_json({"error_code": "InvalidRESTParameterError", "message": message}, status=400)
        fields = _make_fields()
        rows = [fields[number % 5] | {"uid": f"e{number}"} for number in range(begin, min(begin + limit, count))]
        if version == "2.1":
            point = {"geo_point_2d": {"lon": -122.3, "lat": 47.6}}
            return make_json({"total_count": count, "results": [row | point for row in rows]})
        if version == "2.0":
            point = {"geo_point_2d": {"lon": -122.3, "lat": 47.6}}
            records = [{"record": {"id": f"r{row['uid']}", "fields": row | point}} for row in rows]
            return make_json({"total_count": count, "records": records})
        records_1 = [{"recordid": f"r{row['uid']}", "fields": row | {"geo_point_2d": [47.6, -122.3]}} for row in rows]
        return make_json({"nhits": count, "records": records_1})

    return answer


def make_ckan(*, most: int = 32_000, has_total: bool = True) -> Answer:
    """A limit above the portal's own is that. A resource that is not there is 404 with the reason."""

    def answer(target: str) -> Page:
        params = read_query(target)
        if params.get("resource_id") != "12345678-1234-1234-1234-123456789abc":
            error = {"message": "Not found: Resource was not found.", "__type": "Not Found Error"}
            return make_json({"success": False, "error": error}, status=404)
        begin, limit = int(params.get("offset", 0)), min(int(params.get("limit", 100)), most)
        records = [{"_id": number, **row} for number, row in enumerate(_make_fields(), start=1)]
        if params.get("sort") != "_id":
            records = records[begin:] + records[:begin]
        total = {"total": len(records), "total_was_estimated": False} if has_total else {}
        result = {"include_total": has_total, "records": records[begin : begin + limit], **total}
        return make_json({"help": "…", "success": True, "result": result})

    return answer
