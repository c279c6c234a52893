"""The parts of the page: benches, and examples alone."""

import json
import os
import re
import shutil
import time

from log import Watch
from peers import Peers
from programs import WORK, Skipped, environment, example, run, say
from profiles import PROFILES


class Runner(Peers):
    def __init__(self, options, log):
        self.options = options
        self.profile = PROFILES[options.profile]
        self.log = log

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
            if not self.log.is_wanted(of):
                continue
            home = WORK / "criterion" / name
            shutil.rmtree(home, ignore_errors=True)
            watch = Watch()
            programs = json.loads((WORK / "benches.json").read_text(encoding="utf-8"))
            command = [programs[name], "--bench", "--noplot", *self.profile["criterion"]]
            run(command, env={**os.environ, "CRITERION_HOME": str(home)})
            common = {"of": of, "part": name, "round": number, **watch.read()}
            self.log.write({**common, **line} for line in criterion_lines(home))
            self.log.done.add(of)

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
        # A sample of a set of queries is given as the time of each.
        each = re.search(r"each of (\d+)", about["group_id"])
        milliseconds = estimates["median"]["point_estimate"] / 1e6 / (int(each[1]) if each else 1)
        common = {"case": about["group_id"], "side": side or about["group_id"], "size": size}
        yield {**common, "measure": "time", "unit": "ms", "value": milliseconds}
        read = (about.get("throughput") or {}).get("Bytes")
        if read:
            yield {**common, "measure": "throughput", "unit": "MB/s", "value": read / milliseconds / 1e3}
