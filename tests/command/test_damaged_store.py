"""A store whose pointer is lost or broken: every command says so and changes nothing, and one command mends it."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from command import main
from command.sample_cities import write_world
from tests.faults.worlds import MONDAY, clock_of, copy_world, write_round
from tests.release.signing import ONE, sign, write_keys

pytestmark = pytest.mark.xdist_group("damaged-store")  # one worker builds the world


def run(config: Path, *words: str) -> Result:
    return CliRunner().invoke(main, [*words, "-c", str(config)])


def build(config: Path, number: int, *words: str) -> Result:
    return run(config, "build", "--json", "--workers", "1", "--as-of", clock_of(number), *words)


def store_of(config: Path) -> Path:
    return config.parent / "var/store"


def pointer_of(config: Path) -> Path:
    return store_of(config) / "current.json"


def root_of(config: Path, pointer: bytes) -> Path:
    sha: str = json.loads(pointer)["root"]
    return store_of(config) / "objects" / sha[:2] / sha


def read_store(config: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in store_of(config).rglob("*") if path.is_file()}


def list_releases(config: Path) -> list[str]:
    listed = run(config, "releases", "list", "--json")
    assert listed.exit_code == 0, listed.stderr
    return [release["id"] for release in json.loads(listed.stdout)["releases"]]


@pytest.fixture(scope="module")
def withdrawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two signed releases of two metros; the second is a takedown."""
    folder = tmp_path_factory.mktemp("damaged") / "world"
    config = write_world(folder / "outings.toml", today=MONDAY, size=6)
    config.write_text(config.read_text() + write_keys(folder))
    write_round(config, 0)
    assert build(config, 0).exit_code == 0
    queried = run(config, "query", "SELECT id FROM events ORDER BY id LIMIT 1", "--format", "csv")
    taken = run(config, "takedown", queried.stdout.split()[1], "--json")
    assert taken.exit_code == 0, taken.stderr
    return config


@pytest.fixture
def world(withdrawn: Path, tmp_path: Path) -> Path:
    config = copy_world(withdrawn, tmp_path / "world")
    config.write_text(config.read_text().partition("\n[signing]")[0] + write_keys(config.parent))
    return config


def check_refused(result: Result, *message: str, code: int = 3) -> None:
    assert result.exit_code == code, result.output
    assert all(word in result.stderr for word in message), result.stderr
    assert "--traceback" not in result.stderr


def test_a_store_with_releases_and_no_pointer_is_refused_by_every_command_and_stays_as_it_is(world: Path) -> None:
    first, second = list_releases(world)[::-1]
    pointer_of(world).unlink()
    before = read_store(world)
    for words in (
        ("build", "--workers", "1"), ("releases", "prune"), ("releases", "prune", "--clock-is-right"),
        ("releases", "rollback", first), ("takedown", "0d5c0000-0000-4000-8000-0000000000a1"),
        ("takedown", "--list"), ("releases", "list"), ("releases", "show", first), ("releases", "diff", first, second),
        ("releases", "verify"), ("releases", "sign"), ("query", "SELECT 1"), ("site", str(world.parent / "site")),
    ):  # fmt: skip
        check_refused(run(world, *words), "current.json", second, "`outings releases restore`", "--new-store")
    checked = run(world, "check", "--json")
    assert (checked.exit_code, json.loads(checked.stdout)["warnings"][0]["code"]) == (0, "store_unread")
    assert f"{second}: `outings releases restore`" in checked.stdout
    assert read_store(world) == before


def test_restore_writes_the_lost_pointer_again_byte_for_byte(world: Path) -> None:
    """The pointer has its old signature, so that servers and mirrors notice nothing, and withdrawn listings stay
    away."""
    before, releases = pointer_of(world).read_bytes(), list_releases(world)
    pointer_of(world).unlink()
    restored = run(world, "releases", "restore", "--json")
    assert restored.exit_code == 0, restored.stderr
    assert json.loads(restored.stdout) == {"release": releases[0], "skipped": []}
    assert pointer_of(world).read_bytes() == before
    assert json.loads(before) == sign(json.loads(before), key=ONE)
    assert list_releases(world) == releases
    assert len(json.loads(run(world, "takedown", "--list", "--json").stdout)["withdrawn"]) == 1
    again = run(world, "releases", "restore")
    check_refused(again, f"release {releases[0]} is in force")
    assert build(world, 1).exit_code == 0


@pytest.mark.parametrize("text", [b"", b"{", b'{"sequence": 1}'])
def test_a_pointer_that_is_torn_is_reported_with_what_to_do_and_restored(text: bytes, world: Path) -> None:
    before = pointer_of(world).read_bytes()
    pointer_of(world).write_bytes(text)
    check_refused(build(world, 1), "current.json", "`outings releases restore`", code=1)
    check_refused(run(world, "releases", "prune"), "current.json", "`outings releases restore`", code=1)
    assert pointer_of(world).read_bytes() == text
    assert run(world, "releases", "restore").exit_code == 0
    assert pointer_of(world).read_bytes() == before


def test_a_pointer_whose_root_is_gone_goes_back_to_the_release_before_and_tells_what_that_means(world: Path) -> None:
    """The command never goes back to a release that a takedown ended, but here nothing knows of one."""
    pointer = pointer_of(world).read_bytes()
    first = list_releases(world)[1]
    root_of(world, pointer).unlink()
    check_refused(build(world, 1), "current.json", "`outings releases restore`", code=1)
    restored = run(world, "releases", "restore")
    assert restored.exit_code == 0, restored.stderr
    assert first in restored.stdout
    assert "taken down" in restored.stderr
    assert list_releases(world) == [first]


def test_what_a_takedown_ended_is_not_restored_even_where_the_takedowns_release_is_damaged(world: Path) -> None:
    pointer = pointer_of(world).read_bytes()
    root = json.loads(root_of(world, pointer).read_bytes())
    sha = root["parts"]["seattle"]["manifest"]
    (store_of(world) / "objects" / sha[:2] / sha).unlink()
    pointer_of(world).unlink()
    check_refused(build(world, 1), "none of them is whole", "backup", "--new-store")
    refused = run(world, "releases", "restore")
    check_refused(refused, sha)
    assert not pointer_of(world).exists()


def test_of_two_roots_of_one_number_the_operator_names_the_one(world: Path, tmp_path: Path) -> None:
    """A build that was killed right before it published leaves one; nothing in the store says which was in force."""
    before, releases = pointer_of(world).read_bytes(), list_releases(world)
    other = copy_world(world, tmp_path / "other")
    for path in (pointer_of(other), root_of(other, before)):
        path.unlink()
    assert run(other, "releases", "restore").exit_code == 0
    write_round(other, 1)
    killed = json.loads(build(other, 1).stdout)["release"]
    shutil.copytree(store_of(other) / "objects", store_of(world) / "objects", dirs_exist_ok=True)
    pointer_of(world).unlink()
    check_refused(run(world, "releases", "restore"), releases[0], killed, "name the one")
    check_refused(run(world, "releases", "restore", "9-00000000"), "9-00000000", releases[0], killed)
    assert not pointer_of(world).exists()
    named = run(world, "releases", "restore", releases[0])
    assert named.exit_code == 0, named.stderr
    assert pointer_of(world).read_bytes() == before


def test_a_new_store_begins_where_the_operator_says_so_and_no_release_is_in_force(world: Path) -> None:
    current = list_releases(world)[0]
    check_refused(build(world, 1, "--new-store"), "--new-store", current)
    assert list_releases(world)[0] == current
    pointer_of(world).unlink()
    begun = build(world, 1, "--new-store")
    assert begun.exit_code == 0, begun.stderr
    assert list_releases(world) == [json.loads(begun.stdout)["release"]]
    assert list_releases(world)[0].startswith("1-")


def test_a_store_without_any_root_was_never_published_and_is_built_and_pruned_as_a_new_one(world: Path) -> None:
    """A first build that was killed leaves objects, and no root among them. Keys may be made before it."""
    for path in store_of(world).glob("objects/*/*"):
        if path.read_bytes().startswith(b'{"built_at"'):
            path.unlink()
    pointer_of(world).unlink()
    assert list_releases(world) == []
    check_refused(run(world, "releases", "restore"), "no release")
    assert run(world, "releases", "prune").exit_code == 0
    begun = build(world, 1)
    assert begun.exit_code == 0, begun.stderr
    assert json.loads(begun.stdout)["release"].startswith("1-")
