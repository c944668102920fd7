"""A flag wins over its variable, a variable over the default, and a wrong value is named."""

from __future__ import annotations

import pytest

from deploy import command_line
from deploy.command_line import extras_for, parse
from deploy.environment import CannotStart


def test_serving_is_what_happens_without_a_command() -> None:
    options = parse([], {})
    assert options.command == "serve"
    assert (options.host, options.port, options.ws_port) == ("127.0.0.1", 8080, 8765)
    assert (options.device, options.no_browser, options.tls_cert) == ("auto", False, None)
    assert parse(["--port", "9"], {}).port == 9
    assert (options.idle_ms, parse(["--idle-ms", "0"], {}).idle_ms) == (300, 0)


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
        (["--ws-port", "many"], {}, "--ws-port: must be a number from 0 to 65535, not 'many'"),
        (["--threads", "0"], {}, "--threads: must be a number from 1"),
        (["--idle-ms", "-1"], {}, "--idle-ms"),
        (["--device", "tpu"], {}, "--device: must be auto, cpu or cuda, not 'tpu'"),
        (["say", "hello", "-o", "a.wav", "--threads", "2"], {}, "--threads"),
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


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("UTTER_PORT", "x", "UTTER_PORT must be a number from 0 to 65535, not 'x'."),
        ("UTTER_WS_PORT", "-1", "UTTER_WS_PORT must be a number from 0 to 65535, not '-1'."),
        ("UTTER_THREADS", "0", "UTTER_THREADS must be a number from 1 to 1024, not '0'."),
        ("UTTER_IDLE_MS", "0.3", "UTTER_IDLE_MS must be a number from 0 to 60000, not '0.3'."),
        ("UTTER_DEVICE", "tpu", "UTTER_DEVICE must be auto, cpu or cuda, not 'tpu'."),
    ],
)
def test_a_wrong_variable_is_named_unless_a_flag_stands_in_for_it(name: str, value: str, told: str) -> None:
    with pytest.raises(CannotStart) as refused:
        parse(["serve"], {name: value})
    assert str(refused.value) == told
    flag = "--" + name.removeprefix("UTTER_").lower().replace("_", "-")
    parse(["serve", flag, "cpu" if flag == "--device" else "7"], {name: value})
    parse(["voices"], {name: value})


def test_page_and_socket_need_different_ports() -> None:
    with pytest.raises(CannotStart, match="different ports: --port and --ws-port are both 8765"):
        parse(["--port", "8765"], {})
    assert parse(["--port", "0", "--ws-port", "0"], {}).port == 0


def test_the_help_leads_to_every_flag_and_variable(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["-h"], ["split", "-h"], ["say", "-h"]):
        with pytest.raises(SystemExit):
            parse(arguments, {})
    told = capsys.readouterr().out
    for named in (
        "run.py serve -h",
        "UTTER_LOG",
        "UTTER_NO_VENV",
        '"pieces"',
        '"sentences"',
        "has to be given",
    ):
        assert named in told


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
        ("bench converse", False, []),
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
