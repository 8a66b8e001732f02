"""Subjects of the sample listings with their categories, and words to make up names."""

from msgspec import Struct


class Subject(Struct, frozen=True):
    """`ages` are the usual least and greatest, whole years."""

    name: str
    categories: tuple[str, ...]
    ages: tuple[int, int]
    sentence: str


EVENTS = (
    Subject("Toddler Storytime", ("storytime_books",), (1, 3), "Songs, rhymes and picture books on the rug."),
    Subject("Family Drum Circle", ("music_movement",), (3, 12), "Bring a drum or borrow one of ours."),
    Subject("Bird Walk", ("nature_outdoors", "animals_farms"), (5, 14), "Binoculars to share; dress for the weather."),
    Subject("Puppet Theater", ("theater_shows",), (3, 8), "Hand-made puppets tell an old tale in forty minutes."),
    Subject("Robot Night", ("stem_discovery",), (7, 13), "Build a small robot and race it down the hall."),
    Subject("Open Gym", ("sports_active_play",), (4, 12), "Mats, balls and a climbing wall, with staff to spot."),
    Subject("Harvest Fair", ("festivals_seasonal", "food_cooking"), (0, 17), "Cider, music and a hay maze, all ages."),
    Subject("Baby Play Morning", ("parent_baby", "social_play_spaces"), (0, 1), "Soft toys, coffee and company."),
    Subject("Museum Free Day", ("museums_exhibits",), (4, 17), "All galleries are open; guides answer questions."),
    Subject("Lunar Lantern Walk", ("language_culture", "festivals_seasonal"), (2, 12), "Make a lantern and carry it."),
)

GROWN_UP_EVENTS = (
    Subject("Wine Tasting 21+", ("food_cooking",), (21, 99), "Adults only. Six wines of the valley and bread."),
    Subject("Late Trivia, Adults Only", ("social_play_spaces",), (21, 99), "Teams of four, a full bar, no minors."),
)

CLASSES = (
    Subject("Swim Lessons", ("swim_water",), (3, 12), "Small groups by level in a warm pool."),
    Subject("Ballet", ("dance_gymnastics",), (4, 10), "Posture, rhythm and a recital at the end of term."),
    Subject("Pottery", ("arts_creative",), (6, 14), "Wheel and hand building; glazes and firing included."),
    Subject("Beginning Chess", ("stem_discovery",), (6, 12), "Openings, endings and friendly games."),
    Subject("Spanish for Families", ("language_culture",), (3, 10), "Parents and children learn together."),
    Subject("Guitar", ("music_movement",), (8, 16), "Chords and songs; instruments to borrow."),
)

CAMPS = (
    Subject("Forest Camp", ("nature_outdoors",), (5, 11), "Tracks, shelters and a stream, rain or shine."),
    Subject("Coding Camp", ("stem_discovery",), (8, 14), "Games and robots in pairs."),
    Subject("Theater Camp", ("theater_shows", "arts_creative"), (7, 15), "From first reading to a show on Friday."),
    Subject("Sailing Camp", ("swim_water", "sports_active_play"), (9, 16), "Dinghies, knots and a regatta."),
)

PLACES = (
    Subject("Children's Museum", ("museums_exhibits", "social_play_spaces"), (1, 10), "Hands-on rooms, three floors."),
    Subject("Branch Library", ("storytime_books",), (0, 17), "Books, a play corner and quiet rooms."),
    Subject("Playground", ("sports_active_play", "nature_outdoors"), (1, 12), "Swings, slides and shade."),
    Subject("Indoor Play Loft", ("social_play_spaces",), (0, 8), "Climbing nets and a ball pit; socks required."),
    Subject("Community Center", ("sports_active_play",), (0, 17), "Gym, pool and classrooms."),
    Subject("City Farm", ("animals_farms", "nature_outdoors"), (1, 12), "Goats, hens and a vegetable garden."),
)

TYPE_HINTS = ("museum", "library", "playground", "indoor_play", "community_center", "farm")

ORGANIZATIONS = (
    "Parks and Recreation", "Public Library", "Little Tide Studio", "Maple & Pine Learning Co.",
    "The Red Kite Players", "Harbor Swim School", "Tinker Works", "Neighbors Together",
)  # fmt: skip

STREETS = ("Alder St", "Birch Ave", "Cedar St", "Dogwood Ln", "Elm St", "Fir Ave", "Garden Way", "Hazel St")
NOTES = ("Bring water.", "Strollers welcome.", "Please arrive ten minutes early.", "No registration needed.", "")
