"""Decide the audience of a listing by the first rule of `audience.toml` that applies, in the metro's language. Rules in
other shipped languages count too if they find adults earlier."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files

import msgspec
from msgspec import Struct

from outings.contract.languages.language import ENGLISH, SHIPPED, Language, read_shipped_language
from outings.contract.languages.word_lists import AudienceWords
from outings.texts.age_phrases import AgeSpan, join_spans
from outings.texts.ages import AgeReader, open_age_reader
from pipeline.records.record import ListingRecord
from pipeline.resolve.facts.phrases import Phrases, fold_phrases, split_sentences, split_words

ADULTS = "adults"
_ADULT = 18
_MAY_HAVE_AGE = re.compile(r"\d|\b(?:k|ages?|aged|edad(?:es)?|grades?|graders?|years?|olds?|anos|meses)\b")
FIELDS = ("name", "keywords", "description")
# The set of phrases whose words are ignored.
IGNORED = "ignored"
# Characters to search: texts name the audience early or not at all.
MAX_DESCRIPTION = 5_000
# Texts whose result is cached, in each language: listings of a series entered date by date, or of one program, share
# theirs, and are near each other in a feed.
CACHED_TEXTS = 1_024


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


class AudienceClassifier:
    """Decides the audience of records, with rules in a metro's language, and in other languages to find adults only."""

    def __init__(self, content: bytes, own: Language, others: Iterable[Language] = ()) -> None:
        """Parse the rules from the TOML `content`."""
        rules = msgspec.toml.decode(content, type=dict[str, list[AudienceRule]])["rules"]
        self._rules = (*rules, AudienceRule(name="nothing_said"))
        words = [language.audience or AudienceWords() for language in (own, *others)]
        # A sign alone, as in "21+", belongs to every language, and so do the words that say to whom it refers.
        beside = frozenset(word for lists in words for word in lists.adult_ages_ignored_beside)
        self._own, *self._others = (
            _AudienceReader(lists, self._rules, beside=beside, ages=open_age_reader(language.code, language.texts))
            for lists, language in zip(words, (own, *others), strict=True)
        )

    def judge(self, record: ListingRecord) -> Verdict:
        """Decide the audience of a record. A stated `adults_only` wins, then a sure rule, then the stated audience."""
        if record.adults_only:
            return Verdict(audience=ADULTS, rule="adults_only_stated")
        number, audience = self._find_rule(record)
        rule = self._rules[number]
        if record.audience is None or (audience == ADULTS and rule.is_sure):
            return Verdict(audience=audience, rule=rule.name)
        return Verdict(audience=record.audience, rule="audience_stated")

    def find_text_ages(self, record: ListingRecord) -> AgeSpan:
        """Return the ages in the name of a record, else in its description, in the metro's language, else in another.
        Both ends are None if the record states ages itself, or if no text has any."""
        if record.ages.min is not None or record.ages.max is not None:
            return AgeSpan(None, None)
        spans = (
            join_ages(reader.find_ages(field, own))
            for field in ("name", "description")
            for reader in (self._own, *self._others)
            for own in _list_texts(record, field)
        )
        return next((span for span in spans if span is not None), AgeSpan(None, None))

    def _find_rule(self, record: ListingRecord) -> tuple[int, str]:
        """Return the number of the rule that decides, and its audience; the last rule and `all_ages` if none does."""
        last = len(self._rules) - 1
        best = self._apply_rules(record, self._own, before=last) or (last, "all_ages")
        for other in self._others:
            match = self._apply_rules(record, other, before=best[0])
            best = match if match is not None and match[1] == ADULTS else best
        return best

    def _apply_rules(self, record: ListingRecord, reader: "_AudienceReader", *, before: int) -> tuple[int, str] | None:
        """Return the first of the rules before the number `before` that applies, and its audience, else None."""
        find_phrases = cache(partial(reader.find_all_phrases, record))  # many rules look in the same field
        for number, rule in enumerate(self._rules[:before]):
            audience = reader.apply_rule(rule, record, find_phrases)
            if audience is not None and not (audience == ADULTS and record.adults_only is False):
                return number, audience
        return None


class _AudienceReader:
    """Finds the phrases and ages of one language. For each field it has only the sets of phrases that rules name there,
    since other sets would use up words."""

    def __init__(
        self, words: AudienceWords, rules: Sequence[AudienceRule], *, beside: Collection[str], ages: AgeReader | None
    ) -> None:
        self._ages, self._beside = ages, frozenset(beside)
        self._phrases = {}
        for field in FIELDS:
            names = {IGNORED, *(rule.phrases for rule in rules if rule.field == field)}
            self._phrases[field] = Phrases({name: words.phrases[name] for name in words.phrases if name in names})
        self.find_phrases = lru_cache(maxsize=CACHED_TEXTS)(self._find_phrases)
        self.find_ages = lru_cache(maxsize=CACHED_TEXTS)(self._find_ages)

    def apply_rule(
        self, rule: AudienceRule, record: ListingRecord, find_phrases: Callable[[str], frozenset[str]]
    ) -> str | None:
        """Return the audience by the rule, or None if it does not apply. Ages in texts count only if the record states
        none. `find_phrases`: finds those in a field of the record."""
        if rule.field is not None:
            return rule.audience if rule.phrases in find_phrases(rule.field) else None
        stated, spans = AgeSpan(record.ages.min, record.ages.max), list[AgeSpan]()
        if rule.ages == "record":
            spans = [stated]
        elif stated == AgeSpan(None, None):
            texts = _list_texts(record, str(rule.ages))
            spans = [span for text in texts for span in self.find_ages(str(rule.ages), text)]
        judged = judge_ages(spans)
        return judged if judged in rule.audiences else None

    def find_all_phrases(self, record: ListingRecord, field: str) -> frozenset[str]:
        return frozenset().union(*(self.find_phrases(field, text) for text in _list_texts(record, field)))

    def _find_phrases(self, field: str, text: str) -> frozenset[str]:
        return frozenset(self._phrases[field].find(_list_words(text)))

    def _find_ages(self, field: str, text: str) -> Sequence[AgeSpan]:
        return [span for sentence in _split_text(text) for span in self._find_in(sentence, is_name=field == "name")]

    def _find_in(self, sentence: str, *, is_name: bool) -> Iterator[AgeSpan]:
        """Yield the ages in a folded sentence. Names allow shorter forms: "2-3 yrs", "12 and under"."""
        if self._ages is None or not _MAY_HAVE_AGE.search(sentence):
            return
        spans = [
            phrase.span for phrase in self._ages.find(sentence) if (phrase.is_in_name if is_name else phrase.is_in_text)
        ]
        is_beside = bool(spans) and not is_name and not self._beside.isdisjoint(split_words(sentence))
        yield from (span for span in spans if not (is_beside and (span.min or 0) >= _ADULT))


def _split_text(text: str) -> Sequence[str]:
    return split_sentences(fold_phrases(text))


# The languages read a text one after another.
@lru_cache(maxsize=16)
def _list_words(text: str) -> Sequence[Sequence[str]]:
    return [split_words(sentence) for sentence in _split_text(text)]


def _list_texts(record: ListingRecord, field: str) -> Sequence[str]:
    if field == "description":
        return [record.description[:MAX_DESCRIPTION]] if record.description else ()
    return [record.name] if field == "name" else record.keywords


_by_language: dict[int, tuple[Language | None, AudienceClassifier]] = {}


def read_classifier(language: Language | None) -> AudienceClassifier:
    """Return the classifier of a language, None for English, cached by the identity of the language."""
    cached = _by_language.get(id(language))
    if cached is None:
        own = language or read_shipped_language(ENGLISH)
        others = [read_shipped_language(code) for code in SHIPPED if code != own.code]
        rules = files("pipeline.resolve.facts").joinpath("audience.toml").read_bytes()
        classifier = AudienceClassifier(rules, own, others)
        cached = _by_language[id(language)] = (language, classifier)
    return cached[1]


def join_ages(spans: Sequence[AgeSpan]) -> AgeSpan | None:
    """Return the widest range of the spans, ignoring those that are only for adults if others are not. None if none
    states an age."""
    stated = [span for span in spans if span.min is not None or span.max is not None]
    chosen = [span for span in stated if (span.min or 0) < 18] or stated
    return join_spans(chosen) if chosen else None


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
