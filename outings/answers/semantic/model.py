"""Compute vectors of texts with the ONNX embedding model in a folder that the operator names."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from outings.answers.semantic.model_error import ModelError

Vector = NDArray[np.float32]

# As the exports of the usual hubs lie: the network in one of these places, the rest beside it where there is any.
_NETWORKS = ("model.onnx", "onnx/model.onnx")
_TOKENIZER = "tokenizer.json"
_POOLING = "1_Pooling/config.json"
_PROMPTS = "config_sentence_transformers.json"
_OWN = "outings.json"
_INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))
# A name, categories and the opening of a description are some 120.
MOST_TOKENS = 256
# Vectors of queries asked lately: a query takes some 10 ms, and its next page asks again.
_MEMORY = 1_024


class _Pooling(Struct):
    pooling_mode_cls_token: bool = False


class _Settings(Struct):
    """Settings that the operator chooses, because no file of a model hub has them."""

    least_similarity: Annotated[float, Meta(ge=0, le=1)] = 0.5


class _Prompts(Struct):
    """The prefixes of texts: some models were trained with "query: " and "passage: "."""

    prompts: Mapping[str, str] = {}

    def find(self, *names: str) -> str:
        return next((self.prompts[name] for name in names if name in self.prompts), "")


def hash_model(folder: Path) -> str:
    """SHA-256 (hex) of the files that decide its vectors. ModelError where it has no network or no tokenizer."""
    network = _find_network(folder)
    digest = hashlib.sha256()
    # Large networks keep their weights in files beside them, of the network's name with something behind it.
    weights = sorted(network.parent.glob(f"{network.name}*"))
    files = [*weights, *(folder / name for name in (_TOKENIZER, _POOLING, _PROMPTS))]
    try:
        for path in filter(Path.is_file, files):
            digest.update(path.name.encode() + b"\0")
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except OSError as error:
        raise ModelError(folder, f"{error.filename} can't be read: {error.strerror}") from error
    return digest.hexdigest()


class Model:
    """Computes vectors of length 1 (0 for a text without meaning). The same text always has the same vector, because
    each is embedded by itself, without padding.

    `hash` identifies the model: vectors of different models are not compared. `least`: the cosine from which on a
    listing is related to a query.
    """

    def __init__(self, folder: Path) -> None:
        """Load the model. Raises ModelError. Needs the extra `semantic`."""
        self.hash = hash_model(folder)
        self._session, self._tokenizer = _open_network(folder), _open_tokenizer(folder)
        self._inputs = {node.name for node in self._session.get_inputs()}
        if unknown := self._inputs - _INPUTS:
            raise ModelError(folder, f"takes {', '.join(sorted(unknown))}; allowed: {', '.join(sorted(_INPUTS))}")
        self.least = _read_settings(folder, _OWN, _Settings).least_similarity
        self._takes_first = _read_settings(folder, _POOLING, _Pooling).pooling_mode_cls_token
        prompts = _read_settings(folder, _PROMPTS, _Prompts)
        self._before_query, self._before_listing = prompts.find("query"), prompts.find("document", "passage")
        self.embed_query = lru_cache(maxsize=_MEMORY)(self._embed_query)
        self._size = 0
        try:
            self._size = len(self._embed("a"))
        except Exception as error:
            raise ModelError(folder, f"embeds nothing: {error}") from error

    def embed_listing(self, text: str) -> Vector:
        return self._embed(self._before_listing + text)

    def _embed_query(self, text: str) -> Vector:
        vector = self._embed(self._before_query + text)
        vector.flags.writeable = False
        return vector

    def _embed(self, text: str) -> Vector:
        encoded = self._tokenizer.encode(text)
        if not encoded.ids:
            return np.zeros(self._size, dtype=np.float32)
        given = {
            "input_ids": encoded.ids, "attention_mask": encoded.attention_mask, "token_type_ids": encoded.type_ids,
        }  # fmt: skip
        arrays = {name: np.array([given[name]], dtype=np.int64) for name in self._inputs}
        outputs = np.asarray(self._session.run(None, arrays)[0], dtype=np.float32)[0]
        if outputs.ndim == 2:
            outputs = outputs[0] if self._takes_first else outputs.mean(axis=0)
        return scale_vector(outputs)


def scale_vector(vector: Vector) -> Vector:
    """Return the vector scaled to the length 1, or zeros if its length is 0 or not finite."""
    length = float(np.linalg.norm(vector))
    scaled: Vector = vector / np.float32(length) if 0 < length < np.inf else np.zeros_like(vector)
    return scaled


def _find_network(folder: Path) -> Path:
    if not (folder / _TOKENIZER).is_file():
        raise ModelError(folder, f"there is no {_TOKENIZER}; allowed: a folder with it and {' or '.join(_NETWORKS)}")
    for name in _NETWORKS:
        if (folder / name).is_file():
            return folder / name
    raise ModelError(folder, f"there is no network; allowed: {' or '.join(_NETWORKS)}")


def _open_network(folder: Path) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise ModelError(folder, "onnxruntime is not installed; install the extra `semantic`") from None
    options = onnxruntime.SessionOptions()
    # A server has a worker a core already, and a build embeds many texts at once.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(_find_network(folder)), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ModelError(folder, f"the network can't be read: {error}") from error


def _open_tokenizer(folder: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise ModelError(folder, "tokenizers is not installed; install the extra `semantic`") from None
    try:
        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
    except Exception as error:
        raise ModelError(folder, f"{_TOKENIZER} can't be read: {error}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    return tokenizer


def _read_settings(folder: Path, name: str, kind: type[Any]) -> Any:
    path = folder / name
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind) if path.is_file() else kind()
    except (ValueError, RecursionError) as error:
        raise ModelError(folder, f"{name}: {error}") from None
