"""What scripts/benchmarks.sh does: runs benches, examples and peers in turns, keeps a JSON line of each measurement,
and has the page written from them."""

import argparse
import sys
from pathlib import Path

from log import Log
from machine import commit, machine
from parts import Runner
from profiles import BENCHES
from programs import ROOT, WORK, Skipped, build, run, say


def absolute(path):
    """The path as seen from where this was called; links are kept, since a Python environment is known by its own."""
    return Path(path).absolute()


def arguments():
    parser = argparse.ArgumentParser("scripts/benchmarks.sh", description="Measures, and writes docs/benchmarks.md.")
    profiles = parser.add_mutually_exclusive_group()
    for name, text in (
        ("smoke", "everything as little as can be, to see that it works: two minutes"),
        ("short", "every part, about ten minutes (the default)"),
        ("full", "every part at every size: an hour and more"),
    ):
        profiles.add_argument(f"--{name}", dest="profile", action="store_const", const=name, help=text)
    parser.set_defaults(profile="short")
    parser.add_argument("--data", type=absolute, help="folder of the collections (scale, ir, captions)")
    parser.add_argument("--peers", type=absolute, help="folder of lexical_peers.py and model_peers.py")
    parser.add_argument("--lexical-python", type=absolute, help="a Python with their packages; else they are fetched")
    parser.add_argument("--models-python", type=absolute, help="a Python with PyTorch; else it is fetched (gigabytes)")
    parser.add_argument("--only", action="append", metavar="PART", help="measure this part; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the parts and end")
    parser.add_argument("--rounds", type=int, help="rounds in all, those measured before included")
    parser.add_argument("--minutes", type=float, help="begin no measurement after so many; another run goes on")
    parser.add_argument("--results", type=absolute, help="where measurements are kept")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    parser.add_argument("--docs", type=absolute, default=ROOT / "docs", help="where the page is written")
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
        runner = Runner(options, Log(options.results, options.minutes))
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
