"""Code as HTML whose words have classes, so that a style sheet alone colours them."""

from itertools import groupby
from operator import itemgetter

from markupsafe import Markup, escape
from pygments.lexers import get_lexer_by_name

# Kinds of words by the names that Pygments gives them, and their classes. The first that fits counts.
_CLASSES = (
    ("Token.Comment", "code-comment"),
    ("Token.Keyword.Constant", "code-number"),
    ("Token.Keyword", "code-keyword"),
    ("Token.Literal.Number", "code-number"),
    ("Token.Literal.Date", "code-number"),
    ("Token.Literal.String", "code-string"),
    ("Token.Name.Builtin", "code-keyword"),
    ("Token.Name.Tag", "code-name"),
    ("Token.Name.Variable", "code-name"),
)
_PLAIN = ("", "text")


def highlight_code(code: str, language: str, *, origin: str) -> Markup:
    """`language` is what a block of Markdown has after its fence. One that Pygments does not know is an error."""
    if language in _PLAIN:
        return mark_code(code, origin=origin)
    tokens = get_lexer_by_name(language, stripnl=False, ensurenl=False).get_tokens(code)
    named = ((_name_class(str(kind)), text) for kind, text in tokens)
    runs = ((name, "".join(text for _, text in run)) for name, run in groupby(named, key=itemgetter(0)))
    return Markup("").join(mark_code(text, name=name, origin=origin) for name, text in runs)


def mark_code(text: str, *, origin: str, name: str | None = None) -> Markup:
    """Return a piece of code as a `<span>` with this class. `origin`: the server's address in examples, which a script
    replaces by the page's own; empty if the examples name another server."""
    attributes = Markup("") if name is None else Markup(' class="{}"').format(name)
    if origin and origin in text:
        attributes += Markup(' data-origin="{}"').format(origin)
    return Markup("<span{}>{}</span>").format(attributes, text) if attributes else escape(text)


def _name_class(kind: str) -> str | None:
    return next((name for prefix, name in _CLASSES if kind.startswith(prefix)), None)
