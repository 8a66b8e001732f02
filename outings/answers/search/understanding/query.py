"""Parse a search query: the words that decide, the kinds of listing, an age, and the words that are ignored.

Quotes, a leading minus and OR are not interpreted. Each word gets one role, from the first step that knows it: 1. names
of activities ("4th of july", "gluten free") stay words; 2. a phrase for an age is a filter, and its words are in no
list; 3. the metro's name, neighborhoods, and words for price, time and audience are ignored and listed in `ignored`; 4.
filler words are ignored and not listed, and kinds only raise scores; 5. all other words decide.

A neighborhood does not filter (the parameter `neighborhood` does). It is searched as written if nothing else is left
but an age or an audience. Audience words are searched as written if not even an age is left.

In `match=auto` phrases that filter come before 3., and neighborhoods filter."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto

from msgspec import Struct, field

from outings.answers.search.understanding.ages import AgeSpan, are_each, find_ages, join_ages
from outings.answers.search.understanding.line import Line, Token, read_line
from outings.answers.search.understanding.locations import Locations, Words, find_runs
from outings.answers.search.understanding.phrases import Phrase
from outings.answers.search.understanding.words import QueryWords, read_english
from outings.contract.errors import ApiError, bad_request
from outings.contract.text import split_words


class Age(Struct, frozen=True):
    """The age in a query, in whole years, both ends inclusive; `max` None is open. `text`: the phrases as written.
    `spans`: if several children come, the age of each."""

    min: int
    max: int | None
    text: str = field(name="from")
    spans: tuple[tuple[int, int | None], ...] = ()

    @property
    def is_each(self) -> bool:
        return len(self.spans) > 1


class ParsedQuery(Struct, frozen=True, kw_only=True):
    """A parsed query. Its words are folded, distinct and in the order written.

    `words` decide which listings match; empty only if there is an age or, in `auto`, a filter. `kinds` (camp, class)
    only raise listings with them in the name. `audience` and `locations` (neighborhoods) only change the score, and in
    `auto` the latter filter. `ignored`: words for location, time, price and audience, as written. `stated`: words of
    ages ("toddlers") and filters that names may contain, and those of the time if `words` is empty. `last`: the query's
    last word if it is one of `words`. `beginning`: the last word as written, if read as half typed. `phrases`: those
    that filter in `auto`, each with its text as written.
    """

    words: Words = ()
    kinds: Words = ()
    age: Age | None = None
    ignored: Words = ()
    audience: Words = ()
    stated: Words = ()
    venues: Words = ()
    locations: tuple[Words, ...] = ()
    last: str | None = None
    beginning: str | None = None
    phrases: tuple[tuple[Phrase, str], ...] = ()

    @property
    def begun(self) -> str | None:
        """The last of `words`, where it is half typed."""
        return self.last if self.beginning and self.words[-1:] == (self.last,) else None


class _Role(Enum):
    WORD = auto()
    FILLER = auto()
    KIND = auto()
    AGE = auto()
    PRICE = auto()
    TIME = auto()
    AUDIENCE = auto()
    METRO = auto()
    NEIGHBORHOOD = auto()
    FILTER = auto()
    PLACE_KIND = auto()


# The fewest letters with which an incomplete last word is taken for a kind of listing.
_LEAST_KIND = 3
# The fewest letters with which it is taken for a price, a time or an audience: "chi" may become many words.
_LEAST_WORD = 4
# As `QueryWords.roles` numbers them.
_KNOWN = (_Role.KIND, _Role.PRICE, _Role.TIME, _Role.AUDIENCE, _Role.FILLER)
_IGNORED = frozenset((_Role.PRICE, _Role.TIME, _Role.AUDIENCE, _Role.METRO, _Role.NEIGHBORHOOD))


def parse_search(
    text: str,
    *,
    places: Locations,
    words: QueryWords | None = None,
    last_is_beginning: bool = False,
    is_auto: bool = False,
    filters: bool = True,
) -> ParsedQuery:
    """Read a query. `words`: of the metro's language, else English. `last_is_beginning`: the last word is half typed.
    Without `filters` no phrase is a filter in `auto`.
    Raises ApiError (400 nothing_searchable) if no word, no age and no filter is left."""
    words = words or read_english()
    line, names = read_line(text), words.name_phrases
    spans = [span for span in find_ages(words.ages, line.text) if not names.search(line.text[span.start : span.end])]
    tokens = line.list_tokens()
    roles = _Roles(tokens, words)
    roles.claim_phrases(names, line.text, _Role.WORD)
    for span in spans:
        roles.claim(span.start, span.end, _Role.AGE)
    roles.claim_runs(places.whole, _Role.WORD)
    named = roles.claim_runs(places.neighborhoods, _Role.NEIGHBORHOOD) if is_auto else []
    phrases = roles.claim_filters(words.filters.find(line.text)) if is_auto and filters else []
    roles.claim_runs(frozenset(places.metro), _Role.METRO)
    for pattern, role in _list_phrases(words):
        roles.claim_phrases(pattern, line.text, role)
    named += roles.claim_runs(places.neighborhoods, _Role.NEIGHBORHOOD)
    roles.claim_words()
    if last_is_beginning:
        roles.claim_beginning()
    phrases, venues = roles.settle_kinds(phrases)
    is_filtered = is_auto and bool(phrases or named)
    deciding = roles.choose_deciding(has_age=bool(spans), is_filtered=is_filtered)
    if not (deciding or spans or is_filtered):
        raise _refuse(text)
    return ParsedQuery(
        words=deciding,
        kinds=roles.list_words(_Role.KIND),
        age=_make_age(line, spans),
        ignored=roles.list_ignored(line, _IGNORED - {_Role.NEIGHBORHOOD} if is_auto else _IGNORED),
        audience=roles.list_words(_Role.AUDIENCE),
        stated=(*_list_age_words(spans, tokens), *_list_filter_words(roles, phrases, has_words=bool(deciding))),
        venues=venues,
        locations=tuple(dict.fromkeys(named)) if roles.list_words(_Role.NEIGHBORHOOD) else (),
        last=roles.find_last(),
        beginning=line.quote_token(tokens[-1]) if last_is_beginning else None,
        phrases=tuple((phrase, line.quote(phrase.start, phrase.end)) for phrase in phrases),
    )


def _list_phrases(words: QueryWords) -> tuple[tuple[re.Pattern[str], _Role], ...]:
    return (
        (words.price_phrases, _Role.PRICE),
        (words.time_phrases, _Role.TIME),
        (words.audience_phrases, _Role.AUDIENCE),
        (words.filler_phrases, _Role.FILLER),
    )


class _Roles:
    """The role of each token. The first rule that claims a token decides."""

    def __init__(self, tokens: Sequence[Token], words: QueryWords) -> None:
        self._tokens, self._words = tokens, words
        self._spelled = [token.word for token in tokens]
        self._roles: list[_Role | None] = [None] * len(tokens)

    def claim(self, start: int, end: int, role: _Role) -> bool:
        """Give the tokens in [start, end) of the line this role, all or none, and return True if it was done. Filler
        words in a phrase stay filler, except in an age."""
        numbers = [n for n, token in enumerate(self._tokens) if start <= token.start and token.end <= end]
        if any(self._roles[n] is not None for n in numbers):
            return False
        for n in numbers:
            is_filler = role is not _Role.AGE and self._tokens[n].word in self._words.fillers
            self._roles[n] = _Role.FILLER if is_filler else role
        return True

    def claim_phrases(self, pattern: re.Pattern[str], text: str, role: _Role) -> None:
        for match in pattern.finditer(text):
            self.claim(*match.span(), role)

    def claim_runs(self, names: frozenset[Words], role: _Role) -> list[Words]:
        """Give the names in the query this role, including filler words in them, and return the names."""
        runs: list[Words] = []
        spelled = [word if role is None else "" for word, role in zip(self._spelled, self._roles, strict=True)]
        for start, end in find_runs(spelled, names):
            runs.append(tuple(spelled[start:end]))
            # "new york city", where the metro is New York.
            end += role is _Role.METRO and not self._words.city.isdisjoint(spelled[end : end + 1])
            self._roles[start:end] = [role] * (end - start)
        return runs

    def claim_filters(self, phrases: Iterable[Phrase]) -> list[Phrase]:
        """Give the words of phrases the role FILTER, and return those that got theirs. Kinds of places are settled
        later."""
        return [
            phrase
            for phrase in phrases
            if self.claim(phrase.start, phrase.end, _Role.PLACE_KIND if phrase.words.is_kind else _Role.FILTER)
        ]

    def settle_kinds(self, phrases: Sequence[Phrase]) -> tuple[list[Phrase], Words]:
        """Let kinds of places filter if no other word decides, else make their words decide, too. Return the phrases
        that filter, and the words that only say where something is."""
        decides = _Role.WORD in self._roles
        venues = self.list_words(_Role.PLACE_KIND) if decides else ()
        role = _Role.WORD if decides else _Role.FILTER
        self._roles = [role if value is _Role.PLACE_KIND else value for value in self._roles]
        kept = [phrase for phrase in phrases if not (decides and phrase.words.is_kind)]
        return sorted(kept, key=lambda phrase: phrase.start), venues

    def claim_words(self) -> None:
        roles = self._words.roles
        self._roles = [
            role or (_KNOWN[roles[word]] if word in roles else _Role.WORD)
            for word, role in zip(self._spelled, self._roles, strict=True)
        ]

    def claim_beginning(self) -> None:
        """Give the last word, if it decides beside others, the role of a word that begins with it."""
        *others, last = self._roles
        if last is not _Role.WORD or {_Role.WORD, _Role.FILTER}.isdisjoint(others):
            return
        known, word = self._words, self._tokens[-1].word
        roles = (
            (known.kinds, _Role.KIND, _LEAST_KIND), (known.prices, _Role.PRICE, _LEAST_WORD),
            (known.times, _Role.TIME, _LEAST_WORD), (known.audience, _Role.AUDIENCE, _LEAST_WORD),
        )  # fmt: skip
        for words, role, least in roles:
            if len(word) >= least and any(value.startswith(word) for value in words):
                self._roles[-1] = role
                return

    def find_last(self) -> str | None:
        """Return the query's last word, if it decides and is nowhere else in the query."""
        word = self._tokens[-1].word
        is_last = self._roles[-1] is _Role.WORD and self.list_words(_Role.WORD)[-1] == word
        return word if is_last else None

    def choose_deciding(self, *, has_age: bool, is_filtered: bool) -> Words:
        """Give the role WORD to the words that decide, and return them: words without another role; else, beside an age
        or an audience, neighborhoods; else, without an age, audience words. Where phrases or places filter, only the
        first."""
        stages = [_Role.WORD]
        if not is_filtered and (has_age or _Role.AUDIENCE in self._roles):
            stages.append(_Role.NEIGHBORHOOD)
        if not is_filtered and not has_age:
            stages.append(_Role.AUDIENCE)
        for role in stages:
            if role in self._roles:
                self._roles = [_Role.WORD if value is role else value for value in self._roles]
                return self.list_words(_Role.WORD)
        return ()

    def list_words(self, role: _Role) -> Words:
        if role not in self._roles:
            return ()
        pairs = zip(self._tokens, self._roles, strict=True)
        return tuple(dict.fromkeys(token.word for token, value in pairs if value is role))

    def list_ignored(self, line: Line, roles: frozenset[_Role]) -> Words:
        """Return the words of these roles as written, each once."""
        written: dict[str, str] = {}
        for token, role in zip(self._tokens, self._roles, strict=True):
            if role in roles:
                written.setdefault(token.word, line.quote_token(token))
        return tuple(written.values())


def _list_age_words(spans: Sequence[AgeSpan], tokens: Sequence[Token]) -> Words:
    """Return the words for ages that names have too: "toddlers", but not words after a number."""
    words = [span for span in spans if span.is_word]
    return tuple(token.word for token in tokens if any(word.meets(token.start, token.end) for word in words))


def _list_filter_words(roles: _Roles, phrases: Sequence[Phrase], *, has_words: bool) -> Words:
    """Return the words of filters that names may have too: of kinds of places; of time, if no word decides; of other
    filters, if a word does, since otherwise the soonest camp comes first, whatever its name is."""
    own = [phrase for phrase in phrases if phrase.words.is_kind or phrase.is_when is not has_words]
    told = [word for phrase in own for word in split_words(phrase.text)]
    words = tuple(word for word in roles.list_words(_Role.FILTER) if word in told)
    return words if has_words else (*roles.list_words(_Role.TIME), *words)


def _make_age(line: Line, spans: Sequence[AgeSpan]) -> Age | None:
    if not spans:
        return None
    least, most = join_ages(spans)
    text = ", ".join(line.quote(span.start, span.end) for span in spans)
    return Age(least, most, text, spans=tuple(_list_each(line, spans)) if are_each(spans) else ())


def _list_each(line: Line, spans: Sequence[AgeSpan]) -> Iterator[tuple[int, int | None]]:
    """Yield the age of each of several children."""
    for span in spans:
        if span.is_each and span.max is not None:
            written = {int(number) for number in re.findall("[0-9]+", line.text[span.start : span.end])}
            known = {number for number in written if span.min <= number <= span.max} | {span.min, span.max}
            yield from ((number, number) for number in sorted(known))
        else:
            yield span.min, span.max


def _refuse(text: str) -> ApiError:
    return bad_request(
        param="q",
        reason="nothing_searchable",
        message=f'q is "{text}": no word in it says what to look for beside when, where, how much or the kind of '
        "listing. Name a subject (pottery, swim), an age (5 year olds), or use the filters.",
    )
