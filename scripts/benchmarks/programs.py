"""Where the programs that measure are, how they are built, and running one of them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
WORK = ROOT / "target" / "benchmarks"
EXAMPLES = ("scale", "evaluate", "rerank", "keyphrases", "growth", "carry", "load", "captions")


class Skipped(Exception):
    """Something is not here; the message says what."""


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
    """Builds all programs, and writes down where the benches are, so that they run without cargo beside them."""
    names = [word for name in EXAMPLES for word in ("--example", name)]
    subprocess.run(["cargo", "build", "--release", "--locked", "-p", "examples", *names], cwd=ROOT, check=True)
    # The program that writes the page is built with the benches.
    command = ["cargo", "bench", "--locked", "-p", "benches", "--no-run", "--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    benches = {
        message["target"]["name"]: message["executable"]
        for message in objects(built.stdout)
        if message["reason"] == "compiler-artifact" and message["target"]["kind"] == ["bench"]
    }
    (WORK / "benches.json").write_text(json.dumps(benches), encoding="utf-8")


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
