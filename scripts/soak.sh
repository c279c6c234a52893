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
    cargo test --release --locked -p tusab-engine --test survive -- --nocapture kills
    TUSAB_FAULTS="${TUSAB_FAULTS:-1000}" cargo test --release --locked -p tusab-engine --test survive -- full_at_each
    cargo test --release --locked -p tusab-engine --all-features --test carry -- --nocapture nothing_is_half_there
    TUSAB_KILLS="${TUSAB_INDEX_KILLS:-500}" cargo test --release --locked -p tusab-index --test kill
    TUSAB_SECONDS="${TUSAB_SECONDS:-60}" cargo test --release --locked -p tusab-index --test readers -- --nocapture
    TUSAB_FLIPS="${TUSAB_FLIPS:-10}" cargo test --release --locked -p tusab-index --test flips -- --nocapture
    TUSAB_QUERIES="${TUSAB_QUERIES:-100000}" TUSAB_CHUNKS="${TUSAB_CHUNKS:-10000}" \
        cargo test --release --locked -p tusab-index --test queries -- --nocapture
    cargo run --release --locked -p examples --example load -- --seconds "${TUSAB_SECONDS:-60}"
    [ "$SECONDS" -lt "$end" ] || break
done
