"""Writes a BERT encoder in ONNX form from its safetensors, weights unchanged: what the tests of tusab-rerank compare
with sentence-transformers in full precision. Uses nothing beside Python.

    python3 scripts/full_precision.py MODEL.safetensors CONFIG.json OUT.onnx

Formats: safetensors (a length, a JSON header, the numbers) and onnx.proto 3 (a protocol buffer); the operators are
those of ONNX opset 17.
"""

import json
import struct
import sys

FLOAT, INT64 = 1, 7


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """A field of a protocol buffer: whole numbers as varints, floats in 32 bits, the rest with its length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, kind, dims, raw):
    return b"".join(field(1, dim) for dim in dims) + field(2, kind) + field(8, name) + field(9, raw)


def attribute(name, value):
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value & (1 << 64) - 1) + field(20, 2)
    return field(1, name) + b"".join(field(8, item) for item in value) + field(20, 7)


def value_info(name, kind, dims):
    shape = b"".join(field(1, field(1, dim) if isinstance(dim, int) else field(2, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


class Graph:
    def __init__(self, weights):
        self.weights, self.nodes, self.initializers, self.count = weights, [], {}, 0

    def node(self, operator, *inputs, out=None, **attributes):
        self.count += 1
        out = out or f"v{self.count}"
        node = b"".join(field(1, name) for name in inputs) + field(2, out) + field(3, f"n{self.count}")
        node += field(4, operator) + b"".join(field(5, attribute(*item)) for item in attributes.items())
        self.nodes.append(node)
        return out

    def weight(self, name):
        dims, raw = self.weights[name]
        self.initializers[name] = tensor(name, FLOAT, dims, raw)
        return name

    def ints(self, *numbers):
        name = "i" + "_".join(map(str, numbers))
        self.initializers[name] = tensor(name, INT64, [len(numbers)], struct.pack(f"<{len(numbers)}q", *numbers))
        return name

    def number(self, number):
        name = f"f{number}"
        self.initializers[name] = tensor(name, FLOAT, [], struct.pack("<f", number))
        return name

    def linear(self, value, name):
        turned = self.node("Transpose", self.weight(f"{name}.weight"), perm=[1, 0])
        return self.node("Add", self.node("MatMul", value, turned), self.weight(f"{name}.bias"))

    def normal(self, value, name, epsilon, out=None):
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", value, scale, bias, out=out, axis=-1, epsilon=epsilon)


def encoder(weights, config):
    """The graph of `BertModel` without its pooler (Devlin et al. 2019), with the names transformers gives."""
    graph, epsilon = Graph(weights), float(config["layer_norm_eps"])
    heads, layers = config["num_attention_heads"], config["num_hidden_layers"]
    each = config["hidden_size"] // heads
    assert config["hidden_act"] == "gelu", config["hidden_act"]

    length = graph.node("Slice", graph.node("Shape", "input_ids"), graph.ints(1), graph.ints(2), graph.ints(0))
    places = graph.node("Slice", graph.weight("embeddings.position_embeddings.weight"), graph.ints(0), length,
                        graph.ints(0))
    words = graph.node("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    types = graph.node("Gather", graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
    value = graph.node("Add", graph.node("Add", words, types), places)
    value = graph.normal(value, "embeddings.LayerNorm", epsilon)

    mask = graph.node("Unsqueeze", graph.node("Cast", "attention_mask", to=FLOAT), graph.ints(1, 2))
    hidden = graph.node("Mul", graph.node("Sub", graph.number(1.0), mask), graph.number(-1e9))
    for layer in range(layers):
        name = f"encoder.layer.{layer}"

        def split(part, turn):
            given = graph.linear(value, f"{name}.attention.self.{part}")
            apart = graph.node("Reshape", given, graph.ints(0, 0, heads, each))
            return graph.node("Transpose", apart, perm=turn)

        query, key = split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1])
        scores = graph.node("Mul", graph.node("MatMul", query, key), graph.number(each ** -0.5))
        shares = graph.node("Softmax", graph.node("Add", scores, hidden), axis=-1)
        seen = graph.node("MatMul", shares, split("value", [0, 2, 1, 3]))
        seen = graph.node("Transpose", seen, perm=[0, 2, 1, 3])
        seen = graph.node("Reshape", seen, graph.ints(0, 0, heads * each))
        seen = graph.linear(seen, f"{name}.attention.output.dense")
        value = graph.normal(graph.node("Add", seen, value), f"{name}.attention.output.LayerNorm", epsilon)

        inner = graph.linear(value, f"{name}.intermediate.dense")
        erf = graph.node("Erf", graph.node("Mul", inner, graph.number(0.5 ** 0.5)))
        inner = graph.node("Mul", graph.node("Mul", inner, graph.number(0.5)),
                           graph.node("Add", erf, graph.number(1.0)))
        given = graph.node("Add", graph.linear(inner, f"{name}.output.dense"), value)
        last = "last_hidden_state" if layer == layers - 1 else None
        value = graph.normal(given, f"{name}.output.LayerNorm", epsilon, out=last)
    return graph


def read_safetensors(path):
    with open(path, "rb") as file:
        content = file.read()
    (size,) = struct.unpack_from("<Q", content)
    weights = {}
    for name, part in json.loads(content[8:8 + size]).items():
        if name != "__metadata__" and part["dtype"] == "F32":
            start, end = part["data_offsets"]
            weights[name.removeprefix("bert.")] = part["shape"], content[8 + size + start:8 + size + end]
    return weights


def main(weights, config, out):
    with open(config, encoding="utf-8") as file:
        config = json.load(file)
    graph = encoder(read_safetensors(weights), config)
    inputs = [value_info(name, INT64, ["rows", "tokens"]) for name in ("input_ids", "attention_mask", "token_type_ids")]
    output = value_info("last_hidden_state", FLOAT, ["rows", "tokens", config["hidden_size"]])
    body = b"".join(field(1, node) for node in graph.nodes) + field(2, "encoder")
    body += b"".join(field(5, part) for part in graph.initializers.values())
    body += b"".join(field(11, part) for part in inputs) + field(12, output)
    with open(out, "wb") as file:
        file.write(field(1, 8) + field(7, body) + field(8, field(1, "") + field(2, 17)))


main(*sys.argv[1:])
