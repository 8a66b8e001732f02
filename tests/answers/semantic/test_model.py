"""A folder with an ONNX model becomes vectors, or says what is wrong with it."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from outings.answers.semantic.model import Model, ModelError, hash_model
from tests.answers.semantic.networks import MEANINGS, write_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "tiny")


def refuse(folder: Path) -> str:
    with pytest.raises(ModelError) as refused:
        Model(folder)
    # A build's worker sends it to the process that asked.
    again = pickle.loads(pickle.dumps(refused.value))
    assert str(again) == str(refused.value)
    start = f"model {folder}: "
    assert str(again).startswith(start)
    return str(again).removeprefix(start)


def test_a_vector_has_the_length_1_and_says_what_the_text_says(folder: Path) -> None:
    model = Model(folder)
    pottery, ceramics, swim = (model.embed_query(text) for text in ("Pottery", "ceramics", "swim"))
    assert pottery.dtype == np.float32
    assert np.linalg.norm(ceramics) == pytest.approx(1)
    assert pottery @ ceramics > 0.9
    assert pottery @ swim == 0
    assert model.embed_listing("pottery swim") == pytest.approx([0.5**0.5, 0.5**0.5, 0, 0])


def test_a_text_that_says_nothing_is_near_nothing(folder: Path) -> None:
    model = Model(folder)
    assert not model.embed_query("zzz").any()
    assert not model.embed_listing("").any()


def test_a_vector_depends_on_its_text_alone(folder: Path) -> None:
    model, again = Model(folder), Model(folder)
    before = model.embed_listing("swim ceramics")
    for text in ("robots", "robots swim pottery"):
        model.embed_listing(text)
    assert (model.embed_listing("swim ceramics") == before).all()
    assert (again.embed_listing("swim ceramics") == before).all()


def test_a_network_that_pools_by_itself_and_one_in_the_hubs_folder_are_read(folder: Path, tmp_path: Path) -> None:
    expected = Model(folder).embed_query("pottery swim")
    pooled = write_model(tmp_path / "pooled", pools=True)
    nested = write_model(tmp_path / "nested", name="onnx/model.onnx")
    for each in (pooled, nested):
        assert Model(each).embed_query("pottery swim") == pytest.approx(expected)


def test_the_first_token_is_the_text_where_the_folder_says_so(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text('{"pooling_mode_cls_token": true, "word_embedding_dimension": 4}')
    model = Model(folder)
    assert (model.embed_query("swim pottery") == model.embed_query("swim")).all()


def test_what_a_model_wants_before_a_text_stands_there(folder: Path) -> None:
    (folder / "config_sentence_transformers.json").write_text('{"prompts": {"query": "query ", "passage": "passage "}}')
    model = Model(folder)
    assert model.embed_query("swim")[3] > 0
    assert model.embed_listing("swim")[3] < 0


def test_a_long_text_is_cut(folder: Path) -> None:
    model = Model(folder)
    assert model.embed_listing("swim " * 300 + "pottery " * 300) == pytest.approx([0, 1, 0, 0])


def test_the_hash_is_of_every_file_that_decides(folder: Path, tmp_path: Path) -> None:
    hashes = [hash_model(folder)]
    assert hash_model(write_model(tmp_path / "same")) == hashes[0]
    (folder / "README.md").write_text("of no matter")
    assert hash_model(folder) == hashes[0]
    write_model(folder, {**MEANINGS, "swim": (0, 0, 0, 1)})
    hashes.append(hash_model(folder))
    (folder / "config_sentence_transformers.json").write_text("{}")
    hashes.append(hash_model(folder))
    (folder / "model.onnx_data").write_bytes(b"weights")
    hashes.append(hash_model(folder))
    assert len(set(hashes)) == 4
    assert Model(folder).hash == hashes[-1]


def test_a_folder_that_holds_no_model_is_refused(folder: Path, tmp_path: Path) -> None:
    assert refuse(tmp_path / "nothing").startswith(
        "there is no tokenizer.json; allowed: a folder with it and model.onnx"
    )
    (folder / "config_sentence_transformers.json").write_text("{")
    assert refuse(folder).startswith("config_sentence_transformers.json: ")
    (folder / "config_sentence_transformers.json").unlink()
    tokenizer = (folder / "tokenizer.json").read_bytes()
    (folder / "tokenizer.json").write_text("{}")
    assert refuse(folder).startswith("tokenizer.json can't be read: ")
    (folder / "tokenizer.json").write_bytes(tokenizer)
    (folder / "model.onnx").write_bytes(b"no network")
    assert refuse(folder).startswith("the network can't be read: ")
    (folder / "model.onnx").unlink()
    assert refuse(folder) == "there is no network; allowed: model.onnx or onnx/model.onnx"


def test_a_network_that_takes_something_else_is_refused(folder: Path) -> None:
    network = folder / "model.onnx"
    network.write_bytes(network.read_bytes().replace(b"attention_mask", b"attention_musk"))
    assert refuse(folder) == "takes attention_musk; allowed: attention_mask, input_ids, token_type_ids"


def test_a_network_that_fails_is_refused_when_it_is_loaded(folder: Path, tmp_path: Path) -> None:
    """Not when the first reader asks."""
    other = write_model(tmp_path / "other", {"[UNK]": (0, 0)})
    (other / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    assert refuse(other).startswith("embeds nothing: ")
