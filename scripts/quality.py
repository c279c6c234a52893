"""Writes quality.md and quality.svg from what `evaluate --json` printed: three lines a collection (narrow, broad without
vectors, broad with them). Usage: quality.py RESULTS FOLDER"""

import json
import sys
from pathlib import Path

WAYS = ("Narrow", "Broad, no vectors", "Broad")
COLOURS = ("#8aa1b8", "#4f7f6b", "#23533f")


def chart(rows):
    """A bar of each way for each collection; the axis ends at 1."""
    left, top, height, group, bar = 40, 24, 220, 96, 24
    width = left + group * len(rows) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + height + 64}" '
        'font-family="sans-serif" font-size="11" role="img" aria-label="nDCG@10 by collection and way to search">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for tick in range(0, 11, 2):
        y = top + height * (1 - tick / 10)
        parts.append(f'<line x1="{left}" x2="{width - 10}" y1="{y}" y2="{y}" stroke="#dddddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end" fill="#555555">{tick / 10:.1f}</text>')
    for number, (name, values) in enumerate(rows):
        at = left + group * number + 12
        for way, result in enumerate(values):
            value = result["ndcg_10"]
            x, y = at + way * bar, top + height * (1 - value)
            parts.append(
                f'<rect x="{x}" y="{y:.1f}" width="{bar - 3}" height="{height * value:.1f}" fill="{COLOURS[way]}"/>'
            )
            parts.append(
                f'<text x="{x + (bar - 3) / 2}" y="{y - 3:.1f}" text-anchor="middle" font-size="8" fill="#333333">'
                f"{value:.3f}</text>"
            )
        parts.append(
            f'<text x="{at + 1.5 * bar}" y="{top + height + 16}" text-anchor="middle" fill="#333333">{name}</text>'
        )
    for way, label in enumerate(WAYS):
        x = left + way * 150
        parts.append(f'<rect x="{x}" y="{top + height + 34}" width="12" height="12" fill="{COLOURS[way]}"/>')
        parts.append(f'<text x="{x + 18}" y="{top + height + 44}" fill="#333333">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])


def page(rows):
    lines = [
        "# How good the search is",
        "",
        "Written by `scripts/quality.sh` from `evaluate` on judged collections: nDCG@10 (1 is a perfect order of the first",
        "ten), each passage a document of one chunk, near-duplicates kept in their places. The cross-encoder is",
        "ms-marco-MiniLM-L-12-v2, the sentence encoder bge-small-en, both quantised, both English: in Portuguese they are",
        "trusted little, by a rule that looks at how their vocabularies cut the words, not at the language's name. None of",
        "the collections is ours.",
        "",
        "![nDCG@10 of each collection and way to search](quality.svg)",
        "",
        "| collection | passages | questions | Narrow | Broad, no vectors | Broad |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, (narrow, *broad) in rows:
        gains = [f'{way["ndcg_10"]:.4f} ({way["ndcg_10"] - narrow["ndcg_10"]:+.4f})' for way in broad]
        gains += ["not measured"] * (len(WAYS) - 1 - len(broad))
        lines.append(
            f'| {name} | {narrow["docs"]} | {narrow["queries"]} | {narrow["ndcg_10"]:.4f} | {" | ".join(gains)} |'
        )
    return "\n".join([*lines, ""])


def main():
    results, folder = Path(sys.argv[1]), Path(sys.argv[2])
    by_name = {}
    for line in results.read_text(encoding="utf-8").splitlines():
        result = json.loads(line)
        if result["degraded"]:
            sys.exit(f'{result["collection"]}: something was missing: {result["degraded"]}')
        by_name.setdefault(result["collection"], []).append(result)
    rows = [(name, values) for name, values in by_name.items() if 1 < len(values) <= len(WAYS)]
    (folder / "quality.svg").write_text(chart(rows), encoding="utf-8")
    (folder / "quality.md").write_text(page(rows), encoding="utf-8")


main()
