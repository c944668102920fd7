"""The policy names the page's own host exactly, and never lets a header's bytes in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.security import FIXED_HEADERS, content_security_policy


def directives(policy: str) -> dict[str, list[str]]:
    return {words[0]: words[1:] for words in (part.split() for part in policy.split("; "))}


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:8080", "utter.example", "a-b.c:1"])
def test_the_socket_of_the_pages_own_host_is_the_only_foreign_connection(host: str) -> None:
    name = host.split(":", maxsplit=1)[0]
    sources = directives(content_security_policy(host, 8765))["connect-src"]
    assert sources == ["'self'", f"ws://{name}:8765", f"wss://{name}:8765"]


@pytest.mark.parametrize(
    "host", ["", "[::1]:8080", "evil.example; script-src *", "a b", "a'b", "-x", "x:y:z"]
)
def test_a_host_a_policy_cannot_name_opens_the_socket_schemes_only(host: str) -> None:
    assert directives(content_security_policy(host, 8765))["connect-src"] == ["'self'", "ws:", "wss:"]


@given(st.text(max_size=300))
def test_no_host_header_changes_any_other_directive(host: str) -> None:
    policy = directives(content_security_policy(host, 8765))
    expected = directives(content_security_policy("localhost", 8765))
    del policy["connect-src"], expected["connect-src"]
    assert policy == expected


def test_scripts_and_styles_come_from_the_site_and_never_from_the_markup() -> None:
    policy = directives(content_security_policy("localhost", 1))
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == ["'self'", "'wasm-unsafe-eval'"]
    assert policy["style-src"] == ["'self'"]
    assert FIXED_HEADERS["X-Content-Type-Options"] == "nosniff"
