"""Decide which releases are trusted, by Ed25519 keys in PEM form.

Only the pointer is signed. It names its root by hash, and the root names everything else and the previous root. A
release that is altered or made up therefore has another hash or no signature.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from outings.configuration.reader import is_pem
from outings.configuration.tables import SigningTable
from outings.failures import WrongSetting
from outings.release.store import Corrupt

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

# Prefixes of what is signed, so that a signature for one purpose is not valid for another.
_PURPOSE = b"outings release pointer\n"
STATIC_FILES = b"outings static files\n"
_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----", re.DOTALL)

_Read = TypeVar("_Read")


class WrongKey(WrongSetting):
    """A setting of `[signing]` is not a usable key. The text never contains anything of the key."""


class UntrustedRelease(Corrupt):
    """The pointer has no signature of a trusted key, so anybody may have written what it names."""


class PublicKey(Struct, frozen=True):
    """A public key. `name`: 16 hex digits of its SHA-256, by which people tell keys apart."""

    name: str
    key: "Ed25519PublicKey"


class Trust(Struct, frozen=True, kw_only=True):
    """The keys of a process. `believed`: keys whose signatures are trusted; if empty, everything is trusted. `signer`:
    the key to sign with; if None, nothing is signed."""

    believed: tuple[PublicKey, ...] = ()
    signer: "Ed25519PrivateKey | None" = None

    def sign(self, data: bytes, *, purpose: bytes = _PURPOSE) -> str | None:
        """Return the signature in Base64. The same bytes and key always give the same signature."""
        if self.signer is None:
            return None
        return base64.b64encode(self.signer.sign(purpose + data)).decode()

    def find_signer(
        self, data: bytes, signature: str | None, *, named: str, purpose: bytes = _PURPOSE
    ) -> PublicKey | None:
        """Return the key that signed `data`, or None if no key is required. Raises UntrustedRelease, whose text says
        what the data is: `named`."""
        if not self.believed:
            return None
        if signature is None:
            raise UntrustedRelease(f"{named}: it is not signed, and only what {self._list_names()} signed is trusted")
        signer = next((key for key in self.believed if _is_signed(purpose + data, signature, key=key.key)), None)
        if signer is None:
            raise UntrustedRelease(f"{named}: its signature is not that of {self._list_names()}")
        return signer

    def _list_names(self) -> str:
        return " or ".join(f"key {key.name}" for key in self.believed)


ANYBODY = Trust()


def _is_signed(data: bytes, signature: str, *, key: "Ed25519PublicKey") -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        key.verify(base64.b64decode(signature, validate=True), data)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True


def read_reader(signing: SigningTable) -> Trust:
    """Read the trust of a server, which trusts `public_key`, and never reads `key`. Raises WrongKey."""
    return Trust(believed=_read_setting("public_key", signing.public_key, parse_public_keys) or ())


def read_publisher(signing: SigningTable) -> Trust:
    """Read the trust of a build, which signs with `key`, and trusts that key and those of `public_key`. Raises
    WrongKey."""
    believed = _read_setting("public_key", signing.public_key, parse_public_keys)
    signer = _read_setting("key", signing.key, parse_private_key)
    if signer is None:
        if believed is not None:
            raise WrongKey(
                "[signing] has a public_key and no key, so that servers would refuse what this command "
                "publishes; allowed: both, key alone, or neither"
            )
        return ANYBODY
    own = name_key(signer.public_key())
    if believed is not None and own.name not in {key.name for key in believed}:
        names = ", ".join(key.name for key in believed)
        raise WrongKey(
            f"[signing] key is key {own.name}, which is not in public_key ({names}), so that servers would refuse "
            "what it signs; allowed: a key whose public half is in it"
        )
    return Trust(believed=believed or (own,), signer=signer)


def read_auditor(signing: SigningTable) -> Trust:
    """Read the trust of commands that publish nothing: it has `public_key`, or without it the public half of `key`.
    Raises WrongKey."""
    return read_reader(signing) if signing.public_key else Trust(believed=read_publisher(signing).believed)


def _read_setting(name: str, value: str, parse: Callable[[bytes], _Read]) -> _Read | None:
    """Parse the PEM of a setting, or of the file that it names. Return None if nothing is set."""
    if not value:
        return None
    where = f"[signing] {name} is a PEM"
    data = value.encode()
    if not is_pem(value):
        where = f"[signing] {name} names {value}, which"
        try:
            data = Path(value).read_bytes()
        except (OSError, ValueError) as error:
            raise WrongKey(f"{where} can't be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        return parse(data)
    except ImportError as error:
        raise WrongKey(f"[signing] {name}: {error}; install outings[signing]") from error
    except ValueError as error:
        raise WrongKey(f"{where} {error}") from None  # the error may contain parts of the key


def parse_private_key(data: bytes) -> "Ed25519PrivateKey":
    """Parse one private key. Raises ValueError, with a text that continues a sentence about the file."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    allowed = "allowed: one Ed25519 private key in PEM, not encrypted"
    kinds = [block[1].decode() for block in _PEM.finditer(data)]
    if kinds != ["PRIVATE KEY"]:
        raise ValueError(f"holds {_list_kinds(kinds)}; {allowed}")
    try:
        key = load_pem_private_key(data, password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        raise ValueError(f"has a PRIVATE KEY that can't be read; {allowed}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError(f"has a key of another algorithm ({_name_algorithm(key)}); {allowed}")
    return key


def parse_public_keys(data: bytes) -> tuple[PublicKey, ...]:
    """Parse public keys, in the file's order. Raises ValueError, with a text that continues a sentence about the
    file."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    allowed = "allowed: one or more Ed25519 public keys in PEM"
    blocks = list(_PEM.finditer(data))
    kinds = [block[1].decode() for block in blocks]
    if not kinds or set(kinds) != {"PUBLIC KEY"}:
        raise ValueError(f"holds {_list_kinds(kinds)}; {allowed}")
    keys = []
    for number, block in enumerate(blocks, start=1):
        try:
            key = load_pem_public_key(block[0])
        except (ValueError, UnsupportedAlgorithm):
            raise ValueError(f"has a PUBLIC KEY (number {number}) that can't be read; {allowed}") from None
        if not isinstance(key, Ed25519PublicKey):
            raise ValueError(f"has a key of another algorithm ({_name_algorithm(key)}, number {number}); {allowed}")
        keys.append(name_key(key))
    return tuple(keys)


def name_key(key: "Ed25519PublicKey") -> PublicKey:
    return PublicKey(hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16], key)


def _list_kinds(kinds: list[str]) -> str:
    return " and ".join(kinds[:5]) or "no key in PEM"


def _name_algorithm(key: object) -> str:
    """Return `RSA` for `_RSAPublicKey`."""
    return re.sub(r"^_|(Public|Private)Key$", "", type(key).__name__)
