-- NYC's playgrounds, courts, spray showers, pools and recreation centers: one row, one place.
-- What a row does not say stays null: it has no opening hours, no price and no ages.
WITH
-- Three names and some addresses carry HTML entities.
decoded AS (
    SELECT * REPLACE (
        replace(replace(replace(name, '&rsquo;', '’'), '&ndash;', '–'), '&amp;', '&') AS name,
        trim(replace(loc, '&amp;', '&')) AS loc,
        nullif(size, '') AS size
    )
    FROM feed
)

SELECT
    'place' AS type,
    -- The export has no id. What it is, in which property and where exactly names one thing (names repeat: a park has
    -- dozens of courts); a pool's size tells two pools at one point apart. Five spray showers are in it twice, alike
    -- in everything: they get one id and are merged, as the report says.
    concat_ws(':', kind, prop, c[1]::VARCHAR || ',' || c[2]::VARCHAR, size) AS source_id,
    -- Courts and showers carry their park's name alone: say what they are, or a list shows "Marine Park" 75 times.
    CASE
        WHEN kind = 'court' AND name NOT ILIKE '%court' AND name NOT ILIKE '%courts' THEN
            name || ': ' || concat_ws(' ', lower(array_to_string(sports, ' and ')), 'court')
        WHEN kind = 'spray' THEN name || ': spray shower'
        -- "Claremont Pool", but "Tony Dapolito Outdoor Pool Pool".
        ELSE regexp_replace(name, 'Pool Pool$', 'Pool')
    END AS name,
    CASE kind
        WHEN 'playground' THEN ['social_play_spaces', 'sports_active_play']
        WHEN 'spray' THEN ['swim_water']
        WHEN 'pool' THEN ['swim_water']
        ELSE ['sports_active_play']
    END AS categories,
    list_filter(
        list_concat(
            [
                CASE kind WHEN 'spray' THEN 'spray shower' WHEN 'rec' THEN 'recreation center' ELSE kind END,
                rectype, nullif(boro, ''), CASE WHEN src = 'school' THEN 'schoolyard' END
            ],
            sports
        ),
        lambda word: word IS NOT NULL
    ) AS keywords,
    CASE
        WHEN kind IN ('playground', 'pool') THEN kind
        WHEN rectype = 'Field House' THEN 'sports_center'
        WHEN kind = 'rec' THEN 'community_center'
        -- A court or a shower is a part of the park that it is named after.
        ELSE 'park'
    END AS type_hint,
    -- What is stated of it, as one line: "Full Court, Asphalt, lit", "75' x 60' x 3.5'".
    nullif(
        concat_ws(
            ', ',
            CASE WHEN dim NOT IN ('', 'Unknown') AND NOT list_contains(sports, dim) THEN dim END,
            nullif(surface, ''), size, rectype,
            CASE WHEN lit THEN 'lit' END,
            CASE WHEN acc THEN 'accessible' || coalesce(' (level ' || acclvl || ')', '') END
        ),
        ''
    ) AS type_hint_notes,
    -- Playgrounds and spray showers stand in the open. Of courts and pools the export does not say.
    CASE WHEN kind IN ('playground', 'spray') THEN true END AS is_outdoor,
    {
        'address': nullif(concat_ws(', ', nullif(loc, ''), nullif(boro, '')), ''),
        'city': 'New York', 'state': 'NY',
        -- Here the pair is [latitude, longitude], the other way round than in GeoJSON.
        'lat': c[1], 'lng': c[2]
    } AS location
FROM decoded
ORDER BY source_id
