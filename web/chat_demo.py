"""The scripted stand-in for a language model: `POST /demo/v1/chat/completions`, as OpenAI's clients know it.

So that the page's chat and the chatbot example run with no key and no second server. Answers come from
`chat_script`, their format from `chat_completions`; here are the limits and the pace. Knows nothing of
speech. Everything runs on the event loop.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import Final
from urllib.parse import urlsplit

import aiohttp.web

from web.chat_completions import BadRequest, ChatRequest, Completion, error_body, parse_request
from web.chat_script import answer, tokens

PATH: Final = "/demo/v1/chat/completions"

TOKENS_PER_S: Final = 30.0
"""As fast as a language model of middling size writes."""

MOST_STREAMS: Final = 64
"""Answers being written at a time; one more is refused with 429."""

_LARGEST_BODY_BYTES: Final = 64 * 1024
_BODY_WITHIN_S: Final = 10.0
_SLACK_S: Final = 10.0
"""How much longer than its pace an answer may take: a client that does not read is cut off after that."""


async def paced(
    events: Iterable[bytes],
    per_second: float,
    *,
    clock: Callable[[], float],
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> AsyncGenerator[bytes]:
    """Yield `events` no faster than `per_second`, `math.inf` for at once; time lost is made good.

    `clock` is monotonic, in seconds.
    """
    begun = clock()
    for number, event in enumerate(events):
        wait = begun + number / per_second - clock()
        if wait > 0:
            await sleep(wait)
        yield event


class ChatDemo:
    """The endpoint. `per_second` is the pace of a stream, in tokens; an answer in one piece comes at once."""

    def __init__(self, per_second: float = TOKENS_PER_S, *, most_streams: int = MOST_STREAMS) -> None:
        self._per_second = per_second
        self._most_streams = most_streams
        self._streams = 0

    @property
    def streams(self) -> int:
        """How many answers are being written at this moment."""
        return self._streams

    async def complete(self, request: aiohttp.web.Request) -> aiohttp.web.StreamResponse:
        """Answer one request, or refuse it: in the API's shape, whatever is wrong with it."""
        asked = await _asked(request)
        if isinstance(asked, aiohttp.web.Response):
            return asked
        # Only now, so that nobody holds a place by a body that does not come.
        if self._streams >= self._most_streams:
            kind, code = "requests", "rate_limit_exceeded"
            return _error(
                429, "Too many answers are being written; try again in a second.", kind=kind, code=code
            )
        self._streams += 1
        try:
            return await self._answer(request, asked)
        finally:
            self._streams -= 1

    async def _answer(self, request: aiohttp.web.Request, asked: ChatRequest) -> aiohttp.web.StreamResponse:
        completion = _completion(asked)
        if not asked.stream:
            return aiohttp.web.json_response(completion.body())
        return await self._stream(request, completion, usage=asked.usage)

    async def _stream(
        self, request: aiohttp.web.Request, completion: Completion, *, usage: bool
    ) -> aiohttp.web.StreamResponse:
        # What stands between may hold answers back to send them in one piece; this asks nginx not to.
        headers = {"Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no"}
        response = aiohttp.web.StreamResponse(headers=headers)
        await response.prepare(request)
        clock = asyncio.get_running_loop().time
        events = paced(completion.events(usage=usage), self._per_second, clock=clock)
        longest_s = len(completion.tokens) / self._per_second + _SLACK_S
        try:
            async with asyncio.timeout(longest_s), aclosing(events):
                async for event in events:
                    await response.write(event)
        except (ConnectionError, TimeoutError):
            # Who leaves, or reads nothing, has had what there is for him: nobody is left to be told of it.
            if request.transport is not None:
                request.transport.abort()
        return response


class _TooLarge(Exception):
    """The body is larger than what is read of one."""


def _completion(asked: ChatRequest) -> Completion:
    said = tokens(answer(asked.messages))
    cut = asked.most_tokens is not None and asked.most_tokens < len(said)
    return Completion(
        id=f"chatcmpl-{uuid.uuid4().hex}",
        created=int(time.time()),
        model=asked.model,
        tokens=said[: asked.most_tokens],
        finish_reason="length" if cut else "stop",
        prompt_tokens=sum(len(tokens(message.text)) for message in asked.messages),
    )


async def _asked(request: aiohttp.web.Request) -> ChatRequest | aiohttp.web.Response:
    """Return what is asked for, or the refusal."""
    if (refusal := _refuse_unread(request)) is not None:
        return refusal
    try:
        async with asyncio.timeout(_BODY_WITHIN_S):
            return parse_request(await _read(request))
    except _TooLarge:
        return _error(413, f"The body is larger than {_LARGEST_BODY_BYTES} bytes.")
    except TimeoutError:
        return _error(408, "The body took too long.")
    except aiohttp.web.RequestPayloadError:
        return _error(400, "The body cannot be read as its headers say.")
    except BadRequest as error:
        return _error(400, str(error), param=error.param)


def _refuse_unread(request: aiohttp.web.Request) -> aiohttp.web.Response | None:
    """Return the refusal of a request that need not be read, or None."""
    origin = request.headers.get("Origin")
    if origin is not None and _host_of(origin) != request.headers.get("Host"):
        return _error(403, "Only pages of this server may ask.", kind="permission_error")
    if request.content_type != "application/json":
        return _error(415, "The body must be JSON, and say so: Content-Type: application/json.")
    return None


def _host_of(origin: str) -> str | None:
    """Return host and port of an origin; None where it is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


async def _read(request: aiohttp.web.Request) -> bytes:
    body = bytearray()
    async for piece in request.content.iter_any():
        body += piece
        if len(body) > _LARGEST_BODY_BYTES:
            raise _TooLarge
    return bytes(body)


def _error(
    status: int,
    message: str,
    *,
    kind: str = "invalid_request_error",
    param: str | None = None,
    code: str | None = None,
) -> aiohttp.web.Response:
    headers = {"Retry-After": "1"} if status == 429 else None
    return aiohttp.web.json_response(
        error_body(message, kind=kind, param=param, code=code), status=status, headers=headers
    )
