"""The file of postal codes: what of it a metro gets, and what is said of a wrong one."""

from pathlib import Path

import pytest

from outings.contract.resources.directories import Bounds
from pipeline.fetch.source import FeedError
from pipeline.resolve.facts.centroids import Centroid, read_centroids
from pipeline.tables.snapshot_tables import make_zips

SEATTLE = Bounds(south=47.4, west=-122.5, north=47.8, east=-122.1)
FIJI = Bounds(south=-20.0, west=177.0, north=-16.0, east=-179.0)


def write(folder: Path, text: str) -> Path:
    path = folder / "zips.csv"
    path.write_text(text)
    return path


def test_a_metro_gets_its_own_and_those_close_by(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "code,city,lat,lon\n98101,Seattle,47.61,-122.33\n10001,New York,40.75,-73.99\n98370,Poulsbo,47.75,-122.65\n",
    )
    assert read_centroids(path, SEATTLE) == (Centroid("98101", 47.61, -122.33), Centroid("98370", 47.75, -122.65))
    assert make_zips(read_centroids(path, SEATTLE)).rows() == [("98101", 47.61, -122.33), ("98370", 47.75, -122.65)]


def test_a_metro_may_lie_on_both_sides_of_the_date_line(tmp_path: Path) -> None:
    path = write(tmp_path, "zip,lat,lng\nA,-17,179.5\nB,-17,-179.5\nC,-17,0\n")
    assert [centroid.zip for centroid in read_centroids(path, FIJI)] == ["A", "B"]


def test_a_code_without_coordinates_is_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, "zip,lat,lng\n09001,,\n98101,47.61,-122.33\n")
    assert [centroid.zip for centroid in read_centroids(path, SEATTLE)] == ["98101"]


def test_without_a_file_there_are_none() -> None:
    assert read_centroids(None, SEATTLE) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("city,lat,lng\nX,1,2\n", "no column zip or code"),
        ("zip,lat\nX,1\n", "no column lng or lon"),
        ("zip,lat,lng\n98101,north,2\n", "line 2"),
        ("zip,lat,lng\n98101,47,2\n98102,97,2\n", "line 3"),
        ("zip,lat,lng\n,47,2\n", "line 2"),
    ],
)
def test_a_wrong_file_is_refused_by_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FeedError, match=message):
        read_centroids(write(tmp_path, text), SEATTLE)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match="can't be read"):
        read_centroids(tmp_path / "none.csv", SEATTLE)
