"""Related words: parses a file of groups of phrases that a search treats as the same."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from outings.contract.tokenizer import split_words

# One phrase is its folded words with single spaces: "tai chi".
Group = tuple[str, ...]

MOST_GROUPS = 1_000
MOST_PHRASES = 20
MOST_WORDS = 4
MOST_LETTERS = 60

_ALLOWED = (
    f"one group a line, of 2 to {MOST_PHRASES} different phrases of at most {MOST_WORDS} words, with commas between"
)


class RelatedProblem(Struct, frozen=True):
    """What is wrong with a line (counted from 1; 0 is the whole file), and what is allowed."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class RelatedError(Exception):
    """All problems of a file, in order."""

    def __init__(self, problems: Sequence[RelatedProblem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


def parse_related(data: bytes) -> tuple[Group, ...]:
    """Reads UTF-8 with one group on each line, separated by commas. Empty lines and lines that begin with "#" are
    ignored. Raises RelatedError."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RelatedError([RelatedProblem(0, f"is not UTF-8 (byte {error.start}); allowed: {_ALLOWED}")]) from None
    groups: list[Group] = []
    problems: list[RelatedProblem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            phrases = [" ".join(split_words(part)) for part in line.split(",")]
            wrong = _list_wrong(phrases, line)
            problems += [RelatedProblem(number, f"{each}; allowed: {_ALLOWED}") for each in wrong]
            groups.append(tuple(phrases))
    if len(groups) > MOST_GROUPS:
        problems.append(RelatedProblem(0, f"has {len(groups)} groups; allowed: at most {MOST_GROUPS}"))
    if problems:
        raise RelatedError(problems)
    return tuple(groups)


def join_groups(*files: Sequence[Group]) -> tuple[Group, ...]:
    """Joins several tables. Each group stays as it is and appears once; groups that share a phrase are not merged."""
    return tuple(dict.fromkeys(group for groups in files for group in groups))


def _list_wrong(phrases: Sequence[str], line: str) -> Iterator[str]:
    if len(phrases) == 1:
        yield f'"{_cut(line.strip())}" stands alone'
    if len(phrases) > MOST_PHRASES:
        yield f"has {len(phrases)} phrases"
    for part, phrase in zip(line.split(","), phrases, strict=True):
        if not phrase:
            yield f'"{_cut(part.strip())}" has no word'
        elif len(phrase.split()) > MOST_WORDS or len(phrase) > MOST_LETTERS:
            yield f'"{_cut(phrase)}" is too long'
    for phrase in dict.fromkeys(phrase for phrase in phrases if phrase and phrases.count(phrase) > 1):
        yield f'"{_cut(phrase)}" stands twice'


def _cut(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + "…"
