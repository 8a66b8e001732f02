"""What seven programs make of the served document: clients in TypeScript and Python compile and read the demo, and two
linters find no error. They are installed from their registries, at the versions of this folder."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.pages.conftest import Demo
from tests.pages.guides.reader import find_node

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("guides")]  # the worker that has the demo

FOLDER = Path(__file__).parent
COMPILING = {
    "target": "es2022", "module": "commonjs", "moduleResolution": "node10", "strict": True, "skipLibCheck": True,
    "types": [], "lib": ["es2022", "dom", "dom.iterable"], "outDir": "out",
}  # fmt: skip

USE_IN_PYTHON = """
import json
import sys
from urllib.request import Request, urlopen

import models
from client import AuthenticatedClient
from client.api.events import events_list
from client.models import EventList, Failure

server, key = sys.argv[1:]
client = AuthenticatedClient(base_url=server, token=key)
listed = events_list.sync("seattle", client=client, limit=3)
assert isinstance(listed, EventList)
refused = events_list.sync("nowhere", client=client)
assert isinstance(refused, Failure)
with urlopen(Request(f"{server}/v1/seattle/events?limit=3", headers={"X-API-Key": key})) as answer:
    modelled = models.EventList.model_validate_json(answer.read())
print(
    json.dumps(
        {
            "openapi_python_client": [event.name for event in listed.data],
            "refused": refused.error.code,
            "datamodel_codegen": [event.name for event in modelled.data],
        }
    )
)
"""


def run(*words: object, folder: Path) -> str:
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words[0]} {words[1]}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def read(demo: Demo, path: str) -> bytes:
    with urlopen(Request(demo.url + path, headers={"X-API-Key": demo.key})) as answer:
        body: bytes = answer.read()
    return body


def list_names(demo: Demo, query: str) -> list[str]:
    return [event["name"] for event in json.loads(read(demo, f"/v1/seattle/events?limit=3{query}"))["data"]]


@pytest.fixture
def folder(demo: Demo, tmp_path: Path) -> Path:
    (tmp_path / "openapi.json").write_bytes(read(demo, "/openapi.json"))
    return tmp_path


def test_clients_in_typescript_compile_and_read_and_linters_find_no_error(demo: Demo, folder: Path) -> None:
    run("tools/install_npm_packages", sys.prefix, FOLDER, "dev", folder=FOLDER.parents[2])
    (folder / "node_modules").symlink_to(FOLDER / "node_modules")
    packages = folder / "node_modules"

    def run_node(script: str, *words: str) -> str:
        return run(find_node(), packages / script, *words, folder=folder)

    run_node("openapi-typescript/bin/cli.js", "openapi.json", "-o", "made/openapi_typescript.d.ts")
    run_node("@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "made/hey_api")
    run_node("orval/dist/bin/orval.mjs", "--input", "openapi.json", "--output", "made/orval.ts", "--client", "fetch")
    shutil.copy(FOLDER / "use.ts", folder)
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": COMPILING, "files": ["use.ts"]}))
    run_node("typescript/bin/tsc", "--project", "tsconfig.json")
    came = json.loads(run(find_node(), "out/use.js", demo.url, demo.key, folder=folder))
    names = list_names(demo, "&audience=all")
    assert came["openapi_typescript"] == came["hey_api"] == came["orval"] == names
    assert (came["detail"], came["refused"]) == (names[0], "not_found")
    assert all(named and starts and following for named, starts, following in came["starts"])
    assert came["categories"]

    (folder / ".spectral.yaml").write_text("extends: ['spectral:oas']\n")
    run_node("@stoplight/spectral-cli/dist/index.js", "lint", "openapi.json")
    run_node("@redocly/cli/bin/cli.js", "lint", "openapi.json")


def test_a_client_and_models_in_python_read(demo: Demo, folder: Path) -> None:
    run(sys.executable, "-m", "venv", "environment", folder=folder)
    python = folder / "environment/bin/python"
    run(python, "-m", "pip", "install", "--quiet", "--requirement", FOLDER / "requirements.txt", folder=folder)
    run(
        python.with_name("openapi-python-client"), "generate", "--path", "openapi.json", "--output-path", "client",
        "--meta", "none", folder=folder,
    )  # fmt: skip
    run(
        python.with_name("datamodel-codegen"), "--input", "openapi.json", "--input-file-type", "openapi",
        "--output", "models.py", "--output-model-type", "pydantic_v2.BaseModel", folder=folder,
    )  # fmt: skip
    came = json.loads(run(python, "-c", USE_IN_PYTHON, demo.url, demo.key, folder=folder))
    names = list_names(demo, "")
    assert came["openapi_python_client"] == came["datamodel_codegen"] == names
    assert len(names) == 3
    assert came["refused"] == "not_found"
