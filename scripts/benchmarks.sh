#!/usr/bin/env bash
# Measures everything that docs/benchmarks.md tells, and writes that page and its charts.
#
#     scripts/benchmarks.sh --build                                 only builds; measuring should wait for a machine at rest
#     scripts/benchmarks.sh --short --data DATA --peers PEERS       about ten minutes on two processors at rest
#     scripts/benchmarks.sh --short --minutes 12 ...                begins nothing after twelve minutes
#     scripts/benchmarks.sh --full --data DATA --peers PEERS        an hour and more
#     scripts/benchmarks.sh --only lexical --only models ...        single parts; --list names them
#
# DATA holds the collections (`scale/*.jsonl.zst`, `ir/*`, `captions/*`), PEERS the programs that time Python's libraries
# (`lexical_peers.py`, `model_peers.py`). What is not there is said to be skipped. What was measured is kept, a line each,
# under target/benchmarks, for each profile and commit: a run that was interrupted goes on where it stopped, and more
# rounds are added with `--rounds`. `--help` tells the rest.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
# The models and their runtime. Fetched once; without them their parts are skipped.
if assets="$("$here/assets.sh")"; then
    eval "$assets"
else
    echo "scripts/assets.sh failed: no models are measured" >&2
fi
exec python3 "$here/benchmarks" "$@"
