"""The header by which a server knows a front, and the addresses that it tells one."""

from hashlib import sha256

import pytest

from edge.front_protocol import ANSWERS, EXPORTS, OBJECTS, Front, Fronts, name_answer, name_object, render_front

OLD, NEW = "the-old-secret-of-thirty-two-letters", "the-new-secret-of-thirty-two-letters"


def test_a_front_says_what_it_follows_from_how_many_bytes_and_where_it_wants_the_address() -> None:
    text = render_front(NEW, follows=(OBJECTS, EXPORTS, ANSWERS), least=131_072, pointer="accel")
    assert text == f"{NEW}; follows=objects,exports,answers; from=131072; pointer=accel"
    every = frozenset({OBJECTS, EXPORTS, ANSWERS})
    assert Fronts([NEW]).recognize(text.encode()) == Front(follows=every, least=131_072, header=b"x-accel-redirect")
    own = f"{NEW};follows=answers;from=0;pointer=own".encode()
    assert Fronts([NEW]).recognize(own) == Front(follows=frozenset({ANSWERS}), least=0, header=b"outings-body")


def test_each_of_two_secrets_is_valid_while_one_replaces_the_other() -> None:
    fronts = Fronts([NEW, OLD])
    assert fronts.recognize(OLD.encode()) == fronts.recognize(NEW.encode()) == Front()


@pytest.mark.parametrize("value", ["", ";", OLD[:-1], f"{OLD}x", f"{NEW} {OLD}", OLD.upper(), f"; {OLD}", "\xff"])
def test_who_does_not_know_a_secret_is_no_front(value: str) -> None:
    assert Fronts([NEW, OLD]).recognize(value.encode("latin-1")) is None
    assert Fronts().recognize(value.encode("latin-1")) is None


@pytest.mark.parametrize(
    "rest", ["", ";", "; from=; pointer=", "; from=-1", "; from=1e3", f"; from={'9' * 99}", "; from=²", "; pointer=x",
             "; follows=pages", "; later=1; follow=objects"],
)  # fmt: skip
def test_a_part_that_says_nothing_is_as_if_it_were_missing(rest: str) -> None:
    assert Fronts([NEW]).recognize(f"{NEW}{rest}".encode("latin-1")) == Front()


def test_an_address_is_made_of_what_names_the_body_and_says_its_coding() -> None:
    sha = sha256(b"page").hexdigest()
    assert name_object(sha) == f"/.outings/objects/{sha[:2]}/{sha}".encode()
    assert name_object(sha, kind=EXPORTS) == f"/.outings/exports/{sha[:2]}/{sha}".encode()
    digest = sha256(b'/v1/harbor/events?limit=5\nW/"1"').hexdigest()
    text = "/v1/harbor/events?limit=5"
    assert name_answer(text, etag=b'W/"1"', coding=b"gzip") == f"/.outings/answers/{digest}.gzip".encode()
    assert name_answer(text, etag=b'W/"1"', coding=b"") == f"/.outings/answers/{digest}.identity".encode()
    assert name_answer(text, etag=b'W/"2"', coding=b"") != name_answer(text, etag=b'W/"1"', coding=b"")
