"""The flags of every command, and the `UTTER_...` variables that stand in for them.

Pure: run.py hands in arguments and environment. Knows nothing of what the commands do. Imports the standard
library only, and can be imported by Python 3.8: it is read before `.venv` is entered.
"""

from __future__ import annotations

import argparse
import os
import pathlib
from typing import TYPE_CHECKING

from deploy.environment import CannotStart, has_nvidia_gpu

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

EPILOG = """\
Without a command it serves. `run.py serve -h` lists the flags of serving; the other commands list theirs
likewise. Every flag of serving can be set by a variable too: UTTER_HOST, UTTER_PORT and so on.

variables without a flag:
  UTTER_LOG      what to log: debug, info, warning (the default) or error
  UTTER_NO_VENV  1: make no .venv, use the packages of this Python
"""

SPLIT = """\
Read JSON lines from standard input, each a text in the pieces it arrives in:
  {"id": 1, "language": "en", "pieces": ["Good mor", "ning. Bye."]}
and write one for each, its sentences:
  {"id": 1, "sentences": [{"text": "Good morning.", "spoken": "Good morning.", "language": "en"}, ...]}
"""


def parse(arguments: Sequence[str], environ: Mapping[str, str]) -> argparse.Namespace:
    """Read the command line; a flag wins over its `UTTER_...` variable. What follows `--` becomes `rest`.

    Raises:
        CannotStart: a variable's value is wrong, or two flags do not go together.
        SystemExit: a flag is wrong, and argparse has said so.
    """
    arguments, rest = list(arguments), []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, rest = arguments[:cut], arguments[cut + 1 :]
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help")):
        arguments.insert(0, "serve")
    options = make_parser(environ).parse_args(arguments)
    options.rest = rest
    if options.command == "serve" and options.port == options.ws_port != 0:
        raise CannotStart(
            f"The page and the socket need different ports: --port and --ws-port are both {options.port}."
        )
    return options


class Variable(str):
    """The value of an environment variable, which knows the variable's name."""

    __slots__ = ("name",)
    name: str


def setting(environ: Mapping[str, str], name: str, default: str | int) -> str | int:
    """Return the variable `name` where it is set and not empty, else the default."""
    if not environ.get(name):
        return default
    value = Variable(environ[name])
    value.name = name
    return value


def wrong(value: str, rule: str) -> Exception:
    """Return what to raise for a wrong value: argparse names the flag, but knows of no variable."""
    if isinstance(value, Variable):
        return CannotStart(f"{value.name} {rule}, not {str(value)!r}.")
    return argparse.ArgumentTypeError(f"{rule}, not {value!r}")


def make_parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    """Describe every command and flag; argparse reads a default that is text as it reads a flag's value."""
    parser = argparse.ArgumentParser(
        prog="run.py", description="Utter, a real-time speech server.",
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(device="cpu")
    commands = parser.add_subparsers(dest="command", required=True)

    serve = commands.add_parser("serve", help="serve the page and the socket (the default)")
    add_serve_flags(serve, environ)
    add_device_flag(serve, environ)
    add_threads_flag(serve, environ)
    add_lexicon_flag(serve, environ)
    commands.add_parser("test", help="run every check; what follows -- goes to pytest")

    bench = commands.add_parser("bench", help="measure")
    bench.add_argument("what", choices=("first-packet", "browser", "converse", "text"))
    bench.add_argument("--json", action="store_true", help="print one JSON object")
    bench.add_argument("--text", type=pathlib.Path, metavar="FILE", help="sentences to speak, one a line")
    bench.add_argument(
        "--sessions", type=whole_number(1, 1000), default=1, help="sessions at the same time (1)"
    )
    add_device_flag(bench, environ)
    add_threads_flag(bench, environ)

    say = commands.add_parser("say", help="speak a text into a WAV file")
    say.add_argument("text", help="what to say; - reads it from standard input")
    say.add_argument(
        "-o", "--output", type=pathlib.Path, required=True, metavar="FILE.wav",
        help="what to write; has to be given",
    )  # fmt: skip
    say.add_argument("--voice", help="one that run.py voices lists (the first of them)")
    say.add_argument("--speed", type=float, default=1.0, help="0.5 to 2 (1)")
    say.add_argument("--language", help="of the text: en, zh, or mixed (the voice's own)")
    say.add_argument(
        "--markup", choices=("auto", "plain"), default="auto", help="plain: nothing in it is markup (auto)"
    )
    add_device_flag(say, environ)
    add_lexicon_flag(say, environ)

    split = commands.add_parser(
        "split", help="show the sentences of texts", description=SPLIT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    split.add_argument("--jsonl", action="store_true", required=True, help="JSON lines in, JSON lines out")
    commands.add_parser("voices", help="list the voices")
    return parser


def add_device_flag(parser: argparse.ArgumentParser, environ: Mapping[str, str]) -> None:
    """Add what every command takes that loads a voice."""
    parser.add_argument(
        "--device", type=device_name, default=setting(environ, "UTTER_DEVICE", "auto"),
        help="auto, cpu or cuda (%(default)s)",
    )  # fmt: skip


def add_threads_flag(parser: argparse.ArgumentParser, environ: Mapping[str, str]) -> None:
    """Add what every command takes that starts a server."""
    parser.add_argument(
        "--threads", type=whole_number(1, 1024), default=setting(environ, "UTTER_THREADS", default_threads()),
        help="synthesis workers (%(default)s)",
    )  # fmt: skip


def add_lexicon_flag(parser: argparse.ArgumentParser, environ: Mapping[str, str]) -> None:
    """Add what every command takes that reads text aloud."""
    parser.add_argument(
        "--lexicon", type=pathlib.Path, metavar="FILE", default=environ.get("UTTER_LEXICON") or None,
        help='how words are said: JSON, {"word": "other words", "name": "/phonemes/"}',
    )  # fmt: skip


def add_serve_flags(parser: argparse.ArgumentParser, environ: Mapping[str, str]) -> None:
    """Add where and how to listen."""
    port, get = whole_number(0, 65_535), environ.get
    parser.add_argument(
        "--host", default=get("UTTER_HOST") or "127.0.0.1", help="address to listen on (%(default)s)"
    )
    parser.add_argument(
        "--port",
        type=port,
        default=setting(environ, "UTTER_PORT", 8080),
        help="of the page; 0: a free one (%(default)s)",
    )
    parser.add_argument(
        "--ws-port",
        type=port,
        default=setting(environ, "UTTER_WS_PORT", 8765),
        help="of the socket; 0: a free one (%(default)s)",
    )
    parser.add_argument(
        "--no-browser", action="store_true", default=get("UTTER_NO_BROWSER", "") not in ("", "0"),
        help="do not open the page",
    )  # fmt: skip
    parser.add_argument(
        "--idle-ms", type=whole_number(0, 60_000), metavar="MS",
        default=setting(environ, "UTTER_IDLE_MS", 300),
        help="speak text that stops in mid-sentence after so long; 0: wait for more (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--resume-window", type=whole_number(0, 3600), metavar="SECONDS",
        default=setting(environ, "UTTER_RESUME_WINDOW", 60),
        help="how long a client whose connection broke may come back; 0: never (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--tls-cert", default=get("UTTER_TLS_CERT"), metavar="FILE", help="certificate chain, PEM"
    )
    parser.add_argument(
        "--tls-key", default=get("UTTER_TLS_KEY"), metavar="FILE", help="its private key, PEM"
    )


def device_name(value: str) -> str:
    """Return `value` if it names a device."""
    if value not in ("auto", "cpu", "cuda"):
        raise wrong(value, "must be auto, cpu or cuda")
    return value


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least` to `most`."""

    def read(value: str) -> int:
        if not value.isdecimal() or not least <= int(value) <= most:
            raise wrong(value, f"must be a number from {least} to {most}")
        return int(value)

    return read


def default_threads() -> int:
    """Return how many synthesis workers suit this machine: half its cores, at most 8; the others serve."""
    return max(1, min(8, (os.cpu_count() or 1) // 2))


def extras_for(options: argparse.Namespace) -> list[str]:
    """Return the extras of pyproject.toml that the command needs."""
    if options.command == "test":
        return ["torch", "test"]
    speaks = options.command in ("serve", "say", "bench")
    cuda = options.device == "cuda" or (options.device == "auto" and has_nvidia_gpu())
    browses = options.command == "bench" and options.what == "browser"
    return ["torch"] * (speaks and cuda) + ["test"] * browses
