"""Vectors of every published listing, by the model that the operator names. Those of unchanged texts are reused."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import polars as pl
from msgspec import Struct

from outings.answers.semantic.model import Model
from outings.answers.semantic.vectors import encode_vector, make_rows, make_vectors, read_encoded
from outings.release.snapshot import SemanticFiles, Snapshot
from outings.release.tables import PUBLISHED
from pipeline.tables.document_buffer import DocumentBuffer
from pipeline.tables.model_plan import ModelPlan

# Letters of a description that are read: what it opens with says what it is.
_OPENING = 400
_KEY_BYTES = 16


class _Text(Struct, frozen=True, kw_only=True):
    name: str
    description: str | None = None
    categories: tuple[str, ...] = ()


_decoder = msgspec.json.Decoder(_Text)


def keep_vectors(snapshot: Snapshot) -> ModelPlan | None:
    """Return a plan that reuses the vectors of a release with the same texts, without a model; None if the release has
    none."""
    known = snapshot.semantic
    return None if known is None else ModelPlan(hash=known.model, known=known)


def make_semantic(
    listings: pl.DataFrame, buffer: DocumentBuffer, *, before: SemanticFiles | None, plan: ModelPlan
) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Make the tables `vectors` and `vector_rows` for listings in the order of their rows, before their documents are
    packed. `before`: the previous release's. Raises ModelError.

    Return None if a text is new and there is no model: a snapshot has the vectors of all its listings or of none.
    """
    texts = list(_read_texts(listings, buffer))
    keys = [None if text is None else hashlib.sha256(text.encode()).digest()[:_KEY_BYTES] for text in texts]
    wanted = dict(sorted((key, text) for key, text in zip(keys, texts, strict=True) if key is not None and text))
    encoded = _recall(plan, before)
    missing = {key: text for key, text in wanted.items() if key not in encoded}
    if missing:
        if plan.folder is None:
            return None
        encoded |= _embed_texts(missing, plan.folder)
    chosen = {key: encoded[key] for key in wanted}
    return make_vectors(chosen), make_rows(keys, order=chosen)


def _recall(plan: ModelPlan, before: SemanticFiles | None) -> dict[bytes, tuple[float, bytes]]:
    """Return the vectors that the same model made before."""
    vectors: dict[bytes, tuple[float, bytes]] = {}
    for files in (plan.known, before):
        if files is not None and files.model == plan.hash:
            vectors |= read_encoded(files.vectors)
    return vectors


def _embed_texts(texts: Mapping[bytes, str], folder: Path) -> dict[bytes, tuple[float, bytes]]:
    """One at a time, so that no vector depends on another text; on all cores, as the network runs beside Python."""
    model = Model(folder)
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        vectors = executor.map(model.embed_listing, texts.values())
        return {key: encode_vector(vector) for key, vector in zip(texts, vectors, strict=True)}


def _read_texts(listings: pl.DataFrame, buffer: DocumentBuffer) -> Iterator[str | None]:
    """Return None of what is not published: no search shows it."""
    for status, *place in listings.select("status", "pack", "offset", "length").iter_rows():
        yield None if status != PUBLISHED else _read_text(buffer.read(*place))


def _read_text(document: bytes) -> str:
    text = _decoder.decode(document)
    categories = ", ".join(text.categories).replace("_", " ")
    return ". ".join(part for part in (text.name, categories, (text.description or "")[:_OPENING]) if part)
