"""A flag wins over its variable, a variable over the default, and a wrong value is named."""

from __future__ import annotations

import pytest

from deploy import command_line
from deploy.command_line import extras_for, parse


def test_serving_is_what_happens_without_a_command() -> None:
    options = parse([], {})
    assert options.command == "serve"
    assert (options.host, options.port, options.ws_port) == ("127.0.0.1", 8080, 8765)
    assert (options.device, options.no_browser, options.tls_cert) == ("auto", False, None)
    assert parse(["--port", "9"], {}).port == 9


def test_a_flag_wins_over_its_variable_and_a_variable_over_the_default() -> None:
    environ = {"UTTER_PORT": "81", "UTTER_HOST": "0.0.0.0", "UTTER_NO_BROWSER": "1", "UTTER_DEVICE": "cpu"}
    options = parse(["serve", "--port", "82"], environ)
    assert (options.port, options.host, options.no_browser, options.device) == (82, "0.0.0.0", True, "cpu")
    assert parse(["serve"], environ).port == 81


@pytest.mark.parametrize("value", ["", "0"])
def test_an_empty_or_zero_variable_opens_the_browser(value: str) -> None:
    assert not parse(["serve"], {"UTTER_NO_BROWSER": value}).no_browser


@pytest.mark.parametrize(
    ("arguments", "environ", "told"),
    [
        (["--port", "65536"], {}, "--port: must be a number from 0 to 65535"),
        (["--port", "-1"], {}, "--port"),
        ([], {"UTTER_WS_PORT": "many"}, "--ws-port: must be a number from 0 to 65535, not 'many'"),
        (["--threads", "0"], {}, "--threads: must be a number from 1"),
        ([], {"UTTER_DEVICE": "tpu"}, "--device: must be auto, cpu or cuda, not 'tpu'"),
        (["sing"], {}, "invalid choice: 'sing'"),
        (["say", "hello"], {}, "-o"),
    ],
)
def test_a_wrong_setting_is_named(
    arguments: list[str], environ: dict[str, str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(arguments, environ)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_what_follows_two_dashes_goes_to_pytest() -> None:
    assert parse(["test", "--", "-k", "ring or pacer", "--", "x"], {}).rest == [
        "-k",
        "ring or pacer",
        "--",
        "x",
    ]
    assert parse(["test"], {}).rest == []


@pytest.mark.parametrize(
    ("arguments", "gpu", "extras"),
    [
        ("serve", False, []),
        ("serve", True, ["torch"]),
        ("serve --device cuda", False, ["torch"]),
        ("serve --device cpu", True, []),
        ("say hello -o a.wav", True, ["torch"]),
        ("bench first-packet", False, []),
        ("bench browser", True, ["torch", "test"]),
        ("split --jsonl", True, []),
        ("voices", True, []),
        ("test", False, ["torch", "test"]),
    ],
)
def test_only_what_a_command_uses_is_installed(
    arguments: str, gpu: bool, extras: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_line, "has_nvidia_gpu", lambda: gpu)
    assert extras_for(parse(arguments.split(), {})) == extras
