"""Words that only narrow: which a query can do without, where nothing has all of its words."""

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from outings.answers.search.understanding.query import ParsedQuery
from outings.answers.search.understanding.words import QueryWords, mark_narrow, may_narrow

Words = tuple[str, ...]


def list_narrower(parsed: ParsedQuery, known: QueryWords, *, whole: Collection[str] = ()) -> Iterator[ParsedQuery]:
    """The query, and then without its words that say least: wishes, then also a season, when and where, and what sort
    of thing it is. Something is left that decides: beside such words alone ("summer day camp")
    the kinds decide too, but not beside wishes alone ("quiet activities"). `whole`: words that stay."""
    if not may_narrow(parsed.words, known.narrows):
        yield parsed
        return
    wishes, *circumstances, _ = known.narrowing
    words = parsed.words
    marks = zip(*(mark_narrow(words, group) for group in (wishes, *circumstances)), strict=True)
    if parsed.kinds and all(map(any, marks)) and not wishes.issuperset(words):
        words = (*words, *parsed.kinds)
        parsed = replace(parsed, words=words, kinds=())
    yield parsed
    for group in known.narrowing:
        marks = zip(words, mark_narrow(words, group), strict=True)
        fewer = tuple(word for word, drops in marks if not drops or word in whole)
        if not fewer:
            return
        if fewer != words:
            words = fewer
            yield replace(parsed, words=words)


def choose_subject(words: Sequence[str], known: QueryWords) -> list[int]:
    """The numbers of the words that do not only narrow; all where each does."""
    if not may_narrow(words, known.narrows):
        return list(range(len(words)))
    marks = [mark_narrow(words, group) for group in known.narrowing]
    chosen = [number for number in range(len(words)) if not any(mark[number] for mark in marks)]
    return chosen or list(range(len(words)))


def list_dropped(parsed: ParsedQuery, words: Sequence[str]) -> Words:
    return tuple(word for word in parsed.words if word not in words)
