CREATE UNIQUE INDEX ON documents (id) INCLUDE (row);

-- The order of a list, singles and series apart: a single is on its one date, a series is asked for its dates.
CREATE INDEX ON listings (starts_at, id) INCLUDE (row, first_on, is_free, categories, age_low, age_high, x, y, z)
    WHERE type = 0 AND is_listed AND NOT is_recurring;
CREATE INDEX ON listings (starts_at, id) INCLUDE (row, first_on, last_on, is_free, categories, age_low, age_high, x, y, z)
    WHERE type = 0 AND is_listed AND is_recurring;
CREATE INDEX ON listings (type, updated_at, id) INCLUDE (row) WHERE is_listed;
CREATE INDEX ON listings USING gist (spot) WHERE type = 0 AND is_listed;
CREATE INDEX ON listings USING gin (words) WITH (fastupdate = off) WHERE type = 0 AND is_listed;

INSERT INTO categorized
    SELECT b.bit, l.row, l.id, l.starts_at, l.is_recurring, l.first_on, l.last_on, l.is_free, l.age_low, l.age_high,
        l.x, l.y, l.z
    FROM listings l JOIN buckets b ON b.dimension = 'category' AND l.categories & b.bit <> 0
    WHERE l.type = 0 AND l.is_listed AND l.first_on IS NOT NULL
    ORDER BY 1, 3, 2;
CREATE INDEX ON categorized (category, is_free, starts_at, id) INCLUDE (row, first_on, age_low, age_high, x, y, z)
    WHERE NOT is_recurring;
CREATE INDEX ON categorized (category, is_free, starts_at, id) INCLUDE (row, last_on, age_low, age_high, x, y, z)
    WHERE is_recurring;

CREATE INDEX ON occurrences (row, date);
CREATE INDEX ON occurrences (date)
    INCLUDE (row, day, block, is_free, categories, age_low, age_high, price_bit)
    WHERE is_listed;

ANALYZE;
