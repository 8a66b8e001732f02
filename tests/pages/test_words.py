"""Each language has every word, and no page says anything else."""

import re
import string
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted(path for path in (ROOT / "site/templates").glob("*.html") if path.name != "build.html")
SCRIPTS = sorted((ROOT / "site/scripts").rglob("*.js"))
ENGLISH = tomllib.loads((ROOT / "site/words/en.toml").read_text())
LANGUAGES = sorted(path.stem for path in (ROOT / "site/words").glob("*.toml"))
# Names, which are the same in every language.
NAMES = {"OpenAPI", "curl -H", "X-API-Key:", "GET", "Failure", "Notice", "openapi.json"}


def list_fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name} if "{" in text else set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_word_with_the_same_values_in_it(language: str) -> None:
    words = tomllib.loads((ROOT / f"site/words/{language}.toml").read_text())
    assert {page: set(texts) for page, texts in words.items()} == {page: set(texts) for page, texts in ENGLISH.items()}
    differing = [
        f"{page}.{name}"
        for page, texts in words.items()
        for name, text in texts.items()
        if not text or list_fields(text) != list_fields(ENGLISH[page][name])
    ]
    assert differing == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_word_of_its_own(template: Path) -> None:
    of_jinja = r"\{% block kind %\}.*?\{% endblock %\}|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}"
    text = re.sub(of_jinja, " ", template.read_text(), flags=re.DOTALL)
    text = re.sub(r"<pre.*?</pre>|<code.*?</code>|<!doctype html>", " ", text, flags=re.DOTALL)
    shown = re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', text)
    shown += re.sub(r"<[^>]*>", "\n", text).splitlines()
    own = {part.strip() for part in shown if re.search(r"[A-Za-z]{2}", part)}
    assert own - NAMES == set(), f"{template.name}: put these into site/words/*.toml"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_shows_no_word_of_its_own(script: Path) -> None:
    code = re.sub(r"/\*.*?\*/|^\s*//.*$", "", script.read_text(), flags=re.DOTALL | re.MULTILINE)
    members = "textContent|title|innerText|placeholder|ariaLabel"
    shown = re.findall(rf'(?:{members})\s*=\s*["`]([^"`]*[A-Za-z]{{2}}[^"`]*)["`]', code)
    assert shown == [], f"{script.name}: take these from the page, which has them from site/words/*.toml"


def test_the_explorers_scripts_say_the_words_that_there_are() -> None:
    code = "\n".join(script.read_text() for script in SCRIPTS)
    words = {name.removeprefix("script_") for name in ENGLISH["explorer"] if name.startswith("script_")}
    spoken = set(re.findall(r'say\("(\w+)"', code))
    assert spoken <= words
    unsaid = {
        name
        for name in words - spoken
        if not name.startswith(("word_", "plural_", "kind_", "age_", "window_")) and f'"{name}"' not in code
    }
    assert unsaid == set()


def test_the_forms_of_the_reference_say_the_words_that_there_are() -> None:
    code = "\n".join(script.read_text() for script in SCRIPTS if script.parent.name == "trying")
    words = {name.removeprefix("try_") for name in ENGLISH["reference"] if name.startswith("try_")}
    assert set(re.findall(r"\bwords\.(\w+)", code)) - {"required", "deprecated", "characters"} == words


def test_every_word_is_shown_somewhere() -> None:
    shown = "\n".join(path.read_text() for path in [*TEMPLATES, *(ROOT / "outings/pages").rglob("*.py")])
    ways = ("readers", "developers", "operators", "staff")
    computed = tuple(f"{way}_" for way in (*ways, "with", "without", "age", "checked", "lacks", "code", "outcome"))
    computed += ("script_", "line_", "price_", "time_", "view_", "window_")  # the explorer's
    computed += ("kind_", "why_", "status_", "all_", "beginning_")  # a listing's, a list's and the developers'
    computed += ("short_",)  # a row's
    computed += ("group_", "stability_", "try_")  # the reference's
    unused = [
        f"{page}.{name}"
        for page, texts in ENGLISH.items()
        if page != "members"  # named by feeds and by the API
        for name in texts
        if not re.search(rf"\b{name}\b", shown) and not name.startswith(computed) and not name.endswith("day")
    ]
    assert unused == []
