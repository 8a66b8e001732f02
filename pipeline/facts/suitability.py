"""The audience of a listing: the first rule of `suitability.toml` that applies to it."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from outings.contract.vocabulary import AUDIENCES
from pipeline.facts.age_texts import AgeSpan, find_ages
from pipeline.facts.phrases import Phrases, fold_phrases, split_sentences, split_words
from pipeline.records.record import ListingRecord

ADULTS = "adults"
FIELDS = ("name", "keywords", "description")
# The set of phrases whose words count for nothing.
IGNORED = "ignored"
# Whom it is for is said before this many characters, or not at all.
MAX_DESCRIPTION = 5_000


class Verdict(Struct, frozen=True, kw_only=True):
    """`rule` names what decided: a rule of the file, `adults_only_stated` or `nothing_said`."""

    audience: str
    rule: str


class SuitabilityRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Either phrases in a field make an audience, or ages make one of several."""

    name: str
    field: str | None = None
    phrases: str | None = None
    audience: str | None = None
    ages: str | None = None
    audiences: tuple[str, ...] = ()


class RuleFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rules: tuple[SuitabilityRule, ...]
    adult_ages_ignored_beside: frozenset[str]
    phrases: dict[str, tuple[str, ...]]


class Suitability:
    """The rules, ready to judge."""

    def __init__(self, content: bytes) -> None:
        """TOML; msgspec.ValidationError or ValueError say what is wrong in it."""
        self._file = msgspec.toml.decode(content, type=RuleFile)
        for rule in self._file.rules:
            _check_rule(rule, self._file)
        self._phrases = {field: _select_phrases(self._file, field) for field in FIELDS}

    def judge(self, record: ListingRecord) -> Verdict:
        if record.adults_only:
            return Verdict(audience=ADULTS, rule="adults_only_stated")
        told = _RecordText(record, self._phrases, self._file.adult_ages_ignored_beside)
        for rule in self._file.rules:
            audience = _apply_rule(rule, told)
            if audience is not None and not (audience == ADULTS and record.adults_only is False):
                return Verdict(audience=audience, rule=rule.name)
        return Verdict(audience="all_ages", rule="nothing_said")


class _RecordText:
    """The texts of a record, each parsed when a rule first needs it: the name decides most listings."""

    def __init__(self, record: ListingRecord, phrases: Mapping[str, Phrases], ignored_beside: frozenset[str]) -> None:
        self._record = record
        self._phrases = phrases
        self._ignored_beside = ignored_beside
        self._sentences: dict[str, list[str]] = {}
        self._found: dict[str, set[str]] = {}

    def find_phrases(self, field: str) -> set[str]:
        if field not in self._found:
            words = [split_words(sentence) for sentence in self._split(field)]
            self._found[field] = self._phrases[field].find(words)
        return self._found[field]

    def judge_ages(self, source: str) -> str | None:
        """Where the record states ages its words are not searched for others."""
        stated = self._record.ages
        if source == "record":
            return judge_ages([AgeSpan(stated.min, stated.max)])
        if stated.min is not None or stated.max is not None:
            return None
        is_name = source == "name"
        return judge_ages(find_ages(self._split(source), is_name=is_name, ignored_beside=self._ignored_beside))

    def _split(self, field: str) -> list[str]:
        if field not in self._sentences:
            record = self._record
            description = (record.description or "")[:MAX_DESCRIPTION]
            texts = {"name": [record.name], "keywords": record.keywords, "description": [description]}
            self._sentences[field] = [part for text in texts[field] for part in split_sentences(fold_phrases(text))]
        return self._sentences[field]


def judge_audience(record: ListingRecord) -> Verdict:
    """The audience of a record. `adults_only` wins over everything else that it states."""
    return read_suitability().judge(record)


@cache
def read_suitability() -> Suitability:
    return Suitability(files("pipeline.facts").joinpath("suitability.toml").read_bytes())


def judge_ages(spans: Sequence[AgeSpan]) -> str | None:
    """Of all that is stated the widest, what is only for adults left out; None where nothing is stated."""
    stated = [span for span in spans if span.min is not None or span.max is not None]
    open_to_minors = [span for span in stated if (span.min or 0) < 18]
    if not open_to_minors:
        return ADULTS if stated else None
    low = min(span.min or 0 for span in open_to_minors)
    high = None if any(span.max is None for span in open_to_minors) else max(span.max or 0 for span in open_to_minors)
    if high is not None and high <= 12:
        return "kids"
    if low >= 13:
        return "teens"
    if high is not None and high <= 18:
        return "kids"
    return "all_ages" if low == 0 else "families"


def _apply_rule(rule: SuitabilityRule, told: _RecordText) -> str | None:
    if rule.ages is not None:
        audience = told.judge_ages(rule.ages)
        return audience if audience in rule.audiences else None
    assert rule.field is not None
    return rule.audience if rule.phrases in told.find_phrases(rule.field) else None


def _select_phrases(file: RuleFile, field: str) -> Phrases:
    """The sets that rules of the field ask for: others must not take words from them."""
    asked = {rule.phrases for rule in file.rules if rule.field == field}
    return Phrases({name: file.phrases[name] for name in file.phrases if name in asked or name == IGNORED})


def _check_rule(rule: SuitabilityRule, file: RuleFile) -> None:
    """ValueError for a rule that could never speak, or not in the vocabulary's words."""
    if rule.ages is not None:
        is_whole = rule.ages in ("record", "name", "description") and set(rule.audiences) <= set(AUDIENCES)
    else:
        is_whole = rule.field in FIELDS and rule.phrases in file.phrases and rule.audience in AUDIENCES
    if not is_whole:
        raise ValueError(f"rule {rule.name!r}: {msgspec.structs.asdict(rule)}")
