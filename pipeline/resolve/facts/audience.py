"""Decide the audience of a listing by the first rule of `audience.toml` that applies, in the metro's language. Rules in
other shipped languages count too if they find adults earlier."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from outings.contract.languages.language import ENGLISH, SHIPPED, Language, read_shipped_language
from outings.contract.languages.word_lists import AudienceWords
from outings.contract.vocabulary import AUDIENCES
from pipeline.records.record import ListingRecord
from pipeline.resolve.facts.age_texts import AgeSpan, AgeTexts
from pipeline.resolve.facts.phrases import Phrases, fold_phrases, split_sentences, split_words

ADULTS = "adults"
FIELDS = ("name", "keywords", "description")
# The set of phrases whose words are ignored.
IGNORED = "ignored"
# Characters to search: texts name the audience early or not at all.
MAX_DESCRIPTION = 5_000
# Texts that a language remembers what it found in: listings of a series entered date by date, or of one program, share
# theirs, and stand near each other in a feed.
REMEMBERED = 1_024


class Verdict(Struct, frozen=True, kw_only=True):
    """The audience, and the `rule` that decided: a rule of the file, `adults_only_stated`, `audience_stated` or
    `nothing_said`."""

    audience: str
    rule: str


class AudienceRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule: some phrases in a field mean an audience, or ages choose one of several. `is_sure`: if the rule finds
    adults, it overrides the audience that a record states."""

    name: str
    field: str | None = None
    phrases: str | None = None
    audience: str | None = None
    ages: str | None = None
    audiences: tuple[str, ...] = ()
    is_sure: bool = False


class RuleFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rules: tuple[AudienceRule, ...]


class AudienceClassifier:
    """Decides the audience of records, with rules in a metro's language, and in other languages to find adults only."""

    def __init__(self, content: bytes, own: AudienceWords, others: Iterable[AudienceWords] = ()) -> None:
        """Parse the rules from the TOML `content`. Raises msgspec.ValidationError or ValueError."""
        self._rules = msgspec.toml.decode(content, type=RuleFile).rules
        known = {*own.phrases, *_name_sets()}
        for rule in self._rules:
            _check_rule(rule, known)
        languages = (own, *others)
        # A sign alone, as in "21+", is of every language, and so are the words that say of whom it speaks.
        beside = frozenset(word for words in languages for word in words.adult_ages_ignored_beside)
        self._own, *self._others = (_AudienceReader(words, self._rules, beside=beside) for words in languages)

    def judge(self, record: ListingRecord) -> Verdict:
        if record.adults_only:
            return Verdict(audience=ADULTS, rule="adults_only_stated")
        number, audience = self._find_rule(record)
        if record.audience is None:
            return Verdict(audience=audience, rule=self._name_rule(number))
        if audience == ADULTS and number < len(self._rules) and self._rules[number].is_sure:
            return Verdict(audience=ADULTS, rule=self._name_rule(number))
        return Verdict(audience=record.audience, rule="audience_stated")

    def find_text_ages(self, record: ListingRecord) -> AgeSpan:
        """Return the ages in the name of a record, else in its description, in the metro's language, else in another.
        Both ends are None if the record states ages itself, or if no text has any."""
        if record.ages.min is not None or record.ages.max is not None:
            return AgeSpan(None, None)
        text = _RecordText(record)
        spans = (
            join_ages(reader.find_ages(field, own))
            for field in ("name", "description")
            for reader in (self._own, *self._others)
            for own in text.list_texts(field)
        )
        return next((span for span in spans if span is not None), AgeSpan(None, None))

    def _find_rule(self, record: ListingRecord) -> tuple[int, str]:
        """Return the number of the rule that decides, and its audience; the last number and `all_ages` if none does."""
        text = _RecordText(record)
        best = self._apply_rules(text, self._own, before=len(self._rules)) or (len(self._rules), "all_ages")
        for other in self._others:
            match = self._apply_rules(text, other, before=best[0])
            best = match if match is not None and match[1] == ADULTS else best
        return best

    def _apply_rules(self, text: "_RecordText", reader: "_AudienceReader", *, before: int) -> tuple[int, str] | None:
        findings = _TextFindings(text, reader)
        for number, rule in enumerate(self._rules[:before]):
            audience = _apply_rule(rule, findings)
            if audience is not None and not (audience == ADULTS and text.record.adults_only is False):
                return number, audience
        return None

    def _name_rule(self, number: int) -> str:
        return self._rules[number].name if number < len(self._rules) else "nothing_said"


class _AudienceReader:
    """Finds the phrases and ages of one language. For each field it has only the sets of phrases that rules name there,
    since other sets would use up words."""

    def __init__(self, words: AudienceWords, rules: Sequence[AudienceRule], *, beside: Collection[str]) -> None:
        self._ages = AgeTexts(words.ages, ignored_beside=beside)
        self._phrases: Mapping[str, Phrases] = {field: _select_phrases(words, rules, field) for field in FIELDS}
        self.find_phrases = lru_cache(maxsize=REMEMBERED)(self._find_phrases)
        self.find_ages = lru_cache(maxsize=REMEMBERED)(self._find_ages)

    def _find_phrases(self, field: str, text: str) -> frozenset[str]:
        return frozenset(self._phrases[field].find(_list_words(text)))

    def _find_ages(self, field: str, text: str) -> Sequence[AgeSpan]:
        return self._ages.find_ages(_split_text(text), is_name=field == "name")


# The languages read a text one after another.
@lru_cache(maxsize=16)
def _split_text(text: str) -> Sequence[str]:
    return split_sentences(fold_phrases(text))


@lru_cache(maxsize=16)
def _list_words(text: str) -> Sequence[Sequence[str]]:
    return [split_words(sentence) for sentence in _split_text(text)]


class _RecordText:
    """The texts of a record, each parsed when a rule first needs it: the name decides most listings."""

    def __init__(self, record: ListingRecord) -> None:
        self.record = record

    def list_texts(self, field: str) -> Sequence[str]:
        record = self.record
        if field == "description":
            return [record.description[:MAX_DESCRIPTION]] if record.description else ()
        return [record.name] if field == "name" else record.keywords


class _TextFindings:
    """Phrases and ages that one language finds in the texts of a record."""

    def __init__(self, text: _RecordText, reader: _AudienceReader) -> None:
        self._text, self._reader = text, reader
        self._phrases: dict[str, frozenset[str]] = {}

    def find_phrases(self, field: str) -> frozenset[str]:
        if field not in self._phrases:
            matches = [self._reader.find_phrases(field, text) for text in self._text.list_texts(field)]
            self._phrases[field] = matches[0] if len(matches) == 1 else frozenset().union(*matches)
        return self._phrases[field]

    def judge_ages(self, source: str) -> str | None:
        """Return the audience by the ages in the field `source`, or None. Ages in texts count only if the record states
        none."""
        stated = self._text.record.ages
        if source == "record":
            return _judge_span(stated.min, stated.max)
        if stated.min is not None or stated.max is not None:
            return None
        (text,) = self._text.list_texts(source) or ("",)
        return judge_ages(self._reader.find_ages(source, text))


def judge_audience(record: ListingRecord, *, language: Language | None = None) -> Verdict:
    """Decide the audience of a record in this language, by default English. If the record states `adults_only`, that
    wins."""
    return read_classifier(language).judge(record)


_by_language: dict[int, tuple[Language | None, AudienceClassifier]] = {}


def read_classifier(language: Language | None) -> AudienceClassifier:
    """Return the classifier of a language, cached by the identity of the language."""
    kept = _by_language.get(id(language))
    if kept is None:
        kept = _by_language[id(language)] = (language, _make_classifier(language))
    return kept[1]


def _make_classifier(language: Language | None) -> AudienceClassifier:
    own = language or read_shipped_language(ENGLISH)
    others = (read_shipped_language(code).audience for code in SHIPPED if code != own.code)
    beside = [other for other in others if other is not None]
    return AudienceClassifier(_read_rules(), own.audience or AudienceWords(), beside)


@cache
def _read_rules() -> bytes:
    return files("pipeline.resolve.facts").joinpath("audience.toml").read_bytes()


def join_ages(spans: Sequence[AgeSpan]) -> AgeSpan | None:
    """Return the widest range of the spans, ignoring those that are only for adults if others are not. None if none
    states an age."""
    stated = [span for span in spans if span.min is not None or span.max is not None]
    chosen = [span for span in stated if (span.min or 0) < 18] or stated
    if not chosen:
        return None
    high = None if any(span.max is None for span in chosen) else max(span.max or 0 for span in chosen)
    return AgeSpan(min(span.min or 0 for span in chosen), high)


def judge_ages(spans: Sequence[AgeSpan]) -> str | None:
    """Return the audience for the widest range of the spans, or None if none states an age."""
    joined = join_ages(spans)
    if joined is None:
        return None
    low, high = joined.min or 0, joined.max
    if low >= 18:
        return ADULTS
    if high is not None and high <= 12:
        return "kids"
    if low >= 13:
        return "teens"
    if high is not None and high <= 18:
        return "kids"
    return "all_ages" if low == 0 else "families"


@lru_cache(maxsize=REMEMBERED)
def _judge_span(low: int | None, high: int | None) -> str | None:
    return judge_ages([AgeSpan(low, high)])


def _apply_rule(rule: AudienceRule, findings: _TextFindings) -> str | None:
    if rule.ages is not None:
        audience = findings.judge_ages(rule.ages)
        return audience if audience in rule.audiences else None
    assert rule.field is not None
    return rule.audience if rule.phrases in findings.find_phrases(rule.field) else None


def _name_sets() -> Collection[str]:
    """Return the names of the sets of phrases that a language may have: those that English has."""
    english = read_shipped_language(ENGLISH).audience
    assert english is not None
    return english.phrases


def _select_phrases(words: AudienceWords, rules: Sequence[AudienceRule], field: str) -> Phrases:
    names = {rule.phrases for rule in rules if rule.field == field}
    return Phrases({name: words.phrases[name] for name in words.phrases if name in names or name == IGNORED})


def _check_rule(rule: AudienceRule, known: Collection[str]) -> None:
    """Raise ValueError for a rule that can never apply, or that names an unknown audience or set of phrases."""
    if rule.ages is not None:
        is_whole = rule.ages in ("record", "name", "description") and set(rule.audiences) <= set(AUDIENCES)
    else:
        is_whole = rule.field in FIELDS and rule.audience in AUDIENCES and rule.phrases in known
    if not is_whole:
        raise ValueError(f"rule {rule.name!r}: {msgspec.structs.asdict(rule)}")
