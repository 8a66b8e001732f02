"""`outings keys import | show | grant | rotate | usage`, and operators who use them at once."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from edge.usage import Ledger, UsageCounts, UsageKey
from outings.keys.registry import Registry, read_registry
from outings.release.folder import FolderStore
from tests.command.conftest import Run, read_json

LEGACY = "sk-old-0123456789"


def make(run: Run, *words: str, plan: str = "standard") -> Any:
    return read_json(run("keys", "create", "--plan", plan, *words, "--json"))


def read_kept(config: Path) -> Registry:
    return read_registry(FolderStore(config.parent / "store"))[0]


def read_instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_legacy_key_is_known_by_its_text_from_then_on_and_kept_as_a_hash(run: Run, config: Path) -> None:
    made = read_json(
        run("keys", "import", "--plan", "standard", "--client", "acme", "--metro", "sea", "--json", given=LEGACY + "\n")
    )
    assert (made["client"], made["metros"], made["state"]) == ("acme", ["seattle"], "active")
    key = read_kept(config).find_key(LEGACY.encode())
    assert key is not None
    assert key.id == made["id"]
    assert LEGACY not in (config.parent / "store" / "keys.json").read_text() + json.dumps(made)


@pytest.mark.parametrize("text", ["two words", "clé", "  clé secrète  ", "日本語", "x" * 1024, "ldk_short", '"quoted"'])
def test_a_legacy_key_is_any_text_that_a_header_can_carry(run: Run, config: Path, text: str) -> None:
    made = read_json(run("keys", "import", "--plan", "free", "--json", given=text + "\n"))
    key = read_kept(config).find_key(text.strip().encode())
    assert key is not None
    assert key.id == made["id"]


def test_a_legacy_key_is_imported_once(run: Run, config: Path) -> None:
    made = read_json(run("keys", "import", "--plan", "free", "--json", given=LEGACY))
    again = run("keys", "import", "--plan", "partner", "--json", given=LEGACY)
    assert (again.exit_code, again.stdout) == (2, "")
    assert made["id"] in again.stderr
    assert len(read_kept(config).keys) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "no key"),
        (" \n", "no key"),
        ("two\nlines", "no key"),
        ("a\tb", "no key"),
        ("x" * 1025, "no key"),
        (f"ldk_{'a' * 8}_{'b' * 36}", "keys create"),
    ],
)
def test_what_is_no_legacy_key_is_refused(run: Run, config: Path, given: str, message: str) -> None:
    result = run("keys", "import", "--plan", "free", given=given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert not (config.parent / "store" / "keys.json").exists()


def test_a_client_owns_several_keys_and_one_quota(run: Run) -> None:
    first = make(run, "--client", "acme", "--monthly-quota", "1000")
    second = make(run, "--client", "acme")
    other = make(run, "--client", "bolt")
    assert [key["monthly_quota"] for key in (first, second, other)] == [1000, 1000, None]
    make(run, "--client", "acme", "--monthly-quota", "2000")
    listed = read_json(run("keys", "list", "--json"))["keys"]
    assert [key["monthly_quota"] for key in listed] == [2000, 2000, None, 2000]


def test_a_key_is_shown_with_what_holds_for_it_under_the_deployments_plans(run: Run, config: Path) -> None:
    with config.open("a") as file:
        file.write('\n[plans.standard]\nper_minute = 301\ngrants = ["source"]\n')
    plain = make(run)
    own = make(run, "--per-minute", "7", "--grant", "related", "--client", "acme", "--monthly-quota", "9")
    partner = make(run, plan="partner")
    shown = [read_json(run("keys", "show", key["id"], "--json")) for key in (plain, own, partner)]
    assert [item["in_force"] for item in shown] == [
        {"per_minute": 301, "monthly_quota": 500_000, "include": ["source"]},
        {"per_minute": 7, "monthly_quota": 9, "include": ["related", "source"]},
        {"per_minute": 1200, "monthly_quota": None, "include": ["forecast", "related", "source", "where"]},
    ]
    text = run("keys", "show", own["id"]).stdout
    assert re.search(r"^metros +\*$", text, re.M)
    assert "None" not in text
    assert own["id"] in text
    assert own["key"] not in text


def test_add_ons_are_granted_and_taken_back(run: Run) -> None:
    made = make(run, "--grant", "source")
    granted = read_json(run("keys", "grant", made["id"], "related", "source", "--json"))
    assert granted["grants"] == ["source", "related"]
    changed = read_json(run("keys", "grant", made["id"], "forecast", "--remove", "source", "--json"))
    assert changed["grants"] == ["related", "forecast"]
    assert read_json(run("keys", "grant", made["id"], "forecast", "--json")) == changed


@pytest.mark.parametrize(
    ("words", "message"),
    [((), "source"), (("weather",), "weather"), (("--remove", "weather"), "weather")],
)
def test_what_is_no_add_on_is_not_granted(run: Run, words: Sequence[str], message: str) -> None:
    made = make(run)
    result = run("keys", "grant", made["id"], *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_free_key_is_granted_nothing(run: Run) -> None:
    result = run("keys", "grant", make(run, plan="free")["id"], "source")
    assert result.exit_code == 2
    assert "standard, partner" in result.stderr


def test_a_rotated_key_goes_on_for_a_while_beside_one_that_has_all_that_it_had(run: Run, config: Path) -> None:
    old = make(run, "--client", "acme", "--grant", "source", "--type", "events", "--per-minute", "9")
    new = read_json(run("keys", "rotate", old["id"], "--overlap", "2", "--json"))
    assert new["key"].startswith(f"ldk_{new['id']}_")
    assert new["id"] != old["id"]
    same = ("client", "plan", "metros", "types", "grants", "per_minute", "expires_at", "revoked_at", "state")
    assert {name: new[name] for name in same} == {name: old[name] for name in same}
    assert new["replaces"]["id"] == old["id"]
    ends = read_instant(new["replaces"]["expires_at"])
    assert ends == read_instant(new["created_at"]) + timedelta(hours=2)
    kept = read_kept(config)
    assert kept.by_id[old["id"]].expires_at == ends
    assert kept.find_slots(kept.by_id[old["id"]])[1] == kept.find_slots(kept.by_id[new["id"]])[1]
    assert kept.find_slots(kept.by_id[old["id"]])[0] != kept.find_slots(kept.by_id[new["id"]])[0]


def test_a_rotation_does_not_make_a_key_live_longer(run: Run, config: Path) -> None:
    soon = (datetime.now(UTC) + timedelta(minutes=5)).replace(microsecond=0)
    old = make(run, "--expires", soon.isoformat())
    new = read_json(run("keys", "rotate", old["id"], "--json"))
    assert read_instant(new["expires_at"]) == soon
    assert read_kept(config).by_id[old["id"]].expires_at == soon


def test_without_overlap_the_old_key_ends_at_once(run: Run) -> None:
    old = make(run)
    run("keys", "rotate", old["id"], "--overlap", "0")
    assert read_json(run("keys", "show", old["id"], "--json"))["state"] == "expired"


@pytest.mark.parametrize("words", [("rotate",), ("grant", "source"), ("show",)])
def test_nobodys_key_is_exit_2(run: Run, words: Sequence[str]) -> None:
    result = run("keys", words[0], "nobody00", *words[1:], "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nobody00" in result.stderr


@pytest.mark.parametrize("words", [("rotate",), ("grant", "source")])
def test_a_revoked_key_is_changed_no_more(run: Run, words: Sequence[str]) -> None:
    made = make(run)
    run("keys", "revoke", made["id"])
    result = run("keys", words[0], made["id"], *words[1:])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "revoked" in result.stderr


def test_an_expired_key_is_not_rotated(run: Run) -> None:
    made = make(run)
    run("keys", "rotate", made["id"], "--overlap", "0")
    assert "expired" in run("keys", "rotate", made["id"]).stderr


def test_usage_is_what_the_ledger_has_of_the_days_asked_for(run: Run, config: Path) -> None:
    ledger = Ledger(config.parent / "var" / "state")
    counted = {
        UsageKey(date(2026, 8, day), client, key, route): UsageCounts(billed=day, refused=1, bytes=100)
        for day in (9, 10)
        for client, key, route in (("acme", "k1", "events.list"), ("acme", "k2", "metros"), ("bolt", "k3", "metros"))
    }
    ledger.add(counted)
    every = read_json(run("keys", "usage", "--from", "2026-08-01", "--to", "2026-08-31", "--json"))
    assert [(row["day"], row["client"], row["key"], row["route"], row["billed"]) for row in every["usage"]] == [
        (f"2026-08-{day:02}", client, key, route, day)
        for day in (9, 10)
        for client, key, route in (("acme", "k1", "events.list"), ("acme", "k2", "metros"), ("bolt", "k3", "metros"))
    ]
    assert (every["billed"], every["refused"], every["bytes"]) == (57, 6, 600)
    acme = read_json(run("keys", "usage", "--to", "2026-08-09", "--client", "acme", "--json"))
    assert (acme["from"], acme["billed"]) == ("2026-08-01", 18)
    assert read_json(run("keys", "usage", "--to", "2026-08-10", "--key", "k3", "--json"))["billed"] == 19
    assert "bolt  k3  metros  billed 19" in run("keys", "usage", "--to", "2026-08-10").stdout


def test_usage_where_nothing_was_counted_is_empty_and_makes_nothing(run: Run, config: Path) -> None:
    shown = read_json(run("keys", "usage", "--json"))
    assert (shown["usage"], shown["billed"]) == ([], 0)
    assert not (config.parent / "var").exists()


def _call(config: Path, *words: str, given: str = "") -> int:
    """Call the command in a process of its own, as each operator does."""
    command = [sys.executable, "-m", "command", "keys", *words, "-c", str(config)]
    return subprocess.run(command, input=given, text=True, capture_output=True, check=False).returncode


@pytest.mark.long
def test_operators_at_once_lose_nothing_of_each_others_commands(run: Run, config: Path) -> None:
    operators = 3
    keys = [make(run, "--client", f"op-{number}") for number in range(operators)] + [make(run)]

    def operate(number: int) -> list[int]:
        """Each command once, on a key of their own; and one on a key of all."""
        own, shared, addon = keys[number]["id"], keys[-1]["id"], ("source", "forecast", "related")[number]
        return [
            _call(config, "create", "--plan", "free", "--client", f"new-{number}"),
            _call(config, "import", "--plan", "free", "--client", f"old-{number}", given=f"legacy-{number}"),
            _call(config, "grant", own, "source"),
            _call(config, "grant", shared, addon),
            _call(config, "create", "--plan", "free", "--client", f"op-{number}", "--monthly-quota", f"{number + 1}"),
            _call(config, "rotate", own),
            _call(config, "revoke", own),
        ]

    with ThreadPoolExecutor(operators) as pool:
        assert list(pool.map(operate, range(operators))) == [[0] * 7] * operators
    kept = read_kept(config)
    assert len(kept.keys) == len(keys) + operators * 4
    for number in range(operators):
        mine = [key for key in kept.keys if key.client == f"op-{number}"]
        old = kept.by_id[keys[number]["id"]]
        assert old.revoked_at is not None
        assert old.expires_at is not None
        assert old.grants == ("source",)
        assert sorted((key.plan, key.grants) for key in mine) == [
            ("free", ()), ("standard", ("source",)), ("standard", ("source",)),
        ]  # fmt: skip
        assert kept.clients_by_name[f"op-{number}"].monthly_quota == number + 1
        assert {f"new-{number}", f"old-{number}"} <= kept.clients_by_name.keys()
        assert kept.find_key(f"legacy-{number}".encode()) is not None
    assert set(kept.by_id[keys[-1]["id"]].grants) == {"source", "forecast", "related"}
    given = [key.slot for key in kept.keys] + [client.slot for client in kept.clients]
    assert sorted(filter(lambda slot: slot is not None, given)) == list(range(kept.slots))


@pytest.mark.parametrize("text", [None, b"{}", b'{"layout":2,"keys":[],"clients":[],"slots":0}'])
def test_where_keys_were_made_a_registry_that_is_lost_is_not_started_again_without_a_word(
    text: bytes | None, run: Run, config: Path
) -> None:
    known = read_json(run("keys", "create", "--plan", "free", "--json"))
    path = config.parent / "store/keys.json"
    before = path.read_bytes()
    path.unlink()
    if text is not None:
        path.write_bytes(text)
    for words, given in (
        (("create", "--plan", "free"), ""), (("import", "--plan", "free"), "a-key-of-before"), (("list",), ""),
        (("show", known["id"]), ""), (("revoke", known["id"]), ""), (("rotate", known["id"]), ""),
    ):  # fmt: skip
        result = run("keys", *words, given=given)
        assert (result.exit_code, result.stdout) == (3, ""), result.output
        assert "keys.json" in result.stderr
        assert "keys.copy.json" in result.stderr
        assert "--new-registry" in result.stderr
    assert (path.read_bytes() if path.exists() else None) == text
    # The copy beside it is the registry as it was last changed.
    shutil.copy(path.with_name("keys.copy.json"), path)
    assert path.read_bytes() == before
    assert read_json(run("keys", "show", known["id"], "--json"))["state"] == "active"


def test_a_new_registry_begins_where_the_operator_says_so(run: Run, config: Path) -> None:
    run("keys", "create", "--plan", "free")
    (config.parent / "store/keys.json").unlink()
    begun = read_json(run("keys", "create", "--plan", "free", "--new-registry", "--json"))
    assert [key["id"] for key in read_json(run("keys", "list", "--json"))["keys"]] == [begun["id"]]
    assert run("keys", "create", "--plan", "free", "--new-registry").exit_code == 0  # takes nothing away
    assert len(read_json(run("keys", "list", "--json"))["keys"]) == 2
