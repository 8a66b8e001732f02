"""Whatever happens to a deployment, its readers get what a build from nothing gives them, and what a build takes from
the previous release is what it would make again."""

from pathlib import Path
from random import Random

from outings.release.pointer import list_releases
from tests.simulation.builds import Life
from tests.simulation.deployment import find_differences

STEPS = 4


def test_a_deployment_that_lived_gives_what_a_build_from_nothing_gives(tmp_path: Path, cases: int) -> None:
    """A life takes seconds: of three cases one is lived."""
    for seed in range(max(1, cases - 2)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        life, different = live(folder, seed=seed)
        assert different == [], (seed, life.log, different[:9])


def live(folder: Path, *, seed: int, steps: int = STEPS) -> tuple[Life, list[str]]:
    """Return the life, and what differs: between releases with and without reuse, then from a build from nothing."""
    life = Life(folder, Random(seed))
    life.build()
    for _ in range(steps - 1):
        life.act()
        life.act()
        life.build()
    life.act()
    forgetful = life.forget(folder)
    life.build()
    # A feed that fails has nothing but its records of before, so they are not forgotten.
    if not any(feed.is_failing for feed in life.feeds):
        forgetful.tables, forgetful.files = life.deployment.tables, life.deployment.files
        forgetful.build(life.day, "--allow-shrink")
        roots = [next(list_releases(deployment.store)).root for deployment in (life.deployment, forgetful)]
        if roots[0] != roots[1]:
            return life, ["the release differs without reuse"]
    twin = life.build_from_nothing(folder)
    return life, [*find_differences(life.deployment.read_answers(life.day), twin.read_answers(life.day))]
