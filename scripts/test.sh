#!/usr/bin/env bash
# Every test, those included that need parts from outside. Needs Rust, Python 3 with pip and Node.
set -euo pipefail
cd "$(dirname "$0")/.."

assets="$(scripts/assets.sh)"
eval "$assets"

# Some tests use these where they are there, and otherwise pass with the word "skipped" in their output, which is not shown.
for part in strace cc soffice pdftotext pdfinfo pdftoppm fc-list; do
    command -v "$part" > /dev/null || echo "there is no $part: the tests that need it are skipped" >&2
done
[ "$(id -u)" = 0 ] || echo "not root: the tests of full disks, and of other users, are skipped" >&2
[ -d ../shared/data ] || echo "there is no ../shared/data: the tests of real material are skipped" >&2

# About a tenth of what `scripts/soak.sh` does.
export TUSAB_KILLS="${TUSAB_KILLS:-30}"
export TUSAB_FAULTS="${TUSAB_FAULTS:-20}"
exec cargo test --workspace --all-features --locked --no-fail-fast -- --include-ignored
