"""Reads streams with the official SDKs.

Reads one JSON object a line, {"provider", "url", "model", "prompt"}, and writes one a line: {"text", "thinking", "finish",
"usage"} as the SDK gives them, "usage" with "input", "output", "cached" and "thinking", each null where it is not told, and
"blocked", why a prompt was; or {"error", "status", "request_id", "code"}: the class of the error, in our words, and what the
SDK knows of it.
"""

import json
import sys

import anthropic
import groq
import ollama
import openai
from google import genai
from google.genai import errors as genai_errors


def of_status(status):
    return {401: "Auth", 403: "Auth", 404: "Missing", 429: "RateLimited"}.get(status, "Server" if status >= 500 else "Other")


def total(*counts):
    """The sum of the counts that are told; None if none is."""
    told = [count for count in counts if count is not None]
    return sum(told) if told else None


def counted(read=None, written=None, cached=None, thought=None):
    return {"input": read, "output": written, "cached": cached, "thinking": thought}


def read_openai(client, case, options):
    text, thinking, finish, usage = "", "", None, None
    stream = client.chat.completions.create(
        model=case["model"], messages=[{"role": "user", "content": case["prompt"]}], stream=True, **options
    )
    for chunk in stream:
        extra = getattr(chunk, "x_groq", None)
        usage = getattr(chunk, "usage", None) or getattr(extra, "usage", None) or usage
        for choice in chunk.choices:
            text += (choice.delta.content or "") + (getattr(choice.delta, "refusal", None) or "")
            delta = choice.delta.model_dump()
            thinking += delta.get("reasoning_content") or delta.get("reasoning") or ""
            finish = choice.finish_reason or finish
    if usage is None:
        return text, thinking, finish, counted()
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    thought = getattr(getattr(usage, "completion_tokens_details", None), "reasoning_tokens", None)
    return text, thinking, finish, counted(usage.prompt_tokens, usage.completion_tokens, cached, thought)


# Made once: each reads the certificates of the system anew.
OPENAI = openai.OpenAI(api_key="sk-1", max_retries=0)
GROQ = groq.Groq(api_key="sk-1", max_retries=0)
ANTHROPIC = anthropic.Anthropic(api_key="sk-1", max_retries=0)


def openai_chat(case):
    client = OPENAI.with_options(base_url=case["url"])
    return read_openai(client, case, {"stream_options": {"include_usage": True}})


def groq_chat(case):
    # This SDK adds the path that the base URL of the API has.
    base = case["url"].removesuffix("/openai/v1")
    return read_openai(GROQ.with_options(base_url=base), case, {})


def anthropic_chat(case):
    client = ANTHROPIC.with_options(base_url=case["url"])
    messages = [{"role": "user", "content": case["prompt"]}]
    with client.messages.stream(model=case["model"], max_tokens=100, messages=messages) as stream:
        message = stream.get_final_message()
    text = "".join(block.text for block in message.content if block.type == "text")
    thinking = "".join(block.thinking for block in message.content if block.type == "thinking")
    usage = message.usage
    read = total(usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
    thought = getattr(getattr(usage, "output_tokens_details", None), "thinking_tokens", None)
    usage = counted(read, usage.output_tokens, usage.cache_read_input_tokens, thought)
    return text, thinking, message.stop_reason, usage


def gemini_chat(case):
    client = genai.Client(api_key="sk-1", http_options={"base_url": case["url"], "api_version": "v1beta"})
    text, thinking, finish, usage, blocked = "", "", None, None, None
    for chunk in client.models.generate_content_stream(model=case["model"], contents=case["prompt"]):
        usage = chunk.usage_metadata or usage
        blocked = chunk.prompt_feedback.block_reason if chunk.prompt_feedback else blocked
        for candidate in chunk.candidates or []:
            for part in (candidate.content and candidate.content.parts) or []:
                if part.thought:
                    thinking += part.text or ""
                else:
                    text += part.text or ""
            finish = candidate.finish_reason.value if candidate.finish_reason else finish
    tokens = counted()
    if usage:
        output = total(usage.candidates_token_count, usage.thoughts_token_count)
        cached, thought = usage.cached_content_token_count, usage.thoughts_token_count
        tokens = counted(usage.prompt_token_count, output, cached, thought)
    return text, thinking, finish, tokens, blocked and blocked.value


def ollama_chat(case):
    text, thinking, last = "", "", None
    messages = [{"role": "user", "content": case["prompt"]}]
    for last in ollama.Client(host=case["url"], verify=False).chat(model=case["model"], messages=messages, stream=True):
        text += last.message.content or ""
        thinking += last.message.thinking or ""
    return text, thinking, last.done_reason, counted(last.prompt_eval_count, last.eval_count)


def failed(error):
    """What the SDK knows of an error; one inside a stream has no class of its own."""
    status = getattr(error, "status_code", None)
    response = getattr(error, "response", None)
    request_id = response.headers.get("x-request-id") if hasattr(response, "headers") else None
    kind = of_status(status) if status and status >= 400 else "Inside"
    code = getattr(error, "code", None)
    return {"error": kind, "status": status, "request_id": request_id, "code": code}


READERS = {
    "openai": openai_chat,
    "openai-compatible": openai_chat,
    "groq": groq_chat,
    "anthropic": anthropic_chat,
    "gemini": gemini_chat,
    "ollama": ollama_chat,
}

for line in sys.stdin:
    case = json.loads(line)
    try:
        text, thinking, finish, usage, *blocked = READERS[case["provider"]](case)
        result = {"text": text, "thinking": thinking, "finish": finish, "usage": usage, "blocked": blocked and blocked[0]}
    except (openai.APIError, groq.APIError, anthropic.APIError, ollama.ResponseError) as error:
        if isinstance(error, (openai.APIResponseValidationError, anthropic.APIResponseValidationError)):
            result = {"rejected": f"{type(error).__name__}: {error}"[:300]}
        else:
            result = failed(error)
    except genai_errors.APIError as error:
        result = {"error": of_status(error.code), "status": error.code, "request_id": None, "code": error.code}
    except Exception as error:  # noqa: BLE001: an answer that the SDK cannot read is a fault of the server
        result = {"rejected": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(result), flush=True)
