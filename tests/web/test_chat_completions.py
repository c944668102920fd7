"""The chat completions format, read and written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.chat_completions import DONE, BadRequest, ChatRequest, Completion, error_body, parse_request
from web.chat_script import Message

ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi."}]}


def parse(**changes: object) -> ChatRequest:
    return parse_request(json.dumps({**ASKED, **changes}).encode())


def completion(*tokens: str) -> Completion:
    return Completion(id="c1", created=7, model="m", tokens=tokens, prompt_tokens=2)


def test_a_request_is_read_with_its_defaults() -> None:
    assert parse() == ChatRequest(model="m", messages=(Message("user", "Hi."),))
    assert parse(temperature=0.3, user="x", unheard_of=[1]) == parse()


def test_content_may_come_in_parts_or_not_at_all() -> None:
    parts = [{"type": "text", "text": "Hi"}, {"type": "text", "text": "."}]
    asked = parse(messages=[{"role": "assistant", "content": None}, {"role": "user", "content": parts}])
    assert asked.messages == (Message("assistant", ""), Message("user", "Hi."))


def test_counts_are_asked_for_by_a_stream_only() -> None:
    options = {"include_usage": True}
    assert parse(stream=True, stream_options=options).usage
    assert not parse(stream_options=options).usage
    assert not parse(stream=True, stream_options=None).usage


def test_the_newer_name_of_the_limit_wins() -> None:
    assert parse(max_tokens=3).most_tokens == 3
    assert parse(max_tokens=3, max_completion_tokens=5).most_tokens == 5


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"model": None}, "model"),
        ({"model": ""}, "model"),
        ({"messages": []}, "messages"),
        ({"messages": "Hi."}, "messages"),
        ({"messages": ["Hi."]}, "messages.[0].role"),
        ({"messages": [{"role": "owner", "content": "Hi."}]}, "messages.[0].role"),
        ({"messages": [{"role": ["user"], "content": "Hi."}]}, "messages.[0].role"),
        ({"messages": [{"role": "user", "content": 3}]}, "messages.[0].content"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages.[0].content"),
        ({"stream": "yes"}, "stream"),
        ({"stream": True, "stream_options": 1}, "stream_options"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"max_completion_tokens": 1.5}, "max_completion_tokens"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, object], param: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse(**changes)
    assert caught.value.param == param


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff", b"[" * 100_000])
def test_what_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_request(body)


def test_an_answer_in_one_piece() -> None:
    body = completion("Good", " day.").body()
    assert (body["id"], body["object"], body["created"], body["model"]) == ("c1", "chat.completion", 7, "m")
    (choice,) = body["choices"]
    assert choice["message"] == {"role": "assistant", "content": "Good day.", "refusal": None}
    assert (choice["index"], choice["finish_reason"]) == (0, "stop")
    assert body["usage"] == {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}


def data_of(events: list[bytes]) -> list[dict[str, Any]]:
    """Return the JSON of each event before the last, which must be the end."""
    assert events[-1] == DONE
    assert all(event.startswith(b"data: ") and event.endswith(b"\n\n") for event in events)
    assert all(event.count(b"\n") == 2 for event in events)
    return [json.loads(event.removeprefix(b"data: ")) for event in events[:-1]]


@given(st.lists(st.text()))
def test_the_events_of_a_stream_are_the_role_the_tokens_and_the_reason(tokens: list[str]) -> None:
    role, *content, last = data_of(list(completion(*tokens).events(usage=False)))
    assert role["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [chunk["choices"][0]["delta"] for chunk in content] == [{"content": token} for token in tokens]
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in (role, *content))
    assert (last["choices"][0]["delta"], last["choices"][0]["finish_reason"]) == ({}, "stop")
    for chunk in (role, *content, last):
        assert (chunk["id"], chunk["object"], chunk["model"]) == ("c1", "chat.completion.chunk", "m")
        assert "usage" not in chunk


def test_counts_come_in_an_event_of_their_own_with_no_choice() -> None:
    *others, last = data_of(list(completion("Hi.").events(usage=True)))
    assert all(chunk["usage"] is None for chunk in others)
    assert last["choices"] == []
    assert last["usage"] == {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3}


def test_an_error_has_the_shape_of_the_api() -> None:
    assert error_body("No.", param="model") == {
        "error": {"message": "No.", "type": "invalid_request_error", "param": "model", "code": None}
    }
