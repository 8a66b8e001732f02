-- The peer's tables: one narrow row a listing for finding, documents ready as text beside it, occurrences by date with
-- what counting needs of their event, so that counts read one index and no table.

CREATE TABLE documents (
    row integer PRIMARY KEY,
    id uuid NOT NULL,
    type smallint NOT NULL,
    status smallint NOT NULL,
    -- UTF-8 as it is sent: what the driver hands over needs no decoding.
    body bytea NOT NULL
) WITH (toast_tuple_target = 8160);
ALTER TABLE documents ALTER COLUMN body SET STORAGE EXTERNAL;

-- For `fields`, which takes documents apart.
CREATE TABLE members (row integer PRIMARY KEY, document jsonb NOT NULL) WITH (toast_tuple_target = 8160);

CREATE TABLE listings (
    row integer PRIMARY KEY,
    id uuid NOT NULL,
    type smallint NOT NULL,
    status smallint NOT NULL,
    audience smallint NOT NULL,
    confidence double precision NOT NULL,
    updated_at bigint NOT NULL,
    starts_at bigint,
    is_recurring boolean,
    first_on date,
    last_on date,
    is_free boolean,
    is_indoor boolean,
    is_listed boolean NOT NULL,
    categories bigint NOT NULL,
    age_low smallint NOT NULL,
    age_high smallint NOT NULL,
    organization integer,
    spot point,
    x double precision,
    y double precision,
    z double precision,
    words tsvector
);

-- An event once for each of its categories, so that those of one category stand side by side in the list's order.
CREATE TABLE categorized (
    category bigint NOT NULL,
    row integer NOT NULL,
    id uuid NOT NULL,
    starts_at bigint NOT NULL,
    is_recurring boolean NOT NULL,
    first_on date NOT NULL,
    last_on date NOT NULL,
    is_free boolean,
    age_low smallint NOT NULL,
    age_high smallint NOT NULL,
    x double precision,
    y double precision,
    z double precision
);

CREATE TABLE occurrences (
    row integer NOT NULL,
    date date NOT NULL,
    day smallint NOT NULL,
    block smallint NOT NULL,
    is_listed boolean NOT NULL,
    is_free boolean,
    categories bigint NOT NULL,
    age_low smallint NOT NULL,
    age_high smallint NOT NULL,
    price_bit smallint NOT NULL
);

CREATE TABLE organizations (
    number integer PRIMARY KEY,
    id uuid NOT NULL,
    name text NOT NULL,
    body bytea
) WITH (toast_tuple_target = 8160);
ALTER TABLE organizations ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE buckets (dimension text NOT NULL, position smallint NOT NULL, value text NOT NULL, bit bigint NOT NULL);
