#!/usr/bin/env python3
"""Utter's only command line, and its composition root: serve (the default), test, bench, say, split, voices.

Everything is put together here: flags and environment are read here and nowhere else, and the voices, the
engine and the servers meet here only. Knows no audio, no wire format and no HTTP.

Starts on a bare Python: the top imports the standard library only. `.venv` is made and entered first; our own
packages, and what they need, are imported inside the functions that run after that. Main thread only.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import gc
import logging
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from deploy.command_line import extras_for, parse
from deploy.environment import CannotStart, prepare, project_table, tell

if TYPE_CHECKING:
    import pathlib
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from models.loader import Loaded
    from pipeline.metrics import Metrics
    from pipeline.text.lexicon import Lexicon

# Older Pythons get this far and are told so: nothing above, nor in the syntax below, may be newer than 3.8.
if sys.version_info < (3, 11):  # noqa: UP036
    raise SystemExit(
        f"Utter needs Python 3.11 or later; this is {sys.version_info[0]}.{sys.version_info[1]}."
    )

STARTED = time.monotonic()
WILDCARDS = ("", "0.0.0.0", "::")

GRACE_S = 10.0
"""How long open utterances may go on after the first SIGINT or SIGTERM."""

LAG_PROBE_S = 0.05
"""Period of the event-loop probe."""


def main() -> int:
    """Run one command and return the exit status."""
    try:
        options = parse(sys.argv[1:], os.environ)
        start_logging(os.environ.get("UTTER_LOG") or "warning")
        prepare(extras_for(options))
        return COMMANDS[options.command](options)
    except CannotStart as error:
        tell(str(error))
    except KeyboardInterrupt:
        tell("Stopped.")
    return 1


def start_logging(level: str) -> None:
    """Log to standard error, from `level` on: debug, info, warning or error."""
    if level.lower() not in ("debug", "info", "warning", "error"):
        raise CannotStart(f"UTTER_LOG must be debug, info, warning or error, not {level!r}.")
    logging.basicConfig(level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # What it writes at debug are the messages themselves: everybody's text, and the tokens of sessions.
    logging.getLogger("websockets").setLevel(max(logging.INFO, logging.getLogger().level))


# --- Serving ------------------------------------------------------------------------------------------------


def run_serve(options: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    run_loop(serve(options))
    tell("Stopped.")
    return 0


async def serve(options: argparse.Namespace) -> None:
    """Open the page, load the voice, open the socket, wait for a signal, and take everything down in reverse.

    The page comes first and answers `/readyz` with 503 until the voice is warm; the socket opens only then,
    so that whoever gets through is served.

    Raises:
        CannotStart: a port is taken, or a file is missing.
    """
    from pipeline.engine import Engine, EngineLimits
    from pipeline.metrics import Metrics
    from server.listener import Listener, ServerSettings
    from server.protocol import PATH
    from server.session import SessionLimits
    from web.site import Site, SiteSettings

    host, tls = options.host, tls_context(options.tls_cert, options.tls_key)
    lexicon = lexicons(options.lexicon)
    ws_port = options.ws_port or free_port(host)
    limits, metrics = EngineLimits(), Metrics()
    engine: Engine | None = None
    async with contextlib.AsyncExitStack() as stack:
        stop = stack.enter_context(stop_on_signal())
        settings = SiteSettings(
            host=host, port=options.port, ws_port=ws_port, ws_path=PATH, version=project_table()["version"],
            longest_text=limits.text, tls=tls,
        )  # fmt: skip
        site = Site(
            settings,
            is_ready=lambda: engine is not None and engine.ready and not stop.is_set(),
            why_not=lambda: "The server is shutting down." if stop.is_set() else "The voice is being loaded.",
            voices=lambda: engine.voices if engine is not None else (),
            metrics=metrics,
        )
        with explained(host, options.port, "--port"):
            await stack.enter_async_context(site)
        loaded = await load_unless(stop, options)
        if loaded is None:
            return
        stack.callback(loaded.close)
        leave_out_of_collections()
        engine = Engine(
            loaded.synthesizers, loaded.voices, workers=options.threads, limits=limits,
            idle_s=options.idle_ms / 1000, lexicons=lexicon, metrics=metrics,
        )  # fmt: skip
        await stack.enter_async_context(engine)
        sessions = SessionLimits(resume_window_s=options.resume_window)
        where = ServerSettings(host=host, port=ws_port, tls=tls, limits=sessions)
        listener = Listener(engine, where, metrics=metrics)
        with explained(host, ws_port, "--ws-port"):
            await stack.enter_async_context(listener)
        await stack.enter_async_context(loop_probe(metrics))
        announce(options, site.port, listener.port, loaded, engine.default_voice)
        await stop.wait()
        if engine.open_utterances:
            tell(f"Finishing what is being spoken ({GRACE_S:.0f} s at most); once more to stop now.")
        await listener.drain(GRACE_S)


async def load_unless(stop: asyncio.Event, options: argparse.Namespace) -> Loaded | None:
    """Load and warm the voices on the loader's thread; None when a signal came first."""
    from models import loader

    loading = asyncio.wrap_future(
        loader.start(options.device, options.threads, logging.getLogger("utter").info)
    )
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait((loading, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    with loading_explained():
        return loading.result() if loading.done() else None


@contextlib.contextmanager
def loading_explained() -> Iterator[None]:
    """Let what keeps a voice from being loaded, and a person can mend, end as its sentence."""
    from models.loader import DeviceUnavailable
    from models.weights import WeightsAltered, WeightsMissing

    try:
        yield
    except (DeviceUnavailable, WeightsAltered, WeightsMissing) as error:
        raise CannotStart(str(error)) from error


def leave_out_of_collections() -> None:
    """Take what is in memory now, the voices above all, out of garbage collection.

    A full collection would walk through it each time, for nothing, and hold up the event loop for 30 ms.
    """
    gc.collect()
    gc.freeze()


def announce(options: argparse.Namespace, port: int, ws_port: int, loaded: Loaded, voice: str) -> None:
    """Say in one line where the page is, and open it."""
    host = "localhost" if options.host in WILDCARDS else options.host
    url = f"{'https' if options.tls_cert else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"
    what = f"socket {ws_port}, voice {voice}, {loaded.runtime} on {loaded.device}"
    print(f"Utter speaks at {url} ({what}, ready in {time.monotonic() - STARTED:.1f} s)", flush=True)
    if not options.no_browser:
        # In a process of its own, without the terminal: it may wait for seconds, or be a text browser.
        quiet = subprocess.DEVNULL
        subprocess.Popen([sys.executable, "-m", "webbrowser", url], stdin=quiet, stdout=quiet, stderr=quiet)


@contextlib.contextmanager
def stop_on_signal() -> Iterator[asyncio.Event]:
    """Give an event that SIGINT and SIGTERM set. The second signal ends the process at once."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    heard: list[int] = []

    def hear(number: int, _frame: object) -> None:
        if heard:
            os._exit(128 + number)
        heard.append(number)
        loop.call_soon_threadsafe(stop.set)

    # signal.signal and not the loop's own handlers: those do not exist on Windows.
    before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def explained(host: str, port: int, flag: str) -> Iterator[None]:
    """Turn what the system says of an address it cannot bind into a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotStart(f"Port {port} on {host} is in use: choose another with {flag}.") from error
        raise CannotStart(
            f"Cannot listen on {host}, port {port} ({error.strerror}): see --host, {flag}."
        ) from error


@contextlib.asynccontextmanager
async def loop_probe(metrics: Metrics) -> AsyncIterator[None]:
    """Measure all the while how late the event loop wakes a sleeper."""
    loop = asyncio.get_running_loop()

    async def probe() -> None:
        while True:
            due = loop.time() + LAG_PROBE_S
            await asyncio.sleep(LAG_PROBE_S)
            metrics.loop_lag(max(0.0, loop.time() - due))

    task = loop.create_task(probe())
    try:
        yield
    finally:
        task.cancel()


def refuse_passphrase() -> str:
    """Answer OpenSSL's question for a passphrase: nobody is there when a server restarts by itself."""
    raise CannotStart("The key of --tls-key is encrypted: give one without a passphrase.")


def tls_context(certificate: str | None, key: str | None) -> ssl.SSLContext | None:
    """Return the context for both servers, or None for plain connections."""
    if not certificate and not key:
        return None
    if not certificate or not key:
        raise CannotStart("--tls-cert and --tls-key go together: give both.")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key, password=refuse_passphrase)
    except (OSError, ssl.SSLError) as error:
        raise CannotStart(
            f"{certificate} and {key} are no certificate and key that can be read: {error}."
        ) from error
    return context


def free_port(host: str) -> int:
    """Return a port nobody listens on now; the page must know the socket's before the socket is open."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with explained(host, 0, "--ws-port"), socket.create_server((host, 0), family=family) as server:
        return int(server.getsockname()[1])


def run_loop(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run to the end on uvloop where there is one (not on Windows), else on asyncio's own loop."""
    factory: Callable[[], asyncio.AbstractEventLoop] | None = None
    with contextlib.suppress(ImportError):
        from uvloop import new_event_loop as factory
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(coroutine)


# --- The other commands -------------------------------------------------------------------------------------


def run_test(options: argparse.Namespace) -> int:
    """Run every check there is."""
    from tests import checks

    return checks.run(options.rest)


def lexicons(path: pathlib.Path | None) -> tuple[Lexicon, ...]:
    """Read the file of --lexicon, if one is given."""
    from pipeline.speech import InvalidOption
    from pipeline.text.lexicon import Lexicon

    if path is None:
        return ()
    try:
        return (Lexicon.from_json(path.read_text(encoding="utf-8")),)
    except (OSError, UnicodeDecodeError, InvalidOption) as error:
        raise CannotStart(f"Cannot use the lexicon {path}: {error}") from error


def run_bench(options: argparse.Namespace) -> int:
    """Measure, and print what was measured."""
    if options.what == "browser":
        from tests.bench.browser import run
    elif options.what == "converse":
        from tests.bench.converse import run
    elif options.what == "text":
        from tests.bench.front_end import run
    else:
        from tests.bench.first_packet import run
    return run(options)


def run_say(options: argparse.Namespace) -> int:
    """Speak a text into a WAV file."""
    from pipeline.speech import UtterError

    path = options.output
    if path.suffix.lower() != ".wav":
        raise CannotStart(f"Only WAV files are written: -o must end in .wav, not {path.name!r}.")
    if not path.parent.is_dir():
        raise CannotStart(f"Cannot write {path}: there is no folder {path.parent}.")
    try:
        run_loop(say(options))
    except UtterError as error:
        raise CannotStart(str(error)) from error
    return 0


async def say(options: argparse.Namespace) -> None:
    """Speak into a file, as fast as the machine can."""
    from models import loader
    from pipeline.audio import DEFAULT_RATE_HZ, content_samples
    from pipeline.engine import Engine
    from pipeline.text.spoken import ReadingOptions
    from pipeline.utterance import AudioFormat, AudioPackets, Failed, Finished, Unreadable, UtteranceOptions

    text = sys.stdin.read() if options.text == "-" else options.text
    with loading_explained():
        loaded = loader.load(options.device, 1, logging.getLogger("utter").info)
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(loaded.close)
        engine = Engine(loaded.synthesizers, loaded.voices, workers=1, lexicons=lexicons(options.lexicon))
        await stack.enter_async_context(engine)
        voice = options.voice or engine.default_voice
        utterance = engine.open(
            UtteranceOptions(
                voice,
                language=options.language or "en",
                speed=options.speed,
                format=AudioFormat.PCM,
                reading=ReadingOptions(markup=options.markup == "auto"),
            )
        )
        utterance.push_text(text)
        utterance.end_input()
        packets: list[bytes] = []
        samples = 0
        async for message in utterance.packets():
            if isinstance(message, Failed):
                raise message.error
            if isinstance(message, AudioPackets):
                packets += message.packets
            elif isinstance(message, Unreadable):
                print(f"This voice cannot read {message.text!r}; it was left out.", file=sys.stderr)
            elif isinstance(message, Finished):
                samples = message.samples
    if not samples:
        raise CannotStart("There is nothing in this text that the voice can speak; no file was written.")
    write_wav(options.output, b"".join(packets)[: 2 * samples // content_samples(1, DEFAULT_RATE_HZ)])


def write_wav(path: pathlib.Path, pcm: bytes) -> None:
    """Write 16-bit mono samples at the voice's rate into a file."""
    import wave

    from pipeline.audio import DEFAULT_RATE_HZ

    try:
        with path.open("wb") as raw, wave.open(raw, "wb") as file:
            file.setparams((1, 2, DEFAULT_RATE_HZ, 0, "NONE", ""))
            file.writeframes(pcm)
    except OSError as error:
        raise CannotStart(f"Cannot write {path}: {error.strerror}.") from error


def run_split(_options: argparse.Namespace) -> int:
    """Answer each JSON line of texts with a JSON line of sentences."""
    from pipeline.text.split import split_lines

    try:
        with open(sys.stdin.fileno(), encoding="utf-8") as lines:
            for line in split_lines(lines):
                print(line, flush=True)
    except ValueError as error:
        raise CannotStart(str(error)) from error
    return 0


def run_voices(_options: argparse.Namespace) -> int:
    """Print the voices as a table."""
    from models.catalog import VOICES

    rows = [("voice", "language", "licence", "description")]
    rows += [(voice.name, voice.language, voice.licence, voice.description) for voice in VOICES]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "serve": run_serve,
    "test": run_test,
    "bench": run_bench,
    "say": run_say,
    "split": run_split,
    "voices": run_voices,
}

if __name__ == "__main__":
    sys.exit(main())
