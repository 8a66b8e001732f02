"""A tiny embedding model in a folder, as an operator would name one: a word is a row of a matrix, a text their mean."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

UNKNOWN = "[UNK]"
# What two words have in common is in the same place.
MEANINGS: Mapping[str, Sequence[float]] = {
    UNKNOWN: (0, 0, 0, 0),
    "a": (0.1, 0.1, 0.1, 0.1),
    "pottery": (1, 0, 0, 0),
    "ceramics": (0.9, 0.1, 0, 0),
    "swim": (0, 1, 0, 0),
    "splash": (0, 0.9, 0.1, 0),
    "robots": (0, 0, 1, 0),
    "query": (0, 0, 0, 1),
    "passage": (0, 0, 0, -1),
}


def write_model(
    folder: Path, meanings: Mapping[str, Sequence[float]] = MEANINGS, *, name: str = "model.onnx", pools: bool = False
) -> Path:
    """`pools`: whether the network itself makes one vector of a text."""
    words = list(meanings)
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token=UNKNOWN))
    tokenizer.normalizer, tokenizer.pre_tokenizer = Lowercase(), Whitespace()
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    matrix = numpy_helper.from_array(np.array([meanings[word] for word in words], dtype=np.float32), "matrix")
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [None, None])
    mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, [None, None])
    output = helper.make_tensor_value_info("found", TensorProto.FLOAT, None)
    nodes = [helper.make_node("Gather", ["matrix", "input_ids"], ["words" if pools else "found"])]
    axes = numpy_helper.from_array(np.array([1]), "axes")
    if pools:
        nodes.append(helper.make_node("ReduceMean", ["words", "axes"], ["found"], keepdims=0))
    graph = helper.make_graph(nodes, "tiny", [ids, mask], [output], [matrix, *([axes] if pools else [])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, str(folder / name))
    return folder
