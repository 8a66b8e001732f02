"""Signing keys of a test's own, and what a signature is of, written without the program."""

import base64
import json
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from outings.configuration.tables import SigningTable
from outings.release.trust import Trust, read_publisher, read_reader

ONE, OTHER = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))


def write_private(key: PrivateKeyTypes, *, password: bytes | None = None) -> str:
    """PEM, as `openssl genpkey` writes it."""
    how: KeySerializationEncryption = NoEncryption() if password is None else BestAvailableEncryption(password)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how).decode()


def write_public(*keys: PrivateKeyTypes) -> str:
    """PEM of their public halves, as `openssl pkey -pubout` writes it, one after the other."""
    return "".join(
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode() for key in keys
    )


def make_publisher(key: Ed25519PrivateKey = ONE) -> Trust:
    return read_publisher(SigningTable(key=write_private(key)))


def make_reader(*keys: Ed25519PrivateKey) -> Trust:
    return read_reader(SigningTable(public_key=write_public(*(keys or (ONE,)))))


def write_keys(folder: Path, *, key: Ed25519PrivateKey = ONE) -> str:
    """Writes both halves there; the lines of a configuration that name them."""
    (folder / "private.pem").write_text(write_private(key))
    (folder / "public.pem").write_text(write_public(key))
    return '\n[signing]\nkey = "private.pem"\npublic_key = "public.pem"\n'


def sign(pointer: dict[str, Any], *, key: Ed25519PrivateKey) -> dict[str, Any]:
    """The pointer signed: its JSON, members in order of their names, behind a line that says what is signed."""
    bare = {name: value for name, value in pointer.items() if name != "signature"}
    text = json.dumps(bare, sort_keys=True, separators=(",", ":"))
    signature = key.sign(b"outings release pointer\n" + text.encode())
    return {**bare, "signature": base64.b64encode(signature).decode()}
