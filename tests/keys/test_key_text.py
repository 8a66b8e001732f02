"""The text of a key."""

import binascii
import random
import string

from outings.keys.key_text import make_key_text

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def read_base62(text: str) -> int:
    return sum(BASE62.index(figure) * 62**place for place, figure in enumerate(reversed(text)))


def test_a_keys_text_is_label_id_secret_and_check_sum() -> None:
    text = make_key_text()
    label, id_, rest = text.split("_")
    assert (label, len(id_), len(rest)) == ("ldk", 8, 36)
    assert set(id_ + rest) <= set(BASE62)
    assert read_base62(text[-6:]) == binascii.crc32(text[:-6].encode())


def test_no_two_keys_are_the_same() -> None:
    assert len({make_key_text() for _ in range(1000)}) == 1000


def test_a_text_follows_from_the_random_choices_given() -> None:
    assert make_key_text(random.Random(1).choice) == make_key_text(random.Random(1).choice)
