"""schema.org's and OpenActive's types → the type of a record, and what else a type says."""

from collections.abc import Iterable

from outings.contract.vocabulary import Vocabulary

# Events whose dates are those of what they are made of.
SERIES = frozenset({"EventSeries", "SessionSeries", "HeadlineEvent"})
_EVENTS = SERIES | {
    "Event", "ScheduledSession", "Festival", "Hackathon", "CourseSession",
}  # fmt: skip
_CLASSES = frozenset({"Course", "CourseInstance"})
# What a place's type is in our vocabulary; None: a place, of no kind that we have.
_PLACES: dict[str, str | None] = {
    "Place": None, "CivicStructure": None, "LocalBusiness": None, "LandmarksOrHistoricalBuildings": "attraction",
    "TouristAttraction": "attraction", "TouristDestination": "attraction", "AmusementPark": "attraction",
    "EventVenue": None, "Museum": "museum", "ArtGallery": "museum", "Library": "library", "Park": "park",
    "Beach": "park", "BodyOfWater": None, "Landform": None, "Campground": "park", "RVPark": None,
    "Playground": "playground", "Zoo": "zoo_aquarium", "Aquarium": "zoo_aquarium", "PerformingArtsTheater": "theater",
    "MovieTheater": "theater", "MusicVenue": "theater", "ComedyClub": "theater", "PublicSwimmingPool": "pool",
    "SportsActivityLocation": "sports_center", "StadiumOrArena": "sports_center", "BowlingAlley": "sports_center",
    "ExerciseGym": "sports_center", "HealthClub": "sports_center", "GolfCourse": "sports_center",
    "SkiResort": "sports_center", "SportsClub": "sports_center", "TennisComplex": "sports_center",
    "EntertainmentBusiness": None, "AdultEntertainment": None, "Casino": None, "NightClub": None,
    "FoodEstablishment": "store_cafe", "Bakery": "store_cafe", "BarOrPub": "store_cafe", "Brewery": "store_cafe",
    "CafeOrCoffeeShop": "store_cafe", "FastFoodRestaurant": "store_cafe", "IceCreamShop": "store_cafe",
    "Restaurant": "store_cafe", "Winery": "store_cafe", "Distillery": "store_cafe", "Store": "store_cafe",
    "BookStore": "store_cafe", "ToyStore": "store_cafe", "HobbyShop": "store_cafe", "ChildCare": None,
    "TouristInformationCenter": None, "PlaceOfWorship": None, "BuddhistTemple": None, "Church": None,
    "CatholicChurch": None, "HinduTemple": None, "Mosque": None, "Synagogue": None, "CityHall": None,
    "GovernmentBuilding": None, "LodgingBusiness": None, "FacilityUse": "sports_center",
    "IndividualFacilityUse": "sports_center",
}  # fmt: skip
_ORGANIZATIONS = frozenset(
    {
        "Organization", "Corporation", "EducationalOrganization", "School", "CollegeOrUniversity", "ElementarySchool",
        "HighSchool", "MiddleSchool", "Preschool", "GovernmentOrganization", "LibrarySystem", "NGO",
        "NewsMediaOrganization", "PerformingGroup", "DanceGroup", "MusicGroup", "TheaterGroup", "SportsOrganization",
        "SportsTeam", "OnlineBusiness", "OnlineStore", "Consortium", "WorkersUnion",
    }
)  # fmt: skip
# Of a page and its navigation, and what holds listings.
_FURNITURE = frozenset(
    {
        "WebSite", "BreadcrumbList", "ItemList", "ListItem", "DataFeed", "DataFeedItem", "Dataset", "DataCatalog",
        "WebPageElement", "SiteNavigationElement", "WPHeader", "WPFooter", "WPSideBar", "Person", "PostalAddress",
        "GeoCoordinates", "Offer", "AggregateOffer", "AggregateRating", "Rating", "Review",
    }
)  # fmt: skip
_CATEGORIES = {
    "MusicEvent": "music_movement", "DanceEvent": "dance_gymnastics", "TheaterEvent": "theater_shows",
    "ComedyEvent": "theater_shows", "ScreeningEvent": "theater_shows", "PerformingArtsEvent": "theater_shows",
    "VisualArtsEvent": "arts_creative", "ExhibitionEvent": "museums_exhibits", "Festival": "festivals_seasonal",
    "LiteraryEvent": "storytime_books", "FoodEvent": "food_cooking", "SportsEvent": "sports_active_play",
}  # fmt: skip
READ = "Event, EventSeries, Course, CourseInstance, Place, Organization and their subtypes"


def find_kind(types: Iterable[str]) -> str | None:
    """The type of the record that a node of these types is; None for one that is no listing. What happens is more
    than where it does, and a place more than who keeps it."""
    names = set(types)
    if names & _CLASSES:
        return "class"
    if names & _EVENTS or any(name.endswith("Event") for name in names):
        return "event"
    if names & _PLACES.keys():
        return "place"
    return "organization" if names & _ORGANIZATIONS else None


def find_passed(types: Iterable[str]) -> str | None:
    """The type of a node that is no listing and may have been meant as one: not what every page has beside them."""
    named = (name for name in types if name not in _FURNITURE and not name.endswith(("Page", "Action", "Object")))
    return next(named, None)


def find_type_hint(types: Iterable[str], vocabulary: Vocabulary) -> str | None:
    hints = [_PLACES.get(name) for name in types]
    return next((hint for hint in hints if hint in vocabulary.type_hints), None)


def list_type_categories(types: Iterable[str], vocabulary: Vocabulary) -> list[str]:
    categories = [_CATEGORIES.get(name) for name in types]
    return [name for name in categories if name is not None and name in vocabulary.categories]
