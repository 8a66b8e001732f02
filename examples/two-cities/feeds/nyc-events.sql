-- NYC Parks public events (NYC Open Data, w3wp-dpdi): one row of the CSV is one event.
-- All columns arrive as text. What a row does not say stays null.
WITH
-- The city's category words in ours. Words that say nothing of what one does there (Volunteer, Tours, Workshops,
-- Best for Kids, …) have no row here: like all of them they go into `keywords`, which search reads.
words (word, category) AS (
    VALUES
        ('Art', 'arts_creative'), ('Arts & Crafts', 'arts_creative'), ('Arts, Culture & Fun Series', 'arts_creative'),
        ('Sports', 'sports_active_play'), ('Fitness', 'sports_active_play'), ('Exercise Classes', 'sports_active_play'),
        ('Outdoor Fitness', 'sports_active_play'), ('Shape Up NYC', 'sports_active_play'),
        ('Summer Sports Experience', 'sports_active_play'), ('Social Sports', 'sports_active_play'),
        ('Sports Camps', 'sports_active_play'), ('Yoga & Pilates Classes', 'sports_active_play'),
        ('Basketball/Netball', 'sports_active_play'), ('Football', 'sports_active_play'),
        ('Soccer', 'sports_active_play'), ('Pickleball', 'sports_active_play'), ('Track & Field', 'sports_active_play'),
        ('Martial Arts', 'sports_active_play'), ('Running/Jogging', 'sports_active_play'),
        ('Walking', 'sports_active_play'), ('Strength Training/Weightlifting', 'sports_active_play'),
        ('Adventure Courses/Rock Climbing', 'sports_active_play'), ('NYC Parks Fitness Expo', 'sports_active_play'),
        ('Games', 'social_play_spaces'),
        ('Concerts', 'music_movement'), ('Free Summer Concerts', 'music_movement'),
        ('Dance', 'dance_gymnastics'), ('Dance Classes', 'dance_gymnastics'),
        ('Film', 'theater_shows'), ('Free Summer Movies', 'theater_shows'), ('Movies Under the Stars', 'theater_shows'),
        ('Theater', 'theater_shows'), ('Free Summer Theater', 'theater_shows'),
        ('Shakespeare in the Parks', 'theater_shows'),
        ('Swimming/Aquatics', 'swim_water'), ('Kayaking and Canoeing', 'swim_water'),
        ('Kayaking and Canoeing', 'nature_outdoors'), ('Nature', 'nature_outdoors'), ('Hiking', 'nature_outdoors'),
        ('Gardening', 'nature_outdoors'), ('Waterfront', 'nature_outdoors'), ('Fishing', 'nature_outdoors'),
        ('It''s My Park', 'nature_outdoors'), ('Urban Park Rangers', 'nature_outdoors'),
        ('Family Camping with the Urban Park Rangers', 'nature_outdoors'),
        ('Wildlife', 'animals_farms'), ('Birding', 'animals_farms'),
        ('STEM Classes', 'stem_discovery'), ('Astronomy', 'stem_discovery'),
        ('Food', 'food_cooking'), ('Markets', 'food_cooking'),
        ('Festivals', 'festivals_seasonal'), ('Fourth of July', 'festivals_seasonal'),
        ('Father''s Day', 'festivals_seasonal'), ('Valentine''s Day', 'festivals_seasonal'),
        ('History', 'language_culture'), ('Native American Heritage Month', 'language_culture')
),

occasion_words (word, occasion) AS (
    VALUES ('Fourth of July', 'independence_day'), ('Father''s Day', 'fathers_day'), ('Valentine''s Day', 'valentines_day')
),

-- HTML entities, the blanks among them, and the name that an e-mail program left at the head of 32 descriptions.
decoded AS (
    SELECT
        * EXCLUDE (title, description, parknames, location),
        list_transform(
            [title, description, parknames, location],
            lambda t: nullif(trim(regexp_replace(regexp_replace(
                replace(replace(replace(
                    list_reduce(
                        regexp_extract_all(t, '&#(\d+);', 1),
                        lambda text, code: replace(text, '&#' || code || ';', chr(code::INTEGER)),
                        t
                    ),
                    '&nbsp;', ' '), '&gt;', '>'), '&amp;', '&'),
                '^\?[^?]{1,60}\(Parks\)\?', ''),
                '[\s\x{A0}\x{202F}]+', ' ', 'g')), '')
        ) AS texts
    FROM feed
),

told AS (
    SELECT
        *,
        texts[1] AS title, texts[2] AS description, texts[3] AS parks, texts[4] AS spot,
        concat_ws('. ', texts[1], texts[2]) AS story,
        list_transform(string_split(categories, '|'), lambda w: trim(w)) AS city_words,
        -- The date inside starttime and endtime is mostly the day of the export: only their clocks are true.
        try_strptime(startdate || ' ' || starttime[12:], '%m/%d/%Y %H:%M:%S') AS starts,
        try_strptime(enddate || ' ' || endtime[12:], '%m/%d/%Y %H:%M:%S') AS ends,
        -- "lat, lng; lat, lng; …": the first is the first place that `location` names.
        string_split(split_part(coordinates, ';', 1), ',') AS point,
        texts[4] = 'Virtual/Online Events' AS is_virtual
    FROM decoded
),

-- Ages, where the text says them: "ages 5-12", "8 – 11 yrs", "from 1 1/2 to 5 years old"; "ages 8 and older", "15+";
-- "children 5 and under". Not "under 13" of a film's rating, nor who must bring a parent.
aged AS (
    SELECT
        *,
        regexp_extract_all(
            story,
            '(?i)\bage[sd]?:? \d{1,2} ?(?:-|–|to|and) ?\d{1,2}|\b\d{1,2} ?[-–] ?\d{1,2} (?:yrs|years)\b|\bfrom \d{1,2}(?: 1/2)? to \d{1,2} years old|\bage[sd]?:? \d{1,2}(?:\+| (?:years )?(?:and|or|&) (?:older|over|up)\b)|\b(?:minimum of|at least) \d{1,2} years old|\bmust be \d{1,2}\+|\bchildren \d{1,2} and under'
        ) AS said_ages
    FROM told
),

counted AS (
    SELECT
        *,
        list_transform(
            list_filter(said_ages, lambda said: NOT said ILIKE '%under'),
            lambda said: regexp_extract(said, '\d+')::INTEGER
        ) AS lows,
        list_transform(
            list_filter(said_ages, lambda said: said ILIKE '%under' OR regexp_matches(said, '\d\D+\d')),
            lambda said: regexp_extract(said, '(\d+)\D*$', 1)::INTEGER
        ) AS highs,
        -- "Free" of the price, not of a copy of the book, a free form dance or a little free library.
        regexp_matches(
            regexp_replace(story, '(?i)free[ -]form|free (copy|books?|library)|(feel|provided) free|[a-z]-free', '', 'g'),
            '(?i)\bfree\b'
        ) OR categories LIKE '%Free Summer%' OR coalesce(registration_description, '') ILIKE '%free%' AS says_free,
        -- An amount is a price where it is one for something: "$29 for a Single Surrey", not "$30 million".
        regexp_extract_all(story, '\$(\d+(?:\.\d\d)?) (?:for|per|each)\b', 1)::DOUBLE[] AS amounts
    FROM aged
)

SELECT
    'event' AS type,
    replace(guid, ',', '') AS source_id,
    regexp_replace(title, '^CANCELED: ', '') AS name,
    CASE WHEN title LIKE 'CANCELED: %' THEN 'archived' ELSE 'published' END AS status,
    CASE WHEN title LIKE 'CANCELED: %' THEN 'cancelled' END AS reason,
    description,
    (
        SELECT coalesce(list(DISTINCT category ORDER BY category), [])
        FROM (
            SELECT category FROM words WHERE list_contains(city_words, word)
            UNION ALL SELECT 'storytime_books' WHERE regexp_matches(title, '(?i)story ?time|story hour|meets books')
            UNION ALL SELECT 'parent_baby' WHERE regexp_matches(title, '(?i)parents? (&|and) tots?|bab(y|ies)|toddler')
            UNION ALL SELECT 'museums_exhibits' WHERE regexp_matches(title, '(?i)exhibit|museum')
        )
    ) AS categories,
    list_concat(city_words, CASE WHEN parks IS NULL THEN [] ELSE string_split(parks, ', ') END) AS keywords,
    -- A start that can't be read is handed on as it is, so that the row is reported and not made dateless.
    coalesce(strftime(starts, '%Y-%m-%dT%H:%M:%S'), startdate || ' ' || starttime) AS starts_local,
    -- Four rows end before they start. Camping begins in the evening and ends the next morning; a paint day
    -- "10:30 to 00:30" says no end that can be believed.
    strftime(
        CASE
            WHEN ends > starts THEN ends
            WHEN starts::TIME >= TIME '17:00' AND ends::TIME <= TIME '12:00' THEN ends + INTERVAL 1 DAY
        END,
        '%Y-%m-%dT%H:%M:%S'
    ) AS ends_local,
    CASE
        WHEN len(amounts) > 0 THEN {
            'type': CASE WHEN list_min(amounts) = list_max(amounts) THEN 'fixed' ELSE 'range' END,
            'min': list_min(amounts), 'max': list_max(amounts), 'scope': NULL,
            'note': trim(regexp_extract(description, '[^.!?]*\$\d[^.!?]*')), 'currency': 'USD'
        }
        WHEN story ILIKE '%pay what you can%' THEN {
            'type': 'donation', 'min': NULL, 'max': NULL, 'scope': 'admission',
            'note': 'Pay what you can', 'currency': 'USD'
        }
        WHEN says_free THEN {
            'type': 'free', 'min': 0, 'max': 0, 'scope': 'admission', 'note': NULL, 'currency': 'USD'
        }
    END AS price,
    {
        'min': list_min(lows),
        'max': list_max(highs),
        'text': coalesce(said_ages[1], nullif(regexp_extract(story, '(?i)\ball ages\b'), ''))
    } AS ages,
    (
        SELECT coalesce(list(DISTINCT occasion ORDER BY occasion), [])
        FROM (
            SELECT occasion FROM occasion_words WHERE list_contains(city_words, word)
            UNION ALL SELECT 'back_to_school' WHERE title ILIKE '%back to school%'
        )
    ) AS occasions,
    CASE WHEN categories LIKE '%Summer%' OR title ILIKE '%summer%' THEN ['summer'] ELSE [] END AS seasons,
    nullif(trim(registration_url), '') AS registration_url,
    CASE
        WHEN regexp_matches(registration_description, '(?i)^(registration not required|no rsvp needed)') THEN false
        WHEN regexp_matches(
            registration_description,
            '(?i)^registration (has begun|begins|is closed|is required|for this event is full|required)|reservations are required'
        ) THEN true
    END AS registration_required,
    CASE WHEN registration_description LIKE 'Registration for this event is full%' THEN true END AS is_sold_out,
    -- The same files are served over https, which a page read over https needs.
    replace(nullif(trim(image), ''), 'http://www.nycgovparks.org', 'https://www.nycgovparks.org') AS image_url,
    CASE
        -- What is held online carries the office's coordinates: it is held nowhere.
        WHEN is_virtual THEN {'address': spot, 'city': NULL, 'state': NULL, 'lat': NULL, 'lng': NULL}
        WHEN spot IS NOT NULL OR len(point) = 2 THEN {
            'address': spot, 'city': 'New York', 'state': 'NY',
            'lat': try_cast(point[1] AS DOUBLE), 'lng': try_cast(point[2] AS DOUBLE)
        }
    END AS location,
    {
        'url': replace(link, 'http://www.nycgovparks.org', 'https://www.nycgovparks.org'),
        -- pubDate is when the city wrote the export, in its own time.
        'crawled_at': strftime(
            (pubDate::TIMESTAMP AT TIME ZONE 'America/New_York') AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ'
        )
    } AS source
FROM counted
ORDER BY source_id
