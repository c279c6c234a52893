"""Counts tokens with the real vocabularies that the package quicktok-v1 carries.

Reads one JSON string a line, and writes one array a line: [o200k_base, Llama 3].
"""

import json
import sys

import quicktok

encodings = [quicktok.get_encoding(name) for name in ("o200k_base", "llama3")]
for line in sys.stdin:
    text = json.loads(line)
    print(json.dumps([encoding.count(text) for encoding in encodings]), flush=True)
