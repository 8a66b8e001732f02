"""Measure how often the audience check is right: 2,000 texts that readers labelled, by language and by class.

`python -m bench.audiences` prints the tables of docs/audiences.md; `--wrong` lists the texts on which it is wrong.
"""

import argparse
from collections.abc import Iterator, Sequence

from tests.judged.audiences import (
    LabelledText,
    judge_text,
    list_shown,
    measure_agreement,
    measure_audiences,
    read_labelled,
)

_LANGUAGES = {"en": "English", "es": "Spanish", "de": "German, by English rules"}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="list the texts on which the check is wrong")
    options = parser.parse_args(arguments)
    texts = read_labelled()
    print("\n".join(list_wrong(texts) if options.wrong else format_measures(texts)))


def format_measures(texts: Sequence[LabelledText]) -> Iterator[str]:
    """Markdown, as the document has it."""
    yield "| Language | Class | Texts | Precision | Recall |"
    yield "|---|---|---|---|---|"
    for code, language in _LANGUAGES.items():
        measured = measure_audiences(text for text in texts if text.language == code)
        for audience, value in measured.items():
            yield f"| {language} | `{audience}` | {value.labelled:,} | {value.precision:.3f} | {value.recall:.3f} |"
    yield ""
    adults = sum(text.audience == "adults" for text in texts)
    yield f"Shown to families: {len(list_shown(texts))} of {adults} texts for adults."
    twice, agreeing = measure_agreement(texts)
    yield f"Read twice: {twice} texts; both readings agree on {agreeing:.1%}."


def list_wrong(texts: Sequence[LabelledText]) -> Iterator[str]:
    for text in texts:
        verdict = judge_text(text)
        if verdict.audience != text.audience:
            yield f"{text.audience} → {verdict.audience} ({verdict.rule}): {text.name} | {text.text}"


if __name__ == "__main__":
    main()
