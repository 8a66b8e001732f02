-- Seattle's community centers: one row, one place.
WITH
rows AS (
    SELECT
        *,
        -- A blank, or 0, is a point that the city did not give.
        nullif(try_cast("Latitude"::VARCHAR AS DOUBLE), 0) AS lat,
        nullif(try_cast("Longitude"::VARCHAR AS DOUBLE), 0) AS lng,
        -- A center has two seasons of hours; the second one only where it is named.
        [
            ('Mon', "Open Hours on Monday (2)"), ('Tue', "Open Hours on Tuesday (2)"),
            ('Wed', "Open Hours on Wednesday (2)"), ('Thu', "Open Hours on Thursday (2)"),
            ('Fri', "Open Hours on Friday (2)"), ('Sat', "Open Hours on Saturday (2)"),
            ('Sun', "Open Hours on Sunday (2)")
        ] AS second_season
    FROM feed
)

SELECT
    'place' AS type,
    "GLOBALID"::VARCHAR AS source_id,
    name,
    -- Said here, because seattle-activities refers to a center by its slug.
    lower(regexp_replace(name, '[^A-Za-z]+', '-', 'g')) AS slug,
    'community_center' AS type_hint,
    nullif("Notice", '') AS type_hint_notes,
    CASE
        WHEN name LIKE '%Cultural Arts%' THEN ['arts_creative', 'theater_shows']
        ELSE ['social_play_spaces', 'sports_active_play']
    END AS categories,
    list_filter(['community center', nullif(replace("Short Name", '\', ''), '')], lambda word: word IS NOT NULL) AS keywords,
    -- "No" is closed; "Yes" without hours says no hours.
    {
        'monday': CASE "Open on Monday" WHEN 'No' THEN 'Closed' ELSE nullif("Open Hours on Monday", '') END,
        'tuesday': CASE "Open on Tuesday" WHEN 'No' THEN 'Closed' ELSE nullif("Open Hours on Tuesday", '') END,
        'wednesday': CASE "Open on Wednesday" WHEN 'No' THEN 'Closed' ELSE nullif("Open Hours on Wednesday", '') END,
        'thursday': CASE "Open on Thursday" WHEN 'No' THEN 'Closed' ELSE nullif("Open Hours on Thursday", '') END,
        'friday': CASE "Open on Friday" WHEN 'No' THEN 'Closed' ELSE nullif("Open Hours on Friday", '') END,
        'saturday': CASE "Open on Saturday" WHEN 'No' THEN 'Closed' ELSE nullif("Open Hours on Saturday", '') END,
        'sunday': CASE "Open on Sunday" WHEN 'No' THEN 'Closed' ELSE nullif("Open Hours on Sunday", '') END,
        'notes': nullif(concat_ws('; ', nullif("Open Status", ''), nullif("Scheduling Season", '')), ''),
        'exceptions': CASE
            WHEN "Scheduling Season (2)" <> '' THEN "Scheduling Season (2)" || ': ' || array_to_string(
                list_transform(
                    list_filter(second_season, lambda day: day[2] <> ''),
                    lambda day: day[1] || ' ' || day[2]
                ),
                ', '
            )
        END
    } AS hours,
    nullif("Website Link", '') AS website_url,
    {
        'address': regexp_replace(trim("Address"), '\s+', ' ', 'g') || ', Seattle, WA',
        'street_address': regexp_replace(trim("Address"), '\s+', ' ', 'g'),
        'city': 'Seattle', 'state': 'WA',
        'lat': CASE WHEN lng IS NOT NULL THEN lat END, 'lng': CASE WHEN lat IS NOT NULL THEN lng END
    } AS location,
    {'url': nullif("Website Link", '')} AS source
FROM rows
ORDER BY source_id
