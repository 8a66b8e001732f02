"""One request as code that can be pasted: in a shell, in Python with what Python brings, and in JavaScript."""

from collections.abc import Mapping

from outings.contract.openapi.examples import Example
from outings.contract.routes import JSON

# How the page calls each, and what its markup does.
LANGUAGES = {"curl": "curl", "python": "Python", "javascript": "JavaScript"}


def write_code(example: Example, *, origin: str, needs_key: bool, key: str) -> Mapping[str, str]:
    """By language. `key` is one that every visitor may use; where there is none, the code takes it from `KEY`."""
    url = origin + example.request
    is_json = example.media == JSON
    return {
        "curl": _write_curl(url, key=key, needs_key=needs_key),
        "python": _write_python(url, key=key, needs_key=needs_key, is_json=is_json),
        "javascript": _write_javascript(url, key=key, needs_key=needs_key, is_json=is_json),
    }


def _write_curl(url: str, *, key: str, needs_key: bool) -> str:
    header = f'-H "X-API-Key: {key or "$KEY"}" \\\n  ' if needs_key else ""
    return f'curl {header}"{url}"'


def _write_python(url: str, *, key: str, needs_key: bool, is_json: bool) -> str:
    secret = f'"{key}"' if key else 'os.environ["KEY"]'
    modules = [*(["json"] if is_json else []), *(["os"] if needs_key and not key else [])]
    lines = [f"import {', '.join(modules)}"] if modules else []
    lines += ["from urllib.request import Request, urlopen", "", f'request = Request("{url}")']
    if needs_key:
        lines.append(f'request.add_header("X-API-Key", {secret})')
    lines.append("with urlopen(request) as answer:")
    lines.append("    print(json.load(answer))" if is_json else "    print(answer.read().decode())")
    return "\n".join(lines)


def _write_javascript(url: str, *, key: str, needs_key: bool, is_json: bool) -> str:
    secret = f'"{key}"' if key else "process.env.KEY"
    sent = f', {{\n  headers: {{ "X-API-Key": {secret} }},\n}}' if needs_key else ""
    return f'const answer = await fetch("{url}"{sent});\nconsole.log(await answer.{"json" if is_json else "text"}());'
