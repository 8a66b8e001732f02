PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE documents (row INTEGER PRIMARY KEY, id TEXT NOT NULL, type INTEGER NOT NULL, status INTEGER NOT NULL, body TEXT);
CREATE TABLE listings (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, type INTEGER NOT NULL, is_listed INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, starts_at INTEGER, is_recurring INTEGER, first_on TEXT, last_on TEXT,
    is_free INTEGER, categories INTEGER NOT NULL, age_low INTEGER NOT NULL, age_high INTEGER NOT NULL,
    organization INTEGER, x REAL, y REAL, z REAL
);
CREATE TABLE categorized (
    category INTEGER NOT NULL, is_recurring INTEGER NOT NULL, is_free INTEGER, starts_at INTEGER NOT NULL,
    id TEXT NOT NULL, row INTEGER NOT NULL, first_on TEXT NOT NULL, last_on TEXT NOT NULL,
    age_low INTEGER NOT NULL, age_high INTEGER NOT NULL, x REAL, y REAL, z REAL
);
CREATE TABLE occurrences (
    row INTEGER NOT NULL, date TEXT NOT NULL, day INTEGER NOT NULL, block INTEGER NOT NULL, is_listed INTEGER NOT NULL,
    is_free INTEGER, categories INTEGER NOT NULL, age_low INTEGER NOT NULL, age_high INTEGER NOT NULL,
    age_bits INTEGER NOT NULL, price_bit INTEGER NOT NULL, organization INTEGER
);
CREATE TABLE organizations (number INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, body TEXT);
CREATE TABLE buckets (dimension TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL, bit INTEGER NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61');
