#!/usr/bin/env bash
# What each crate weighs with its default features: what it depends on, and what building it cold takes. Writes the table
# into CONTRIBUTING.md.
#
#     scripts/weight.sh [CRATE...]
#
# With names of crates, builds these alone and keeps the other rows. Seconds are those of the processor, user and system
# together, of a debug build with nothing built before: they hold on a loaded machine too, nearly.
set -euo pipefail
cd "$(dirname "$0")/.."

# What cargo says, while the shell tells the time on the usual stream.
exec 3>&2

page=CONTRIBUTING.md
crates=(tusab-chunk tusab-ingest tusab-index tusab-rerank tusab-llm tusab-engine)
build=("${@:-${crates[@]}}")

# Names and versions of what a crate is built with, itself left out.
tree() {
    cargo tree --quiet --edges normal,build --prefix none --no-dedupe --package "$1" "${@:2}" |
        sed 's/ (.*//' | sort -u | grep -v "^$1 "
}

cold() {
    local target seconds TIMEFORMAT='%U %S'
    target="$(mktemp -d)"
    seconds="$({ time CARGO_TARGET_DIR="$target" CARGO_INCREMENTAL=0 cargo build --quiet --package "$1" >&3 2>&3; } 2>&1)"
    rm -rf "$target"
    awk '{ printf "%.0f s", $1 + $2 }' <<< "$seconds"
}

rows=""
for crate in "${crates[@]}"; do
    direct="$(tree "$crate" --depth 1 | wc -l)"
    total="$(tree "$crate" | wc -l)"
    seconds="$(sed -n "s/^| \`$crate\` |.*| \(.*\) |$/\1/p" "$page")"
    if [[ " ${build[*]} " == *" $crate "* ]]; then
        seconds="$(cold "$crate")"
    fi
    rows+="| \`$crate\` | $direct | $total | ${seconds:--} |"$'\n'
done

ROWS="$rows" perl -0pi -e \
    's/(<!-- weight -->\n).*?(<!-- end of weight -->)/$1| crate | direct | total | built cold |\n|---|---|---|---|\n$ENV{ROWS}$2/s' "$page"
sed -n '/<!-- weight -->/,/<!-- end of weight -->/p' "$page"
