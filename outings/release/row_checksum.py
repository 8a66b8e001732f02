"""The rolling hash of rows, which tells whether a mirror has the same rows in the same state."""

import hashlib
from collections.abc import Iterable

_MODULUS = 1 << 256


def add_rows(rows_hash: str, rows: Iterable[tuple[str, str]]) -> str:
    """Adds rows to the hash. Each is an id and its `updated_at` as answers show them, in any order."""
    return _format(int(rows_hash, 16) + sum(map(_hash_row, rows)))


def _hash_row(row: tuple[str, str]) -> int:
    return int.from_bytes(hashlib.sha256(f"{row[0]} {row[1]}".encode()).digest())


def _format(number: int) -> str:
    return f"{number % _MODULUS:064x}"


NO_ROWS = _format(0)
