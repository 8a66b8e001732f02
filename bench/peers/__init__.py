"""`outings serve` beside a peer: FastAPI with PostgreSQL."""
