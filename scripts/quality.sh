#!/usr/bin/env bash
# Measures the search on judged collections and writes docs/quality.md with a chart.
#
# Usage: scripts/quality.sh FOLDER [QUESTIONS]
#
# FOLDER holds one folder a collection (corpus.jsonl.gz, queries.jsonl, qrels.tsv); of each, at most QUESTIONS are drawn
# (default: 600), the same every time. The models are those of scripts/assets.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

folder="${1:?name a folder with collections}"
questions="${2:-600}"
eval "$(scripts/assets.sh)"
cargo build --release --locked -p examples --example evaluate
results="$(mktemp)"
trap 'rm -f "$results"' EXIT
for collection in "$folder"/*/; do
    [ -e "$collection/qrels.tsv" ] || continue
    for way in "--mode narrow" "--mode broad --sentences none" "--mode broad --sentences $TUSAB_MODELS/bge-small"; do
        echo "$collection $way" >&2
        # shellcheck disable=SC2086 # several words
        target/release/examples/evaluate "$collection" --queries "$questions" $way --json >> "$results"
    done
done
python3 scripts/quality.py "$results" docs
