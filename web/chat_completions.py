"""The chat completions format: requests read, answers and errors written, whole or as server-sent events.

The part of OpenAI's `POST /chat/completions` that plain text needs; what else a request holds is ignored.
Knows no HTTP server and not what is answered. Pure; any thread may call it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args

from web.chat_script import Message, Role

DONE: Final = b"data: [DONE]\n\n"
"""The event that ends a stream."""

FinishReason = Literal["stop", "length"]


class BadRequest(ValueError):
    """A request that cannot be answered. `param` names the field at fault, if one is."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What is asked for. `most_tokens` None is no limit; `usage` adds the counts at the end of a stream."""

    model: str
    messages: tuple[Message, ...]
    stream: bool = False
    most_tokens: int | None = None
    usage: bool = False


def parse_request(body: bytes) -> ChatRequest:
    """Read the body of a request.

    Raises:
        BadRequest: it is not JSON, or not a request for text.
    """
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadRequest("The body is not valid JSON.") from error
    if not isinstance(fields, dict):
        raise BadRequest("The body is not a JSON object.")
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        raise BadRequest("'model' must be a string that is not empty.", "model")
    stream = _flag(fields, "stream")
    return ChatRequest(
        model=model,
        messages=_messages(fields.get("messages")),
        stream=stream,
        most_tokens=_most_tokens(fields),
        usage=stream and _flag(_object(fields, "stream_options"), "include_usage"),
    )


def _messages(value: object) -> tuple[Message, ...]:
    if not isinstance(value, list) or not value:
        raise BadRequest("'messages' must be a list that is not empty.", "messages")
    return tuple(_message(one, f"messages.[{index}]") for index, one in enumerate(value))


def _message(value: object, param: str) -> Message:
    fields = value if isinstance(value, dict) else {}
    role = fields.get("role")
    if role not in get_args(Role):
        raise BadRequest(f"'{param}' must have a role, one of {', '.join(get_args(Role))}.", f"{param}.role")
    return Message(cast(Role, role), _text(fields.get("content"), f"{param}.content"))


def _text(content: object, param: str) -> str:
    """Return the text of a message's content, which may come in parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else None for part in parts]
    if any(not isinstance(text, str) for text in texts):
        raise BadRequest(f"'{param}' must be text, or a list of parts of type text.", param)
    return "".join(map(str, texts))


def _object(fields: dict[str, Any], name: str) -> dict[str, Any]:
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRequest(f"'{name}' must be an object.", name)
    return value


def _flag(fields: dict[str, Any], name: str) -> bool:
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise BadRequest(f"'{name}' must be true or false.", name)
    return bool(value)


def _most_tokens(fields: dict[str, Any]) -> int | None:
    for name in ("max_completion_tokens", "max_tokens"):
        value = fields.get(name)
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise BadRequest(f"'{name}' must be a whole number above 0.", name)
        return value
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One answer, ready to be written. `created` is in Unix seconds; `prompt_tokens` counts the question."""

    id: str
    created: int
    model: str
    tokens: Sequence[str]
    finish_reason: FinishReason = "stop"
    prompt_tokens: int = 0

    def body(self) -> dict[str, Any]:
        """Return the answer in one piece."""
        message = {"role": "assistant", "content": "".join(self.tokens), "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish_reason}
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage()}

    def events(self, *, usage: bool) -> Iterator[bytes]:
        """Yield the answer as events: the role, each token, why it ends, and the counts if `usage`."""
        yield self._event({"role": "assistant", "content": ""}, usage=usage)
        for token in self.tokens:
            yield self._event({"content": token}, usage=usage)
        yield self._event({}, self.finish_reason, usage=usage)
        if usage:
            yield _event({**self._head("chat.completion.chunk"), "choices": [], "usage": self._usage()})
        yield DONE

    def _event(self, delta: dict[str, str], reason: FinishReason | None = None, *, usage: bool) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        counts = {"usage": None} if usage else {}
        return _event({**self._head("chat.completion.chunk"), "choices": [choice], **counts})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}

    def _usage(self) -> dict[str, int]:
        asked, said = self.prompt_tokens, len(self.tokens)
        return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def error_body(
    message: str, *, kind: str = "invalid_request_error", param: str | None = None, code: str | None = None
) -> dict[str, Any]:
    """Return an error in the API's shape."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, separators=(',', ':'))}\n\n".encode()
