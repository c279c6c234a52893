#!/usr/bin/env bash
# Every test, those included that need parts from outside. Needs Rust, Python 3 with pip and Node.
set -euo pipefail
cd "$(dirname "$0")/.."

assets="$(scripts/assets.sh)"
eval "$assets"

# About a tenth of what `scripts/soak.sh` does.
export TUSAB_KILLS="${TUSAB_KILLS:-30}"
export TUSAB_FAULTS="${TUSAB_FAULTS:-20}"
exec cargo test --workspace --all-features --locked --no-fail-fast -- --include-ignored
