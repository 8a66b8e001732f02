"""Tables as cities publish them: CSV, JSON, GeoJSON, Parquet, spreadsheets, SQLite, packed or not."""

from pipeline.feeds.reader import Reader
from pipeline.feeds.table.reading import TableRead

READER = Reader(read_files=TableRead)
