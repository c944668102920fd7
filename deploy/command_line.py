"""The flags of every command, and the `UTTER_...` variables that stand in for them.

Pure: run.py hands in arguments and environment. Knows nothing of what the commands do. Imports the standard
library only, and can be imported by Python 3.8: it is read before `.venv` is entered.
"""

from __future__ import annotations

import argparse
import os
import pathlib
from typing import TYPE_CHECKING

from deploy.environment import has_nvidia_gpu

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def parse(arguments: Sequence[str], environ: Mapping[str, str]) -> argparse.Namespace:
    """Read the command line; a flag wins over its `UTTER_...` variable. What follows `--` becomes `rest`."""
    arguments, rest = list(arguments), []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, rest = arguments[:cut], arguments[cut + 1 :]
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help")):
        arguments.insert(0, "serve")
    options = make_parser(environ).parse_args(arguments)
    options.rest = rest
    return options


def make_parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    """Describe every command and flag; argparse reads a default that is text as it reads a flag's value."""
    parser = argparse.ArgumentParser(
        prog="run.py", description="Utter, a real-time speech server.",
        epilog="Flags of serve, --device and --threads may also be set as UTTER_HOST, UTTER_PORT and so on.",
    )  # fmt: skip
    parser.set_defaults(device="cpu")
    commands = parser.add_subparsers(dest="command", required=True)
    model = argparse.ArgumentParser(add_help=False)
    add_model_flags(model, environ)

    serve = commands.add_parser("serve", parents=[model], help="serve the page and the socket (the default)")
    add_serve_flags(serve, environ)
    commands.add_parser("test", help="run every check; what follows -- goes to pytest")

    bench = commands.add_parser("bench", parents=[model], help="measure")
    bench.add_argument("what", choices=("first-packet", "browser"))
    bench.add_argument("--json", action="store_true", help="print one JSON object")
    bench.add_argument("--text", type=pathlib.Path, metavar="FILE", help="sentences to speak, one a line")
    bench.add_argument(
        "--sessions", type=whole_number(1, 1000), default=1, help="sessions at the same time (1)"
    )

    say = commands.add_parser("say", parents=[model], help="speak a text into a WAV file")
    say.add_argument("text", help="what to say; - reads it from standard input")
    say.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="FILE.wav")
    say.add_argument("--voice", help="one that the command voices lists")
    say.add_argument("--speed", type=float, default=1.0, help="0.5 to 2 (1)")

    split = commands.add_parser("split", help="show the sentences of texts")
    split.add_argument("--jsonl", action="store_true", required=True, help="JSON lines in, JSON lines out")
    commands.add_parser("voices", help="list the voices")
    return parser


def add_model_flags(parser: argparse.ArgumentParser, environ: Mapping[str, str]) -> None:
    """Add what every command takes that loads a voice."""
    parser.add_argument(
        "--device", type=device_name, default=environ.get("UTTER_DEVICE") or "auto",
        help="auto, cpu or cuda (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--threads", type=whole_number(1, 1024), default=environ.get("UTTER_THREADS") or default_threads(),
        help="synthesis workers (%(default)s)",
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
        default=get("UTTER_PORT") or 8080,
        help="of the page; 0: a free one (%(default)s)",
    )
    parser.add_argument(
        "--ws-port",
        type=port,
        default=get("UTTER_WS_PORT") or 8765,
        help="of the socket; 0: a free one (%(default)s)",
    )
    parser.add_argument(
        "--no-browser", action="store_true", default=get("UTTER_NO_BROWSER", "") not in ("", "0"),
        help="do not open the page",
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
        raise argparse.ArgumentTypeError(f"must be auto, cpu or cuda, not {value!r}")
    return value


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least` to `most`."""

    def read(value: str) -> int:
        if not value.isdecimal() or not least <= int(value) <= most:
            raise argparse.ArgumentTypeError(f"must be a number from {least} to {most}, not {value!r}")
        return int(value)

    return read


def default_threads() -> int:
    """Return how many synthesis workers suit this machine: half its cores; the others serve and encode."""
    return max(1, min(8, (os.cpu_count() or 1) // 2))


def extras_for(options: argparse.Namespace) -> list[str]:
    """Return the extras of pyproject.toml that the command needs."""
    if options.command == "test":
        return ["torch", "test"]
    speaks = options.command in ("serve", "say", "bench")
    cuda = options.device == "cuda" or (options.device == "auto" and has_nvidia_gpu())
    browses = options.command == "bench" and options.what == "browser"
    return ["torch"] * (speaks and cuda) + ["test"] * browses
