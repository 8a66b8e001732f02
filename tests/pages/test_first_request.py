"""The request on the home page works as pasted."""

import html
import json
import re
import subprocess
from urllib.request import urlopen

from tests.command.demo import PATIENCE
from tests.pages.conftest import Demo


def test_the_request_on_the_home_page_is_answered_as_it_stands(demo: Demo) -> None:
    with urlopen(demo.url, timeout=PATIENCE) as answer:
        page = answer.read().decode()
    (request, *_) = re.findall(r"<pre.*?><code.*?>(.*?)</code>", page, flags=re.DOTALL)
    line = html.unescape(re.sub(r"<.*?>", "", request)).replace("http://127.0.0.1:8000", demo.url)
    line = line.replace("curl", "curl -sS --fail", 1)
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=PATIENCE, check=True)
    members = {"id", "type", "name", "starts_local", "ages"}
    assert [set(each) for each in json.loads(done.stdout)["data"]] == [members, members]
