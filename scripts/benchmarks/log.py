"""Measurements as they are kept: a JSON line each, with what the machine did meanwhile."""

import json
import os
import resource
import time
from pathlib import Path

from programs import Skipped, say


class Log:
    """The measurements, a JSON line each. What was measured before is not measured again."""

    def __init__(self, path, minutes=None):
        self.path = path
        self.until = None if minutes is None else time.time() + minutes * 60
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

    def is_wanted(self, of):
        """Whether something was not measured yet and there is time for it; says what is measured now."""
        if of in self.done:
            return False
        if self.until is not None and time.time() > self.until:
            raise Skipped("the minutes that were given were over")
        say(of)
        return True

    def measure(self, part, case, side, size, number, work):
        """Does some work whose results are `(measure, unit, value)`, unless that was done before."""
        of = "/".join(str(name) for name in (part, case, side, size, number))
        if not self.is_wanted(of):
            return
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
