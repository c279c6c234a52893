"""What is measured on, and with which versions."""

import datetime
import os
import platform
import re
from pathlib import Path

from programs import ROOT, run


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
    lock = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    locked = dict(re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"', lock))
    rivals = ("tantivy", "rusqlite", "text-splitter", "ort", "rten")
    about.append(("crates", ", ".join(f"{name} {locked[name]}" for name in rivals if name in locked)))
    about.append(("Python", platform.python_version()))
    for python, file, names in (
        (options.lexical_python, "benchmarks-requirements.txt", ("rank-bm25", "bm25s", "numba", "tantivy")),
        (options.models_python, "benchmarks-models-requirements.txt", ("torch", "sentence-transformers", "keybert")),
    ):
        about.append(("packages", installed(python, names) if python else pinned(file, names)))
    about.append(("day", datetime.date.today().isoformat()))
    return {"machine": {"profile": options.profile, "about": about}}


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def pinned(file, names):
    """The versions that a requirements file asks for."""
    text = (ROOT / "scripts" / file).read_text(encoding="utf-8")
    versions = dict(re.findall(r"^([\w-]+)==([^ ;]+)", text, re.M))
    return ", ".join(f"{name} {versions[name]}" for name in names if name in versions)


def installed(python, names):
    """The versions that an environment has."""
    program = "import sys, importlib.metadata as m; print(', '.join(f'{n} {m.version(n)}' for n in sys.argv[1:]))"
    return run([python, "-c", program, *names]).strip()


def commit():
    """The commit, and whether anything but the pages was changed since."""
    try:
        changed = run(["git", "status", "--porcelain", "--untracked-files=no", "--", ":!docs"]).strip()
        return run(["git", "rev-parse", "--short", "HEAD"]).strip() + ("-changed" if changed else "")
    except (OSError, RuntimeError):
        return "unknown"
