"""A mirror: a SQLite file that equals what a key may read, kept in step by the API's answers alone."""
