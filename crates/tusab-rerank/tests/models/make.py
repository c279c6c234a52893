#!/usr/bin/env python3
"""Writes the folder `tiny` beside this file: a BERT of one layer with random weights, for the tests.

    python3 -m venv V && V/bin/pip install onnx==1.23.2 numpy && V/bin/python make.py

The graph gives the hidden states, as a sentence encoder does, and logits, as a cross-encoder does. Its numbers mean
nothing; it has the inputs, the outputs and the operators of the real ones. The folder is committed; run this only to
change it.
"""
import json
import pathlib
import string

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

FOLDER = pathlib.Path(__file__).with_name("tiny")
HIDDEN, HEADS, INNER, POSITIONS = 32, 4, 64, 64
WORDS = "the of and proof quantum computer juro composto tempo bolo fuba seed account today what is are".split()
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]
VOCABULARY += [mark + letter for mark in ("", "##") for letter in string.ascii_lowercase + string.digits + "_"]
VOCABULARY += list(".,;:!?'-")

random = np.random.default_rng(7)
nodes, weights = [], []


def weight(name, *shape, scale=0.35):
    values = (random.standard_normal(shape) * scale).astype(np.float32)
    weights.append(numpy_helper.from_array(values, name))
    return name


def constant(name, values):
    weights.append(numpy_helper.from_array(np.asarray(values), name))
    return name


def node(kind, inputs, output, **attributes):
    nodes.append(helper.make_node(kind, inputs, [output], **attributes))
    return output


def linear(name, x, width, out):
    product = node("MatMul", [x, weight(f"{name}.w", width, out)], f"{name}.product")
    return node("Add", [product, weight(f"{name}.b", out)], f"{name}.out")


def normed(name, x):
    scale = constant(f"{name}.scale", np.ones(HIDDEN, np.float32))
    bias = constant(f"{name}.bias", np.zeros(HIDDEN, np.float32))
    return node("LayerNormalization", [x, scale, bias], f"{name}.out", axis=-1, epsilon=1e-12)


def heads(name, x, order):
    split = node("Reshape", [x, constant(f"{name}.split", [0, 0, HEADS, HIDDEN // HEADS])], f"{name}.heads")
    return node("Transpose", [split], f"{name}.moved", perm=order)


length = node("Shape", ["input_ids"], "length", start=1, end=2)
scalar = node("Squeeze", [length], "length.scalar")
places = node("Range", [constant("zero", np.int64(0)), scalar, constant("one", np.int64(1))], "places")
words = node("Gather", [weight("words.w", len(VOCABULARY), HIDDEN, scale=1.0), "input_ids"], "words")
kinds = node("Gather", [weight("kinds.w", 2, HIDDEN), "token_type_ids"], "kinds")
position = node("Gather", [weight("positions.w", POSITIONS, HIDDEN), places], "positions")
x = normed("embedded", node("Add", [node("Add", [words, kinds], "summed"), position], "placed"))

query = heads("query.h", linear("query", x, HIDDEN, HIDDEN), [0, 2, 1, 3])
key = heads("key.h", linear("key", x, HIDDEN, HIDDEN), [0, 2, 3, 1])
value = heads("value.h", linear("value", x, HIDDEN, HIDDEN), [0, 2, 1, 3])
scores = node("MatMul", [query, key], "scores")
scaled = node("Div", [scores, constant("scale", np.float32((HIDDEN / HEADS) ** 0.5))], "scaled")
mask = node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
mask = node("Sub", [constant("ones", np.float32(1)), mask], "mask.inverted")
mask = node("Mul", [mask, constant("least", np.float32(-1e9))], "mask.least")
mask = node("Unsqueeze", [mask, constant("axes", np.array([1, 2]))], "mask.wide")
attention = node("Softmax", [node("Add", [scaled, mask], "masked")], "attention", axis=-1)
mixed = node("Transpose", [node("MatMul", [attention, value], "mixed")], "mixed.back", perm=[0, 2, 1, 3])
mixed = node("Reshape", [mixed, constant("join", [0, 0, HIDDEN])], "joined")
x = normed("attended", node("Add", [x, linear("output", mixed, HIDDEN, HIDDEN)], "attended.sum"))
inner = linear("inner", x, HIDDEN, INNER)
erf = node("Erf", [node("Div", [inner, constant("root", np.float32(2**0.5))], "inner.root")], "inner.erf")
gate = node("Add", [erf, constant("half.one", np.float32(1))], "inner.gate")
gelu = node("Mul", [node("Mul", [inner, gate], "inner.gated"), constant("half", np.float32(0.5))], "inner.gelu")
x = node("Add", [x, linear("outer", gelu, INNER, HIDDEN)], "outer.sum")
nodes[-1].output[0] = "outer.sum"
normed("last", "outer.sum")
nodes[-1].output[0] = "last_hidden_state"
first = node("Gather", ["last_hidden_state", constant("first", np.int64(0))], "cls", axis=1)
pooled = node("Tanh", [linear("pooler", first, HIDDEN, HIDDEN)], "pooled")
linear("classifier", pooled, HIDDEN, 1)
nodes[-1].output[0] = "logits"

tensor = helper.make_tensor_value_info
inputs = [tensor(name, TensorProto.INT64, ["batch", "length"]) for name in ("input_ids", "attention_mask", "token_type_ids")]
outputs = [
    tensor("last_hidden_state", TensorProto.FLOAT, ["batch", "length", HIDDEN]),
    tensor("logits", TensorProto.FLOAT, ["batch", 1]),
]
graph = helper.make_graph(nodes, "tiny", inputs, outputs, weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
checker.check_model(model, full_check=True)
FOLDER.mkdir(exist_ok=True)
save(model, FOLDER / "model.onnx")

special = {name: VOCABULARY.index(name) for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")}
added = [
    {"id": id, "content": name, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    for name, id in special.items()
]
cls, text, sep = {"SpecialToken": {"id": "[CLS]", "type_id": 0}}, lambda id, kind: {"Sequence": {"id": id, "type_id": kind}}, lambda kind: {"SpecialToken": {"id": "[SEP]", "type_id": kind}}
tokenizer = {
    "version": "1.0",
    # Both have to be overridden: the first cuts, the second pads.
    "truncation": {"max_length": 12, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
    "padding": {"strategy": {"Fixed": 20}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
    "added_tokens": added,
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [cls, text("A", 0), sep(0)],
        "pair": [cls, text("A", 0), sep(0), text("B", 1), sep(1)],
        "special_tokens": {name: {"id": name, "ids": [special[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")},
    },
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {token: id for id, token in enumerate(VOCABULARY)}},
}
(FOLDER / "tokenizer.json").write_text(json.dumps(tokenizer, indent=1, ensure_ascii=False) + "\n")
(FOLDER / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": HIDDEN, "max_position_embeddings": POSITIONS}) + "\n")
