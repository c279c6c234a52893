#!/usr/bin/env python3
"""Fits the constants of crates/tusab-engine/src/answer/confidence.rs, and draws how reliable they are.

    for c in scifact cranfield faquad aia-bde milkqa meetings-acd; do
        for p in 2 8; do abstain COLLECTIONS/$c --parts $p --evidence narrow-$c-$p.jsonl; done
        abstain COLLECTIONS/$c --mode broad --evidence broad-$c.jsonl
    done
    scripts/confidence.py [--svg docs/reliability.svg] narrow-*.jsonl broad-*.jsonl

Needs numpy. A logistic regression over the evidence that the example `abstain` writes: what words say, divided by a power of
the number of words, and in Broad Search what a cross-encoder says. Each collection weighs the same, save those in WEIGHTS,
and in it each size and each kind of question. The figures printed for a collection are from a fit that has not seen it (leave
one collection out), beside those of the constants printed last, which are fitted to all.
"""

import json
import sys

import numpy as np

WORDS = ["score", "phrases", "lead_over_rest"]

# Collections in which many questions count as unanswerable though another passage answers them: few passages were judged
# for each question, or the judgements were made from time stamps. Their labels are worth less.
WEIGHTS = {"cranfield": 0.1, "meetings-acd": 0.1, "milkqa": 0.2}

# How fast what words say loses its weight with the length of the question.
LENGTH = 1.5

# Confidence from which on there is context: for a short question, and for one of which nothing can be told.
ENOUGH, ENOUGH_OF_LONG = 0.52, 0.44

# Words up to which all can be told of a question, and how fast less can be told of a longer one: by words alone, and where a
# cross-encoder has read too.
TELLING = {"narrow": (7, 2), "broad": (10, 3)}

# Of the questions of either kind, the part that goes against what their words say: an answer in other words, another passage
# with the same ones. Without it those few flatten the curve, and where much speaks for an answer too little is believed.
OUTLIERS = 0.1

# Of the squared weights, in units in which every column has a mean square of one.
PENALTY = 1e-3


# How far a cross-encoder is trusted that has to spell the language; see crates/tusab-engine/src/search/trust.rs.
SPELLING = 0.2


def telling(row):
    """How much can be told of a question of that length."""
    words, power = TELLING[row["mode"]]
    return min(1, ((1 + words) / (1 + row["evidence"]["words"])) ** power)


def enough(row):
    return ENOUGH_OF_LONG + (ENOUGH - ENOUGH_OF_LONG) * telling(row)


def columns(row):
    """What words say, and in Broad Search what the cross-encoder says: apart where it knows the language and where it spells,
    since its logits mean another thing there; and nothing of a question of which it has read no more than half. How far its
    score of the first passage is above those of the others means the same in any language: it has one weight."""
    evidence = row["evidence"]
    per_word = (1 + evidence["words"]) ** -LENGTH
    words = [per_word] + [evidence[name] * per_word for name in WORDS]
    if row["mode"] != "broad":
        return words + [per_word * evidence["held_over_rest"]]
    words.append(telling(row) * evidence["held_over_rest"])
    reading = evidence["reading"]
    if not reading:
        return words + [0] * 5
    trust, closely = reading["trust"], reading["closely"]
    known = max((trust - SPELLING) / (1 - SPELLING), 0) * telling(row)
    spelled = min(max(2 * trust / SPELLING - 1, 0), 1) * (telling(row) - known)
    over_rest = (known + spelled) * reading["over_rest"]
    return words + [known, known * closely, spelled, spelled * closely, over_rest]


def probability(x, b):
    return OUTLIERS + (1 - 2 * OUTLIERS) / (1 + np.exp(-x @ b))


def fit(x, y, w):
    """A logistic regression in which some questions are outliers, by expectation and maximisation."""
    true = y.astype(float)
    for _ in range(60):
        b = logistic(x, true, w)
        p = 1 / (1 + np.exp(-x @ b))
        for_, against = np.where(y, 1 - OUTLIERS, OUTLIERS), np.where(y, OUTLIERS, 1 - OUTLIERS)
        true = p * for_ / (p * for_ + (1 - p) * against)
    return b


def logistic(x, y, w):
    """Newton's method on the penalised likelihood, with the columns scaled to a mean square of one."""
    scale = np.sqrt((x ** 2).mean(0)) + 1e-9
    x = x / scale
    b = np.zeros(x.shape[1])
    w = w / w.sum()
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ b))
        gradient = x.T @ (w * (p - y)) + 2 * PENALTY * b
        hessian = (x * (w * p * (1 - p))[:, None]).T @ x + 2 * PENALTY * np.eye(len(b))
        step = np.linalg.solve(hessian, gradient)
        b -= step
        if np.abs(step).max() < 1e-9:
            break
    return b / scale


def balanced(y):
    return np.where(y, 0.5 / max(y.sum(), 1), 0.5 / max((~y).sum(), 1))


def bins(y, p):
    w = balanced(y)
    at = np.minimum((p * 10).astype(int), 9)
    for i in range(10):
        m = at == i
        if m.any():
            yield (w[m] * p[m]).sum() / w[m].sum(), (w[m] * y[m]).sum() / w[m].sum(), w[m].sum()


def measures(y, p, said):
    accuracy = (said[y].mean() + (~said[~y]).mean()) / 2
    rank = np.argsort(np.argsort(p)) + 1
    auc = (rank[y].sum() - y.sum() * (y.sum() + 1) / 2) / (y.sum() * (~y).sum())
    return accuracy, auc, sum(share * abs(confidence - true) for confidence, true, share in bins(y, p))


def study(rows):
    x = np.array([columns(row) for row in rows], float)
    y = np.array([row["answerable"] for row in rows])
    literal = np.array([row["evidence"]["is_literal"] for row in rows])
    collection = np.array([row["collection"] for row in rows])
    parts = np.array([row["parts"] for row in rows])
    nothing = np.array([row["evidence"]["words"] == 0 for row in rows])
    line = np.array([enough(row) for row in rows])
    w = np.zeros(len(rows))
    for name in set(collection):
        sizes = set(parts[collection == name])
        for size in sizes:
            for kind in (True, False):
                group = (collection == name) & (parts == size) & (y == kind) & ~nothing
                if group.sum() > 20:
                    w[group] = WEIGHTS.get(name, 1) / len(sizes) / group.sum()

    def confidence(b, of):
        p = probability(x[of], b)
        p = np.where(literal[of], np.maximum(p, line[of]), p)
        return np.where(nothing[of], 0.0, p)

    shipped = fit(x[w > 0], y[w > 0], w[w > 0])
    curves = {}
    print(f"{'':16}{'parts':>6}{'n':>6}   left out: accuracy  auc   ece    with all: accuracy  auc   ece")
    for name in sorted(set(collection)):
        seen = (collection != name) & (w > 0)
        b = fit(x[seen], y[seen], w[seen])
        for size in sorted(set(parts)):
            of = (collection == name) & (parts == size)
            if y[of].sum() < 20 or (~y[of]).sum() < 20:
                continue
            p, q = confidence(b, of), confidence(shipped, of)
            out, all_ = measures(y[of], p, p >= line[of]), measures(y[of], q, q >= line[of])
            print(f"{name:16}{size:6}{of.sum():6}             {out[0]:.3f}  {out[1]:.3f}  {out[2]:.3f}"
                  f"              {all_[0]:.3f}  {all_[1]:.3f}  {all_[2]:.3f}")
            if size == 2:
                curves[name] = list(bins(y[of], p))
    for name, value in zip(["constant", *WORDS, "held_over_rest", "known", "known.closely", "spelled", "spelled.closely", "over_rest"], shipped):
        print(f"    {name}: {value:.3f},")
    return curves


COLOURS = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#566573"]


def svg(panels):
    size, gap, top, left = 300, 70, 40, 55
    width, height = left + len(panels) * (size + gap), top + size + 110
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           f'font-size="12"><rect width="100%" height="100%" fill="#fff"/>']
    for number, (title, curves) in enumerate(panels):
        x0, y0 = left + number * (size + gap), top + size
        out.append(f'<text x="{x0}" y="{top - 14}" font-size="14">{title}</text>')
        out.append(f'<rect x="{x0}" y="{top}" width="{size}" height="{size}" fill="none" stroke="#999"/>')
        out.append(f'<line x1="{x0}" y1="{y0}" x2="{x0 + size}" y2="{top}" stroke="#bbb" stroke-dasharray="4"/>')
        for tick in range(0, 11, 2):
            at = size * tick / 10
            out.append(f'<text x="{x0 + at}" y="{y0 + 16}" text-anchor="middle">{tick / 10:g}</text>')
            out.append(f'<text x="{x0 - 6}" y="{y0 - at + 4}" text-anchor="end">{tick / 10:g}</text>')
        out.append(f'<text x="{x0 + size / 2}" y="{y0 + 34}" text-anchor="middle">confidence</text>')
        out.append(f'<text x="{x0 - 38}" y="{top + size / 2}" text-anchor="middle" '
                   f'transform="rotate(-90 {x0 - 38} {top + size / 2})">answerable</text>')
        for colour, (name, points) in zip(COLOURS, sorted(curves.items())):
            places = [(x0 + size * c, y0 - size * t, s) for c, t, s in points]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
            out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-opacity=".6"/>')
            for x, y, share in places:
                out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{1.5 + 10 * share ** 0.5:.1f}" fill="{colour}" '
                           f'fill-opacity=".35"/>')
        for at, (colour, name) in enumerate(zip(COLOURS, sorted(curves))):
            x, y = x0 + (at % 3) * 105, y0 + 58 + (at // 3) * 18
            out.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
                       f'<text x="{x + 14}" y="{y}">{name}</text>')
    return "\n".join(out) + "\n</svg>\n"


def main(arguments):
    target = None
    if "--svg" in arguments:
        at = arguments.index("--svg")
        target = arguments[at + 1]
        del arguments[at:at + 2]
    rows = [json.loads(line) for path in arguments for line in open(path, encoding="utf-8")]
    panels = []
    for title, broad in (("Narrow Search", False), ("Broad Search", True)):
        of_mode = [row for row in rows if row["mode"] == ("broad" if broad else "narrow")]
        if of_mode:
            print(title)
            panels.append((title, study(of_mode)))
    if target:
        with open(target, "w", encoding="utf-8") as file:
            file.write(svg(panels))


if __name__ == "__main__":
    main(sys.argv[1:])
