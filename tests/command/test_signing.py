"""Signed releases by the commands: build, rollback and sign write them, verify tells of them; wrong keys are exit 2."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from command import main
from command.sample_cities import write_world
from outings.release.folder import FolderStore
from pipeline import building
from tests.faults.worlds import MONDAY, clock_of, copy_world, write_round
from tests.release.signing import ONE, OTHER, sign, write_keys, write_private, write_public

pytestmark = pytest.mark.xdist_group("signing")  # one worker builds the world
SIZE = 6


def run(config: Path, *words: str) -> Result:
    return CliRunner().invoke(main, [*words, "-c", str(config)])


def build(config: Path, number: int) -> Result:
    write_round(config, number)
    return run(config, "build", "--json", "--workers", "1", "--as-of", clock_of(number))


def read_pointer(config: Path) -> dict[str, Any]:
    pointer: dict[str, Any] = json.loads((config.parent / "var/store/current.json").read_text())
    return pointer


def put_keys(config: Path, lines: str) -> None:
    """Replace the keys in the configuration."""
    config.write_text(config.read_text().partition("\n[signing]")[0] + lines)


@pytest.fixture(scope="module")
def two_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two signed releases of two metros."""
    folder = tmp_path_factory.mktemp("signing") / "world"
    config = write_world(folder / "outings.toml", today=MONDAY, size=SIZE)
    put_keys(config, write_keys(folder))
    for number in (0, 1):
        result = build(config, number)
        assert result.exit_code == 0, result.stderr
    return config


@pytest.fixture
def world(two_built: Path, tmp_path: Path) -> Path:
    config = copy_world(two_built, tmp_path / "world")
    put_keys(config, write_keys(config.parent))
    return config


def check_wrong(result: Result, *message: str, code: int = 1) -> None:
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert all(word in result.stderr for word in message), result.stderr
    assert "Traceback" not in result.stderr
    assert "--traceback" not in result.stderr


@pytest.mark.long
def test_a_build_and_a_rollback_sign_and_verify_tells_what_it_checked(world: Path) -> None:
    assert read_pointer(world) == sign(read_pointer(world), key=ONE)
    ids = [release["id"] for release in json.loads(run(world, "releases", "list", "--json").stdout)["releases"]]
    rolled = run(world, "releases", "rollback", ids[1], "--json")
    assert rolled.exit_code == 0, rolled.stderr
    assert read_pointer(world) == sign(read_pointer(world), key=ONE)
    result = run(world, "releases", "verify")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[:3]] == [json.loads(rolled.stdout)["release"], *ids]
    assert "The pointer is signed by key 34750f98bd59fcfc, which is trusted." in lines
    report = json.loads(run(world, "releases", "verify", "--json").stdout)
    assert report["signed_by"] == "34750f98bd59fcfc"
    objects = list((world.parent / "var/store/objects").glob("*/*"))
    assert (report["right"], report["objects"]) == (True, len(objects))
    assert report["bytes"] == sum(path.stat().st_size for path in objects)


def test_verify_prints_the_first_thing_wrong_and_is_exit_1(world: Path) -> None:
    path = max((world.parent / "var/store/objects").glob("*/*"), key=lambda path: path.stat().st_size)
    path.write_bytes(path.read_bytes()[:-1])
    result = run(world, "releases", "verify", "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert (report["right"], path.name in report["wrong"]) == (False, True)
    plain = run(world, "releases", "verify")
    assert (plain.exit_code, path.name in plain.stderr) == (1, True)


@pytest.mark.parametrize("how", ["unsigned", "another's", "older"])
def test_nothing_is_built_on_rolled_back_to_or_pruned_by_a_pointer_that_is_not_believed(how: str, world: Path) -> None:
    pointer = read_pointer(world)
    forged = {
        "unsigned": {name: value for name, value in pointer.items() if name != "signature"},
        "another's": sign(pointer, key=OTHER),
        "older": {**pointer, "sequence": 1},
    }[how]
    path = world.parent / "var/store/current.json"
    path.write_text(json.dumps(forged))
    before = {path: path.read_bytes() for path in (world.parent / "var/store").rglob("*") if path.is_file()}
    first = f"2-{pointer['root'][:8]}"
    for words in (("build", "--json", "--workers", "1"), ("releases", "rollback", first), ("releases", "prune"),
                  ("releases", "verify")):  # fmt: skip
        check_wrong(run(world, *words), "current.json", "34750f98bd59fcfc")
    assert {path: path.read_bytes() for path in (world.parent / "var/store").rglob("*") if path.is_file()} == before


def test_an_unsigned_store_begins_to_be_signed_by_one_command(world: Path) -> None:
    """The same command helps if the key is lost: the owner of the new key vouches for the release that it verified."""
    put_keys(world, "")
    unsigned = build(world, 2)
    assert unsigned.exit_code == 0, unsigned.stderr
    assert "signature" not in read_pointer(world)
    put_keys(world, write_keys(world.parent, key=OTHER))
    check_wrong(build(world, 3), "is not signed")
    result = run(world, "releases", "sign", "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["of"], report["release"][:2]) == (json.loads(unsigned.stdout)["release"], "4-")
    assert read_pointer(world) == sign(read_pointer(world), key=OTHER)
    assert build(world, 3).exit_code == 0
    assert json.loads(run(world, "releases", "verify", "--json").stdout)["signed_by"] == "6a3803d5f059902a"


def test_what_is_not_whole_is_not_signed(world: Path) -> None:
    path = next((world.parent / "var/store/objects").glob("*/*"))
    path.write_bytes(b"something else")
    before = read_pointer(world)
    check_wrong(run(world, "releases", "sign"), path.name)
    assert read_pointer(world) == before


@pytest.mark.long
def test_without_keys_builds_are_byte_for_byte_what_signed_ones_are_without_their_signature(
    two_built: Path, tmp_path: Path
) -> None:
    config = write_world(tmp_path / "world" / "outings.toml", today=MONDAY, size=SIZE)
    for number in (0, 1):
        assert build(config, number).exit_code == 0
    stores = [FolderStore(entry.parent / "var/store") for entry in (config, two_built)]
    plain, signed = ({entry.name: store.get(entry.name) for entry in store.list("")} for store in stores)
    pointer = json.loads(signed["current.json"])
    del pointer["signature"]
    signed["current.json"] = json.dumps(pointer, sort_keys=True, separators=(",", ":")).encode()
    assert plain == signed
    assert "was not checked" in run(config, "releases", "verify").stdout


def test_a_key_in_the_environment_signs_and_goes_to_no_worker(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    run_feed_task, run_metro_task = building.try_feed_task, building.run_metro_task
    monkeypatch.setattr(building, "try_feed_task", lambda work: (sent.append(work), run_feed_task(work))[1])
    monkeypatch.setattr(building, "run_metro_task", lambda work: (sent.append(work), run_metro_task(work))[1])
    put_keys(world, "")
    monkeypatch.setenv("OUTINGS_SIGNING_KEY", write_private(ONE))
    monkeypatch.setenv("OUTINGS_SIGNING_PUBLIC_KEY", write_public(OTHER, ONE))
    result = build(world, 2)
    assert result.exit_code == 0, result.stderr
    assert read_pointer(world) == sign(read_pointer(world), key=ONE)
    assert len(sent) == 4
    assert "PRIVATE KEY" not in repr(sent)


Damage = Callable[[Path], None]
WRONG: dict[str, tuple[Damage, tuple[str, ...]]] = {
    "only a public key": (lambda folder: (folder / "private.pem").unlink(), ("private.pem", "No such file")),
    "no PEM": (lambda folder: (folder / "private.pem").write_text("hello") and None, ("private.pem", "allowed")),
    "keys of two pairs": (
        lambda folder: (folder / "public.pem").write_text(write_public(OTHER)) and None,
        ("34750f98bd59fcfc", "6a3803d5f059902a", "allowed"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("damage", "message"), WRONG.values(), ids=WRONG)
def test_wrong_keys_are_exit_2_before_anything_is_done(damage: Damage, message: tuple[str, ...], world: Path) -> None:
    shutil.rmtree(world.parent / "var/store")
    damage(world.parent)
    for words in (("build",), ("check",), ("releases", "sign"), ("releases", "rollback", "1-0a1b2c3d")):
        check_wrong(run(world, *words), *message, code=2)
    assert not (world.parent / "var/store").exists()


def test_a_public_key_alone_is_enough_for_who_looks_and_too_little_for_who_publishes(world: Path) -> None:
    put_keys(world, '\n[signing]\npublic_key = "public.pem"\n')
    check_wrong(build(world, 2), "has a public_key and no key", code=2)
    check_wrong(run(world, "releases", "sign"), "has a public_key and no key", code=2)
    for words in (("check",), ("releases", "verify"), ("releases", "list"), ("releases", "prune")):
        assert run(world, *words).exit_code == 0
    put_keys(world, '\n[signing]\nkey = ""\npublic_key = ""\n')
    check_wrong(run(world, "releases", "sign"), "[signing] key is missing", code=2)


def test_a_server_with_a_wrong_public_key_does_not_start(world: Path) -> None:
    (world.parent / "public.pem").write_text(write_private(ONE))
    check_wrong(run(world, "serve", "--port", "0"), "public.pem", "PRIVATE KEY", "allowed", code=2)
