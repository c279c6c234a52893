"""Reads streams with the official SDKs.

Reads one JSON object a line, {"provider", "url", "model", "prompt"}, and writes one a line: {"text", "thinking", "finish",
"input", "output"} as the SDK gives them, or {"error"}: the class of the error, in our words.
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


def read_openai(client, case, options):
    text, thinking, finish, usage = "", "", None, None
    stream = client.chat.completions.create(
        model=case["model"], messages=[{"role": "user", "content": case["prompt"]}], stream=True, **options
    )
    for chunk in stream:
        extra = getattr(chunk, "x_groq", None)
        usage = chunk.usage if getattr(chunk, "usage", None) else getattr(extra, "usage", None) or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            delta = choice.delta.model_dump()
            thinking += delta.get("reasoning_content") or delta.get("reasoning") or ""
            finish = choice.finish_reason or finish
    return text, thinking, finish, getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)


def openai_chat(case):
    client = openai.OpenAI(base_url=case["url"], api_key="sk-1", max_retries=0)
    return read_openai(client, case, {"stream_options": {"include_usage": True}})


def groq_chat(case):
    # This SDK adds the path that the base URL of the API has.
    base = case["url"].removesuffix("/openai/v1")
    return read_openai(groq.Groq(base_url=base, api_key="sk-1", max_retries=0), case, {})


def anthropic_chat(case):
    client = anthropic.Anthropic(base_url=case["url"], api_key="sk-1", max_retries=0)
    messages = [{"role": "user", "content": case["prompt"]}]
    with client.messages.stream(model=case["model"], max_tokens=100, messages=messages) as stream:
        message = stream.get_final_message()
    text = "".join(block.text for block in message.content if block.type == "text")
    thinking = "".join(block.thinking for block in message.content if block.type == "thinking")
    return text, thinking, message.stop_reason, message.usage.input_tokens, message.usage.output_tokens


def gemini_chat(case):
    client = genai.Client(api_key="sk-1", http_options={"base_url": case["url"], "api_version": "v1beta"})
    text, thinking, finish, usage = "", "", None, None
    for chunk in client.models.generate_content_stream(model=case["model"], contents=case["prompt"]):
        usage = chunk.usage_metadata or usage
        for candidate in chunk.candidates or []:
            for part in (candidate.content and candidate.content.parts) or []:
                if part.thought:
                    thinking += part.text or ""
                else:
                    text += part.text or ""
            finish = candidate.finish_reason.value if candidate.finish_reason else finish
    output = sum(filter(None, [usage.candidates_token_count, usage.thoughts_token_count]))
    return text, thinking, finish, usage.prompt_token_count, output


def ollama_chat(case):
    text, thinking, last = "", "", None
    messages = [{"role": "user", "content": case["prompt"]}]
    for last in ollama.Client(host=case["url"]).chat(model=case["model"], messages=messages, stream=True):
        text += last.message.content or ""
        thinking += last.message.thinking or ""
    return text, thinking, last.done_reason, last.prompt_eval_count, last.eval_count


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
        text, thinking, finish, read, written = READERS[case["provider"]](case)
        result = {"text": text, "thinking": thinking, "finish": finish, "input": read, "output": written}
    except (openai.APIStatusError, groq.APIStatusError, anthropic.APIStatusError, ollama.ResponseError) as error:
        result = {"error": of_status(error.status_code)}
    except genai_errors.APIError as error:
        result = {"error": of_status(error.code)}
    except Exception as error:  # noqa: BLE001: an answer that the SDK cannot read is a fault of the server
        result = {"rejected": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(result), flush=True)
