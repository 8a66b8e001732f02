"""`outings serve` beside its peers: FastAPI with PostgreSQL, and Datasette over SQLite."""
