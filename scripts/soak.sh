#!/usr/bin/env bash
# The long harnesses, whole. Usage: scripts/soak.sh [minutes]; by default each runs once through, about ten times what
# `scripts/test.sh` does. Each prints its seed, by which a failure can be run again, and its counts.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes="${1:-0}"
end=$((SECONDS + minutes * 60))
export TUSAB_KILLS="${TUSAB_KILLS:-300}"
while :; do
    cargo test --release --locked -p tusab-engine --test kill
    [ "$SECONDS" -lt "$end" ] || break
done
