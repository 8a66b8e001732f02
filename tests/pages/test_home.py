"""The home page: what it shows is so."""

import html
import json
import re
from pathlib import Path

from outings.pages.site import render_home
from outings.release.site import SiteSettings
from tests.pages.sample_answer import FILE, make_answer


def test_the_answer_that_is_shown_is_the_programs_own(tmp_path: Path) -> None:
    assert json.loads(make_answer(tmp_path)) == json.loads(FILE.read_text()), "run python -m tests.pages.sample_answer"


def test_the_answer_is_beside_its_request_as_it_is_sent() -> None:
    page = render_home(SiteSettings(), []).data.decode()
    blocks = re.findall(r"<pre.*?><code.*?>(.*?)</code>", page, flags=re.DOTALL)
    request, answer = (re.sub(r"<.*?>", "", block) for block in blocks)
    assert 'curl -H "X-API-Key: $KEY"' in html.unescape(request)
    assert json.loads(html.unescape(answer)) == json.loads(FILE.read_text())


def test_the_name_of_a_site_is_text_and_no_markup() -> None:
    page = render_home(SiteSettings(name="<b>Parks & more</b>"), []).data.decode()
    assert "<b>" not in page
    assert "&lt;b&gt;Parks &amp; more&lt;/b&gt;" in page
