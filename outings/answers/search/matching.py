"""The words of a query → the listings that have any of them, with level and score."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import pairwise

import numpy as np
from msgspec import Struct

from outings.answers.cache import Once, remember
from outings.answers.search.audiences import TargetAudience
from outings.answers.search.matches import WordMatches
from outings.answers.search.moments import Moment
from outings.answers.search.namesakes import Namesakes
from outings.answers.search.notions import Notion
from outings.answers.search.postings import NAME, SHELF, WHERE, Places, Postings, Rows
from outings.answers.search.score import (
    PARTIAL,
    SAME,
    Codes,
    Mask,
    Numbers,
    are_elsewhere,
    count_named,
    encode_ring,
    encode_trace,
    encode_word,
    find_levels,
    mark_candidates,
    mark_firsts,
    score_names,
    score_words,
    weaken_shelves,
)
from outings.answers.search.sources import Source, SourceFinder
from outings.answers.search.understanding.related import Alternatives, RelatedWords
from outings.answers.snapshot.terms import Terms, choose_field, split_places
from outings.release.tables import FIELDS

_NOTHING: Numbers = np.empty(0, dtype=np.intp)
# Words of kinds and audiences whose codes are kept: few are typed, and most listings have them. A byte a listing each.
_LIFTED = 16
# Queries whose related words are kept: each is asked for some times, with ever fewer words.
_QUERIES = 1_024
# Of fewer than one in so many listings the rows are sorted, not looked for among all: 5 µs rather than 30 of 100,000.
_FEW = 32
_ADDRESS = FIELDS.index("location")
# Of a part of the metro: three places of three neighborhoods at least.
LEAST_ADDRESSES = 9
_IN_NAME: Places = np.array([NAME], dtype=np.uint8)


# A word and rows → its codes there.
_Lift = Callable[[str, Numbers], Codes]


class SearchLocation(Struct, frozen=True, eq=False):
    """A name of the query that says where. `lying`: the listings that lie there, whatever they say, and `rings` those
    that lie in rings round it; None where names alone count."""

    name: Sequence[str]
    lying: Numbers | None = None
    rings: Sequence[Numbers] = ()


class Matcher:
    """Of one snapshot. `name_words`: by row, how many words its name has."""

    def __init__(
        self, terms: Terms, *, postings: Postings, name_words: Numbers, types: Numbers, related: RelatedWords
    ) -> None:
        self._terms = terms
        self._postings = postings
        self._name_words = name_words
        self._types = types
        self._related = related
        self._finder = SourceFinder(terms, postings, size=name_words.size)
        self._find_lifted = remember(self._encode_lifted, size=_LIFTED)
        self._find_runs = remember(self._list_runs, size=_QUERIES)
        self._addressed = terms.find_frequent(_ADDRESS, least=LEAST_ADDRESSES)

    def count_postings(self, numbers: Iterable[int], *, run: range) -> int:
        """Of words one by one, and of words side by side."""
        return self._postings.count_postings(numbers) + (self._postings.read_run(run)[0].size if run else 0)

    def find_named(self, words: Sequence[str]) -> Rows:
        """The listings whose names have these words, as they stand there, side by side."""
        source = self._finder.find_name(words)
        rows: Rows = source.rows[source.codes == encode_word(_IN_NAME, SAME)]
        return rows

    def find_addressed(self, words: Sequence[str]) -> Numbers:
        """The listings whose addresses have these words, as they stand there, side by side: rising."""
        places = self._terms.find_sequence([self._terms.spelling.find_word(word) for word in words])
        rows, _, _ = split_places(choose_field(places, _ADDRESS))
        addressed: Numbers = np.unique(rows).astype(np.int64)
        return addressed

    def may_be_region(self, word: str) -> bool:
        """Whether so many addresses have it, as it stands there, that a part of the metro may be named so."""
        return not self._addressed.isdisjoint(self._terms.spelling.find_word(word))

    def choose_having(self, rows: Rows, words: Sequence[str]) -> Rows:
        """Those of the rows that have each of the words, in any of its forms."""
        for word in words:
            having = [source.rows for source in self._finder.find_alone(word)]
            rows = rows[np.isin(rows, np.concatenate(having))] if having else rows[:0]
        return rows

    def is_prominent(self, numbers: Iterable[int]) -> bool:
        """Whether any of the words is in a name or a category."""
        return any((self._postings.read_posting(number)[1] >= SHELF).any() for number in numbers)

    def list_phrases(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """[start, end) of those of several words that have related ones."""
        return [(run.start, run.end) for run in self._related.find(words) if run.end - run.start > 1]

    def find_fit(
        self, words: Sequence[str], *, subject: Sequence[int], beginning: str | None = None
    ) -> tuple[bool, bool]:
        """Whether any listing has all of the words, as `all_terms` or `related` have them, and whether any such has
        those with the numbers of `subject` in its name."""
        sources = self._list_sources(words, (), [self._related], beginning=beginning, is_strict=True)
        best = [self._encode(each) for each in sources]
        rows = mark_candidates(best).nonzero()[0]
        rows = rows[find_levels(best, rows, where_completes=True) < PARTIAL]
        named = count_named([best[number].take(rows) for number in subject])
        return bool(rows.size), bool(rows.size and (named == len(subject)).any())

    def match_words(
        self,
        words: Sequence[str],
        *,
        lifting: Sequence[str],
        locations: Sequence[SearchLocation],
        beginning: str | None = None,
        subject: Sequence[int] = (),
        notions: Sequence[Notion] = (),
        foreign: RelatedWords | None = None,
        is_strict: bool = False,
        namesakes: Namesakes | None = None,
        alike: Mapping[str, Iterable[str]] | None = None,
        audience: TargetAudience | None = None,
        moment: Moment | None = None,
        types: Mapping[str, int] | None = None,
        lessons: Sequence[str] = (),
    ) -> WordMatches:
        """The listings that have one of the words at least; all where there are none. `lifting` words and `locations`
        decide nothing but the score. `beginning`: the last word, where it is half typed. `subject`: the numbers of the
        words that do not only narrow; of partial matches those that have all of these are marked as the better.
        `notions`: runs of words that stand for one thing. `foreign`: what the words are in the metro's language, where
        they are in another; these have no typos. `is_strict`: typos of words that some listing has are traces,
        and where a listing is may complete a match.
        `namesakes`: what tells places that are only named after a word. `audience`: for whom the query is; `moment`:
        for when. `types`: the type that a lifting word means, whatever names say. `lessons`: the lifting words for
        lessons."""
        related = [self._related] if foreign is None else [self._related, foreign]
        lift = partial(self._encode_lifting, related=related, alike=alike or {}, types=types or {})
        if not words:
            score = partial(self._score_all, lifting=lifting, lift=lift, audience=audience, moment=moment)
            return WordMatches([], lambda: np.arange(self._name_words.size), score)
        sources = self._list_sources(words, notions, related, beginning=beginning, is_strict=is_strict)
        best = [self._encode(each) for each in sources]
        find_meant = Once(lambda: frozenset(self._list_meant(words, related, beginning=beginning)))
        are_meant = None if namesakes is None else partial(namesakes.are_meant, meant=find_meant)
        locate = Once(lambda: list(map(self._locate, locations)))
        located_words = [0 if each.lying is None else len(each.name) for each in locations]
        score = partial(self._score, best, lifting=lifting, locate=locate, located_words=located_words, lift=lift)
        score = partial(score, lessons=lessons, audience=audience, moment=moment, are_meant=are_meant)

        def weaken(rows: Numbers) -> None:
            if namesakes is not None:
                own = [best[number] for number in subject]
                namesakes.weaken(best, rows, subject=own or best, meant=find_meant)
                for codes in best:
                    codes[rows] = weaken_shelves(codes.take(rows))

        def locate_names(rows: Numbers) -> None:
            if namesakes is not None and len(words) > 1:
                namesakes.locate(best, rows, meant=find_meant)

        return WordMatches(
            best,
            lambda: self._list_rows(sources, best),
            score,
            most=sum(source.rows.size for each in sources for source in each),
            weaken=weaken,
            locate=locate_names,
            subject=[best[number] for number in subject] if 0 < len(subject) < len(words) else None,
            ranks_subject=is_strict and len(words) > 1,
            where_completes=is_strict,
            are_elsewhere=(lambda rows: are_elsewhere(locate(), rows)) if any(located_words) else None,
        )

    def _list_meant(
        self, words: Sequence[str], related: Sequence[RelatedWords], *, beginning: str | None
    ) -> Iterator[int]:
        """The numbers of the words that a query's mean: of what is written as two, or related, the last."""
        spelling = self._terms.spelling
        for word in words:
            yield from (form.number for form in spelling.list_forms(word))
            yield from (number for _, behind in self._finder.find_halves(word) for number in behind)
        for first, second in pairwise(words):
            yield from spelling.list_stemmed(first + second)
        runs = self._find_related(words, related, beginning=beginning, is_strict=True)
        for phrase in (phrase for run in runs for phrase in run.phrases):
            yield from spelling.list_stemmed(phrase[-1])
        if beginning:
            yield from spelling.list_begun(beginning)

    def _list_sources(
        self,
        words: Sequence[str],
        notions: Sequence[Notion],
        related: Sequence[RelatedWords],
        *,
        beginning: str | None,
        is_strict: bool,
    ) -> list[list[Source]]:
        """Of each word. What a language's own related words are followed by is another language: its words are known,
        and have no typos."""
        sources = [list(self._finder.find_word(words, number, is_strict=is_strict)) for number in range(len(words))]
        known = self._related.list_begun(beginning) if beginning and is_strict else ()
        if known and not self._terms.spelling.list_stemmed(words[-1]):
            sources[-1] = [Source(each.rows, encode_trace(each.codes)) for each in sources[-1]]
        for run in (run for table in related[1:] for run in table.find(words)):
            for number in range(run.start, run.end):
                sources[number] = list(self._finder.find_one(words[number], SAME))
        for notion in notions:
            sources[notion.start : notion.end] = self._finder.find_notion(words, notion, sources)
        for run in self._find_related(words, related, beginning=beginning, is_strict=is_strict):
            if any(notion.is_cut(run.start, run.end) for notion in notions):
                continue
            phrases = (self._finder.find_phrase(phrase, is_loose=is_strict) for phrase in run.phrases)
            matches = [source for each in phrases for source in each]
            for number in range(run.start, run.end):
                sources[number] += matches
        if beginning:
            sources[-1] += self._finder.find_begun(beginning, known=known)
        return sources

    def _find_related(
        self, words: Sequence[str], tables: Sequence[RelatedWords], *, beginning: str | None, is_strict: bool
    ) -> list[Alternatives]:
        own = self._find_runs(tuple(words), beginning=beginning, is_strict=is_strict and len(tables) == 1)
        return own + [run for table in tables[1:] for run in table.find(words)]

    def _list_runs(self, words: tuple[str, ...], *, beginning: str | None, is_strict: bool) -> list[Alternatives]:
        """By the metro's own table; if `is_strict` also however words are written."""
        runs = list(self._related.find(words))
        if is_strict:
            runs += self._related.find_near(words, is_known=self._is_known, beginning=beginning)
        return runs

    def _is_known(self, word: str) -> bool:
        return bool(self._terms.spelling.list_stemmed(word))

    def begins_related(self, word: str) -> bool:
        return self._related.begins(word)

    def _score(
        self,
        best: Sequence[Codes],
        rows: Numbers,
        *,
        lifting: Sequence[str],
        lessons: Sequence[str],
        locate: Callable[[], Sequence[Codes]],
        located_words: Sequence[int],
        lift: _Lift,
        audience: TargetAudience | None,
        moment: Moment | None,
        are_meant: Callable[[Numbers], Mask] | None,
    ) -> Numbers:
        lifts = {word: lift(word, rows) for word in lifting}
        return score_words(
            [each.take(rows) for each in best],
            lifting=list(lifts.values()),
            lessons=[lifts[word] for word in lessons],
            locating=[each.take(rows) for each in locate()],
            locating_words=located_words,
            name_words=self._name_words[rows],
            others=0 if audience is None else audience.find_others(rows, are_meant),
            untimely=0 if moment is None else moment.find_others(rows, are_meant),
        )

    def _locate(self, location: SearchLocation) -> Codes:
        """By row."""
        sources, lying = [self._finder.find_name(location.name)], location.lying
        if lying is not None:
            codes = encode_word(np.full(lying.size, WHERE, dtype=np.uint8), SAME)
            sources.append(Source(lying.astype(np.uint32), codes))
        for ring, rows in enumerate(location.rings):
            sources.append(Source(rows.astype(np.uint32), encode_ring(rows.size, ring)))
        return self._encode(sources)

    def _score_all(
        self,
        rows: Numbers,
        *,
        lifting: Sequence[str],
        lift: _Lift,
        audience: TargetAudience | None,
        moment: Moment | None,
    ) -> Numbers:
        """Of a query in which no word decides."""
        codes = [lift(word, rows) for word in lifting]
        return score_names(
            codes,
            count=rows.size,
            others=0 if audience is None else audience.find_others(rows, None),
            untimely=0 if moment is None else moment.find_others(rows, None),
        )

    def _encode_lifting(
        self,
        word: str,
        rows: Numbers,
        *,
        related: Sequence[RelatedWords],
        alike: Mapping[str, Iterable[str]],
        types: Mapping[str, int],
    ) -> Codes:
        """Of the rows. A camp is one, though its name may not say so."""
        codes: Codes = self._find_lifted(word, frozenset(alike.get(word, ())), *related).take(rows)
        if word in types:
            codes[self._types[rows] == types[word]] = encode_word(_IN_NAME, SAME)[0]
        return codes

    def _encode_lifted(self, word: str, alike: frozenset[str], *related: RelatedWords) -> Codes:
        """Kids are children too, and of a lesson is said "learn"."""
        sources = [source for own in sorted({word, *alike}) for source in self._finder.find_one(own, SAME)]
        for phrase in (phrase for table in related for phrase in table.list(word)):
            sources += self._finder.find_phrase(phrase)
        return self._encode(sources)

    def _encode(self, sources: Iterable[Source]) -> Codes:
        """The best code of a word, by row."""
        best: Codes = np.zeros(self._name_words.size, dtype=np.uint8)
        for number, source in enumerate(sources):
            rows = source.rows.astype(np.intp)  # by these NumPy reads and writes in a third of the time
            best[rows] = np.maximum(best[rows], source.codes) if number else source.codes
        return best

    def _list_rows(self, sources: Iterable[Iterable[Source]], best: Sequence[Codes]) -> Numbers:
        """The listings that have any of the words, rising."""
        parts = [source.rows for each in sources for source in each]
        if sum(map(len, parts)) * _FEW >= self._name_words.size:
            return reduce(np.maximum, best).nonzero()[0]
        rows = np.concatenate(parts) if parts else _NOTHING
        rows.sort()
        return rows[mark_firsts(rows)].astype(np.intp)
