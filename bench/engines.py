"""Search engines that others would use, over the same listings: PostgreSQL's full text and SQLite's FTS5.

Each once with its defaults, and once with what is simple to set: any of the words, stemmed.
"""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence

import asyncpg
from msgspec import Struct

# Id → name, and everything else that is searched.
Texts = Mapping[str, tuple[str, str]]
# A metro and the words → ids, the best first.
Search = Callable[[str, str], Sequence[str]]

# More than any query's page of 50 needs once programs are folded.
_MOST = 5000


class Engine(Struct, frozen=True):
    name: str
    search: Search


def open_sqlite(texts: Mapping[str, Texts]) -> list[Engine]:
    connection = sqlite3.connect(":memory:")
    for table, tokenizer in (("plain", "unicode61"), ("stemmed", "porter unicode61")):
        columns = "metro UNINDEXED, id UNINDEXED, name, rest"
        connection.execute(f"CREATE VIRTUAL TABLE {table} USING fts5({columns}, tokenize = '{tokenizer}')")
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", _list_rows(texts))

    def ask(table: str, metro: str, match: str) -> list[str]:
        statement = f"SELECT id FROM {table} WHERE {table} MATCH ? AND metro = ? ORDER BY rank, id LIMIT ?"
        return [row[0] for row in connection.execute(statement, (match, metro, _MOST))]

    return [
        Engine("SQLite FTS5", lambda metro, q: ask("plain", metro, " ".join(_quote_words(q)))),
        Engine("  any word, porter", lambda metro, q: ask("stemmed", metro, " OR ".join(_quote_words(q)))),
    ]


def open_postgresql(dsn: str, texts: Mapping[str, Texts]) -> list[Engine]:
    """The caller keeps the cluster running while it asks."""
    asyncio.run(_load_postgresql(dsn, _list_rows(texts)))

    def ask(query: str, metro: str, q: str) -> list[str]:
        return asyncio.run(_ask_postgresql(dsn, query, metro, q))

    every = "websearch_to_tsquery('english', $1)"
    any_ = "replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery"
    return [
        Engine("PostgreSQL", lambda metro, q: ask(every, metro, q)),
        Engine("  any word", lambda metro, q: ask(any_, metro, q)),
    ]


async def _load_postgresql(dsn: str, rows: Sequence[tuple[str, str, str, str]]) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(
            """CREATE TABLE searched (metro text, id text, name text, rest text,
            words tsvector GENERATED ALWAYS AS (to_tsvector('english', name || '. ' || rest)) STORED)"""
        )
        await connection.copy_records_to_table("searched", records=rows, columns=("metro", "id", "name", "rest"))
        await connection.execute("CREATE INDEX ON searched USING gin (words); ANALYZE searched")
    finally:
        await connection.close()


async def _ask_postgresql(dsn: str, query: str, metro: str, q: str) -> list[str]:
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(
            f"""SELECT id FROM searched, (SELECT {query} AS query) AS asked WHERE metro = $2 AND words @@ query
            ORDER BY ts_rank(words, query) DESC, id LIMIT $3""",
            q, metro, _MOST,
        )  # fmt: skip
    finally:
        await connection.close()
    return [row["id"] for row in rows]


def _list_rows(texts: Mapping[str, Texts]) -> list[tuple[str, str, str, str]]:
    return [(metro, name, *text) for metro, rows in texts.items() for name, text in rows.items()]


def _quote_words(q: str) -> list[str]:
    """FTS5 has a syntax of its own: in quotes, every word is only a word."""
    return [f'"{word}"' for word in re.findall(r"\w+", q)]
