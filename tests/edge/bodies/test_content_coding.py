"""Content codings that a client gets, by the words and examples of RFC 9110; each decodes to the same body."""

import gzip

import brotli
import pytest
import zstandard

from edge.bodies import choose_coding, decode_gzip, encode_body

BODY = b'{"data":[' + b'{"name":"Storytime"},' * 200 + b"]}"


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("", ""),
        ("gzip", "gzip"),
        ("GZip", "gzip"),
        ("br", "br"),
        ("zstd", "zstd"),
        ("deflate", ""),
        ("identity", ""),
        ("gzip, deflate, br, zstd", "gzip"),
        ("zstd, br", "zstd"),
        ("gzip;q=0.5, br;q=1.0", "br"),
        ("gzip;q=1.0, identity; q=0.5, *;q=0", "gzip"),
        ("gzip;q=0.8, zstd;q=0.9, br;q=0.85", "zstd"),
        ("gzip ; q=0.8 , zstd ; q = 0.7", "gzip"),
        ("*", "gzip"),
        ("*;q=0", ""),
        ("gzip;q=0", ""),
        ("gzip;q=0.000", ""),
        ("gzip;q=0, *", "zstd"),
        ("gzip;q=0, zstd;q=0, *;q=0.1", "br"),
        ("identity;q=0.5, gzip;q=0.4", ""),
        ("identity;q=0.5, gzip;q=0.5", "gzip"),
        ("identity;q=0", ""),
        ("gzip;q=2", ""),
        ("gzip;q=-1", ""),
        ("gzip;q=high, br;q=0.1", "br"),
        ("gzip;level=9", ""),
        (", ,;,;;q=,=", ""),
        ("gzip,gzip", "gzip"),
        ("\xff\x00", ""),
    ],
)
def test_the_coding_is_the_one_that_the_client_weighs_highest(accepted: str, coding: str) -> None:
    assert choose_coding(accepted.encode("latin-1")) == coding.encode()


def test_every_coding_gives_the_body_back() -> None:
    assert gzip.decompress(encode_body(BODY, b"gzip")) == BODY
    assert zstandard.ZstdDecompressor().decompress(encode_body(BODY, b"zstd")) == BODY
    assert brotli.decompress(encode_body(BODY, b"br")) == BODY
    assert encode_body(BODY, b"") == BODY


def test_gzip_of_another_program_is_unpacked() -> None:
    assert decode_gzip(gzip.compress(BODY, 9, mtime=0)) == BODY


def test_the_same_body_is_coded_to_the_same_bytes() -> None:
    for coding in (b"gzip", b"zstd", b"br"):
        assert encode_body(BODY, coding) == encode_body(BODY, coding)
        assert len(encode_body(BODY, coding)) < len(BODY) / 10
