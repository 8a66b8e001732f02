"""Worlds whose listings state what coverage counts."""

from datetime import datetime, timedelta
from random import Random

from tests.answers.documents import make_neighborhood
from tests.answers.worlds import VERIFICATIONS, World

PATH = "/v1/harbor/coverage"


def enrich(world: World, random: Random) -> None:
    """Adds to a made-up world what coverage counts: images, verification, sources and the map's neighborhoods."""
    for listing in world.listings:
        ago = timedelta(hours=random.choice([-5, 0, 3, 24, 167, 168, 169, 500, 719, 720, 721, 2000]))
        instants = [f"{datetime(2026, 8, 10, 4) - ago + timedelta(seconds=late):%Y-%m-%dT%H:%M:%SZ}" for late in (0, 1)]
        listing["image_url"] = random.choice([None, "https://a.example/x.png"])
        listing["verified_at"] = random.choice([None, *instants])
        listing["confidence"] = random.choice([listing["confidence"], 0.333, 0.9999, 0])
        source = {"crawled_at": random.choice([None, *instants]), "status": random.choice([None, *VERIFICATIONS])}
        if random.random() < 0.8:
            world.sources[listing["id"]] = source
        if listing["type"] == "place":
            listing["hours"]["sunday"] = random.choice([None, "09:00-17:00"])
            listing["admission"]["type"] = random.choice([None, "free"])
    named = [("old-town", "Old Town"), ("sao-joao", "São João"), ("st-mark", "St. Mark's"), ("empty", "Empty")]
    for slug, name in named:
        world.neighborhoods.append(make_neighborhood(slug, name))
