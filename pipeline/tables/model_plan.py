"""The model by which a build makes vectors of listings, if the operator names one."""

from pathlib import Path

from msgspec import Struct

from outings.release.snapshot import SemanticFiles


class ModelPlan(Struct, frozen=True, kw_only=True):
    """The model of a build, identified by `hash`. Without a `folder`, only the vectors in `known` are available."""

    hash: str
    folder: Path | None = None
    known: SemanticFiles | None = None


def plan_model(folder: Path | None) -> ModelPlan | None:
    """Identify the model in this folder, or return None. Raises ModelError."""
    if folder is None:
        return None
    # With it come arrays, which a build without a model and without a change has no other use for.
    from outings.answers.semantic.model import hash_model

    return ModelPlan(hash=hash_model(folder), folder=folder)
