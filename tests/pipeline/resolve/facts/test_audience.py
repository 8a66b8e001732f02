"""Whom a listing is for: what people would say of it, and the rule that has to say so."""

from typing import Any

import pytest

from outings.contract.languages.language import Language, read_shipped_language
from outings.contract.languages.word_lists import AudienceWords
from outings.contract.resources.shared import AgeRange
from outings.texts.age_phrases import AgeSpan
from pipeline.records.record import EventRecord
from pipeline.resolve.facts.audience import AudienceClassifier, Verdict, judge_ages, read_classifier


def make(name: str = "Meeting", description: str | None = None, **members: Any) -> EventRecord:
    return EventRecord(feed="f", line=1, type="event", source_id="1", name=name, description=description, **members)


def judge(name: str = "Meeting", description: str | None = None, **members: Any) -> Verdict:
    return read_classifier(None).judge(make(name, description, **members))


NAMES = [
    ("Concert in the Park", "all_ages", "nothing_said"),
    ("Toddler Storytime", "kids", "kids_in_name"),
    ("TODDLER STORYTIME", "kids", "kids_in_name"),
    ("Kids’ Night at the Museum", "kids", "kids_in_name"),
    ("Kid's Day", "kids", "kids_in_name"),
    ("Kidney Health Fair", "all_ages", "nothing_said"),
    ("Childress Lecture", "all_ages", "nothing_said"),
    ("Kids' wine-cork crafts", "kids", "kids_in_name"),
    ("Wine-cork crafts", "all_ages", "nothing_said"),
    ("Wine Tasting at the Conservatory", "adults", "adults_in_name"),
    ("Wine & Cheese", "adults", "adults_in_name"),
    ("Root Beer Float Social", "all_ages", "nothing_said"),
    ("Happy Hour Trivia", "adults", "adults_in_name"),
    ("Pub Quiz", "adults", "adults_in_name"),
    ("Ladies' Night", "adults", "adults_in_name"),
    ("Adult Swim Lessons", "adults", "adults_in_name"),
    ("Adults Only Lap Swim", "adults", "adults_only_in_name"),
    ("Adults-only evening", "adults", "adults_only_in_name"),
    ("Adultery in Opera: a Talk", "all_ages", "nothing_said"),
    ("Adult Salmon Return to the Creek", "all_ages", "nothing_said"),
    ("Not Only for Adults: Puppets", "all_ages", "nothing_said"),
    ("Parent and Child Swim", "families", "families_in_name"),
    ("Parent/Tot Gym", "families", "families_in_name"),
    ("Adult + Child Clay", "families", "families_in_name"),
    ("Adult & Child Pottery", "families", "families_in_name"),
    ("Mommy & Me Yoga", "families", "families_in_name"),
    ("Family Skate", "families", "families_in_name"),
    ("Family-Style Dinner: Wine Pairing", "adults", "adults_in_name"),
    ("Family Tree Research", "all_ages", "nothing_said"),
    ("Grandparents and Grandkids Hike", "families", "families_in_name"),
    ("Teen Open Mic", "teens", "teens_in_name"),
    ("Teens and Adults: Wheel Throwing", "teens", "teens_in_name"),
    ("Young Adult Book Club", "teens", "teens_in_name"),
    ("Middle School Robotics", "teens", "teens_in_name"),
    ("Youth Basketball", "kids", "kids_in_name"),
    ("Seniors' Tai Chi", "adults", "adults_in_name"),
    ("Senior Cardio Sculpt", "adults", "adults_in_name"),
    ("High School Seniors: Prom Prep", "all_ages", "nothing_said"),
    ("Talk with a Senior Curator", "all_ages", "nothing_said"),
    ("Older Adults Walking Group", "adults", "adults_in_name"),
    ("Line Dance 50+", "adults", "ages_in_name"),
    ("All Ages Drop-in", "all_ages", "all_ages_in_name"),
    ("All-Ages Bike Ride", "all_ages", "all_ages_in_name"),
    ("21+ Comedy", "all_ages", "nothing_said"),
    ("Comedy Show (21+)", "adults", "ages_in_name"),
    ("21+ Night at the Zoo", "adults", "ages_in_name"),
    ("21+ Only: Zoo After Dark", "adults", "adults_only_in_name"),
    ("21+ activities for kids", "kids", "kids_in_name"),
    ("21+ activities", "all_ages", "nothing_said"),
    ("18 and over volleyball", "adults", "ages_in_name"),
    ("Zine Making, ages 18 & up", "adults", "ages_in_name"),
    ("Pottery (Ages 5-8)", "kids", "ages_in_name"),
    ("Gym, ages 18 mo–3 yrs", "kids", "ages_in_name"),
    ("Music, 6-18 months", "kids", "ages_in_name"),
    ("Swim 12 & under", "kids", "ages_in_name"),
    ("Climbing 16+", "teens", "ages_in_name"),
    ("Archery, ages 8 and up", "families", "ages_in_name"),
    ("Run 18 Miles", "all_ages", "nothing_said"),
    ("Parents' Night Out", "kids", "kids_in_name"),
    ("Girls' Night Out", "adults", "adults_in_name"),
    ("Café con niños", "all_ages", "nothing_said"),
    ("Semana Santa Procession", "all_ages", "nothing_said"),
    ("Santa Monica Pier Concert", "all_ages", "nothing_said"),
    ("Concert at Santa María", "all_ages", "nothing_said"),
    ("Breakfast with Santa", "kids", "kids_in_name"),
    ("Santa's Workshop", "kids", "kids_in_name"),
    ("Narcotics Anonymous", "adults", "adults_in_name"),
    ("Al-Anon Family Groups", "adults", "adults_in_name"),
    ("Boys Basketball (13 yrs)", "teens", "ages_in_name"),
    ("Boys Basketball (10 yrs)", "kids", "kids_in_name"),
    ("Rowing: Novice Girls (13-19)", "teens", "ages_in_name"),
    ("2.5 18+ Volleys Clinic", "adults", "ages_in_name"),
    ("Team Fee (2-3 Courts)", "all_ages", "nothing_said"),
    ("Three-Year-Old Aquatics", "kids", "kids_in_name"),
    # Adults are found in any language that ships; others only in the metro's own.
    ("Cata de vinos", "adults", "adults_in_name"),
    ("Solo para adultos: monólogos", "adults", "adults_only_in_name"),
    ("Taller para niños y adultos", "all_ages", "nothing_said"),
    ("Títeres para niños", "all_ages", "nothing_said"),
]


@pytest.mark.parametrize(("name", "audience", "rule"), NAMES)
def test_a_name_says_whom_a_listing_is_for(name: str, audience: str, rule: str) -> None:
    assert judge(name) == Verdict(audience=audience, rule=rule)


DESCRIPTIONS = [
    ("Fun for the whole family.", "families", "families_in_description"),
    ("Family-friendly! Beer garden (21+).", "families", "families_in_description"),
    ("Kids and adults will love it.", "families", "families_in_description"),
    ("Not just for kids: adults and children dance.", "families", "families_in_description"),
    ("All ages and abilities.", "all_ages", "all_ages_in_description"),
    ("A class for adults of all ages.", "adults", "adults_in_description"),
    ("For adults only.", "adults", "adults_only_in_description"),
    ("No kids allowed!", "adults", "adults_only_in_description"),
    ("Not suitable for children.", "adults", "adults_only_in_description"),
    ("Not only for adults.", "all_ages", "nothing_said"),
    ("Must be accompanied by an adult.", "all_ages", "nothing_said"),
    ("Seats 3 adults and 2 dogs.", "all_ages", "nothing_said"),
    ("Ages 21 and over.", "adults", "ages_in_description"),
    ("You must be 21 to enter.", "adults", "ages_in_description"),
    ("Snacks, soft drinks and alcoholic beverages (for those 21+) are sold.", "all_ages", "nothing_said"),
    ("Participants 18 and over must sign a waiver.", "all_ages", "nothing_said"),
    ("Riders must be 48 inches tall.", "all_ages", "nothing_said"),
    ("Tickets are $21+ at the door.", "all_ages", "nothing_said"),
    ("Doors at 18:00, until 21.", "all_ages", "nothing_said"),
    ("Open to groups of 10 and over.", "all_ages", "nothing_said"),
    ("Ages 10 and older welcome with an adult.", "families", "ages_in_description"),
    ("Ideal for children ages three to six with an adult.", "kids", "ages_in_description"),
    ("For ages 6 to 13. Class size: 20.", "kids", "ages_in_description"),
    ("Recommended for ages 13-17.", "teens", "ages_in_description"),
    ("Babies 6-18 months old.", "kids", "ages_in_description"),
    ("Taught by artists with 2-3 years of practice.", "all_ages", "nothing_said"),
    ("Ages 3-5 and ages 21+ have their own tables.", "kids", "ages_in_description"),
    ("Songs for children.", "kids", "kids_in_description"),
    ("Your child will learn to paint.", "kids", "kids_in_description"),
    ("Chess for teens.", "teens", "teens_in_description"),
    ("A wine tasting with a view.", "adults", "adults_in_description"),
    ("Happy hour at five.", "adults", "adults_in_description"),
    ("A workshop for seniors.", "adults", "adults_in_description"),
    ("Beginners, older adults, anyone who likes to move.", "all_ages", "nothing_said"),
    ("The children's author is now an adult.", "all_ages", "nothing_said"),
    ("Some material may not be suitable for children.", "all_ages", "nothing_said"),
    ("Solo mayores de 18.", "adults", "adults_only_in_description"),
    ("Taller para adultos.", "adults", "adults_in_description"),
    ("Niños de 3 a 6 años acompañados de un adulto.", "all_ages", "nothing_said"),
    ("x" * 5000 + " For adults only.", "all_ages", "nothing_said"),
]


@pytest.mark.parametrize(
    ("description", "audience", "rule"), DESCRIPTIONS, ids=[description[0][:50] for description in DESCRIPTIONS]
)
def test_a_description_says_whom_a_listing_is_for(description: str, audience: str, rule: str) -> None:
    assert judge(description=description) == Verdict(audience=audience, rule=rule)


SPANISH = [
    ("Cuentacuentos", None, "kids"),
    ("Taller de robótica", "De 8 a 12 años.", "kids"),
    ("Taller de robótica", "A partir de 14 años.", "teens"),
    ("Teatro", "A partir de 6 años.", "families"),
    ("Teatro", "Mayores de 18 años.", "adults"),
    ("Teatro", "Todos los públicos.", "all_ages"),
    ("Semana Santa", "Procesión por el centro.", "all_ages"),
    ("Danza en familia", None, "families"),
    ("Plaza Mayor: concierto", None, "all_ages"),
    ("Monólogos", "Solo mayores de 18.", "adults"),
    ("Yoga", "Dirigido a adultos.", "adults"),
    ("Narcóticos Anónimos", None, "adults"),
    ("Yoga para mayores", None, "adults"),
    ("Concierto", "Los menores irán acompañados de un adulto.", "all_ages"),
    ("Bebecuentos", "Para bebés con un adulto.", "kids"),
    ("Adults Only Night", None, "adults"),
    ("Kids' Day", None, "all_ages"),
]


@pytest.mark.parametrize(("name", "description", "audience"), SPANISH)
def test_in_a_spanish_metro_spanish_words_say_whom_a_listing_is_for(
    name: str, description: str | None, audience: str
) -> None:
    assert read_classifier(read_shipped_language("es")).judge(make(name, description)).audience == audience


def test_a_language_without_audiences_hears_adults_alone() -> None:
    other = Language(code="pt")
    names = ("Kids' Day", "Wine Tasting", "Cata de vinos")
    assert [read_classifier(other).judge(make(name)).audience for name in names] == ["all_ages", "adults", "adults"]


@pytest.mark.parametrize(
    ("low", "high", "audience", "rule"),
    [
        (None, None, "all_ages", "nothing_said"),
        (0, 3, "kids", "ages_stated"),
        (None, 12, "kids", "ages_stated"),
        (3, 12, "kids", "ages_stated"),
        (6, 17, "kids", "ages_stated"),
        (13, 17, "teens", "ages_stated"),
        (14, None, "teens", "ages_stated"),
        (17, 25, "teens", "ages_stated"),
        (18, None, "adults", "adult_ages_stated"),
        (18, 18, "adults", "adult_ages_stated"),
        (50, 99, "adults", "adult_ages_stated"),
        (5, None, "families", "open_ages_stated"),
        (5, 99, "families", "open_ages_stated"),
        (0, None, "all_ages", "open_ages_stated"),
        (None, 99, "all_ages", "open_ages_stated"),
    ],
)
def test_stated_ages_say_whom_a_listing_is_for(low: int | None, high: int | None, audience: str, rule: str) -> None:
    assert judge(ages=AgeRange(min=low, max=high)) == Verdict(audience=audience, rule=rule)


@pytest.mark.parametrize(
    ("members", "audience", "rule"),
    [
        ({"name": "Kids' Fair", "adults_only": True}, "adults", "adults_only_stated"),
        ({"adults_only": True, "ages": AgeRange(min=3, max=5)}, "adults", "adults_only_stated"),
        ({"name": "Wine Tasting", "adults_only": False}, "all_ages", "nothing_said"),
        ({"name": "Adults Only", "description": "For kids.", "adults_only": False}, "kids", "kids_in_description"),
        ({"ages": AgeRange(min=21), "adults_only": False}, "all_ages", "nothing_said"),
        ({"name": "Family History", "ages": AgeRange(min=18)}, "adults", "adult_ages_stated"),
        ({"name": "Family Swim", "ages": AgeRange(min=0, max=5)}, "families", "families_in_name"),
        ({"name": "Adult Table Tennis", "ages": AgeRange(min=11)}, "adults", "adults_in_name"),
        ({"description": "For adults only.", "ages": AgeRange(min=3, max=5)}, "kids", "ages_stated"),
        ({"description": "Ages 18+.", "ages": AgeRange(min=10)}, "families", "open_ages_stated"),
        ({"description": "For children.", "ages": AgeRange(min=0)}, "kids", "kids_in_description"),
        ({"name": "Trivia (21+)", "description": "Fun for the whole family."}, "adults", "ages_in_name"),
        ({"keywords": ("Best for Kids", "Sports")}, "kids", "kids_in_keywords"),
        ({"name": "Senior Cardio", "keywords": ("Best for Kids",)}, "adults", "adults_in_name"),
        ({"name": "Tai Chi", "keywords": ("Fitness", "Seniors")}, "adults", "adults_in_keywords"),
        ({"name": "Campout", "keywords": ("Family Camping",)}, "families", "families_in_keywords"),
        ({"keywords": ("Teen Programs",), "description": "For adults."}, "teens", "teens_in_keywords"),
        ({"keywords": ("Best", "for", "Kidneys")}, "all_ages", "nothing_said"),
        ({"keywords": ("Best for Kids",), "adults_only": True}, "adults", "adults_only_stated"),
        ({"name": "Wine Tasting", "audience": "families"}, "families", "audience_stated"),
        ({"name": "Kids' Day", "audience": "teens"}, "teens", "audience_stated"),
        ({"name": "Adults Only Swim", "audience": "kids"}, "adults", "adults_only_in_name"),
        ({"audience": "kids", "description": "Solo para mayores de 18."}, "adults", "adults_only_in_description"),
        ({"audience": "kids", "ages": AgeRange(min=21)}, "adults", "adult_ages_stated"),
        ({"name": "Adults Only Swim", "audience": "kids", "adults_only": False}, "kids", "audience_stated"),
        ({"audience": "kids", "adults_only": True}, "adults", "adults_only_stated"),
    ],
)
def test_the_first_rule_that_applies_decides(members: dict[str, Any], audience: str, rule: str) -> None:
    assert judge(**members) == Verdict(audience=audience, rule=rule)


@pytest.mark.parametrize(
    ("spans", "audience"),
    [
        ([], None),
        ([AgeSpan(None, None)], None),
        ([AgeSpan(3, 5), AgeSpan(21, None)], "kids"),
        ([AgeSpan(3, 5), AgeSpan(9, 14)], "kids"),
        ([AgeSpan(3, 5), AgeSpan(9, None)], "families"),
        ([AgeSpan(18, None), AgeSpan(21, None)], "adults"),
        ([AgeSpan(13, 15), AgeSpan(16, None)], "teens"),
    ],
)
def test_several_ages_are_judged_together(spans: list[AgeSpan], audience: str | None) -> None:
    assert judge_ages(spans) == audience


def test_another_file_of_rules_gives_other_verdicts() -> None:
    content = """
        rules = [{ name = "dogs", field = "name", phrases = "dogs", audience = "families" }]
    """
    words = AudienceWords(phrases={"ignored": ("hot dogs",), "dogs": ("{dog|dogs} {walk|}",)})
    rules = AudienceClassifier(content.encode(), Language(code="xx", audience=words))
    assert [rules.judge(make(name)).rule for name in ("Dog Walk", "Dogs!", "Hot Dogs", "Doges")] == [
        "dogs", "dogs", "nothing_said", "nothing_said",
    ]  # fmt: skip


def test_a_text_says_the_same_again_and_in_each_member_what_it_says_there() -> None:
    def judge_each() -> list[str]:
        return [
            judge("Wine and ages 3-5").rule, judge(description="Wine and ages 3-5").rule,
            judge(keywords=("Wine and ages 3-5",)).rule, judge("Wine and ages 3-5", ages=AgeRange(min=30)).rule,
        ]  # fmt: skip

    first = judge_each()
    assert len(set(first)) > 1
    assert judge_each() == first
