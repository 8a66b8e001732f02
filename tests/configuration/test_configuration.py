"""outings.toml is read whole: right, with its defaults; or wrong, with every problem at once."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from outings.configuration import Configuration, ConfigurationError, read_configuration, split_secrets
from tests.configuration.settings import FEED, METRO

Read = Callable[..., Configuration]
Refuse = Callable[..., dict[str, str]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_text(text: str, **environ: str) -> Configuration:
        (tmp_path / "outings.toml").write_text(text)
        return read_configuration(tmp_path / "outings.toml", environ)

    return read_text


@pytest.fixture
def refuse(read: Read, tmp_path: Path) -> Refuse:
    """The problems of a text by their keys; each names the file."""

    def refuse_text(text: str, **environ: str) -> dict[str, str]:
        with pytest.raises(ConfigurationError) as refused:
            read(text, **environ)
        problems = refused.value.problems
        assert all(problem.file == tmp_path / "outings.toml" for problem in problems)
        assert str(refused.value).splitlines() == [str(problem) for problem in problems]
        return {str(problem.key): problem.message for problem in problems}

    return refuse_text


def test_the_example_of_the_documents_is_read(read: Read, tmp_path: Path) -> None:
    (tmp_path / "related.csv").write_text("# ours\nBoat, barge\n")
    configuration = read(
        """
        [store]
        url = "s3://bucket/prefix"
        keep_days = 30
        endpoint_url = "http://127.0.0.1:9000"
        region = "us-west-2"

        [edge]
        rate_storage = "redis://127.0.0.1"
        state = "var/state"
        cache = "/var/cache/outings"
        trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]
        upgrade_url = "https://example.org/plans"
        docs_url = "https://example.org/docs"

        [geocoder]
        provider = "nominatim"
        url = "http://127.0.0.1:8080"

        [weather]
        provider = "file"
        path = "var/forecasts.json"

        [zip]
        centroids = "data/zip.csv"

        [plans.standard]
        per_minute = 600
        monthly_quota = "unlimited"
        grants = ["source", "related"]

        [search]
        related_words = "related.csv"

        [signing]
        key = "private.pem"
        public_key = "public.pem"

        [vocabulary]
        teams = ["reds", "blues_2"]
        """
        + METRO
        + FEED
        + 'max_shrink = 0.25\nmode = "delta"\ndefaults = { organization = { name = "SPL" } }'
    )
    assert configuration.store.url == "s3://bucket/prefix"
    assert configuration.edge.state == tmp_path / "var/state"
    assert configuration.edge.cache == Path("/var/cache/outings")
    assert configuration.zip.centroids == tmp_path / "data/zip.csv"
    assert configuration.search.related_words == tmp_path / "related.csv"
    assert configuration.related == (("boat", "barge"),)
    assert configuration.signing.key == str(tmp_path / "private.pem")
    assert configuration.weather.path == tmp_path / "var/forecasts.json"
    assert configuration.plans.standard.monthly_quota == "unlimited"
    assert configuration.plans.standard.grants == ("source", "related")
    assert configuration.vocabulary.teams == ("reds", "blues_2")
    assert configuration.vocabulary.seasons == ("spring", "summer", "fall", "winter")
    assert configuration.metros[0].aliases == ("sea",)
    assert configuration.feeds[0].defaults == {"organization": {"name": "SPL"}}
    assert configuration.feeds[0].max_shrink == 0.25


def test_what_is_not_given_has_the_documented_default(read: Read, tmp_path: Path) -> None:
    configuration = read(METRO + FEED)
    assert configuration.directory == tmp_path
    assert configuration.store.url == f"file:{tmp_path}/var/store"
    assert configuration.store.keep_days == 7
    assert configuration.edge.rate_storage == "local"
    assert configuration.edge.state == tmp_path / "var/state"
    assert configuration.edge.cache == tmp_path / "var/cache"
    assert configuration.edge.trusted_proxies == ("127.0.0.1",)
    assert (configuration.geocoder.provider, configuration.weather.provider) == ("local", "none")
    assert configuration.plans.free.per_minute is None
    feed = configuration.feeds[0]
    assert (feed.mode, feed.max_shrink, feed.defaults, feed.select) == ("full", 0.5, {}, None)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("file:var/store", "file:{here}/var/store"),
        ("file:/srv/store", "file:/srv/store"),
        ("file:///srv/store", "file:/srv/store"),
        ("s3://bucket", "s3://bucket"),
    ],
)
def test_a_folder_of_the_store_is_absolute(read: Read, tmp_path: Path, url: str, expected: str) -> None:
    assert read(f'[store]\nurl = "{url}"').store.url == expected.format(here=tmp_path)


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ('stroe = 1', "stroe", ["did you mean store?", "geocoder"]),
        ('[store]\nkeep_day = 7', "store.keep_day", ["did you mean keep_days?", "endpoint_url"]),
        ('[store]\nkeep_days = "7"', "store.keep_days", ['"7"', "a whole number from 1"]),
        ('[store]\nkeep_days = 0', "store.keep_days", ["is 0", "a whole number from 1"]),
        ('[store]\nkeep_days = true', "store.keep_days", ["is true"]),
        ('[store]\nurl = "http://x"', "store.url", ["file:FOLDER or s3://BUCKET/PREFIX"]),
        ('store = "x"', "store", ["a table of url"]),
        ('[edge]\ntrusted_proxies = "127.0.0.1"', "edge.trusted_proxies", ["a list"]),
        ('[edge]\nmemory = "2 pounds"', "edge.memory", ['"2 pounds"', "a number of MB or GB"]),
        ('[edge]\nmetros = ["seatle"]', "edge.metros", ['"seatle"', "allowed: none"]),
        ('[plans.premium]\nper_minute = 3', "plans.premium", ["free, standard, partner"]),
        ('[plans.free]\nmonthly_quota = "none"', "plans.free.monthly_quota", ['or "unlimited"']),
        ('[plans.free]\ngrants = ["sauce"]', "plans.free.grants", ["source, forecast, related"]),
        ('[geocoder]\nprovider = "google"', "geocoder.provider", ["none, local, nominatim, photon, census"]),
        ('[geocoder]\nprovider = "photon"', "geocoder.url", ["a photon server", "http://"]),
        ('[geocoder]\nprovider = "census"\nurl = "localhost"', "geocoder.url", ["a census server", "http://"]),
        ('[geocoder]\nprovider = "local"\nurl = "http://x"', "geocoder.url", ['with provider "local"', "empty"]),
        ('[geocoder]\nurl = "http://x"', "geocoder.url", ['together with provider "local"', "empty"]),
        ('[weather]\nprovider = "sun"', "weather.provider", ["none, nws, file"]),
        ('[weather]\nprovider = "nws"\nurl = "weather"', "weather.url", ["a server of nws", "http://"]),
        ('[weather]\nprovider = "file"', "weather.path", ["missing", "a JSON file"]),
        ('[weather]\npath = "f.json"', "weather.path", ['together with provider "none"', "only with file"]),
        ('[weather]\nprovider = "file"\npath = "f"\nurl = "http://x"', "weather.url", ["only with nws"]),
        ('[weather]\nprovider = "nws"\ncontact = "Zoë\\n"', "weather.contact", ["printable"]),
        ('[vocabulary]\nteams = ["Reds"]', "vocabulary.teams", ['"Reds"', "lower-case"]),
        ('[vocabulary]\nteams = ["reds", "reds"]', "vocabulary.teams", ["named 2 times"]),
        (f'[vocabulary]\nseasons = {[f"s{n}" for n in range(64)]}', "vocabulary.seasons", ["64", "at most 63"]),
        ('metros = 3', "metros", ["an array of tables"]),
        ('[[metros]]\nname = "X"', "metros[0].slug", ["missing"]),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_with_what_is_allowed(refuse: Refuse, text: str, key: str, words: list[str]) -> None:
    message = refuse(text)[key]
    assert [word for word in words if word not in message] == []


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        (('slug = "seattle"', 'slug = "Seattle"'), "metros.Seattle.slug", ["lower-case"]),
        (('slug = "seattle"', 'slug = "search"'), "metros.search", ["a word of the routes", "organizations"]),
        (('aliases = ["sea"]', 'aliases = ["docs"]'), "metros.seattle", ["a word of the routes"]),
        (('aliases = ["sea"]', 'aliases = ["seattle"]'), "metros", ["named 2 times"]),
        (('aliases = ["sea"]', 'aliases = ["s e a"]'), "metros.seattle.aliases", ["lower-case"]),
        (("Los_Angeles", "Los_Angles"), "metros.seattle.timezone", ["IANA"]),
        (("America/Los_Angeles", "../etc/passwd"), "metros.seattle.timezone", ["IANA"]),
        (("lat = 47.6062", "lat = 40.7"), "metros.seattle.center", ["inside the metro's bounds"]),
        (("south = 47.3", "south = 48.3"), "metros.seattle.bounds", ["south < north"]),
        (("east = -121.9", "east = 220"), "metros.seattle.bounds", ["180"]),
        (("lat = 47.6062", "lat = true"), "metros.seattle.center.lat", ["a number"]),
        (('name = "spl"', 'name = "s/pl"'), "feeds.s/pl.name", ["lower-case"]),
        (('metro = "seattle"', 'metro = "seatle"'), "feeds.spl.metro", ["did you mean seattle?"]),
        (('"ndjson"', '"ndjsn"'), "feeds.spl.format", ["did you mean ndjson?"]),
        (('"ndjson"\nurl = "data/*.ndjson"', '"rpde"\nurl = "https://x.example/"'), "feeds.spl.mode", ["delta"]),
        (('"ndjson"', '"rpde"\nmode = "delta"'), "feeds.spl.url", ["not the address of a server", "https://"]),
        (
            (
                'metro = "seattle"\nformat = "ndjson"\nurl = "data/*.ndjson"',
                'format = "rpde"\nmode = "delta"\nurl = "https://x.example/"',
            ),
            "feeds.spl.metro",
            ["missing", "rpde"],
        ),
        (('"ndjson"', '"table"'), "feeds.spl.select", ["missing"]),
        (('"ndjson"', '"ndjson"\nselect = "x.sql"'), "feeds.spl.select", ["only with table"]),
        (('"ndjson"', '"ndjson"\nmax_shrink = 1.5'), "feeds.spl.max_shrink", ["from 0 to 1"]),
        (('"ndjson"', '"ndjson"\nmode = "part"'), "feeds.spl.mode", ["full, delta"]),
        (('"data/*.ndjson"', '"https:/example.org/x"'), "feeds.spl.url", ["not a complete address", "https://"]),
        (('"data/*.ndjson"', '"https://a b.example/x"'), "feeds.spl.url", ["not a complete address"]),
        (('"data/*.ndjson"', '"http://example.org:port/x"'), "feeds.spl.url", ["not a complete address"]),
        (('"data/*.ndjson"', '"ftp://example.org/x"'), "feeds.spl.url", ["not a complete address"]),
        (('"data/*.ndjson"', '"webcal://example.org/x"'), "feeds.spl.url", ["not a complete address", "https://"]),
        (('"data/*.ndjson"', '"s3:bucket/x"'), "feeds.spl.url", ["not a complete address"]),
        (('"ndjson"', '"ndjson"\nmax_bytes = 0'), "feeds.spl.max_bytes", ["from 1"]),
        (('"data/*.ndjson"', '""'), "feeds.spl.url", ["not empty"]),
    ],
)
def test_metros_and_feeds_are_checked_together(
    refuse: Refuse, change: tuple[str, str], key: str, words: list[str]
) -> None:
    whole = METRO + FEED
    assert whole.count(change[0]) >= 1
    message = refuse(whole.replace(*change))[key]
    assert [word for word in words if word not in message] == []


def test_all_problems_come_at_once(refuse: Refuse) -> None:
    text = (METRO + FEED).replace('"ndjson"', '"rpde"\nselect = 3\nnope = 1').replace("Los_Angeles", "Nowhere")
    problems = refuse(text + FEED + "[store]\nkeep_days = 0\nx = 1")
    assert set(problems) == {
        "store.keep_days", "store.x", "metros.seattle.timezone", "feeds", "feeds.spl.nope", "feeds.spl.select",
        "feeds.spl.mode", "feeds.spl.url",
    }  # fmt: skip


def test_a_file_that_is_no_toml_says_where(refuse: Refuse) -> None:
    assert "line 1" in refuse("[store\n")["None"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml: there is no such file"):
        read_configuration(tmp_path / "nowhere.toml", {})


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "o.toml").write_bytes(b'a = "\xff"')
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        read_configuration(tmp_path / "o.toml", {})


def test_a_file_may_begin_with_a_byte_order_mark(read: Read) -> None:
    assert read("\ufeff" + METRO).metros[0].slug == "seattle"


def test_variables_set_scalars_of_every_table(read: Read, tmp_path: Path) -> None:
    configuration = read(
        METRO + FEED,
        OUTINGS_STORE_URL="file:elsewhere",
        OUTINGS_STORE_KEEP_DAYS="9",
        OUTINGS_EDGE_STATE="/run/outings",
        OUTINGS_PLANS_FREE_PER_MINUTE="61",
        OUTINGS_PLANS_FREE_MONTHLY_QUOTA="unlimited",
        OUTINGS_PLANS_PARTNER_MONTHLY_QUOTA="12",
        OUTINGS_METROS_SEATTLE_CENTER_LAT="47.5",
        OUTINGS_FEEDS_SPL_URL="other.ndjson",
        OUTINGS_FEEDS_SPL_MAX_SHRINK="0.1",
        OUTINGS_TEST_CASES="20",
    )
    assert configuration.store.url == f"file:{tmp_path}/elsewhere"
    assert configuration.store.keep_days == 9
    assert configuration.edge.state == Path("/run/outings")
    assert configuration.plans.free.per_minute == 61
    assert configuration.plans.free.monthly_quota == "unlimited"
    assert configuration.plans.partner.monthly_quota == 12
    assert configuration.metros[0].center.lat == 47.5
    assert configuration.feeds[0].url == "other.ndjson"
    assert configuration.feeds[0].max_shrink == 0.1


@pytest.mark.parametrize(
    ("variable", "value", "key", "words"),
    [
        ("OUTINGS_STORE_ULR", "x", "OUTINGS_STORE_ULR", ["did you mean OUTINGS_STORE_URL"]),
        ("OUTINGS_EDGE_TRUSTED_PROXIES", "x", "OUTINGS_EDGE_TRUSTED_PROXIES", ["not the name of a setting"]),
        ("OUTINGS_FEEDS_SPL_NAME", "x", "OUTINGS_FEEDS_SPL_NAME", ["not the name of a setting"]),
        ("OUTINGS_STORE_KEEP_DAYS", "soon", "store.keep_days", ['"soon"', "OUTINGS_STORE_KEEP_DAYS"]),
    ],
)
def test_a_wrong_variable_is_named(refuse: Refuse, variable: str, value: str, key: str, words: list[str]) -> None:
    message = refuse(METRO + FEED, **{variable: value})[key]
    assert [word for word in words if word not in message] == []


@pytest.mark.parametrize("text", ["short", f"{'a' * 32} short", f"{'a' * 32},{'b' * 31}"])
def test_a_secret_that_is_too_short_is_refused_and_not_shown(refuse: Refuse, text: str) -> None:
    message = refuse(METRO + FEED, OUTINGS_EDGE_CALENDAR_SECRETS=text)["edge.calendar_secrets"]
    assert "32 characters or more" in message
    assert not any(secret in message for secret in ("aaaa", "bbbb", "short,", '"short'))


def test_secrets_are_in_one_variable(read: Read) -> None:
    one, two, three = "a" * 32, "b" * 40, "c" * 64
    configuration = read(METRO + FEED, OUTINGS_EDGE_CALENDAR_SECRETS=f" {one}, {two}\n{three} ")
    assert split_secrets(configuration.edge.calendar_secrets) == (one, two, three)
    assert split_secrets(read(METRO + FEED).edge.calendar_secrets) == ()


@pytest.mark.parametrize("secrets", [[], ["a" * 32], ["a" * 32, "b" * 40]])
def test_secrets_of_calendars_are_in_a_list_too(read: Read, secrets: list[str]) -> None:
    """A variable overrules it, as it does any setting."""
    text = f"{METRO}{FEED}[edge]\ncalendar_secrets = {json.dumps(secrets)}\n"
    assert split_secrets(read(text).edge.calendar_secrets) == tuple(secrets)
    other = "c" * 32
    assert split_secrets(read(text, OUTINGS_EDGE_CALENDAR_SECRETS=other).edge.calendar_secrets) == (other,)


def test_a_list_of_secrets_names_what_is_too_short(refuse: Refuse) -> None:
    text = f'{METRO}{FEED}[edge]\ncalendar_secrets = ["{"a" * 32}", "short"]\n'
    assert "32 characters or more" in refuse(text)["edge.calendar_secrets"]


def test_a_variable_that_could_be_of_two_feeds_is_refused(refuse: Refuse) -> None:
    two = FEED.replace('"spl"', '"s-pl"') + FEED.replace('"spl"', '"s_pl"')
    assert refuse(METRO + two, OUTINGS_FEEDS_S_PL_URL="x") == {
        "OUTINGS_FEEDS_S_PL_URL": "could be feeds.s-pl.url or feeds.s_pl.url"
    }


def test_names_in_texts_are_replaced_from_the_environment(read: Read) -> None:
    text = METRO + FEED.replace("data/", "${CITY}/x/") + 'defaults = { name = "by ${WHO}", categories = ["$x"] }'
    feed = read(text, CITY="/srv", WHO="the city").feeds[0]
    assert feed.url == "/srv/x/*.ndjson"
    assert feed.defaults == {"name": "by the city", "categories": ["$x"]}


def test_an_unset_name_is_an_error_with_key_and_variable(refuse: Refuse) -> None:
    text = METRO + FEED.replace("data/", "${CITY}/") + 'defaults = { organization = { name = "${WHO}" } }'
    assert refuse(text) == {
        "feeds.spl.url": "names ${CITY}, which is not set in the environment",
        "feeds.spl.defaults.organization.name": "names ${WHO}, which is not set in the environment",
    }


def test_a_setting_that_a_variable_gives_needs_none_of_its_own_names(read: Read) -> None:
    text = METRO + FEED.replace("data/", "${CITY}/")
    assert read(text, OUTINGS_FEEDS_SPL_URL="x").feeds[0].url == "x"


@pytest.mark.parametrize("storage", ["memory", "redis:", "http://:open-sesame@127.0.0.1", ""])
def test_a_rate_storage_that_there_is_not_is_named_and_not_shown(read: Read, storage: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        read(METRO + FEED + f'[edge]\nrate_storage = "{storage}"')
    (problem,) = raised.value.problems
    assert problem.key == "edge.rate_storage"
    assert "sesame" not in problem.message


@pytest.mark.parametrize("proxy", ["proxy.internal", "10.0.0.0/33", "10.0.0", ""])
def test_a_proxy_is_an_address_or_a_network(read: Read, proxy: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        read(METRO + FEED + f'[edge]\ntrusted_proxies = ["::1", "{proxy}"]')
    (problem,) = raised.value.problems
    assert problem.key.startswith("edge.trusted_proxies")


def test_related_words_that_are_no_groups_are_refused_by_line(read: Read, tmp_path: Path) -> None:
    setting = '[search]\nrelated_words = "related.csv"\n'
    path = tmp_path / "related.csv"

    def list_problems() -> list[str]:
        with pytest.raises(ConfigurationError) as refused:
            read(METRO + setting)
        assert {problem.key for problem in refused.value.problems} == {"search.related_words"}
        return [problem.message for problem in refused.value.problems]

    assert list_problems() == [f"names {path}, which can't be read: No such file or directory"]
    path.write_text("boat,barge\n\nalone\n# none\nboat, , ship\nship,Ship\n")
    allowed = "one group a line, of 2 to 20 different phrases of at most 4 words, with commas between"
    assert list_problems() == [
        f'names {path}: line 3: "alone" has no other phrase in its group; allowed: {allowed}',
        f'names {path}: line 5: "" has no word; allowed: {allowed}',
        f'names {path}: line 6: "ship" is in it twice; allowed: {allowed}',
    ]
    path.write_bytes(b"boat,b\xe4rge\n")
    assert list_problems() == [f"names {path}: is not UTF-8 (byte 6); allowed: {allowed}"]


def test_what_is_derived_is_no_setting(refuse: Refuse) -> None:
    assert refuse(f'related = "x"\n{METRO}')["related"].startswith("is not a setting")


def test_a_setting_of_an_earlier_version_is_refused_and_says_what_replaced_it(refuse: Refuse) -> None:
    in_file = refuse('[edge]\nfront_secret = "sesame"')["edge.front_secret"]
    assert in_file.startswith("is no setting any more")
    assert "[static]" in in_file
    assert "outings front nginx" in in_file
    assert refuse("", OUTINGS_EDGE_FRONT_SECRET="sesame") == {"OUTINGS_EDGE_FRONT_SECRET": in_file}
