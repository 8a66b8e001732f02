CREATE UNIQUE INDEX documents_id ON documents (id);
CREATE INDEX listings_single ON listings (starts_at, id, first_on) WHERE type = 0 AND is_listed AND NOT is_recurring;
CREATE INDEX listings_series ON listings (starts_at, id, last_on) WHERE type = 0 AND is_listed AND is_recurring;
CREATE INDEX listings_sync ON listings (type, updated_at, id) WHERE is_listed;
INSERT INTO categorized
    SELECT b.bit, l.is_recurring, l.is_free, l.starts_at, l.id, l.row, l.first_on, l.last_on, l.age_low, l.age_high,
        l.x, l.y, l.z
    FROM listings l JOIN buckets b ON b.dimension = 'category' AND l.categories & b.bit <> 0
    WHERE l.type = 0 AND l.is_listed AND l.first_on IS NOT NULL;
CREATE INDEX categorized_order ON categorized (
    category, is_recurring, is_free, starts_at, id, first_on, last_on, age_low, age_high, x, y, z, row
);
CREATE INDEX occurrences_row ON occurrences (row, date);
CREATE INDEX occurrences_date ON occurrences (
    date, row, day, block, is_free, categories, age_low, age_high, age_bits, price_bit, organization
) WHERE is_listed;
ANALYZE;
