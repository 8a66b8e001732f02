"""`outings keys`: what it makes, shows and refuses."""

from pathlib import Path

import pytest

from outings.keys.registry import read_registry
from outings.release.folder import FolderStore
from tests.command.conftest import Run, read_json


def test_a_new_key_is_shown_once_with_all_that_it_may(run: Run, config: Path) -> None:
    made = read_json(
        run(
            *("keys", "create", "--plan", "standard", "--metro", "seattle", "--metro", "sea", "--type", "events"),
            *("--grant", "source", "--client", "acme", "--per-minute", "90", "--expires", "2199-01-31", "--json"),
        )
    )
    assert made["key"].startswith(f"ldk_{made['id']}_")
    assert made["created_at"].endswith("Z")
    assert {name: made[name] for name in made if name not in ("key", "id", "created_at")} == {
        "client": "acme",
        "plan": "standard",
        "metros": ["seattle"],
        "types": ["events"],
        "grants": ["source"],
        "per_minute": 90,
        "expires_at": "2199-01-31T00:00:00Z",
        "revoked_at": None,
        "monthly_quota": None,
        "state": "active",
    }
    registry, _ = read_registry(FolderStore(config.parent / "store"))
    key = registry.find_key(made["key"].encode())
    assert key is not None
    assert key.id == made["id"]


def test_without_json_standard_output_is_the_key_alone(run: Run) -> None:
    result = run("keys", "create", "--plan", "free")
    assert result.exit_code == 0
    assert result.stdout.startswith("ldk_")
    assert result.stdout.count("\n") == 1
    assert "only time" in result.stderr


def test_a_key_without_scopes_reads_everything_and_is_its_own_client(run: Run) -> None:
    made = read_json(run("keys", "create", "--plan", "partner", "--json"))
    assert (made["metros"], made["types"], made["client"]) == (["*"], ["*"], made["id"])


def test_a_star_beside_names_is_everything(run: Run) -> None:
    made = read_json(run("keys", "create", "--plan", "free", "--metro", "seattle", "--metro", "*", "--json"))
    assert made["metros"] == ["*"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--plan", "gold"), ("gold", "free", "standard", "partner")),
        ((), ("--plan",)),
        (("--plan", "free", "--metro", "boston"), ("boston", "seattle", "new-york")),
        (("--plan", "free", "--type", "event"), ("'event'", "events", "classes", "camps", "places")),
        (("--plan", "free", "--type", "organizations"), ("organizations", "events")),
        (("--plan", "free", "--grant", "source"), ("free", "standard", "partner")),
        (("--plan", "standard", "--grant", "weather"), ("weather", "source", "forecast", "related")),
        (("--plan", "free", "--per-minute", "0"), ("0",)),
        (("--plan", "free", "--expires", "soon"), ("soon", "YYYY-MM-DD")),
        (("--plan", "free", "--expires", "2020-01-01"), ("2020-01-01", "in the past")),
    ],
)
def test_what_is_refused_is_exit_2_and_says_what_is_allowed(
    run: Run, config: Path, words: tuple[str, ...], message: tuple[str, ...]
) -> None:
    result = run("keys", "create", *words, "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert all(word in result.stderr for word in message), result.stderr
    assert not (config.parent / "store" / "keys.json").exists()


def test_the_list_shows_every_key_and_no_secret(run: Run) -> None:
    made = [read_json(run("keys", "create", "--plan", plan, "--json")) for plan in ("free", "partner")]
    listed = read_json(run("keys", "list", "--json"))
    assert [(key["id"], key["plan"], key["state"]) for key in listed["keys"]] == [
        (made[0]["id"], "free", "active"),
        (made[1]["id"], "partner", "active"),
    ]
    for shown in (run("keys", "list", "--json").stdout, run("keys", "list").stdout):
        assert all(key["id"] in shown and key["key"] not in shown for key in made)
        assert "hash" not in shown


def test_the_list_for_people_has_headings_and_says_when_a_key_expires(run: Run) -> None:
    run("keys", "create", "--plan", "free", "--client", "One")
    run("keys", "create", "--plan", "partner", "--client", "Two", "--expires", "2099-01-31")
    heading, first, second = run("keys", "list").stdout.splitlines()
    assert heading.split() == ["ID", "STATE", "PLAN", "EXPIRES", "METROS", "TYPES", "CLIENT"]
    assert (first.split()[1:4], first.split()[-1]) == (["active", "free", "never"], "One")
    assert (second.split()[1:4], second.split()[-1]) == (["active", "partner", "2099-01-31T00:00:00Z"], "Two")
    assert {line.index(word) for line, word in ((heading, "PLAN"), (first, "free"), (second, "partner"))} == {
        heading.index("PLAN")
    }


def test_a_revoked_key_stays_in_the_list_as_revoked(run: Run) -> None:
    made = read_json(run("keys", "create", "--plan", "free", "--json"))
    revoked = read_json(run("keys", "revoke", made["id"], "--json"))
    assert (revoked["id"], revoked["state"]) == (made["id"], "revoked")
    again = read_json(run("keys", "revoke", made["id"], "--json"))
    assert again == revoked
    assert read_json(run("keys", "list", "--json"))["keys"] == [revoked]


def test_revoking_nobodys_key_is_exit_2(run: Run) -> None:
    result = run("keys", "revoke", "nobody00", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nobody00" in result.stderr


def test_a_store_that_fails_is_exit_1_in_one_line(run: Run, config: Path) -> None:
    (config.parent / "store").write_text("a file where the store's folder should be")
    result = run("keys", "list", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert "keys.json" in result.stderr


def test_a_broken_registry_is_exit_1_in_one_line(run: Run, config: Path) -> None:
    (config.parent / "store").mkdir()
    (config.parent / "store" / "keys.json").write_text("{")
    result = run("keys", "create", "--plan", "free")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert "keys.json" in result.stderr
