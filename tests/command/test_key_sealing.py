"""Hashes of keys under a secret of the environment: what a reader of the registry can't guess, servers still know."""

import hmac
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from edge.serving.worker import make_served_edge
from outings.keys.key_text import Seal
from outings.keys.registry import Registry, read_registry
from outings.release.folder import FolderStore
from tests.command.conftest import Run, read_json
from tests.edge.asking import ask

VARIABLE = "OUTINGS_EDGE_LEGACY_KEY_SECRET"
SECRET, OTHER = "a-secret-of-thirty-two-characters", "another-one-of-thirty-two-letters"
LEGACY = "summer2019"

SetSecret = Callable[[str | None], None]


@pytest.fixture
def set_secret(monkeypatch: pytest.MonkeyPatch) -> SetSecret:
    def set_(secret: str | None) -> None:
        if secret is None:
            monkeypatch.delenv(VARIABLE, raising=False)
        else:
            monkeypatch.setenv(VARIABLE, secret)

    return set_


def import_legacy(run: Run, text: str = LEGACY) -> str:
    made: dict[str, str] = read_json(run("keys", "import", "--plan", "standard", "--json", given=text))
    return made["id"]


def read_kept(config: Path) -> Registry:
    return read_registry(FolderStore(config.parent / "store"))[0]


def read_text(config: Path) -> str:
    return (config.parent / "store/keys.json").read_text()


def is_known(config: Path, key: str) -> bool:
    """To a server: without a release it has no other answer for whom it knows."""
    edge = make_served_edge(config)
    try:
        edge.poll()
        status = ask(edge, "/v1/metros", key=key).status
    finally:
        edge.close()
    assert status in (401, 503)
    return status == 503


def test_an_imported_key_is_kept_under_the_secret_and_known_by_it_alone(
    run: Run, config: Path, set_secret: SetSecret
) -> None:
    set_secret(SECRET)
    id_ = import_legacy(run)
    digest = sha256(LEGACY.encode()).digest()
    kept = read_kept(config).by_id[id_].hash
    assert kept.rpartition(":")[2] == hmac.new(SECRET.encode(), digest, sha256).hexdigest()
    for readable in (LEGACY, digest.hex(), SECRET):
        assert readable not in read_text(config)
    assert is_known(config, LEGACY)
    assert not is_known(config, "summer2020")
    for wrong in (None, OTHER):
        set_secret(wrong)
        assert not is_known(config, LEGACY)


def test_a_registry_of_before_is_sealed_without_any_text(run: Run, config: Path, set_secret: SetSecret) -> None:
    own = read_json(run("keys", "create", "--plan", "free", "--json"))
    warned = run("keys", "import", "--plan", "standard", "--json", given=LEGACY)
    id_ = json.loads(warned.stdout)["id"]
    assert VARIABLE in warned.stderr
    assert is_known(config, LEGACY)
    before = read_kept(config)
    set_secret(SECRET)
    # What is not sealed yet goes on as it is.
    assert is_known(config, LEGACY)
    report = read_json(run("keys", "seal", "--json"))
    assert report == {"sealed": 2, "keys": 2}
    text = read_text(config)
    assert [each for each in (own["id"], id_) if before.by_id[each].hash in text] == []
    assert [is_known(config, each) for each in (LEGACY, own["key"])] == [True, True]
    assert read_json(run("keys", "seal", "--json")) == {"sealed": 0, "keys": 2}
    assert read_text(config) == text
    # A sealed key is imported once, as a plain one is; and what it may is as it was.
    again = run("keys", "import", "--plan", "free", given=LEGACY)
    assert again.exit_code == 2
    assert id_ in again.stderr
    assert {name: getattr(read_kept(config).by_id[id_], name) for name in ("plan", "client", "slot", "created_at")} == {
        name: getattr(before.by_id[id_], name) for name in ("plan", "client", "slot", "created_at")
    }


def test_some_keys_are_sealed_by_their_ids(run: Run, config: Path, set_secret: SetSecret) -> None:
    own = read_json(run("keys", "create", "--plan", "free", "--json"))
    id_ = import_legacy(run)
    set_secret(SECRET)
    assert read_json(run("keys", "seal", id_, "--json")) == {"sealed": 1, "keys": 2}
    kept = read_kept(config)
    assert kept.by_id[own["id"]].hash == sha256(own["key"].encode()).hexdigest()
    assert kept.by_id[id_].hash.startswith("hmac:")
    nobody = run("keys", "seal", "nobody00")
    assert (nobody.exit_code, "nobody00" in nobody.stderr) == (2, True)


def test_a_secret_is_never_another_one(run: Run, config: Path, set_secret: SetSecret) -> None:
    set_secret(SECRET)
    import_legacy(run)
    before = read_text(config)
    for wrong in (OTHER, None):
        set_secret(wrong)
        for words in (("keys", "import", "--plan", "free"), ("keys", "seal")):
            refused = run(*words, given="winter2019")
            assert (refused.exit_code, refused.stdout) == (2, "")
            assert "legacy_key_secret" in refused.stderr
            assert OTHER not in refused.stderr
    assert read_text(config) == before


def test_a_key_that_is_rotated_needs_no_secret(run: Run, config: Path, set_secret: SetSecret) -> None:
    set_secret(SECRET)
    new = read_json(run("keys", "rotate", import_legacy(run), "--json"))
    set_secret(None)
    assert is_known(config, new["key"])
    assert not is_known(config, LEGACY)


def test_a_secret_that_could_be_guessed_itself_is_refused_and_not_shown(run: Run, set_secret: SetSecret) -> None:
    set_secret("guess-me")
    refused = run("keys", "list")
    assert refused.exit_code == 2
    assert "edge.legacy_key_secret" in refused.stderr
    assert "32" in refused.stderr
    assert "guess-me" not in refused.stderr


def test_no_secret_means_no_seal() -> None:
    assert Seal(SECRET).name != Seal(OTHER).name
    assert Seal(SECRET).close(Seal(OTHER).close("00" * 32)) == Seal(OTHER).close("00" * 32)
