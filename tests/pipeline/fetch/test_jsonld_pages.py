"""Pages and files with JSON-LD in them, and what they get wrong."""

import json
import time

import pytest

from pipeline.fetch.source import FeedError, SettingError
from tests.pipeline.fetch.documents import ReadJsonld, event, page, show, the_one


def test_a_page_s_scripts_are_read_each_by_itself(read_jsonld: ReadJsonld) -> None:
    content = page(
        '{"@type": "Event", "name": "A"',
        json.dumps(event()),
        "",
        "not json at all",
        json.dumps([event(**{"@id": "https://a.example/2", "description": "<p>Bring &amp; share</p>"})]),
        head="<script>var x = {}</script><script type=text/template>{}</script>",
    )
    feed = read_jsonld(content, name="page.html")
    assert [(record.source_id[-1], record.line) for record in feed.records] == [("1", 4), ("2", 7)]
    assert [(problem.line, problem.reason.split(":")[0]) for problem in feed.problems] == [
        (3, "unreadable"), (6, "unreadable"),
    ]  # fmt: skip
    assert show(feed.records[1])["description"] == "Bring & share"


@pytest.mark.parametrize(
    "script",
    [
        '<!--\n{"@type":"Event","@id":"x:1","name":"A\tB"}\n-->',
        '//<![CDATA[\n{"@type":"Event","@id":"x:1","name":"A\nB"}\n//]]>',
        '/* <![CDATA[ */ {"@type":"Event","@id":"x:1","name":"A B",} /* ]]> */',
        '{"@type":"Event","@id":"x:1","name":"A B","keywords":["a",],};',
        "{&quot;@type&quot;:&quot;Event&quot;,&quot;@id&quot;:&quot;x:1&quot;,&quot;name&quot;:&quot;A B&quot;}",
        '{"@type":"Event","@id":"x:1","name":"A B","offers":{"price":NaN},"image":"\\ud83d"}',
        '\ufeff{"@type":"Event","@id":"x:1","name":"A B"}',
    ],
)
def test_what_pages_get_wrong_in_json_is_forgiven_where_it_is_clear(read_jsonld: ReadJsonld, script: str) -> None:
    assert the_one(read_jsonld(page(script), name="page.html"))["name"] == "A B"


def test_a_comment_with_words_round_json_is_one_script_that_can_not_be_read(read_jsonld: ReadJsonld) -> None:
    feed = read_jsonld(page("/* Events of today */ " + json.dumps(event()), json.dumps(event())), name="page.html")
    assert (len(feed.records), [problem.reason[:23] for problem in feed.problems]) == (1, ["unreadable: JSON is mal"])


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (page(json.dumps(event(name="Café"), ensure_ascii=False)), "Café"),
        (page(json.dumps(event(name="Café"), ensure_ascii=False)).decode().encode("cp1252"), "Café"),
        (page(json.dumps(event(name="Café"), ensure_ascii=False)).decode().encode("utf-16"), "Café"),
        (
            page(json.dumps(event(name="日本"), ensure_ascii=False), head='<meta charset="shift_jis">')
            .decode()
            .encode("shift_jis"),
            "日本",
        ),
        (b"\xef\xbb\xbf" + json.dumps(event(name="Café")).encode(), "Café"),
    ],
    ids=["utf-8", "windows", "utf-16", "shift-jis", "mark"],
)  # fmt: skip
def test_a_file_is_read_in_its_own_letters(read_jsonld: ReadJsonld, content: bytes, name: str) -> None:
    assert the_one(read_jsonld(content))["name"] == name


def test_a_document_a_line_is_read_and_a_broken_line_is_one_line(read_jsonld: ReadJsonld) -> None:
    content = b"\n".join([json.dumps(event()).encode(), b"{broken", json.dumps(event(**{"@id": "x:2"})).encode()])
    feed = read_jsonld(content)
    assert ([record.line for record in feed.records], [problem.line for problem in feed.problems]) == ([1, 3], [2])


@pytest.mark.parametrize("content", [b'{"@type": "Event", "name"', b"", b"BEGIN:VCALENDAR", b"[" * 100_000])
def test_a_file_that_is_neither_a_page_nor_json_stops_the_build(read_jsonld: ReadJsonld, content: bytes) -> None:
    with pytest.raises(FeedError, match=r"feed spl: page\.jsonld: is neither a page nor JSON: "):
        read_jsonld(content)


def test_a_page_without_listings_has_none(read_jsonld: ReadJsonld) -> None:
    assert read_jsonld(b"<html><body>Nothing</body></html>", name="page.html").read == 0


def test_ids_within_a_page_are_of_the_page(read_jsonld: ReadJsonld) -> None:
    content = page(json.dumps(event(**{"@id": "#event"})), head='<link rel="canonical" href="https://a.example/walk">')
    assert the_one(read_jsonld(content, name="page.html"))["source_id"] == "https://a.example/walk#event"


def test_a_page_is_of_the_metro_that_its_feed_names(read_jsonld: ReadJsonld) -> None:
    with pytest.raises(SettingError, match="jsonld does not state its metro"):
        read_jsonld(event(), settings="")


def test_a_page_of_the_most_common_calendar_of_wordpress_is_read(read_jsonld: ReadJsonld) -> None:
    """The plugin escapes HTML, makes every organizer a person, and writes unknown values as empty texts."""
    written = {
        "@context": "http://schema.org", "@type": "Event", "name": "Stories &#038; Songs &#8211; Toddlers",
        "description": "&lt;p&gt;Bring &amp;amp; share.&lt;/p&gt;\n", "image": "https://a.example/i.jpg",
        "url": "https://a.example/event/stories/2026-08-12/",
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "eventStatus": "https://schema.org/EventScheduled",
        "startDate": "2026-08-12T10:00:00-07:00", "endDate": "2026-08-12T10:45:00-07:00",
        "location": {
            "@type": "Place", "name": "Main Library", "description": "", "url": "", "telephone": "", "sameAs": "",
            "address": {
                "@type": "PostalAddress", "streetAddress": "1 Pine St", "addressLocality": "Seattle",
                "addressRegion": "WA", "postalCode": "98101", "addressCountry": "United States",
            },
            "geo": {"@type": "GeoCoordinates", "latitude": "", "longitude": ""},
        },
        "organizer": {"@type": "Person", "name": "City Library", "email": "ann@a.example", "sameAs": ""},
        "offers": {
            "@type": "Offer", "price": "0", "priceCurrency": "USD", "url": "https://a.example/event/stories/2026-08-12/",
            "availability": "inStock", "validFrom": "2026-07-01T00:00:00+00:00", "category": "primary",
        },
        "performer": "Organization",
    }  # fmt: skip
    record = the_one(read_jsonld(page(json.dumps([written])), name="page.html"))
    assert (record["name"], record["description"]) == ("Stories & Songs – Toddlers", "Bring & share.")
    assert (record["starts_local"], record["ends_local"]) == ("2026-08-12T10:00:00", "2026-08-12T10:45:00")
    assert record["location"]["address"] == "Main Library, 1 Pine St, Seattle, WA 98101"
    assert (record["price"]["type"], record["location"]["lat"], "organization" in record) == ("free", None, False)
    assert "keywords" not in record
    assert record["source_id"] == "https://a.example/event/stories/2026-08-12/"


def test_what_ends_lines_elsewhere_stands_in_texts(read_jsonld: ReadJsonld) -> None:
    names = ["A\u2028walk", "Another\u0085walk"]
    lines = [json.dumps(event(name=name, **{"@id": name}), ensure_ascii=False) for name in names]
    feed = read_jsonld("\r\n".join(lines).encode())
    assert [" ".join(show(record)["name"].split()) for record in feed.records] == ["A walk", "Another walk"]


@pytest.mark.parametrize(
    "script",
    ['{"description": "' + 'a\\"' * 40_000, "//" * 500_000, ";" * 1_000_000, "[" + "1, " * 300_000],
    ids=["text", "comment", "semicolons", "list"],
)
def test_a_script_that_breaks_off_costs_no_more_than_its_length(read_jsonld: ReadJsonld, script: str) -> None:
    began = time.process_time()
    (problem,) = read_jsonld(page(script)).problems
    assert problem.quarantined
    assert time.process_time() - began < 5


NESTED = {
    "elements": "<div>" * 500_000,
    "elements that end": "<div>" * 3_000 + "</div>" * 3_000,
    "words": "<p><b>" * 50_000,
    "attributes": "<p " + " ".join(f"a{number}=1" for number in range(60_000)) + ">",
    "the page's end": "<p>All events</p></body></html>\n",
    "a second page": "</body></html><html><body>",
    "signs": "<p>a < b <<< c & <5 </p>",
}


@pytest.mark.parametrize("before", NESTED.values(), ids=NESTED)
def test_text_behind_anything_is_read(read_jsonld: ReadJsonld, before: str) -> None:
    content = f"<html><body>\n{before}\n" + page(json.dumps(event(name="A B"))).decode()
    assert the_one(read_jsonld(content.encode(), name="page.html"))["name"] == "A B"


def test_lines_are_those_of_the_file_whatever_ends_them(read_jsonld: ReadJsonld) -> None:
    scripts = ['{"broken', "", '{"broken', json.dumps(event(), indent=1), '{"broken']
    lines = ["<html>", *(f'<script\n type="application/ld+json">{script}</script>' for script in scripts)]
    for end in ("\n", "\r\n"):
        feed = read_jsonld("\n".join(lines).replace("\n", end).encode(), name="page.html")
        assert [problem.line for problem in feed.problems] == [3, 7, 10 + len(scripts[3].split("\n"))]
        assert [record.line for record in feed.records] == [9]


def test_a_page_that_breaks_off_within_a_script_says_so(read_jsonld: ReadJsonld) -> None:
    content = page(json.dumps(event()))
    feed = read_jsonld(content[: content.rindex(b"}")], name="page.html")
    assert (len(feed.records), [problem.reason.split(":")[0] for problem in feed.problems]) == (0, ["unreadable"])
