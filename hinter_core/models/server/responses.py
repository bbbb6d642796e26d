"""Read what a server sends: a completion's reply, or the sentence that says what went wrong.

A reply is kept verbatim. Text that a model did not generate, such as an error in a page of the
status 200, is never one.
"""

import re
from collections.abc import Iterable, Mapping
from math import exp
from typing import Any

from hinter_core.language import clean
from hinter_core.types import Failure, Prediction

_CUT = frozenset("length max_tokens model_length max_output_tokens".split())
_FILTERED = frozenset(
    "content_filter content_filtered safety recitation prohibited_content blocklist spii sensitive "
    "guardrail_intervened refusal moderation".split()
)
_BROKEN = frozenset(
    "error abort aborted cancelled canceled failed network_error server_error "
    "insufficient_system_resource malformed_function_call".split()
)
_SENTENCE = 200  # characters of a server's sentence that are kept
_ECHO, _LEAST_ECHO = 20, 8  # characters of a text that are its own, and of one that may be a word
_MARKUP = re.compile(r"<[^<>]{0,500}>")
_HIDDEN = re.compile(r"<(style|script)\b[^>]{0,500}>[^<]{0,20000}</\1>", re.I)


def raw_reply(response: Any) -> Prediction:
    """Return the verbatim reply of a chat completion, or a failure that says why there is none.

    ``cut`` is set if it reached the longest length allowed; the probabilities of its first token
    are kept if the server sent them.
    """
    try:
        choices = response.get("choices") if isinstance(response, Mapping) else None
        if not choices:
            return _without_choices(response)
        return _of_choice(choices[0])
    except (AttributeError, TypeError, IndexError, KeyError, ValueError) as error:
        detail = f"the server's answer is no chat completion ({type(error).__name__}: {error})"
        return Prediction(failure=Failure.ERROR, detail=detail[:_SENTENCE])


def _without_choices(response: Any) -> Prediction:
    said = sentence_of(response)
    detail = f"the server says: {said}" if said else "the server's answer is no chat completion"
    if isinstance(response, str):  # such as a web page, if base_url lacks its /v1
        detail = f"the server's answer is no chat completion: {said}"
    return Prediction(failure=Failure.ERROR, detail=detail[:_SENTENCE])


def _of_choice(choice: Mapping[str, Any]) -> Prediction:
    message, finish = choice["message"], str(choice.get("finish_reason") or "").casefold()
    content, refusal = _texts(message.get("content"))
    refusal = message.get("refusal") or refusal
    if finish in _BROKEN or (choice.get("error") and not content.strip()):
        said = sentence_of(choice) or f"finish_reason is {finish}"
        return Prediction(failure=Failure.ERROR, detail=f"the server says: {said}"[:_SENTENCE])
    if refusal:
        # The model's own words, though they are no answer.
        words = str(refusal)
        return Prediction(failure=Failure.REFUSED, detail=words[:_SENTENCE], reply=words)
    if finish in _FILTERED:
        return Prediction(
            failure=Failure.REFUSED, detail=f"the server's content filter cut the answer ({finish})"
        )
    if not content.strip():
        return Prediction(failure=Failure.UNPARSABLE, detail=_why_empty(message, finish))
    return Prediction(reply=content, scores=_first_token(choice), cut=finish in _CUT)


def _texts(content: Any) -> tuple[str, str]:
    """Join the texts of a content that is a list of parts; return text and refusal.

    Parts of another type, such as reasoning, are no answer.
    """
    if content is None or isinstance(content, str):
        return content or "", ""
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        raise TypeError(f"content is {type(content).__name__}")
    texts, refusals = [], []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in ("text", "output_text"):
            text = part.get("text")  # some servers wrap it once more
            texts.append(str(text["value"] if isinstance(text, Mapping) else text or ""))
        elif isinstance(part, Mapping) and part.get("type") == "refusal":
            refusals.append(str(part.get("refusal") or "refused"))
    return "".join(texts), " ".join(refusals)


def _why_empty(message: Mapping[str, Any], finish: str) -> str:
    calls = message.get("tool_calls") or message.get("function_call")
    reasoning = any(message.get(name) for name in ("reasoning_content", "reasoning", "thinking"))
    reasoning = reasoning or isinstance(message.get("content"), list | Mapping)
    if calls:
        return "the model called a tool instead of answering"
    if finish in _CUT:
        by = " by reasoning" if reasoning else ""
        hint = "; raise max_tokens, or lower reasoning_effort" if reasoning else ""
        return f"max_tokens was used up{by} before an answer{hint}"
    if reasoning:
        return "it holds only reasoning and no answer"
    return "the answer is empty"


def _first_token(choice: Mapping[str, Any]) -> dict[str, float]:
    """Return the probabilities of the first non-blank token and its alternatives."""
    tokens = (choice.get("logprobs") or {}).get("content") or []
    first: Mapping[str, Any] = next((one for one in tokens if one["token"].strip()), {})
    alternatives = first.get("top_logprobs") or []
    return {one["token"]: min(1.0, exp(one["logprob"])) for one in alternatives}


def sentence_of(body: Any) -> str:
    """Return what a body says in words, on one line: its error's message, or its text; or ""."""
    return printable(_sentence(body, 0))[:_SENTENCE]


def without_echo(said: str, sent: Iterable[str]) -> str:
    """Cut a server's sentence where it repeats a piece of what was ``sent``."""
    for whole in sent:
        part = " ".join(clean.printable(whole).split())
        size = min(_ECHO, len(part))
        starts = range(len(said) - size + 1 if size >= _LEAST_ECHO else 0)
        at = next((n for n in starts if said[n : n + size] in part), len(said))
        if at < len(said):
            said = said[:at].rstrip(" '\"") + "\u2026"
    return said


def _sentence(body: Any, deep: int) -> str:
    if isinstance(body, str):
        return _MARKUP.sub(" ", _HIDDEN.sub(" ", body[:20_000]))
    if isinstance(body, Mapping) and deep < 4:
        for name in ("error", "message", "detail", "errors", "error_description", "msg"):
            if body.get(name):
                said = _sentence(body[name], deep + 1)
                code = body.get("code") if name == "message" else None
                return f"{code}: {said}" if str(code).isdigit() and str(code) not in said else said
        return ""
    return "" if body is None else str(body)[:2_000]


def printable(text: str) -> str:
    """Return a server's or a library's words on one line, without control characters."""
    return " ".join(clean.printable(text[:4_000]).split())
