-- Seattle Parks and Recreation's activity catalogue: one row is one class, or one of the few camps.
-- What a row does not say stays null.
WITH
-- The city's own category gives ours; its mixed ones (Drop-In, Enrichment, Hobbies, …) are told by the name alone.
city_categories (city_category, category) AS (
    VALUES
        ('Aquatics', 'swim_water'), ('Boating', 'swim_water'), ('Boating', 'sports_active_play'),
        ('Athletics - Instruction', 'sports_active_play'),
        ('Athletics - Leagues & Tournaments', 'sports_active_play'),
        ('Fitness, Health & Wellness', 'sports_active_play'), ('Martial Arts & Self-Defense', 'sports_active_play'),
        ('Arts - Visual/Crafts', 'arts_creative'), ('Nature & the Environment', 'nature_outdoors')
),

name_words (pattern, category) AS (
    VALUES
        ('swim|\baqua|\bpool\b|lifeguard|\bdiv(e|ing)\b|water fitness', 'swim_water'),
        ('danc|ballet|\btap and jazz|zumba|gymnast|hip-?pop|bollywood', 'dance_gymnastics'),
        ('piano|guitar|ukulele|\bdrum|voice lesson|music|silver sounds|symphony', 'music_movement'),
        ('pottery|\bclay\b|paint|draw(ing)?\b|craft|watercolor|\barts?\b|crochet|embroider|mending|fiber|carpentry',
            'arts_creative'),
        ('cook|\bbak(e|ing)\b|\bcake\b|\bchef\b|chocolate|falafel|meal planning|pancake|buffet', 'food_cooking'),
        ('robot|coding|\bsteam\b|math|microbe', 'stem_discovery'),
        ('book (club|group)|\bread(ing)?\b|\bstory\b|writing|poetry', 'storytime_books'),
        ('\bnature\b|garden|\bbirds?\b|birding|\bowls?\b|forest|\btrees?\b|snowshoe|tidepool|waterbird|wetland|\bhike\b|\bwalk\b',
            'nature_outdoors'),
        ('\bbirds?\b|birding|\bowls?\b|amphibian|waterbird|\banimal (adventures|mixed)', 'animals_farms'),
        ('english|spanish|mandarin|chinese|korean|\besl\b|\bell\b|lunar new year|medieval|dr\. king', 'language_culture'),
        ('basketball|soccer|tennis|pickleball|volleyball|badminton|open gym|fencing|karate|kwon do|kung|fitness|yoga|tai chi|sport',
            'sports_active_play'),
        ('tot room|open play|playland|teen room|social|hangout|\bgames?\b|game ?works|skyzone|bingo|chess|\bdnd\b|mah jong|coffee',
            'social_play_spaces'),
        ('parent.*(child|tot|\bme\b)|\bbab(y|ies)\b|\btots?\b|toddler', 'parent_baby'),
        ('museum|glass|klondike|aquarium', 'museums_exhibits'),
        ('movie|musical|improv|theatre', 'theater_shows'),
        ('celebration|mardi gras|lunar new year|valentine|sweethearts|festiv|new years', 'festivals_seasonal')
),

name_occasions (pattern, occasion) AS (
    VALUES
        ('valentine|sweethearts', 'valentines_day'), ('lunar new year', 'lunar_new_year'), ('new years dance', 'new_year')
),

-- Letters that the export lost: "Â½" and "Ã©" are UTF-8 read as Latin-1, and "?" stands for an apostrophe between a
-- word and its ending, or for a dash. A question mark at a question's end is left alone.
told AS (
    SELECT
        *,
        list_transform(
            [ActivityName, Description, FeeSummary],
            lambda t: nullif(trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
                replace(t, 'Ã©', 'é'),
                'Â([½®])', '\1', 'g'),
                '([A-Za-z])\?(s|t|ll|re|ve|d|m)\b', '\1’\2', 'g'),
                ' \? ', ' - ', 'g'),
                '([a-z]) ?\?([A-Z][a-z]|[a-z]{2})', '\1 - \2', 'g'),
                '\s+', ' ', 'g')), '')
        ) AS texts,
        -- A clock before five in the morning is a blank of the form ("12:30 AM" in all youth leagues), and where the
        -- text says that days and times are to be announced, what the form says of them is filler.
        regexp_matches(Description, 'DAYS (&|and) TIMES TBA') AS is_unscheduled,
        try_strptime(StartingTime, '%I:%M %p')::TIME AS start_clock,
        try_strptime(EndingTime, '%I:%M %p')::TIME AS end_clock,
        try_strptime(BeginningDate, '%m/%d/%Y')::DATE AS begins_on,
        try_strptime(EndingDate, '%m/%d/%Y')::DATE AS ends_on,
        CASE WHEN NumberOfDates > 0 THEN round(NumberOfHours * 60 / NumberOfDates)::INTEGER END AS minutes_each,
        -- "Unlimited" is a number of seats that is not stated.
        try_cast(trim(EnrollMax::VARCHAR, '"') AS INTEGER) - NumberEnrolled AS seats_left,
        ['M', 'Tu', 'W', 'Th', 'F', 'Sa', 'Su'] AS day_codes,
        ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] AS day_names,
        string_split_regex(trim(replace(WeekDays, 'Every day', 'M-Su')), '[\s,/]+') AS day_marks
    FROM feed
),

timed AS (
    SELECT
        * EXCLUDE (Description),
        -- "Learn To Swim? Adult Beginning": in a name no question is asked.
        regexp_replace(texts[1], '([a-z])\? ', '\1 - ', 'g') AS name,
        texts[2] AS description,
        texts[3] AS fees,
        CASE WHEN NOT is_unscheduled AND start_clock >= TIME '05:00' THEN start_clock END AS starts,
        (epoch(end_clock) - epoch(start_clock)) // 60 AS minutes,
        CategoryName = 'Drop-In Activities' OR ActivityName ILIKE '%drop-in%' OR ActivityName ILIKE '%drop in%' AS is_drop_in,
        -- "Camp Long" is a park.
        CategoryName = 'Camps' OR regexp_matches(ActivityName, '\bCamp\b(?: [^L]|$|\W? ?\()') AS is_camp,
        nullif(list_sort(list_distinct(list_transform(regexp_extract_all(texts[3], '\$([\d,]+\.\d\d)', 1),
            lambda amount: replace(amount, ',', '')::DOUBLE))), []) AS amounts,
        -- The community center that a location names, as the feed seattle-centers names it. "Ballard CC Gym at Ballard
        -- Community Center" names one; a pool, a park, an annex or "Location unspecified" names none.
        CASE
            -- Where a trip's bus stops is not where it is held.
            WHEN NOT regexp_matches(ActivityLocation, '(?i)pick[ -]?ups?\b') THEN nullif(regexp_extract(
                replace(replace(replace(replace(ActivityLocation,
                    'International District/Chinatown C.C.', 'International District Community Center'),
                    'Jefferson Community', 'Jefferson Park Community'),
                    'Pool & Community', 'Community'),
                    'Ravenna Eckstein', 'Ravenna-Eckstein'),
                '(?:^|.* at )((?:[A-Z][A-Za-z-]* )+Community Center)', 1), '')
        END AS center
    FROM told
),

-- A program's name without what changes from site to site and term to term: center, month, day, hour, session.
keyed AS (
    SELECT
        *,
        trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
            lower(name),
            '\d{1,2}(:\d\d)?( ?- ?\d{1,2}(:\d\d)?)? ?[ap]m\b', ' ', 'g'),
            '\bsess(ion)? ?#?(\d+[a-z]?|i{1,3}\b)|- i{1,3}$|#\d+|- ?[ab]\b', ' ', 'g'),
            '\b(alki|ballard|bitter lake|delridge|garfield|green lake|hiawatha|high point|idccc|jefferson|lake city|laurelhurst|lh|loyal heights|magnolia|magnuson|meadowbrook|miller|montlake|northgate|queen anne|rainier beach|rainier|ravenna(-eckstein)?|south park|southwest|van asselt|yesler)\b( cc\b| community center\b)?', ' ', 'g'),
            '\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|winter|spring|(mon|tues?|wed(nes)?|thu(r|rs)?|fri|sat(ur)?|sun)(days?)?|m|tu|t|w|th|f|sa|su|am|pm|mornings?|afternoons?|ages?|years?|olds?)\b|yrs?\b', ' ', 'g'),
            '[^a-z0-9+]+', ' ', 'g')) AS program_key,
        CASE
            WHEN starts IS NULL THEN NULL
            WHEN minutes > 0 THEN end_clock
            -- An end before the start is the next day's where the hours say so ("7:00 PM" to "12:00 AM", 5 hours each
            -- time); else the days differ in their hours, and which end is whose is not said.
            WHEN minutes < 0 AND minutes + 1440 = minutes_each THEN end_clock
        END AS ends,
        CASE WHEN is_unscheduled THEN [] ELSE list_filter(
            day_names,
            lambda day: list_has_any(
                [day],
                flatten(list_transform(
                    day_marks,
                    lambda mark: day_names[
                        coalesce(list_position(day_codes, split_part(mark, '-', 1)), 8)
                        : coalesce(list_position(day_codes, split_part(mark, '-', -1)), 0)
                    ]
                ))
            )
        ) END AS days,
        {
            'min': CASE WHEN AgesMin > 0 OR AgesMinMonth > 0 OR AgesMax > 0 THEN AgesMin END,
            -- 0 is no upper limit; any other is the first age that is too old.
            'max': CASE WHEN AgesMax > 0 THEN AgesMax - 1 END,
            'text': CASE
                WHEN AgesMinMonth > 0 THEN
                    'from ' || CASE WHEN AgesMin > 0 THEN AgesMin || ' years ' ELSE '' END || AgesMinMonth || ' months'
            END
        } AS ages,
        CASE
            -- "Member: Free. Non-member: $120.00": the price is what anyone pays; the note tells of the members.
            WHEN amounts IS NOT NULL THEN {
                'type': CASE
                    WHEN fees LIKE '%every 30 minutes%' THEN 'from' WHEN len(amounts) = 1 THEN 'fixed' ELSE 'range'
                END,
                'min': amounts[1],
                'max': CASE WHEN fees NOT LIKE '%every 30 minutes%' THEN amounts[-1] END,
                'scope': CASE WHEN is_drop_in OR fees LIKE '%every 30 minutes%' THEN 'session' ELSE 'program' END,
                'note': fees, 'currency': 'USD'
            }
            WHEN fees IN ('Free', 'Standard charge: Free') THEN {
                'type': 'free', 'min': 0, 'max': 0,
                'scope': CASE WHEN is_drop_in THEN 'session' ELSE 'program' END,
                'note': NULL, 'currency': 'USD'
            }
            -- "Standard charge: No Online Registration" says neither a price nor that there is none.
        END AS price,
        {
            'url': CASE WHEN FeeSummary NOT LIKE '%No Online Registration%' THEN PublicURL END,
            'status': CASE WHEN seats_left <= 0 THEN 'full' END,
            'spots_remaining': CASE WHEN seats_left IS NOT NULL THEN greatest(seats_left, 0) END,
            'has_spots_available': seats_left > 0
        } AS registration
    FROM timed
)

SELECT
    CASE WHEN is_camp THEN 'camp' ELSE 'class' END AS type,
    Activity_ID::VARCHAR AS source_id,
    name,
    description,
    (
        SELECT coalesce(list(DISTINCT category ORDER BY category), [])
        FROM (
            SELECT category FROM city_categories WHERE city_category = CategoryName
            UNION ALL SELECT category FROM name_words WHERE regexp_matches(lower(name), pattern)
        )
    ) AS categories,
    list_filter(
        [CategoryName, nullif(OtherCategoryName, ''), nullif("Type", 'Activity')], lambda word: word IS NOT NULL
    ) AS keywords,
    ages,
    [lower(split_part(SeasonName, ' ', 1))] AS seasons,
    CASE WHEN center IS NOT NULL THEN {'name': center} END AS place,
    CASE WHEN center IS NULL AND ActivityLocation NOT IN ('Location unspecified', 'various') THEN
        {'address': regexp_replace(ActivityLocation, '\s+', ' ', 'g')}
    END AS location,
    price,
    registration,
    {'url': PublicURL} AS source,
    -- What only a class has.
    CASE WHEN NOT is_camp THEN nullif(program_key, '') END AS program_key,
    CASE WHEN NOT is_camp THEN {
        'enrollment_type': CASE WHEN is_drop_in THEN 'drop_in' WHEN seats_left IS NOT NULL THEN 'registration' END
    } END AS program,
    CASE WHEN NOT is_camp THEN {
        'name': ChildSeasonName, 'starts_on': begins_on, 'ends_on': ends_on, 'total_classes': nullif(NumberOfDates, 0)
    } END AS term,
    CASE WHEN NOT is_camp THEN {
        'type': CASE
            WHEN is_drop_in THEN 'drop_in'
            WHEN NumberOfDates = 1 THEN 'one_time'
            WHEN NumberOfDates > 1 AND ends_on - begins_on < 7 THEN 'multi_day'
            WHEN NumberOfDates > 1 AND len(days) > 0 THEN 'weekly'
        END,
        'days': days,
        'start_time': starts::VARCHAR,
        'end_time': ends::VARCHAR,
        'duration_minutes': CASE WHEN ends IS NOT NULL AND (minutes + 1440) % 1440 = minutes_each THEN minutes_each END,
        'is_recurring': CASE WHEN NumberOfDates > 0 THEN NumberOfDates > 1 END,
        -- The room: the place says the rest.
        'notes': CASE WHEN center IS NOT NULL THEN ActivityLocation END
    } END AS schedule,
    CASE WHEN NOT is_camp AND price IS NOT NULL THEN {
        'amount': CASE WHEN price.type IN ('fixed', 'free') THEN price.min END,
        'from': CASE WHEN price.type IN ('range', 'from') THEN price.min END,
        'text': fees,
        'drop_in_price': CASE WHEN is_drop_in AND price.type IN ('fixed', 'free') THEN price.min END,
        'currency': 'USD'
    } END AS tuition,
    CASE WHEN NOT is_camp THEN (
        SELECT coalesce(list(DISTINCT occasion ORDER BY occasion), [])
        FROM name_occasions WHERE regexp_matches(lower(name), pattern)
    ) END AS occasions,
    -- What only a camp has: a row is its one session.
    CASE WHEN is_camp THEN CASE WHEN minutes_each >= 360 THEN 'day' ELSE 'half_day' END END AS camp_type,
    CASE WHEN is_camp THEN year(begins_on) END AS year,
    CASE WHEN is_camp THEN [{
        'id': NULL, 'starts_on': begins_on, 'ends_on': ends_on, 'days': days,
        'start_time': starts::VARCHAR, 'end_time': ends::VARCHAR,
        'ages': ages, 'price': price, 'registration': registration
    }] END AS sessions
FROM keyed
ORDER BY Activity_ID
